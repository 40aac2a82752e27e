"""Errors of rows predicted by a calibration that has seen neither them nor any other row with the same card, host,
system or tool, or of the same report, as stored in cross_validation.json (experiments.cross_validate)."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parent / "cross_validation.json"
KINDS = ("card", "host", "system", "tool", "report")
ALL = "all"
NONE_YET = "No cross-validation is stored: python -m experiments crossvalidate makes one."

Entry = Mapping[str, Any]  # a group with its rows' "errors", in per cent or points
Ends = Mapping[str, tuple[float, float]]  # a row's id -> its smallest and its largest error


@dataclass(frozen=True)
class Kind:
    """Errors with groups of one kind left out, or of any kind (ALL): the number of `groups`, and the sorted `sizes`."""

    name: str
    groups: int
    sizes: Sequence[float]

    @property
    def label(self) -> str:
        """What is left out."""
        return "all together" if self.name == ALL else f"each {self.name}"

    @property
    def median(self) -> float:
        """The median: half of the errors are no larger."""
        return statistics.median(self.sizes)

    @property
    def ninth(self) -> float:
        """The ninth decile: nine of ten errors are no larger."""
        return float(np.quantile(self.sizes, 0.9))

    def within(self, size: float) -> float:
        """The share of errors up to a size."""
        return sum(one <= size for one in self.sizes) / len(self.sizes)


def stored() -> list[Entry]:
    """The stored entries; empty if there are none."""
    found: list[Entry] = json.loads(STORED.read_text()) if STORED.exists() else []
    return found


def kinds(entries: Sequence[Entry]) -> list[Kind]:
    """Each kind that has groups, then all together."""
    found = []
    for kind in (*KINDS, ALL):
        chosen = [one for one in entries if kind in (ALL, one["group"].partition(" ")[0])]
        if sizes := sorted(abs(error) for one in chosen for error in one["errors"].values()):
            found.append(Kind(kind, len(chosen), sizes))
    return found


def ends(entries: Sequence[Entry]) -> Ends:
    """The errors of each row, whatever was left out."""
    errors: dict[str, list[float]] = {}
    for one in entries:
        for row, error in one["errors"].items():
            errors.setdefault(row, []).append(error)
    return {row: (min(own), max(own)) for row, own in errors.items()}


def text(row: str, known: Ends) -> str:
    """A row's errors from the smallest to the largest, for a table; "" if it was never left out."""
    if row not in known:
        return ""
    low, high = (f"{error:+.1f}" for error in known[row])
    return low if low == high else f"{low} to {high}"


def summary(entries: Sequence[Entry]) -> Iterator[str]:
    """Median and ninth decile of absolute errors, by kind of group and overall."""
    if not entries:
        yield NONE_YET
        return
    yield f"{'left out':<10}{'groups':>7}{'rows':>6}{'median |e|':>12}{'9 of 10':>9}   in per cent; CPU in points"
    for one in kinds(entries):
        yield f"{one.name:<10}{one.groups:>7}{len(one.sizes):>6}{one.median:>12.2f}{one.ninth:>9.2f}"
