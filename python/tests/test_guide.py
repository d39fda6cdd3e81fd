"""The code of the guide's page on Python, run as it stands."""

import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "guide" / "python.md").read_text()


def test_the_code_of_the_page_runs(monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("gymnasium")
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    names = {}
    for block in blocks:
        exec(compile(block, "guide/python.md", "exec"), names)
    assert "local load" not in capsys.readouterr().err


def test_the_readme_shows_what_runs(monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "python" / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    exec(compile(block.replace("replications=10", "replications=1"), "README.md", "exec"), {})


def test_the_examples_run(monkeypatch, tmp_path, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("gymnasium")
    folder = ROOT / "examples" / "python"
    text = (folder / "shortest_first.py").read_text().replace("replications=10", "replications=1")
    monkeypatch.chdir(ROOT)
    text = text.replace('open("wait.svg"', f'open("{tmp_path}/wait.svg"')
    exec(compile(text, "shortest_first.py", "exec"), {})
    assert "success ratio" in capsys.readouterr().out
    assert (tmp_path / "wait.svg").read_text().startswith("<svg")
    names = {"__name__": "learn_order"}
    exec(compile((folder / "learn_order.py").read_text(), "learn_order.py", "exec"), names)
    weights = names["learn"](2)
    assert weights.any()


def test_the_notebook_runs():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    notebook = nbformat.read(ROOT / "examples" / "python" / "gridloom.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in data for data in shown), "figures appear inline"
    assert any("text/html" in data for data in shown)
