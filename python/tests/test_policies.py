"""Policies in Python: what they see, what they may answer, and what happens when they are wrong."""

import json
import threading
import time

import pytest

import gridloom
from gridloom import Promise, Reserve, Send

numpy = pytest.importorskip("numpy")


def shortest_with_aging(view):
    return view.first_windows(sorted(view.queue, key=lambda job: job.length - job.waited))


def schedule(results, policy):
    """Who ran when and on how many nodes, under a policy."""
    jobs = results.jobs
    lines = zip(jobs["policy"], jobs["job"], jobs["start"].tolist(), jobs["finish"].tolist(), jobs["nodes"].tolist())
    return repr([line[1:] for line in lines if line[0] == policy])


def run(grid, **policies):
    return gridloom.run(grid, policies=policies, replications=1)


def test_windows_in_the_order_of_the_queue_are_those_of_first_window(grid):
    results = gridloom.run(
        grid, set={"experiment.policies": "[FirstWindow]"}, policies={"mine": lambda view: view.first_windows()}
    )
    names = sorted(set(results.jobs["policy"]))
    assert len(names) == 2
    assert schedule(results, names[0]) == schedule(results, names[1]) != "[]"
    assert any("comes from outside" in note for note in results.notes)


def test_the_same_policy_as_a_program_gives_the_same_schedule(scenarios, examples):
    """On `grid-day`; that of `examples/own_policy.rs` is compared in the project's own tests."""
    program = f'External(command: ["python3", "shortest_first.py"], folder: "{examples}/external", name: "program")'
    results = gridloom.run(
        scenarios / "grid-day.ron",
        set={"experiment.policies": f"[Easy, {program}]", "sweeps": "[]", "published": "[]"},
        replications=1,
        policies={"mine": shortest_with_aging},
    )
    assert schedule(results, "mine") == schedule(results, "program") != "[]"


def test_what_a_policy_sees(grid):
    seen = []

    def look(view):
        slots, nodes = view.slots, view.nodes
        node, start, end = (numpy.asarray(column) for column in (slots.node, slots.start, slots.end))
        assert len(slots) == len(node) and (start < end).all() and (start >= view.now).all()
        assert len(nodes) == 8 and nodes.domains == ["lab"] and nodes.domain.tolist() == [0] * 8
        assert nodes.names[0] == "lab-1" and nodes.performance.tolist() == [1.0] * 8
        assert view.why == "cycle" and view.systems == []
        assert view.queue is view.queue
        for job in view.queue:
            assert job.waited == pytest.approx(view.now - job.submitted) and job.waited >= 0
            assert 1 <= job.nodes <= 4 and 5 <= job.length <= 30 and job.name.startswith("jobs-")
            assert view.runtime(job, 0) == view.runtime(job.id, 0) == job.length
            assert job.budget == pytest.approx(job.nodes * job.length * job.max_price)
        with pytest.raises(IndexError):
            view.runtime(view.queue[0], 8)
        with pytest.raises(ValueError, match="no job 999999 waits"):
            view.first_windows([999999])
        seen.append((view.decision, view.now, view.seed))
        return None

    run(grid, mine=look)
    assert [decision for decision, _, _ in seen] == list(range(1, len(seen) + 1))
    assert len({seed for _, _, seed in seen}) == 1


def test_a_view_is_gone_once_the_decision_is(grid):
    kept = []
    run(grid, mine=lambda view: kept.append(view))
    with pytest.raises(RuntimeError, match="copy what you need"):
        kept[0].now
    with pytest.raises(RuntimeError, match="copy what you need"):
        kept[0].queue


def test_other_threads_can_not_look_at_a_view(grid):
    caught = []

    def elsewhere(view):
        def look():
            try:
                view.queue
            except RuntimeError as error:
                caught.append(str(error))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    run(grid, mine=elsewhere)
    assert caught and all("for the thread that makes it" in words for words in caught)


def test_state_does_not_go_from_one_world_to_another(grid):
    class Counting:
        acts = "events"

        def __init__(self):
            self.decisions = 0

        def decide(self, view):
            self.decisions += 1
            assert self.decisions == view.decision
            return view.first_windows()

    one = Counting()
    given = {"class": Counting, "object": one}
    results = gridloom.run(grid, replications=5, policies=given)
    assert one.decisions == 0
    assert schedule(results, "class") == schedule(results, "object") != "[]"


