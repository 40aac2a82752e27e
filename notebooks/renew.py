"""Runs notebooks from top to bottom and writes what comes out, but what is different each time (widgets' ids, times).

    python notebooks/renew.py            # all of them
    python notebooks/renew.py 01 03      # those whose names begin so

A slider is nothing without a kernel, so its cell keeps no output: the picture above it is what readers see.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET = "application/vnd.jupyter.widget-view+json"


def renew(path: Path) -> None:
    """Run a notebook in its folder and write it with what comes out."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    options = {"resources": resources, "record_timing": False, "coalesce_streams": True}
    client = NotebookClient(notebook, kernel_name="python3", **options)
    client.execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = nbformat.from_dict({}), f"cell-{number}"
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_widget(output)]
    nbformat.write(notebook, path)


def _is_widget(output: Any) -> bool:
    return WIDGET in output.get("data", {})


if __name__ == "__main__":
    for one in sorted(FOLDER.glob("*.ipynb")):
        if len(sys.argv) == 1 or one.name.startswith(tuple(sys.argv[1:])):
            renew(one)
