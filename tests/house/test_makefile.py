"""The Makefile's promises: users who need less install less, and every target that is named exists."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMING = ["Dockerfile", "README.md", "CONTRIBUTING.md", *map(str, sorted((ROOT / "docs").rglob("*.md")))]
COMMAND = re.compile(r"(?:^ {4}|`|RUN )make(?: -+\w+)* ([a-z]+)\b", re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "--no-print-directory", *arguments], cwd=ROOT, capture_output=True, text=True)


def plan(target: str) -> str:
    """The target's commands if nothing is built yet."""
    return make("--dry-run", "VENV=build/nowhere", target).stdout


@pytest.mark.parametrize("target", ["venv", "reproduce"])
def test_running_takes_what_runs(target: str) -> None:
    assert "requirements/run.txt" in plan(target)
    assert "requirements/dev.txt" not in plan(target)


@pytest.mark.parametrize("target", ["dev", "test", "fast", "lint", "docs", "notebooks", "fuzz"])
def test_developing_takes_the_rest_on_top(target: str) -> None:
    commands = plan(target)
    assert 0 < commands.index("requirements/run.txt") < commands.index("requirements/dev.txt")


def test_every_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):.* ## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {(name, target) for name in NAMING for target in COMMAND.findall((ROOT / name).read_text(encoding="utf-8"))}
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    named |= {(".ci/run", target) for target in re.findall(r"^make ([a-z]+)", script, re.MULTILINE)}
    assert {("Dockerfile", "dev"), (".ci/run", "interpreted"), ("README.md", "reproduce")} <= named
    assert {one for one in named if one[1] not in targets} == set()


def test_release_notes_are_a_section_of_the_changelog() -> None:
    notes = make("--silent", "notes").stdout
    assert f"## [Unreleased]\n{notes}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "### Added" in notes


def test_release_notes_of_a_version_that_never_was() -> None:
    done = make("notes", "VERSION=0.0.9")
    assert done.returncode != 0
    assert "CHANGELOG.md has no version 0.0.9" in done.stderr