def test_answers_can_be_written_in_several_ways(grid):
    def objects(view):
        return [Reserve(job=window.job, start=window.start, nodes=window.nodes) for window in view.first_windows()]

    def words(view):
        windows = view.first_windows()
        return {"reserve": [{"job": w.job, "start": w.start, "nodes": w.nodes} for w in windows], "promise": []}

    def promises(view):
        windows = view.first_windows()
        placed = {window.job for window in windows}
        return windows + [Promise(job, view.now + 10) for job in view.queue if job.id not in placed]

    results = run(grid, objects=objects, words=words, promised=promises)
    assert schedule(results, "objects") == schedule(results, "words") == schedule(results, "promised")
    assert repr(Reserve(1, 2.5, [3])) == "Reserve(job=1, start=2.5, nodes=[3])"
    assert Promise(1, 2.0) != Promise(1, 3.0) and Send(1, 0) == Send(1, 0)


def taken_node(view):
    windows = view.first_windows()
    return windows + [Reserve(job.id, windows[0].start, windows[0].nodes[:1] * job.nodes) for job in view.queue[:1]]


def raises(view):
    raise KeyError("no such order")


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (raises, "decision 1: KeyError: 'no such order'"),
        (lambda view: [Reserve(99, view.now, [0])], "no such job waits; give the `id` of a job in `queue`: 0"),
        (lambda view: [Reserve(view.queue[0], view.now - 1, [0])], "is in the past"),
        (lambda view: [Reserve(view.queue[0], view.now, [0, 0, 0, 0, 0])], "it gets 5 nodes and asks for"),
        (lambda view: [Reserve(view.queue[0], view.now, [77] * view.queue[0].nodes)], "there is no node 77"),
        (lambda view: [Reserve(view.queue[0], 1e9, list(range(view.queue[0].nodes)))], "is not free|deadline"),
        (taken_node, "decided on this job already|is there twice|is not free"),
        (lambda view: [Send(view.queue[0], 0)], "has no batch system"),
        (lambda view: 42, "42 is no decision: return a list"),
        (lambda view: ["x"], "'x' is no decision"),
        (lambda view: {"reserv": []}, "give `reserve`, `promise` or `send`"),
        (lambda view: {"reserve": [{"job": 0}]}, "start"),
        (lambda view: [Reserve(view.queue[0], float("nan"), [0] * view.queue[0].nodes)], "beyond all times"),
    ],
)
def test_what_can_not_be_ends_the_run_with_a_clear_error(grid, policy, words):
    with pytest.raises(gridloom.RunError, match=f"(?s)policy mine failed at time .*({words})"):
        run(grid, mine=policy)


def test_the_traceback_of_a_policy_comes_along(grid):
    with pytest.raises(gridloom.RunError) as caught:
        run(grid, mine=raises)
    cause = caught.value.__cause__
    assert isinstance(cause, KeyError) and cause.__traceback__ is not None
    frames = []
    trace = cause.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert "raises" in frames


@pytest.mark.parametrize("pause", [lambda: None, lambda: time.sleep(0.01)])
def test_a_policy_that_hangs_is_ended(grid, pause):
    def hangs(view):
        while True:
            pause()

    begun = time.monotonic()
    with pytest.raises(gridloom.RunError, match="mine has not made decision 1 within 0.3 s; give more time"):
        gridloom.run(grid, policies={"mine": hangs}, answer_within=0.3)
    assert time.monotonic() - begun < 10


def test_names_and_kinds_of_policies_are_checked(grid):
    with pytest.raises(TypeError, match="policy mine: give a function"):
        run(grid, mine=3)
    with pytest.raises(gridloom.RunError, match="already"):
        run(grid, EASY=lambda view: None)
    bad = type("Bad", (), {"acts": "never", "decide": lambda self, view: None})
    with pytest.raises(ValueError, match='`acts` is "never"'):
        run(grid, mine=bad())
    with pytest.raises(gridloom.RunError, match="no grid with flows"):
        gridloom.run(
            '(name: "x", experiment: Windows(world: Listed(nodes: [(name: "a", performance: 1, price: 1)], free: Slots([(node: "a",'
            ' start: 0, end: 9)])), requests: [(name: "r", nodes: 1, length: 1, max_price: 1)], searches: [Amp]))',
            policies={"mine": lambda view: None},
        )


def test_results_of_a_policy_of_ones_own_are_the_same_at_any_number_of_threads(grid):
    one = gridloom.run(grid, policies={"mine": shortest_with_aging}, threads=1, replications=4)
    two = gridloom.run(grid, policies={"mine": shortest_with_aging}, threads=2, replications=4)
    assert json.loads(one.file("results.json")) == json.loads(two.file("results.json"))
