"""gridloom: grid scheduling on nodes whose owners come first.

    >>> import gridloom
    >>> results = gridloom.run("scenarios/grid-day.ron", replications=3)
    >>> results.rows            # a table that pandas, polars and pyarrow take as it is
    >>> print(results)          # what `gridloom run` prints

Policies can be written in Python: see `run`. All that a scenario can hold is told by `describe`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from . import _native
from ._native import (
    Array,
    Figure,
    Job,
    Nodes,
    Promise,
    Reserve,
    Results,
    RunError,
    ScenarioError,
    Send,
    Slots,
    Table,
    View,
    __version__,
)

__all__ = [
    "Array",
    "Env",
    "Figure",
    "Job",
    "Nodes",
    "Promise",
    "Reserve",
    "Results",
    "RunError",
    "ScenarioError",
    "Send",
    "Slots",
    "Table",
    "VectorEnv",
    "View",
    "__version__",
    "check",
    "describe",
    "read",
    "replay",
    "run",
    "to_pandas",
]


def run(
    scenario: str | os.PathLike[str],
    set: Mapping[str, Any] | None = None,
    seed: int | None = None,
    replications: int | None = None,
    policies: Mapping[str, Any] | None = None,
    alone: bool = False,
    threads: int = 0,
    answer_within: float = 60.0,
    progress: bool = True,
) -> Results:
    """Runs a scenario: the path of a file, or the text of one.

    `set` replaces fields, as `gridloom run --set` does: `{"experiment.flows[0].arrivals.load": 0.8}`.

    `policies` are policies of your own, by name, which run beside those of the scenario in the same worlds. Each is a
    function `decide(view)`, an object with such a method (which is copied for every world), or a class of such objects
    (of which every world makes one). It returns a list of `Reserve`, `Promise` and `Send`, or `None` to let all jobs
    wait. An attribute `acts` says when it is asked: "cycles" (as it is without one), "submission" or "events". Whether
    the results can be repeated is then the policy's business, and they say so. With `alone` the policies of the
    scenario are left out.

    A decision that takes longer than `answer_within` seconds ends the run. Ctrl-C does so at any time. `threads` is the
    number of worlds that are run at a time, all cores if it is 0; results do not depend on it.
    """
    name, text = _source(scenario)
    given = dict(set or {})
    if seed is not None:
        given["seed"] = seed
    if replications is not None:
        given["replications"] = replications
    shown = _ProgressLine(name) if progress else None
    try:
        own = list((policies or {}).items())
        return _native.run(name, text, _overrides(given), own, alone, threads, float(answer_within), shown)
    finally:
        if shown is not None:
            shown.clear()


def replay(
    logs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    policies: str | Iterable[str] = ("EASY",),
    nodes: int | None = None,
    set: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Results:
    """Replays logs in the Standard Workload Format, as `gridloom replay` does.

    `policies` are "FCFS", "EASY" and "conservative"; the others are compared with the first. `nodes` is the number of the
    machine's processors, that of the log unless given. `set` gives the rules: `{"experiment.estimate": "Actual"}`.
    """
    logs = [logs] if isinstance(logs, (str, os.PathLike)) else list(logs)
    names = [policies] if isinstance(policies, str) else list(policies)
    known = {"FCFS": "Fcfs", "EASY": "Easy", "conservative": "Conservative"}
    for name in names:
        if name not in known:
            raise ValueError(f"there is no policy {name!r} of a queue: give {', '.join(known)}")
    size = "" if nodes is None else f", nodes: {int(nodes)}"
    files = ", ".join(f"File(path: {_quoted(os.fspath(log))}{size})" for log in logs)
    chosen = ", ".join(known[name] for name in names)
    text = f'(name: "replay", experiment: Replay(logs: [{files}], policies: [{chosen}]))'
    return run(text, set=set, progress=progress)


def check(scenario: str | os.PathLike[str], set: Mapping[str, Any] | None = None) -> list[str]:
    """Reads a scenario with its files and runs nothing; returns notes on it. A `ScenarioError` tells all that is wrong."""
    name, text = _source(scenario)
    return _native.check(name, text, _overrides(dict(set or {})))


def describe(place: str = "", width: int = 100) -> str:
    """All that can be written at a place of a scenario, such as "grid.flows.arrivals" or "Amp"."""
    return _native.describe(place, width)


def read(folder: str | os.PathLike[str]) -> Results:
    """The results that `gridloom run`, `replay`, `merge` or `Results.save` have written to a folder."""
    return _native.read(os.fspath(folder))


def to_pandas(table: Table) -> Any:
    """A table as a data frame of pandas; nothing else than pandas is needed."""
    import numpy
    import pandas

    def column(name: str) -> Any:
        values = table[name]
        return numpy.asarray(values) if isinstance(values, Array) else values

    return pandas.DataFrame({name: column(name) for name in table.columns})


def __getattr__(name: str) -> Any:
    # Environments need numpy, which the rest does not.
    if name in ("Env", "VectorEnv"):
        from . import env

        return getattr(env, name)
    raise AttributeError(f"module 'gridloom' has no attribute {name!r}")


def _source(scenario: str | os.PathLike[str]) -> tuple[str, str | None]:
    """The name of a scenario, and its text if that is what was given."""
    if isinstance(scenario, str) and ("\n" in scenario or scenario.lstrip().startswith(("(", "Scenario("))):
        return "scenario", scenario
    return os.fspath(scenario), None


def _overrides(given: Mapping[str, Any]) -> list[str]:
    return [f"{path}={_ron(value)}" for path, value in given.items()]


def _ron(value: Any) -> str:
    """A value as a scenario writes it. A text stands for itself, so that it can be anything."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_ron, value)) + "]"
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{key}: {_ron(inner)}" for key, inner in value.items()) + ")"
    return str(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _ProgressLine:
    """A line on standard error that says how far a run is, once it takes long."""

    def __init__(self, name: str) -> None:
        self.name = os.path.basename(name)
        # A notebook shows it, a file does not.
        self.is_wanted = sys.stderr.isatty() or "ipykernel" in sys.modules
        self.begun = time.monotonic()
        self.last = 0.0
        self.is_shown = False

    def __call__(self, done: int, count: int) -> None:
        now = time.monotonic()
        if not self.is_wanted or not count or now - self.begun < 1 or now - self.last < 0.5:
            return
        self.last = now
        left = f", about {(now - self.begun) / done * (count - done):.0f} s left" if done else ""
        self.is_shown = True
        print(f"\r{self.name}: {done} of {count} worlds{left}    ", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.is_shown:
            print("\r" + " " * 70 + "\r", end="", file=sys.stderr, flush=True)
