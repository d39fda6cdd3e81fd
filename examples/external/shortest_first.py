#!/usr/bin/env python3
"""Shortest job first, with aging: the policy of examples/own_policy.rs as a program of its own.

gridloom starts it by `External(command: ["python3", "shortest_first.py"])` and talks to it by lines of JSON: see the
guide, "Your own policy". It needs nothing but Python's standard library.
"""

import json
import sys
from bisect import insort

TICKS = 1_000_000  # gridloom counts times, prices and performances in millionths; whole numbers have no rounding


def ticks(number):
    return round(number * TICKS)


def up(dividend, divisor):
    """The quotient, rounded up."""
    return -(-dividend // divisor)


def runtime(job, node, rule):
    """For how long a job holds a node."""
    if rule == "Reference":
        return up(job["length"] * TICKS, node["performance"])
    return up(job["length"] * job["min_performance"], node["performance"] * TICKS) * TICKS


def first_window(job, nodes, slots, rule):
    """The earliest window that the job can pay, of the cheapest nodes there: start and {node: end}, or nothing."""
    live = []  # (cost, node, end of the task minus its start, latest start), the cheapest first
    start = None
    for begins, node, end in slots:
        if begins != start:
            # All slots that begin at `start` have been seen.
            if is_affordable(job, live):
                break
            start = begins
            live = [entry for entry in live if entry[3] >= start]
        offered = nodes[node]
        if offered["performance"] < job["min_performance"]:
            continue
        if job["budget"] is None and offered["price"] > job["max_price"]:
            continue
        takes = runtime(job, offered, rule)
        latest = (end if job["deadline"] is None else min(end, job["deadline"])) - takes
        if latest >= begins:
            cost = (offered["price"] * takes + TICKS // 2) // TICKS
            insort(live, (cost, node, takes, latest))
    if not is_affordable(job, live):
        return None
    return start, {node: start + takes for _, node, takes, _ in live[: job["nodes"]]}


def is_affordable(job, live):
    chosen = live[: job["nodes"]]
    if len(chosen) < job["nodes"]:
        return False
    return job["budget"] is None or sum(entry[0] for entry in chosen) <= job["budget"]


def without(slots, start, ends):
    """The slots without a window."""
    left = []
    for begins, node, end in slots:
        if node in ends and begins <= start and ends[node] <= end:
            if begins < start:
                left.append((begins, node, start))
            if ends[node] < end:
                left.append((ends[node], node, end))
        else:
            left.append((begins, node, end))
    left.sort()
    return left


def decide(question, nodes, rule, aging):
    now = ticks(question["now"])
    for change in question["prices"]:
        nodes[change["node"]]["price"] = ticks(change["price"])
    queue = question["queue"]
    for job in queue:
        for field in ("length", "min_performance", "max_price", "budget", "deadline", "submitted"):
            if job[field] is not None:
                job[field] = ticks(job[field])
    # Python sorts stably: jobs that are equal stay in the order of the queue.
    queue.sort(key=lambda job: job["length"] / TICKS - aging * ((now - job["submitted"]) / TICKS))
    slots = [(ticks(slot["start"]), slot["node"], ticks(slot["end"])) for slot in question["slots"]]
    reserve = []
    for job in queue:
        window = first_window(job, nodes, slots, rule)
        if window is not None:
            start, ends = window
            slots = without(slots, start, ends)
            reserve.append({"job": job["id"], "start": start / TICKS, "nodes": sorted(ends)})
    return {"reserve": reserve}


def main():
    aging = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    nodes, rule = [], None
    for line in sys.stdin:
        message = json.loads(line)
        if message["message"] == "start":
            rule = message["runtime"]
            nodes = [{key: ticks(node[key]) for key in ("performance", "price")} for node in message["nodes"]]
        elif message["message"] == "decide":
            print(json.dumps(decide(message, nodes, rule, aging)), flush=True)
        else:
            break


if __name__ == "__main__":
    main()
