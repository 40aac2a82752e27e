"""The model version: what a result depends on besides scenario, seed and settings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from netsim import catalog
from netsim.sweeps.own_code import own_code

# These are above the simulation: nothing that simulates imports them (a test ensures it), so they change no result.
ABOVE = ("calibration", "cli", "explore", "explorer", "export", "own_machine", "show", "sweeps", "watch")


def model_version(kind: type = object) -> str:
    """The version that is `installed`; with models in the user's own folders, SHA-256 (hex) of that and of these
    models, which may change from one sweep to the next. For a `kind` of scenario that is the user's own, "+" and the
    SHA-256 of that code follow."""
    own = [(folder, file) for folder in catalog.own_folders() for file in sorted(folder.rglob("*.toml"))]
    parts = [_digest(own, installed()) if own else installed(), own_code(kind)]
    return "+".join(filter(None, parts))


def of_netsim(model: str) -> str:
    """A model version without the user's own code."""
    return model.partition("+")[0]


def short(model: str) -> str:
    """A model version for people."""
    return "+".join(part[:12] for part in model.split("+"))


@cache
def installed() -> str:
    """SHA-256 (hex) of the part of netsim's code that simulates, and of models/; takes tens of milliseconds, once."""
    return _digest(_files())


def _digest(files: Iterable[tuple[Path, Path]], before: str = "") -> str:
    found = hashlib.sha256(before.encode())
    for root, file in files:
        found.update(file.relative_to(root).as_posix().encode() + b"\0")
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _files() -> Iterator[tuple[Path, Path]]:
    package, models = Path(__file__).resolve().parents[1], catalog.models_path()
    for file in sorted(package.rglob("*.py")):
        if file.relative_to(package).parts[0] not in ABOVE:
            yield package, file
    for file in sorted(models.rglob("*.toml")):
        yield models, file
