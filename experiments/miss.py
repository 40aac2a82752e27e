"""What is known about a row that is beyond its tolerance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Miss:
    """`error` is what was found when the `cause` was written down, in the unit of the row's errors; for what a report
    says of its rows in points, and None where it only holds or does not. docs/validation.md says more about each."""

    error: float | None
    cause: str


Misses = Mapping[str, Miss]  # by the id of a row, a comparison or a statement
