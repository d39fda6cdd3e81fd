"""Schedulers that speak Batsim's protocol drive `gridloom replay`: over ZeroMQ's own library, and one of pybatsim."""

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

zmq = pytest.importorskip("zmq")

PROGRAM = os.environ.get("GRIDLOOM")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="GRIDLOOM does not name the program")


class FirstCome(threading.Thread):
    """First come, first served, on the lowest processors that are free. `spoil` may change an answer."""

    def __init__(self, spoil=lambda answer: answer):
        super().__init__(daemon=True)
        self.socket = zmq.Context.instance().socket(zmq.REP)
        self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")
        self.spoil, self.free, self.queue, self.held = spoil, [], [], {}
        self.seen = []

    def run(self):
        is_over = False
        while not is_over:
            if not self.socket.poll(20_000):
                return
            message = json.loads(self.socket.recv())
            for event in message["events"]:
                self.seen.append(event["type"])
                data = event["data"]
                if event["type"] == "SIMULATION_BEGINS":
                    self.free = list(range(data["nb_resources"]))
                elif event["type"] == "JOB_SUBMITTED":
                    self.queue.append((data["job_id"], data["job"]["res"]))
                elif event["type"] == "JOB_COMPLETED":
                    self.free = sorted(self.free + self.held.pop(data["job_id"]))
                is_over = event["type"] == "SIMULATION_ENDS"
            events = []
            while self.queue and self.queue[0][1] <= len(self.free):
                job, wide = self.queue.pop(0)
                self.held[job], self.free = self.free[:wide], self.free[wide:]
                alloc = ",".join(map(str, self.held[job]))
                data = {"job_id": job, "alloc": alloc}
                events.append({"timestamp": message["now"], "type": "EXECUTE_JOB", "data": data})
            self.socket.send_string(self.spoil(json.dumps({"now": message["now"], "events": events})))
        self.socket.close()


def replay(folder, *policies, status=0):
    """The rows of `jobs.csv`, or the error."""
    call = [PROGRAM, "replay", "log.swf", "--policy", ",".join(policies), "--batsim-tables", "--quiet", "--force", "--out", "out"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done.stderr
    if status:
        return done.stderr
    with open(folder / "out" / "jobs.csv") as table:
        return list(csv.DictReader(table))


@pytest.fixture
def log(tmp_path):
    call = [PROGRAM, "generate", "--jobs", "300", "--nodes", "32", "--load", "0.9", "--out", "log.swf"]
    subprocess.run(call, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_first_come_first_served_elsewhere_is_that_of_gridloom(log):
    scheduler = FirstCome()
    scheduler.start()
    rows = replay(log, "FCFS", f"batsim:tcp://127.0.0.1:{scheduler.port}")
    starts = {policy: [row["start"] for row in rows if row["policy"] == policy] for policy in ("FCFS", "batsim")}
    assert starts["FCFS"] == starts["batsim"] and len(starts["FCFS"]) == 300
    assert scheduler.seen.count("JOB_COMPLETED") == 300 and scheduler.seen[-1] == "SIMULATION_ENDS"
    with open(log / "out" / "batsim-jobs-batsim.csv") as table:
        theirs = [row["allocated_resources"] for row in csv.DictReader(table)]
    with open(log / "out" / "batsim-jobs-fcfs.csv") as table:
        ours = [row["allocated_resources"] for row in csv.DictReader(table)]
    assert len(theirs) == len(ours) == 300


def test_a_wrong_answer_ends_the_replay(log):
    scheduler = FirstCome(spoil=lambda answer: answer.replace('"alloc": "0', '"alloc": "99'))
    scheduler.start()
    said = replay(log, f"batsim:tcp://127.0.0.1:{scheduler.port}", status=1)
    assert "policy batsim failed" in said and "EXECUTE_JOB" in said
    assert not (log / "out").exists()


@pytest.mark.skipif(shutil.which("pybatsim", path=str(Path(sys.executable).parent)) is None, reason="pybatsim is not installed")
def test_a_scheduler_of_pybatsim(log):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).parent / "pybatsim"), "easyBackfill", "-v", "error", "-s", f"tcp://127.0.0.1:{port}"]
    scheduler = subprocess.Popen(command, cwd=log, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        rows = replay(log, "EASY", f"batsim:tcp://127.0.0.1:{port}")
        assert scheduler.wait(timeout=20) == 0
    finally:
        scheduler.kill()
    assert sum(row["policy"] == "batsim" for row in rows) == 300
