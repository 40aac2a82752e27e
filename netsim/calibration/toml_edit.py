"""One value of a TOML file replaced in place: comments, order and every other byte stay as they are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from netsim.errors import ScenarioError, nearest

HEADER = re.compile(r"\s*\[\s*([\w.\- ]+?)\s*\]\s*(#.*)?")
ENTRY = re.compile(r"\s*([\w.\-]+)\s*=\s*")


def replace_value(text: str, address: str, value: str) -> str:
    """`text` with the TOML `value` at a dotted address that is there already.

    Raises ScenarioError with the nearest address if it is not.
    """
    places = _places(text)
    if address not in places:
        raise ScenarioError(f"no such value in the file{nearest(address, places)}", address=address)
    start, end = places[address]
    edited = text[:start] + value + text[end:]
    _check(tomllib.loads(text), tomllib.loads(edited), address)
    return edited


def _places(text: str) -> dict[str, tuple[int, int]]:
    """Where the value of every key stands: address -> (start, end)."""
    places: dict[str, tuple[int, int]] = {}
    table, at = "", 0
    while at < len(text):
        line_end = _line_end(text, at)
        if header := HEADER.fullmatch(text, at, line_end):
            table = header[1].replace(" ", "") + "."
        elif entry := ENTRY.match(text, at, line_end):
            start, end = entry.end(), _value_end(text, entry.end())
            places[table + entry[1]] = (start, end)
            line_end = _line_end(text, end)
        at = line_end + 1
    return places


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _value_end(text: str, at: int) -> int:
    """The end of the value that begins at `at`; what follows on its last line is blank or a comment."""
    depth, end = 0, at
    while at < len(text) and (depth or text[at] not in "\n#"):
        if text[at] in "\"'":
            at = end = _string_end(text, at)
            continue
        if text[at] == "#":
            at = _line_end(text, at)
            continue
        depth += (text[at] in "[{") - (text[at] in "]}")
        at += 1
        end = end if text[at - 1].isspace() else at
    return end


def _string_end(text: str, at: int) -> int:
    quote = text[at]
    for mark in (quote * 3, quote):
        if text.startswith(mark, at):
            at += len(mark)
            while not text.startswith(mark, at):
                at += 2 if quote == '"' and text[at] == "\\" else 1
            return at + len(mark)
    raise AssertionError("unreachable")


def _check(before: Mapping[str, Any], after: Mapping[str, Any], address: str) -> None:
    """Nothing but the value at the address has changed."""
    if _without(before, address.split(".")) != _without(after, address.split(".")):
        raise ScenarioError("the file is written in a way that can't be edited in place", address=address)


def _without(table: Mapping[str, Any], parts: list[str]) -> dict[str, Any]:
    first, *rest = parts
    kept = {key: value for key, value in table.items() if key != first}
    return kept | ({first: _without(table[first], rest)} if rest else {})
