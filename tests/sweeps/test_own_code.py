"""The user's own code counts in the model version: a sweep computes again what it has changed."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import netsim as ns
from netsim.sweeps import model_version
from netsim.sweeps.own_code import own_code
from netsim.sweeps.version import of_netsim, short

OWN = """
import json
import numpy
import netsim as ns
from longer import PAUSE

class Own(ns.Netperf):
    def build(self, env):
        import lazy
        return super().build(env)
"""
SCRIPT = """
import sys
from multiprocessing import set_start_method
import netsim as ns
{definition}
if __name__ == "__main__":
    import plots
    set_start_method(sys.argv[1])
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    sweep = ns.sweep(Own("UDP_STREAM", pc, pc, message=1472), {{"mtu": [1000, 1500]}}, store="a.db", jobs=1,
                     precision=0.1, limit="40 ms", progress=False)
    print(sweep.status())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a user's modules, in Python's path."""
    texts = {"owner": OWN, "longer": "from shared import deep\nPAUSE = 1", "lazy": "", "plots": "", "shared/deep": ""}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "shared" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two edits within a second
    return tmp_path


def _loaded() -> ModuleType:
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("owner", "longer", "lazy", "plots", "shared"):
            del sys.modules[name]
    return importlib.import_module("owner")


@pytest.mark.parametrize("file", ["owner.py", "longer.py", "lazy.py", "shared/__init__.py", "shared/deep.py"])
def test_what_a_class_imports_counts(folder: Path, file: str) -> None:
    before = own_code(_loaded().Own)
    with (folder / file).open("a") as text:
        text.write("\n# edited")
    assert before != own_code(_loaded().Own)


def test_other_files_do_not_count(folder: Path) -> None:
    before = own_code(_loaded().Own)
    (folder / "plots.py").write_text("# edited")
    assert before == own_code(_loaded().Own)


def test_an_edited_module_counts_when_it_is_loaded_again(folder: Path) -> None:
    module = _loaded()
    before = own_code(module.Own)
    (folder / "owner.py").write_text(f"{OWN}\n# edited")
    assert own_code(module.Own) == before
    assert own_code(importlib.reload(module).Own) != before


def test_the_modules_in_a_package_import_each_other(folder: Path) -> None:
    for name, text in {"near": "", "owner": f"from . import near\nfrom .deep import __doc__{OWN}"}.items():
        (folder / "shared" / f"{name}.py").write_text(text)
    found = set()
    for file in ("owner.py", "near.py", "deep.py", "../longer.py"):
        with (folder / "shared" / file).open("a") as edited:
            edited.write("\n# edited")
        _loaded()
        found.add(own_code(importlib.import_module("shared.owner").Own))
    assert len(found) == 4


def test_an_installed_class_counts_but_not_what_it_imports(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = folder / "site-packages"
    installed.mkdir()
    for name in ("owner.py", "longer.py"):
        (folder / name).rename(installed / name)
    monkeypatch.syspath_prepend(installed)
    before = own_code(_loaded().Own)
    (installed / "longer.py").write_text("PAUSE = 2")
    assert own_code(_loaded().Own) == before
    (installed / "owner.py").write_text(f"{OWN}\n# edited")
    assert own_code(_loaded().Own) not in ("", before)


def test_classes_of_netsim_have_no_own_code() -> None:
    assert own_code(ns.Netperf) == ""
    assert model_version(ns.Netperf) == model_version()


def test_a_version_with_own_code_names_both() -> None:
    class Own(ns.Netperf):
        pass

    version = model_version(Own)
    assert of_netsim(version) == model_version()
    assert short(version) == f"{model_version()[:12]}+{own_code(Own)[:12]}"


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("definition", ["from owner import Own", "import longer\nclass Own(ns.Netperf): pass"])
def test_a_sweep_computes_again_what_own_code_has_changed(folder: Path, start: str, definition: str) -> None:
    """Wherever the class is defined, and however its workers start."""

    def computed() -> str:
        (folder / "script.py").write_text(SCRIPT.format(definition=definition))
        command = [sys.executable, "script.py", start]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        told = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return told.stdout.split()[-3]

    assert [computed(), computed()] == ["2", "0"]
    (folder / "longer.py").write_text("PAUSE = 2")
    assert computed() == "2"


def test_in_a_notebook_the_cells_of_a_class_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that define what it uses, too."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    monkeypatch.setitem(sys.modules, "__main__", shell.user_module)
    shell.run_cell("class Run:\n    def go(self): return 1")
    shell.run_cell("import netsim as ns\nclass Own(ns.Netperf):\n    def build(self, env): return Run()")
    first = own_code(shell.user_ns["Own"])
    shell.run_cell("unrelated = 1")
    assert own_code(shell.user_ns["Own"]) == first
    shell.run_cell("class Run:\n    def go(self): return 2")
    assert own_code(shell.user_ns["Own"]) not in ("", first)
