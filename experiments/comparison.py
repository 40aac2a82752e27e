"""What a report says about two of its rows: that one is better than the other, and perhaps by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.run import Outcome


@dataclass(frozen=True)
class Comparison:
    """`better` and `worse` are the ids of rows of the same quantity, of which more is better; `printed` is by how many
    per cent of the worse one, None if the report only says which is better."""

    id: str
    text: str
    better: str
    worse: str
    printed: float | None = None


@dataclass(frozen=True)
class Compared:
    """A comparison with what the simulation gives, in per cent of the worse row."""

    comparison: Comparison
    simulated: float

    @property
    def difference(self) -> float | None:
        """Percentage points between simulated and printed, None if none was printed."""
        printed = self.comparison.printed
        return None if printed is None else self.simulated - printed

    @property
    def holds(self) -> bool:
        """Whether what the report calls better is better."""
        return self.simulated > 0


def compare(comparisons: Sequence[Comparison], outcomes: Sequence[Outcome]) -> list[Compared]:
    """Comparisons of rows that are among the outcomes."""
    simulated = {one.row.id: one.simulated for one in outcomes}
    return [Compared(one, 100 * (simulated[one.better] / simulated[one.worse] - 1)) for one in comparisons]
