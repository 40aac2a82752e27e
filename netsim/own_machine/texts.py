"""A folder of outputs: one text per file, read as far as possible, and a report of every line that can't be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from netsim.errors import ScenarioError, path_of, show

_LARGEST = 4 * 2**20  # bytes read per file: lspci -vv of a large server has half a MiB
_NAMED = 3  # unreadable lines reported for each file; the others are only counted
_BREAKS = re.compile("[\x00\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # line ends for some readers, but not here


class Unread(NamedTuple):
    """A file that can't be read, or a line of it (0: the whole file), and the reason."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.reason}"


class Noted(NamedTuple):
    """A value that was read, and its place: "lspci:112"."""

    value: object
    where: str


@dataclass
class Text:
    """One file's lines, and those that could not be read."""

    name: str
    lines: list[str]
    refused: list[Unread] = field(default_factory=list)

    def noted(self, value: object, line: int) -> Noted:
        return Noted(value, f"{self.name}:{line}")

    def refuse(self, line: int, reason: str) -> None:
        """Line `line` can't be read."""
        self.refused.append(Unread(self.name, line, reason))

    def line_of(self, part: str) -> int:
        """The first line that contains this; 1 if none does."""
        return next((number for number, line in enumerate(self.lines, 1) if part in line), 1)

    def unread(self) -> list[Unread]:
        """The first few unreadable lines, by line, and one entry for all others."""
        found = sorted(dict.fromkeys(self.refused), key=lambda one: one.line)
        if len(found) <= _NAMED + 1:
            return found
        line, more = found[_NAMED].line, len(found) - _NAMED
        return [*found[:_NAMED], Unread(self.name, line, f"this and {more - 1} more lines can't be read")]


class Folder:
    """The files of a folder, each read once when requested."""

    def __init__(self, path: str | Path) -> None:
        """Raises ScenarioError if it is not a folder, or has no file."""
        self.path = path_of("folder", path)
        try:
            self.names = sorted(one.name for one in self.path.iterdir() if one.is_file())
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            problem = f"{show(str(path))} can't be read as a folder: {reason}; allowed: one that the script wrote"
            raise ScenarioError(problem) from None
        self._texts: dict[str, Text] = {}

    def text(self, name: str) -> Text | None:
        """A file's text; None if the file does not exist or can't be read at all."""
        if name not in self.names:
            return None
        if name not in self._texts:
            self._texts[name] = self._read(name)
        return self._texts[name] if self._texts[name].lines else None

    def matching(self, pattern: str) -> Iterator[tuple[str, str]]:
        """(name, text of the pattern's group) of each file whose full name matches."""
        for name in self.names:
            if match := re.fullmatch(pattern, name):
                yield name, match[1]

    def unread(self) -> list[Unread]:
        return [problem for _, text in sorted(self._texts.items()) for problem in text.unread()]

    def _read(self, name: str) -> Text:
        found = Text(name, [])
        try:
            with (self.path / name).open("rb") as file:
                data = file.read(_LARGEST + 1)
        except OSError as error:
            found.refuse(0, f"can't be read: {error.strerror}")
            return found
        if not data.strip():
            found.refuse(0, "empty")
            return found
        if len(data) > _LARGEST:
            found.refuse(0, f"only the first {_LARGEST} bytes were read")
        found.lines = _BREAKS.sub(" ", _decoded(data[:_LARGEST], found)).split("\n")
        return found


def _decoded(data: bytes, found: Text) -> str:
    """UTF-8, with a mark in place of invalid bytes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found.refuse(data.count(b"\n", 0, error.start) + 1, "not UTF-8")
        return data.decode("utf-8-sig", errors="replace")
