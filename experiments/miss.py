"""What is known about rows that are beyond their tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Miss:
    """The `cause` of the errors of the rows whose ids match a `pattern` ("beowulf/*/3c90x/1"), or with a comparison
    or a statement of a report. docs/validation.md says more about each."""

    pattern: str
    cause: str


Misses = Sequence[Miss]


def cause(misses: Misses, about: str) -> str:
    """What is known of a row, a comparison or a statement, by its id: the first that matches; nothing if none does."""
    return next((one.cause for one in misses if fnmatchcase(about, one.pattern)), "")
