"""A file that is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from netsim.errors import ScenarioError


def check_place(path: Path, address: str) -> None:
    """`path` can be a file, in a folder that there is. Raises ScenarioError."""
    if not path.parent.is_dir():
        raise ScenarioError(f'no folder "{path.parent}"; allowed: a file in a folder that there is', address=address)
    if path.is_dir():
        raise ScenarioError(f'"{path}" is a folder; allowed: a file', address=address)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """The name of a file beside `path`, to be written, which takes its place in the end, unless something goes wrong.
    Every process has its own."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
