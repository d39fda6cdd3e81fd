"""Scenarios in, results out."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import gridloom


def test_the_same_results_as_from_the_program_whatever_the_threads(grid, tmp_path):
    one, two = gridloom.run(grid, seed=3, threads=1), gridloom.run(grid, seed=3, threads=2)
    assert one.file("results.json") == two.file("results.json")
    one.save(str(tmp_path / "saved"))
    read = gridloom.read(tmp_path / "saved")
    assert (read.name, read.seed, read.replications) == ("small", 3, 2)
    for table in ("rows", "observations", "jobs"):
        a, b = getattr(one, table), getattr(read, table)
        assert a.columns == b.columns and len(a) == len(b) > 0
        for column in a.columns:
            left, right = a[column], b[column]
            left, right = (list(left), list(right)) if isinstance(left, list) else (left.tolist(), right.tolist())
            assert repr(left) == repr(right), column
    assert sorted(one.files) == sorted(read.files)


def test_the_files_of_a_saved_run_are_those_of_the_program(grid, tmp_path):
    program = os.environ.get("GRIDLOOM")
    if program is None:
        pytest.skip("GRIDLOOM does not name the program")
    (tmp_path / "s.ron").write_text(grid)
    subprocess.run([program, "run", "s.ron", "--quiet", "--out", "program"], cwd=tmp_path, check=True)
    gridloom.run(tmp_path / "s.ron").save(str(tmp_path / "python"))
    names = sorted(path.name for path in (tmp_path / "program").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "python").iterdir())
    for name in names:
        assert (tmp_path / "program" / name).read_bytes() == (tmp_path / "python" / name).read_bytes(), name


def test_what_is_set_counts(grid):
    results = gridloom.run(grid, set={"experiment.policies": ["Fcfs", "Easy"], "experiment.horizon": 100}, replications=1)
    assert set(results.jobs["policy"]) == {"FCFS", "EASY"}
    assert results.replications == 1
    assert max(results.jobs["submit"]) < 100


def test_errors_have_their_places():
    with pytest.raises(gridloom.ScenarioError) as caught:
        gridloom.check('(\n    name: "x",\n    experiment: Grd(),\n    sed: 1,\n)')
    errors = caught.value.errors
    assert [(line, path) for _, line, _, path, _, _ in errors] == [(3, "experiment"), (4, "sed")]
    assert "did you mean `Grid`" in str(caught.value) and "3:17" in str(caught.value)
    with pytest.raises(gridloom.ScenarioError, match="no-such.ron"):
        gridloom.run("no-such.ron")
    with pytest.raises(gridloom.ScenarioError, match="horizn"):
        gridloom.check("(name: \"x\", experiment: Grid(horizon: 9, domains: []))", set={"experiment.horizn": 1})
    with pytest.raises(FileNotFoundError, match="holds no results"):
        gridloom.read("no-such-folder")


def test_describe_tells_what_can_be_written():
    assert "horizon" in gridloom.describe("grid")
    with pytest.raises(KeyError):
        gridloom.describe("no such place")


def test_a_result_is_not_replaced_unless_asked(grid, tmp_path):
    results = gridloom.run(grid, replications=1)
    results.save(str(tmp_path / "out"))
    with pytest.raises(gridloom.RunError, match="exists already"):
        results.save(str(tmp_path / "out"))
    results.save(str(tmp_path / "out"), force=True)


def test_other_threads_run_while_it_runs(grid):
    """The interpreter's lock is free: a thread that counts goes on counting."""
    counted, is_over = [0], threading.Event()

    def count():
        while not is_over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    gridloom.run(grid, replications=300)
    gained = counted[0] - before
    is_over.set()
    thread.join()
    assert gained > 10


@pytest.mark.parametrize("policy", ["None", "hang", "sleep"])
def test_ctrl_c_ends_it_at_once(grid, tmp_path, policy):
    script = textwrap.dedent("""
        import sys, time, gridloom

        def hang(view):
            while True:
                pass

        def sleep(view):
            while True:
                time.sleep(0.05)

        policy = {"hang": hang, "sleep": sleep}.get(sys.argv[2])
        policies = {"mine": policy} if policy else None
        print("begun", flush=True)
        try:
            gridloom.run(open(sys.argv[1]).read(), replications=1_000_000, policies=policies)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    (tmp_path / "s.ron").write_text(grid)
    (tmp_path / "s.py").write_text(script)
    child = subprocess.Popen([sys.executable, "s.py", "s.ron", policy], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert out == "interrupted\n"
    assert child.returncode == 0


def test_logs_are_replayed(tmp_path):
    line = "{} {} -1 {} {} -1 -1 {} {} -1 1 1 1 1 1 -1 -1 -1\n"
    jobs = [(1, 0, 100, 3), (2, 1, 10, 4), (3, 2, 50, 1)]
    text = "; MaxProcs: 4\n" + "".join(line.format(i, s, r, p, p, r) for i, s, r, p in jobs)
    (tmp_path / "log.swf").write_text(text)
    results = gridloom.replay(tmp_path / "log.swf", policies=["EASY", "FCFS"])
    rows = zip(results.jobs["policy"], results.jobs["start"].tolist())
    assert [start for policy, start in rows if policy == "EASY"] == [0, 100, 2]
    with pytest.raises(ValueError, match="no policy 'esy'"):
        gridloom.replay(tmp_path / "log.swf", policies="esy")


def test_figures_are_shown_in_notebooks(grid):
    results = gridloom.run(grid, replications=2)
    figure = results.figure("wait")
    assert figure._repr_svg_().startswith("<svg") and figure.png.startswith(b"\x89PNG")
    assert "<svg" in results._repr_html_()
    with pytest.raises(KeyError, match="there are"):
        results.figure("no such figure")
