"""What a report says about some of its rows: that one is better than another, or how little they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from experiments.run import Outcome

POINTS = 5.0  # percentage points: what two rows may be off together, as one may be


@dataclass(frozen=True)
class Comparison:
    """`better` and `worse` are the ids of rows of the same quantity, of which more is better; `printed` is by how many
    per cent of the worse one, None if the report only says which is better."""

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
        """By how many per cent it is better, of what is simulated by id."""
        return 100 * (simulated[self.better] / simulated[self.worse] - 1)

    def holds(self, found: float) -> bool:
        """Whether what the report calls better is better, and where it says by how much, by about as much."""
        return found > 0 and (self.printed is None or abs(found - self.printed) <= POINTS)


@dataclass(frozen=True)
class Spread:
    """`rows` are within `printed` per cent of each other, whichever of them is the best."""

    id: str
    text: str
    rows: tuple[str, ...]
    printed: float

    def found(self, simulated: Mapping[str, float]) -> float:
        """By how many per cent the best is better than the worst, of what is simulated by id."""
        values = [simulated[row] for row in self.rows]
        return 100 * (max(values) / min(values) - 1)

    def holds(self, found: float) -> bool:
        """Whether they are as near as that, in the tenths that are printed."""
        return round(found, 1) <= self.printed


Claim = Comparison | Spread


@dataclass(frozen=True)
class Compared:
    """A comparison with what the simulation gives, in per cent of the worse row, and the half-width of its interval."""

    comparison: Claim
    simulated: float
    half_width: float

    @property
    def difference(self) -> float | None:
        """Percentage points between simulated and printed, None if none was printed."""
        printed = self.comparison.printed
        return None if printed is None else self.simulated - printed

    @property
    def holds(self) -> bool:
        """Whether it is as the report says."""
        return self.comparison.holds(self.simulated)


def compare(comparisons: Sequence[Claim], outcomes: Sequence[Outcome]) -> list[Compared]:
    """Comparisons of rows that are among the outcomes."""
    simulated = {one.row.id: one.simulated for one in outcomes}
    relative = {one.row.id: one.half_width / one.simulated for one in outcomes}
    return [Compared(one, found := one.found(simulated), _half_width(one, found, relative)) for one in comparisons]


def _half_width(claim: Claim, found: float, relative: Mapping[str, float]) -> float:
    """Of a quotient of independent runs, in per cent of the worse."""
    both = sorted((relative[row] for row in claim.rows), reverse=True)[:2]
    return (100 + found) * math.hypot(*both)
