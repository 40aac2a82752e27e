"""Outputs that the package jc can parse, and the lines that it can't read: jc itself accepts or refuses whole texts."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from netsim.errors import ScenarioError
from netsim.own_machine.texts import Text

_TRIES = 20  # lines left out before a file is given up


def convert(parser: str, text: Text) -> Any:
    """The result of jc's parser of this name for a text without the lines that it can't read; None if there are too
    many of these. Raises ScenarioError if jc is not installed."""
    module, lines = _parser(parser), [*text.lines]
    for _ in range(_TRIES):
        try:
            return module.parse("\n".join(lines), quiet=True)
        except Exception as error:  # parsers raise any exception for an unforeseen line
            line = _first(module, lines)
            text.refuse(line, f"jc's {parser} can't read it ({_short(error)})")
            lines[line - 1] = ""
    text.refuse(0, "not read any further: too many lines can't be read")
    return None


def _first(module: ModuleType, lines: list[str]) -> int:
    """The line (from 1) at which the text becomes unreadable, by bisection."""
    good, bad = 0, len(lines)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            module.parse("\n".join(lines[:middle]), quiet=True)
            good = middle
        except Exception:
            bad = middle
    return bad


def _parser(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"jc.parsers.{name}")
    except ModuleNotFoundError:
        raise ScenarioError('netsim import needs the package jc; pip install "netsim-host[import]"') from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__
