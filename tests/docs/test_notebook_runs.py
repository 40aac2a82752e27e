"""Every notebook runs from top to bottom, and says what its stored outputs say: numbers, tables, words for pictures.

Starting a kernel and importing everything takes longer than most notebooks. So each runs in IPython in a process of
its own, forked from one with all imports, with figures drawn as in a kernel; one runs in a kernel.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from difflib import unified_diff
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

WIDGET = "application/vnd.jupyter.widget-view+json"
INLINE = "module://matplotlib_inline.backend_inline"  # what a kernel draws with

pytest.importorskip("IPython", reason="needs jupyter")
pytestmark = pytest.mark.validation  # they take as long as those tests


def alone(path: Path) -> object:
    """A case in a group of its own, so that the workers share the notebooks."""
    return pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(path.stem))


@pytest.mark.parametrize("path", [alone(one) for one in NOTEBOOKS])
def test_it_runs_and_says_what_it_shows(path: Path) -> None:
    assert trouble(path) == ""


@pytest.mark.parametrize(
    ("source", "shown", "words"),
    [
        (["x = 1\n", "x / 0"], {}, "ZeroDivisionError"),
        (["print(6 * 7)"], {"output_type": "stream", "name": "stdout", "text": ["41\n"]}, "-41\n+42"),
        (["6 * 7"], {"output_type": "execute_result", "data": {"text/plain": ["41"]}}, "-41\n+42"),
    ],
)
def test_trouble_is_found(source: list[str], shown: dict[str, Any], words: str, tmp_path: Path) -> None:
    before = {"cell_type": "markdown", "source": ["1/0"]}
    cell = {"cell_type": "code", "source": source, "outputs": [shown] if shown else []}
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps({"cells": [before, cell]}), encoding="utf-8")
    assert words in trouble(path)


def test_one_runs_in_a_kernel() -> None:
    nbclient = pytest.importorskip("nbclient", reason="needs jupyter")
    nbformat = pytest.importorskip("nbformat", reason="needs jupyter")
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    nbclient.NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    kinds = {kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", {})}
    assert {"text/html", "text/plain"} <= kinds


def trouble(path: Path) -> str:
    """Output of the first cell that fails, or how it differs from what the notebook shows; "" if none does."""
    _imported()
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(_run, path).result()


def _imported() -> None:
    """Imports what notebooks import, for all processes that follow."""
    import IPython.core.interactiveshell
    import ipywidgets
    import matplotlib.pyplot

    import experiments.notebook
    import netsim

    del IPython, ipywidgets, matplotlib, experiments, netsim


def _run(path: Path) -> str:
    import matplotlib
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import display
    from IPython.utils.capture import capture_output
    from matplotlib_inline.backend_inline import configure_inline_support
    from traitlets.config import Config

    os.chdir(path.parent)
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.display_trap.hook = lambda result: None if result is None else display(result)  # as a kernel does
    matplotlib.use(INLINE)
    configure_inline_support(shell, INLINE)
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with capture_output() as written:
                done = shell.run_cell("".join(cell["source"]), store_history=True)
            if not done.success:
                return str(written.stdout)
            if different := _different(cell["outputs"], written):
                return different
    return ""


def _different(shown: list[dict[str, Any]], written: Any) -> str:
    """Lines that are shown and were not said, and the reverse. A slider's cell is not stored with what it says."""
    if any(WIDGET in output.data for output in written.outputs):
        return ""
    printed = "".join("".join(output.get("text", "")) for output in shown)
    before = printed + _said(output["data"] for output in shown if "data" in output)
    after = written.stdout + _said(output.data for output in written.outputs)
    return "\n".join(unified_diff(before.splitlines(), after.splitlines(), "shown", "said", n=0, lineterm=""))


def _said(displayed: Iterable[dict[str, Any]]) -> str:
    """What was displayed, as a page shows it, without drawings. The width of plain tables depends on the screen."""
    kinds = ("text/html", "text/markdown", "text/plain")
    texts = ["".join(next(data[kind] for kind in kinds if kind in data)) for data in displayed]
    return re.sub(r"base64,[\w+/=]+", "", "\n".join(texts))
