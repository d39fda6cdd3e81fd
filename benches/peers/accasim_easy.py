"""The same log under AccaSim's EASY, with first fit on nodes of one core."""

import collections
import collections.abc
import json
import logging
import os
import sys

# AccaSim 1 was written for a Python in which these had other places.
for name in ("Hashable", "Iterable", "Mapping", "MutableMapping", "Sequence"):
    setattr(collections, name, getattr(collections.abc, name))

from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling
from accasim.base.simulator_class import Simulator

logging.disable(logging.CRITICAL)
log, processors = os.path.abspath(sys.argv[1]), int(sys.argv[2])
os.chdir(os.path.dirname(log))
with open("system.json", "w") as system:
    json.dump({"groups": {"node": {"core": 1}}, "resources": {"node": processors}}, system)
simulator = Simulator(
    log,
    "system.json",
    EASYBackfilling(FirstFit()),
    scheduling_output=True,
    statistics_output=False,
    show_statistics=False,
    RESULTS_FOLDER_NAME="accasim",
)
simulator.start_simulation()
