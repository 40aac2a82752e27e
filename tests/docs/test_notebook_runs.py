"""Every notebook runs from top to bottom.

Starting a kernel and importing everything takes longer than most notebooks. So each runs in IPython in a process of
its own, forked from one with all imports, with figures drawn as in a kernel; one runs in a kernel.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

INLINE = "module://matplotlib_inline.backend_inline"  # what a kernel draws with

pytest.importorskip("IPython", reason="needs jupyter")
pytestmark = pytest.mark.validation  # they take as long as those tests


def alone(path: Path) -> object:
    """A case in a group of its own, so that the workers share the notebooks."""
    return pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(path.stem))


@pytest.mark.parametrize("path", [alone(one) for one in NOTEBOOKS])
def test_it_runs(path: Path) -> None:
    assert trouble(path) == ""


def test_trouble_is_found(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": ["1/0"]}, {"cell_type": "code", "source": ["x = 1\n", "x / 0"]}]
    path = tmp_path / "wrong.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert "ZeroDivisionError" in trouble(path)


def test_one_runs_in_a_kernel() -> None:
    nbclient = pytest.importorskip("nbclient", reason="needs jupyter")
    nbformat = pytest.importorskip("nbformat", reason="needs jupyter")
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    nbclient.NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    kinds = {kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", {})}
    assert {"text/html", "text/plain"} <= kinds


def trouble(path: Path) -> str:
    """Output of the cell that fails; "" if none does."""
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
    from IPython.utils.capture import capture_output
    from matplotlib_inline.backend_inline import configure_inline_support
    from traitlets.config import Config

    os.chdir(path.parent)
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    matplotlib.use(INLINE)
    configure_inline_support(shell, INLINE)
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with capture_output() as written:
                done = shell.run_cell("".join(cell["source"]), store_history=True)
            if not done.success:
                return str(written.stdout)
    return ""
