"""An agent that learns which order of the queue to use, and how it does against EASY.

It is small on purpose: one linear value per order, learned by temporal differences with numpy. Run it with
`python examples/python/learn_order.py`; it needs the package `gridloom`, numpy and gymnasium.
"""

import sys

import numpy

import gridloom
from gridloom.env import observe, windows_in

SCENARIO = """(
    name: "learning",
    replications: 20,
    experiment: Grid(
        horizon: 600,
        domains: [(name: "lab", nodes: 16, owners: [(gap: Exponential(mean: 60), length: 10)])],
        flows: [
            (name: "short", arrivals: Load(load: 0.35), max_price: 3,
             work: Rigid(nodes: UniformInteger(low: 1, high: 4), length: Uniform(low: 2, high: 10))),
            (name: "long", arrivals: Load(load: 0.45), max_price: 3,
             work: Rigid(nodes: UniformInteger(low: 2, high: 8), length: Uniform(low: 20, high: 60))),
        ],
        metascheduler: (period: 5, interval: 200),
        policies: [Easy],
    ),
)"""
ORDERS = ("arrival", "shortest", "smallest", "aging")
#: Worlds with these seeds are for learning; the comparison is in the worlds of another seed.
LEARNING, JUDGING = 1_000, 1


def scaled(observation):
    """Numbers of about the same size, and a constant."""
    return numpy.append(numpy.tanh(observation / numpy.array([20, 2, 20, 40, 20, 60, 1, 1])), 1.0)


def learn(episodes, rate=0.02, discount=0.95, explore=0.2):
    """The weights of the orders after so many worlds."""
    draws = numpy.random.default_rng(0)
    weights = numpy.zeros((len(ORDERS), 9))
    env = gridloom.Env(SCENARIO, orders=ORDERS)
    for episode in range(episodes):
        state = scaled(env.reset(seed=LEARNING + episode)[0])
        is_over = False
        while not is_over:
            values = weights @ state
            action = int(draws.integers(len(ORDERS))) if draws.random() < explore else int(values.argmax())
            observation, reward, is_over, _, _ = env.step(action)
            following = scaled(observation)
            target = reward / 100 + (0 if is_over else discount * (weights @ following).max())
            weights[action] += rate * (target - values[action]) * state
            state = following
    return weights


def main():
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    weights = learn(episodes)

    def learned(view):
        return windows_in(ORDERS[int((weights @ scaled(observe(view))).argmax())], view)

    policies = {"learned": learned, **{order: lambda view, order=order: windows_in(order, view) for order in ORDERS}}
    results = gridloom.run(SCENARIO, seed=JUDGING, policies=policies)
    rows = results.rows
    shown = {}
    for series, metric, mean, ci95, x in zip(
        rows["series"], rows["metric"], rows["mean"].tolist(), rows["ci95"].tolist(), rows["x"].tolist()
    ):
        # A wait is that of jobs that started, so it is read beside the share of those that were served.
        if metric in ("wait", "success ratio") and x != x:
            shown.setdefault(series, []).append(f"{metric} {mean:.3g} ± {ci95:.2g}")
    for series, values in shown.items():
        print(f"{series}: {', '.join(values)}")


if __name__ == "__main__":
    main()
