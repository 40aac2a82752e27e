"""What is known about rows outside their tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Miss:
    """The `cause` of errors in rows whose ids match a `pattern` ("beowulf/*/3c90x/1"), or in a report's comparisons or
    statements. docs/validation/ says more about each."""

    pattern: str
    cause: str


Misses = Sequence[Miss]


def cause(misses: Misses, about: str) -> str:
    """The known cause for a row, a comparison or a statement, by its id: the first match, or "" if there is none."""
    return next((one.cause for one in misses if fnmatchcase(about, one.pattern)), "")
