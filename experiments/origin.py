"""The origin of a page: when it was made, from which sources, under which Python."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import netsim
from netsim.compiled import VARIANT

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Origin:
    """`commit` is empty outside a checkout, and ends with "+" if there are uncommitted changes."""

    date: str
    commit: str
    python: str
    variant: str
    version: str


def origin() -> Origin:
    """The origin of a page made by this process."""
    now = datetime.now(UTC)
    return Origin(f"{now:%d %B %Y}".lstrip("0"), commit(ROOT), platform.python_version(), VARIANT, netsim.__version__)


def commit(folder: Path) -> str:
    """The commit checked out there; "" if that is not a checkout, or there is no git."""
    asked = ["git", "-C", str(folder), "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+"]
    try:
        found = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip() if (folder / ".git").exists() else ""
