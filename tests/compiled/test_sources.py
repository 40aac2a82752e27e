"""Which modules compile, and a library's sources."""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import BaseModel

import netsim
from netsim import compiled
from netsim.compiled import sources

ROOT = Path(netsim.__file__).parent


@cache
def files() -> list[str]:
    return sources.compiled(ROOT)


def modules() -> list[str]:
    return [f"netsim.{file.removesuffix('.py').replace('/', '.')}" for file in files()]


def test_what_runs_compiles() -> None:
    found = set(files())
    assert {"engine/population.py", "nic/nic.py", "stack/tcp_socket.py", "workload/netbench/client.py"} <= found
    others = {"nic/nic_spec.py", "nic/__init__.py", "bus/isa.py", "workload/netperf/tool.py", "measure/simulation.py"}
    assert found & (others | {"workload/netperf/bounds.py", "queueing.py", "show/bars.py"}) == set()


def test_each_exclusion_leaves_something_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = sources.INTERPRETED
    monkeypatch.setattr(sources, "INTERPRETED", ())
    found = sources.compiled(ROOT)
    assert [one for one in left_out if not any(file.endswith(one) for file in found)] == []


def test_no_compiled_module_has_a_description() -> None:
    """One case for all modules: listing them parses all sources, which each worker would do to collect cases."""
    own = [(name, one) for name in modules() for one in vars(import_module(name)).values() if inspect.isclass(one)]
    here = [(name, one) for name, one in own if one.__module__ == name]
    assert len(here) > 100
    assert [f"{name}.{one.__name__}" for name, one in here if issubclass(one, BaseModel)] == []


def test_modules_come_from_where_they_should() -> None:
    """From the library if it is used, otherwise from their source."""
    elsewhere = [one for one in modules() if str(import_module(one).__file__).endswith(".py") is compiled.COMPILED]
    assert elsewhere == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("engine/environment.py", "bus/pci.py", "show/bars.py", "errors.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("a = 1\n")
    return tmp_path


@pytest.mark.parametrize("change", ["engine/environment.py", "bus/pci.py", "errors.py", "bus/new.py"])
def test_the_digest_is_of_all_that_the_compiler_reads(package: Path, change: str) -> None:
    before = sources.digest(package)
    (package / change).write_text("a = 2\n")
    assert sources.digest(package) != before


def test_the_digest_is_of_names_too(package: Path) -> None:
    before = sources.digest(package)
    (package / "bus" / "pci.py").rename(package / "bus" / "eisa.py")
    assert sources.digest(package) != before


@pytest.mark.parametrize("change", ["show/bars.py", "bus/notes.txt", "bus/__pycache__/pci.py"])
def test_the_digest_is_of_nothing_else(package: Path, change: str) -> None:
    before = sources.digest(package)
    (package / change).parent.mkdir(exist_ok=True)
    (package / change).write_text("a = 2\n")
    assert sources.digest(package) == before


def test_what_the_compiler_takes_no_notice_of_is_a_room() -> None:
    assert all((ROOT / room).is_dir() for room in (*sources.UNREAD, *sources.ROOMS))
