"""TOML as tables, from a file or a text; errors are one line."""

from __future__ import annotations

import codecs
import tomllib
from functools import lru_cache
from os import stat_result
from pathlib import Path
from typing import Any

from netsim.errors import ScenarioError, show

Table = dict[str, Any]
_LARGEST = 2**20  # bytes of a file: parsing that many takes a second or two
_OTHERS = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32",  # before those of UTF-16: one begins with them
           codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}  # fmt: skip


def read_toml(source: Path) -> Table:
    """A file's tables. Raises ScenarioError naming the file if it is missing, unreadable or not TOML."""
    try:
        return _parsed(source, _version(source.stat()))
    except OSError as error:
        raise ScenarioError(f"{source} can't be read: {error.strerror}") from None
    except ScenarioError as error:
        raise error.at(file=source) from None
    except ValueError as error:  # a name that no file can have
        raise ScenarioError(f"{show(str(source))} can't be read: {error}") from None


def _version(status: stat_result) -> tuple[int, ...]:
    """A value that changes when a file is changed or replaced, even by a copy with the same time."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@lru_cache(maxsize=512)
def _parsed(source: Path, version: tuple[int, ...]) -> Table:
    return parse_toml(_decoded(source.read_bytes()))


def _decoded(data: bytes) -> str:
    """A file's text, without the mark that editors may begin it with. Raises ScenarioError unless it is UTF-8."""
    if len(data) > _LARGEST:
        raise ScenarioError(f"{len(data)} bytes are too many for a scenario; allowed: up to {_LARGEST}")
    for mark, name in _OTHERS.items():
        if data.startswith(mark):
            raise ScenarioError(f"not valid TOML: the file is {name}; allowed: UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ScenarioError(f"not valid TOML: line {line} is not UTF-8; allowed: UTF-8") from None


def parse_toml(text: str) -> Table:
    """The tables of a TOML text. Raises ScenarioError with line and column."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # no TOML, or a number with thousands of digits
        raise ScenarioError(f"not valid TOML: {error}") from None
    except RecursionError:
        raise ScenarioError("not valid TOML: nested too deeply") from None
