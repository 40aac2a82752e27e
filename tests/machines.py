"""The four machines of examples/, written by hand in the tools' formats, and copies of them with changed lines."""

from __future__ import annotations

import shutil
from pathlib import Path

MACHINES = Path(__file__).resolve().parents[1] / "examples" / "machines"
NAMES = sorted(one.name for one in MACHINES.iterdir())


def copied(name: str, folder: Path, **changed: tuple[str, str]) -> Path:
    """A copy of a machine's folder in which a text in each named file is replaced ("__" stands for "-")."""
    place = folder / name
    shutil.copytree(MACHINES / name, place, dirs_exist_ok=True)
    for key, (before, after) in changed.items():
        file = place / key.replace("__", "-")
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after), encoding="utf-8")
    return place
