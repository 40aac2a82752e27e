"""The model version: what a result depends on besides scenario, seed and settings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from netsim import catalog

# These lie above the simulation: nothing that simulates imports them (a test holds that), so they change no result.
ABOVE = ("axes", "calibrate", "cli.py", "cli_sweep.py", "grid", "sensitivity.py", "sobol_indices.py", "sweep")


@cache
def model_version() -> str:
    """SHA-256 (hex) of netsim's own code, as far as it simulates, and of models/; some ten milliseconds, once."""
    found = hashlib.sha256()
    for root, file in _files():
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
