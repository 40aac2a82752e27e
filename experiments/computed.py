"""What follows from standards and sizes alone, and a report has computed too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Computed:
    """A `value` in `unit`, and what the report has `printed` for it, if it has."""

    text: str
    value: float
    unit: str
    printed: float | None = None
