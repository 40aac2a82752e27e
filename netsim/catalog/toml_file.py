"""TOML as tables, from a file or a text; what is wrong with it is one line."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from netsim.errors import ScenarioError

Table = dict[str, Any]


def read_toml(source: Path) -> Table:
    """A file's tables. Raises ScenarioError naming the file if it is missing, unreadable or no TOML."""
    try:
        return _parsed(source, source.stat().st_mtime_ns)
    except OSError as error:
        raise ScenarioError(f"{source} can't be read: {error.strerror}") from None
    except ValueError as error:  # no UTF-8, or no TOML
        raise ScenarioError(f"not valid TOML: {error}", file=str(source)) from None


@lru_cache(maxsize=512)
def _parsed(source: Path, changed: int) -> Table:
    return tomllib.loads(source.read_text(encoding="utf-8"))


def parse_toml(text: str) -> Table:
    """The tables of a TOML text. Raises ScenarioError with line and column."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"not valid TOML: {error}") from None
