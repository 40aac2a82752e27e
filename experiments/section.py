"""The findings about a report: its rows, its claims about them, and its pictures."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from experiments import figure, table_picture
from experiments.comparison import Compared
from experiments.computed import Computed
from experiments.digits import two, unit
from experiments.figure import Figure
from experiments.miss import cause
from experiments.otherwise import Otherwise, otherwise
from experiments.ranking import Ranking, rankings
from experiments.report import Report
from experiments.run import Outcome
from experiments.statement import Judged
from experiments.study import Study
from experiments.table_picture import TablePicture

CHANCE = "The interval of its simulation reaches into the tolerance; a longer simulation may settle it."
UNKNOWN = "Not known: when causes were written down, it was within tolerance."


@dataclass(frozen=True)
class Quality:
    """How well the rows of one quantity agree; `name` is the quantity with its unit."""

    name: str
    outcomes: Sequence[Outcome]

    @property
    def caption(self) -> str:
        """Its name, and the unit of errors unless that is per cent."""
        scale = self.outcomes[0].row.scale
        return self.name + ("" if scale.relative else f"; errors in {scale.unit}")

    @property
    def measured(self) -> int:
        """How many of them were measured directly, not computed from others."""
        return sum(not one.row.parts for one in self.outcomes)

    @property
    def predicted(self) -> int:
        """How many of them have nothing fitted to them or chosen for them."""
        return sum(one.basis == "predicted" and not one.row.parts for one in self.outcomes)

    @property
    def near(self) -> int:
        """How many are within their tolerance."""
        return sum(one.near for one in self.outcomes)

    @property
    def allowed(self) -> str:
        """The tolerance, or from the smallest to the largest."""
        ends = sorted({one.row.tolerance for one in self.outcomes})
        return self.text(f"{ends[0]:g}" if len(ends) == 1 else f"{ends[0]:g} to {ends[-1]:g}")

    @property
    def median(self) -> str:
        """The median of their absolute errors."""
        return self.text(two(statistics.median(abs(one.error) for one in self.outcomes)))

    @property
    def worst(self) -> Outcome:
        """The row with the largest error."""
        return max(self.outcomes, key=lambda one: abs(one.error))

    def text(self, number: str) -> str:
        """A number with the sign of their errors."""
        return self.outcomes[0].row.scale.text(number)


@dataclass(frozen=True)
class Section:
    """A report's part of the page. `studies` come with their pictures."""

    report: Report
    outcomes: Sequence[Outcome]
    compared: Sequence[Compared] = ()
    judged: Sequence[Judged] = ()
    computed: Sequence[Computed] = ()
    studies: Sequence[tuple[Study, str]] = ()

    def qualities(self) -> Iterator[Quality]:
        """One for each quantity, in the order of the rows."""
        found: dict[tuple[str, str], list[Outcome]] = {}
        for one in self.outcomes:
            found.setdefault((one.row.quantity, one.row.unit), []).append(one)
        return (Quality(f"{quantity}, {unit(name)}", rows) for (quantity, name), rows in found.items())

    def pictures(self) -> list[tuple[TablePicture | Figure, str]]:
        """A picture for each quantity of its tables, then the report's own figures."""
        tables = [(one, one.draw()) for one in table_picture.tables(self.outcomes)]
        return [*tables, *figure.draw(self.report.figures(), self.outcomes, self.report.name)]

    def otherwise(self) -> list[Otherwise]:
        """What choices made with knowledge of its rows decided."""
        return otherwise(self.outcomes)

    def rankings(self) -> list[Ranking]:
        """How well rows that are listed together keep their measured order."""
        return rankings(self.outcomes)

    def cause(self, one: Outcome) -> str:
        """Why a row is outside its tolerance."""
        by_chance = abs(one.error) - one.spread <= one.row.tolerance
        return self.said(one.row.id) or (CHANCE if by_chance else UNKNOWN)

    def said(self, about: str) -> str:
        """The known cause for a row that misses, or for a claim of the report that fails, by id; "" if unknown."""
        return cause(self.report.misses, about)
