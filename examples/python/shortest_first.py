"""Shortest job first, with aging, beside EASY: the policy of examples/own_policy.rs in Python.

Run it with `python examples/python/shortest_first.py`, once the package `gridloom` is installed.
"""

import gridloom


def shortest_first(view):
    # Python sorts stably: jobs that are equal stay in the order of the queue.
    return view.first_windows(sorted(view.queue, key=lambda job: job.length - 1.0 * job.waited))


settings = {"experiment.policies": "[Easy]", "sweeps": "[]", "published": "[]"}
results = gridloom.run("scenarios/grid-day.ron", set=settings, replications=10, policies={"shortest first": shortest_first})
rows = gridloom.to_pandas(results.rows)
chosen = rows[rows.metric.isin(["success ratio", "wait", "slowdown", "job cost"]) & rows.x.isna()]
print(chosen.pivot_table(index="metric", columns="series", values=["mean", "ci95"], sort=False).to_string())
open("wait.svg", "w").write(results.figure("wait").svg)
