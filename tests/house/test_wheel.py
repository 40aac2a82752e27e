"""The wheel carries everything that a run needs, and works from an empty folder, far from the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")
RUN = """
import sys
sys.path += sys.argv[1:]
import netsim
pc = netsim.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
test = netsim.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)
print(netsim.__file__, test.bounds().bottleneck, sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, since what setuptools leaves behind from an earlier build would get into it."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copy(ROOT / name, source)
    for name in ("netsim", "models"):
        shutil.copytree(ROOT / name, source / name, ignore=LEFT_OUT)
    built = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "wheel", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    done = subprocess.run([*pip, *offline, "--wheel-dir", built, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (file,) = built.glob("netsim-*.whl")
    return file


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def test_it_carries_the_package_and_the_catalogue_and_nothing_else(unpacked: Path) -> None:
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "netsim").rglob("*") if path.is_file()}
    models = {f"netsim/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "models").rglob("*.toml")}
    expected = {path for path in package if "__pycache__" not in path} | models
    assert {"netsim/py.typed", "netsim/models/hosts/piii-600.toml"} < expected
    carried = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert {path for path in carried if ".dist-info/" not in path} == expected


def test_it_brings_the_command(unpacked: Path) -> None:
    (entry_points,) = unpacked.glob("netsim-*.dist-info/entry_points.txt")
    assert "netsim = netsim.cli:main" in entry_points.read_text(encoding="utf-8")


def test_it_works_from_an_empty_folder(unpacked: Path, tmp_path: Path) -> None:
    # -I leaves out the current folder, PYTHONPATH and the user's packages, -S what an editable install has set up.
    installed = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    command = [sys.executable, "-I", "-S", "-c", RUN, str(unpacked), *installed]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    file, bottleneck = done.stdout.splitlines()
    assert Path(file) == unpacked / "netsim" / "__init__.py"
    assert bottleneck == "wire to receiver"
    assert os.listdir(tmp_path) == []
