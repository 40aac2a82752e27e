"""A report's claims about its rows: that one is better than another, or how little they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from experiments.run import Outcome

POINTS = 5.0  # percentage points: tolerance of a comparison of two rows, the same as that of one row


@dataclass(frozen=True)
class Comparison:
    """`better` and `worse` are the ids of two rows of a quantity of which more is better; `printed` is their difference
    in per cent of the worse one, None if the report only says which is better."""

    id: str
    text: str
    better: str
    worse: str
    printed: float | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        """The ids of the rows compared."""
        return self.better, self.worse

    def found(self, simulated: Mapping[str, float]) -> float:
        """By how many per cent it is better, given simulated values by id."""
        return 100 * (simulated[self.better] / simulated[self.worse] - 1)

    def holds(self, found: float) -> bool:
        """Whether the row that the report calls better is better, and by about as much as printed, if it is printed."""
        return found > 0 and (self.printed is None or abs(found - self.printed) <= POINTS)


@dataclass(frozen=True)
class Spread:
    """`rows` are within `printed` per cent of each other, whichever of them is best."""

    id: str
    text: str
    rows: tuple[str, ...]
    printed: float

    def found(self, simulated: Mapping[str, float]) -> float:
        """By how many per cent the best is better than the worst, given simulated values by id."""
        values = [simulated[row] for row in self.rows]
        return 100 * (max(values) / min(values) - 1)

    def holds(self, found: float) -> bool:
        """Whether they are that close, to the printed tenth."""
        return round(found, 1) <= self.printed


Claim = Comparison | Spread


@dataclass(frozen=True)
class Compared:
    """A comparison with its simulated value, in per cent of the worse row, and the half-width of its interval."""

    comparison: Claim
    simulated: float
    half_width: float

    @property
    def difference(self) -> float | None:
        """Percentage points between simulated and printed, None if the report prints no number."""
        printed = self.comparison.printed
        return None if printed is None else self.simulated - printed

    @property
    def holds(self) -> bool:
        """Whether the simulation confirms the report."""
        return self.comparison.holds(self.simulated)


def compare(comparisons: Sequence[Claim], outcomes: Sequence[Outcome]) -> list[Compared]:
    """Comparisons of rows that are among the outcomes."""
    simulated = {one.row.id: one.simulated for one in outcomes}
    relative = {one.row.id: one.half_width / one.simulated for one in outcomes}
    return [Compared(one, found := one.found(simulated), _half_width(one, found, relative)) for one in comparisons]


def _half_width(claim: Claim, found: float, relative: Mapping[str, float]) -> float:
    """Half-width of a quotient of independent runs, in per cent of the worse."""
    both = sorted((relative[row] for row in claim.rows), reverse=True)[:2]
    return (100 + found) * math.hypot(*both)
