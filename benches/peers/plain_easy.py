"""EASY backfilling in plain Python, for one log in the Standard Workload Format: a yardstick."""

import heapq
import sys


def read(path):
    jobs = []
    with open(path) as log:
        for line in log:
            if line.startswith(";"):
                continue
            field = line.split()
            submitted, runtime, width, estimate = int(field[1]), int(field[3]), int(field[7]), int(field[8])
            jobs.append((submitted, min(runtime, estimate), width, estimate))
    return jobs


def easy(jobs, processors):
    """The start of each job; all that happens at an instant happens before jobs start."""
    starts = [None] * len(jobs)
    queue, running, free, arrived = [], [], processors, 0
    # Those who run by their estimated ends: (estimated end, width, job).
    expected = {}
    while arrived < len(jobs) or queue:
        times = [running[0][0]] if running else []
        if arrived < len(jobs):
            times.append(jobs[arrived][0])
        now = min(times)
        while running and running[0][0] <= now:
            _, job = heapq.heappop(running)
            free += jobs[job][2]
            del expected[job]
        while arrived < len(jobs) and jobs[arrived][0] <= now:
            queue.append(arrived)
            arrived += 1

        def start(job):
            nonlocal free
            _, runtime, width, estimate = jobs[job]
            free -= width
            starts[job] = now
            heapq.heappush(running, (now + runtime, job))
            expected[job] = now + estimate

        while queue and jobs[queue[0]][2] <= free:
            start(queue.pop(0))
        if not queue or free == 0:
            continue
        # The head of the queue starts when enough processors are expected to be free; what is left over then is extra.
        wanted, available, shadow = jobs[queue[0]][2], free, now
        ends = sorted((end, jobs[job][2]) for job, end in expected.items())
        at = 0
        while available < wanted:
            shadow = ends[at][0]
            while at < len(ends) and ends[at][0] == shadow:
                available += ends[at][1]
                at += 1
        extra = available - wanted
        left = [queue[0]]
        for job in queue[1:]:
            _, _, width, estimate = jobs[job]
            if width <= free and (now + estimate <= shadow or width <= extra):
                if now + estimate > shadow:
                    extra -= width
                start(job)
            else:
                left.append(job)
        queue = left
    return starts


jobs = read(sys.argv[1])
starts = easy(jobs, int(sys.argv[2]))
print(sum(start - job[0] for start, job in zip(starts, jobs)) / len(jobs))
