"""Values that follow from standards and sizes alone, and that a report computes too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Computed:
    """A `value` in `unit`, and the one that the report has `printed` for it, if any."""

    text: str
    value: float
    unit: str
    printed: float | None = None
