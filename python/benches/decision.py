"""What a decision of a policy in Python costs: 100 nodes, 50 jobs that wait, and a decision at every unit of time.

Run it with `python python/benches/decision.py`. The time is that of the whole run over the number of decisions, so that what
the simulator does for a decision is in it; a world that decides a hundred times less often is taken off.
"""

import time

import numpy

import gridloom

SCENARIO = """(
    name: "decisions",
    replications: 1,
    experiment: Grid(
        horizon: {horizon},
        drain: UpTo(1),
        domains: [(name: "lab", nodes: 100, owners: [(gap: Exponential(mean: {horizon}), length: 1)])],
        flows: [(name: "jobs", arrivals: Batches(every: 1000000, size: 50), max_price: 2,
                 work: Rigid(nodes: 2, length: 10), patience: 1000000)],
        metascheduler: (period: {period}, interval: 200),
        policies: [Easy],
    ),
)"""


def nothing(view):
    return None


def looks(view):
    assert len(view.queue) == 50
    numpy.asarray(view.slots.start), numpy.asarray(view.slots.end), numpy.asarray(view.slots.node)


def decides(view):
    view.first_windows(view.queue[:1])


def cost(policy, horizon=20_000):
    """Seconds per decision."""

    def run(period):
        count = [0]

        def counted(view):
            count[0] += 1
            return policy(view)

        text = SCENARIO.format(horizon=horizon, period=period)
        begun = time.perf_counter()
        gridloom.run(text, policies={"mine": counted}, alone=True, threads=1, progress=False)
        return time.perf_counter() - begun, count[0]

    (often, many), (seldom, few) = run(1), run(100)
    return (often - seldom) / (many - few), many


if __name__ == "__main__":
    for name, policy in [("decides nothing", nothing), ("looks at queue and slots", looks), ("finds a window for one job", decides)]:
        each, count = min(cost(policy) for _ in range(3))
        print(f"{name}: {each * 1e6:.1f} microseconds ({count} decisions)")
