"""Compiled or interpreted: which variant is used and reported; results are the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import netsim as ns
from netsim.compiled import COMPILED, FOLDER, MADE_FROM, VARIANT

ROOT = FOLDER.parent
needs_library = pytest.mark.skipif(not COMPILED, reason="these tests run interpreted")
WHICH = "from netsim.compiled import VARIANT; print(VARIANT)"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUN = """
import netsim as ns
print(ns.simulate(ns.load({file!r}), seed=3, precision=0.05, limit="60 ms").to_json())
"""
FAILS = """
import traceback
import netsim as ns
from netsim.engine.transactions import Mix
try:
    Mix(ns.Environment(seed=1), {"read": -1})
except ns.ScenarioError:
    print(traceback.format_exc())
"""


def python(code: str, cwd: Path, package: Path = ROOT, pure: bool = False) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter with `package` as netsim, in a folder away from the sources."""
    environment = {name: value for name, value in os.environ.items() if name != "NETSIM_PURE"}
    environment |= {"PYTHONPATH": str(package.parent)} | ({"NETSIM_PURE": "1"} if pure else {})
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=cwd, env=environment, check=True, capture_output=True, text=True)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the sources, without a library."""
    ignored = shutil.ignore_patterns("__pycache__", "native__mypyc*")
    shutil.copytree(ROOT.parent / "models", tmp_path / "copied" / "models")
    return shutil.copytree(ROOT, tmp_path / "copied" / "netsim", ignore=ignored)


def test_interpreted_by_request(tmp_path: Path) -> None:
    done = python(WHICH, tmp_path, pure=True)
    assert (done.stdout, done.stderr) == ("interpreted\n", "")


def test_interpreted_if_nothing_was_built(tmp_path: Path, copied: Path) -> None:
    done = python(WHICH, tmp_path, copied)
    assert (done.stdout, done.stderr) == ("interpreted\n", "")


@needs_library
def test_compiled_otherwise(tmp_path: Path) -> None:
    done = python(WHICH, tmp_path)
    assert (done.stdout, done.stderr) == ("compiled\n", "")


@needs_library
def test_a_library_serves_wherever_its_sources_are(tmp_path: Path, copied: Path) -> None:
    for file in FOLDER.glob("native__mypyc*"):
        shutil.copy(file, copied / "compiled")
    assert python(WHICH, tmp_path, copied).stdout == "compiled\n"


@pytest.mark.parametrize("pure", [False, True])
def test_a_library_of_other_sources_is_refused_in_one_line(tmp_path: Path, copied: Path, pure: bool) -> None:
    """The library is neither read nor even present: its note alone decides."""
    (copied / "compiled" / MADE_FROM.name).write_text(f"{'0' * 64}\nmypy 2.4.1\n")
    done = python(WHICH, tmp_path, copied, pure)
    line = "netsim: the compiled parts come from other sources; interpreted ones are used (make venv)\n"
    assert (done.stdout, done.stderr) == ("interpreted\n", "" if pure else line)


@needs_library
def test_an_edited_source_is_never_left_to_an_old_library(tmp_path: Path, copied: Path) -> None:
    for file in FOLDER.glob("native__mypyc*"):
        shutil.copy(file, copied / "compiled")
    with (copied / "units" / "constants.py").open("a") as file:
        file.write("# another line\n")
    done = python(WHICH, tmp_path, copied)
    assert (done.stdout, done.stderr.count("\n")) == ("interpreted\n", 1)


@cache
def found(example: str, pure: bool) -> str:
    """A result as JSON."""
    return python(RUN.format(file=str(EXAMPLES / f"{example}.toml")), EXAMPLES, pure=pure).stdout


@needs_library
@pytest.mark.parametrize("example", ["p166", "perform3"])
def test_both_find_the_same(example: str) -> None:
    """To the last digit, event and frame."""
    compiled, interpreted = (json.loads(found(example, pure)) for pure in (False, True))
    assert (compiled.pop("compiled"), interpreted.pop("compiled")) == (True, False)
    assert compiled == interpreted
    assert compiled["events"] > compiled["frames"] > 100


def test_results_are_equal_whatever_found_them() -> None:
    text = found("p166", True)  # already run above
    one, other = map(ns.Result.from_json, (text, text.replace('"compiled": false', '"compiled": true')))
    assert (one.compiled, other.compiled) == (False, True)
    assert one == other
    assert "compiled" not in one.to_record()


@pytest.mark.parametrize("pure", [False, True])
def test_tracebacks_show_the_source(tmp_path: Path, pure: bool) -> None:
    text = python(FAILS, tmp_path, pure=pure).stdout
    assert 'raise ScenarioError(text, address="kinds")' in text
    assert "netsim/engine/transactions.py" in text


def test_the_command_says_which_one_it_is(tmp_path: Path) -> None:
    code = "import sys; from netsim.cli import main; main(['--version'])"
    assert f"({VARIANT})" in python(code, tmp_path, pure=not COMPILED).stdout
    assert "(interpreted)" in python(code, tmp_path, pure=True).stdout
