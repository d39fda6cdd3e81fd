#!@python@
# HyperQueue: a job with a task for each shard, and one that merges them. A task that fails would take the merge with it,
# so that shards always end well; the merge tells what is missing.
import os
from hyperqueue import Client, Job
from hyperqueue.ffi.protocol import ResourceRequest

def numbers(ranges):
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)

def command(words, log):
    return @commands:json@ + "\n" + @program:json@ + f" {words} >> " + @logs:json@ + f"/{log}.log 2>&1"

def run(number):
    words = f"run --shard {number}/@of@ --out " + @out:json@ + " --threads @threads@ --quiet"
    return command(words, f"shard-{number}") + " || true"

job = Job(name=@name:json@)
rest = dict(resources=ResourceRequest(cpus=@threads@), stdout=None, stderr=None)
shards = [job.program(["sh", "-c", run(number)], **rest) for number in numbers("@shards@")]
job.program(["sh", "-c", command("merge " + @out:json@, "merge")], deps=shards, **rest)
print(Client(os.environ.get("HQ_SERVER_DIR")).submit(job).id)
