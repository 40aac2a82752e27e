"""A report's own figure, redrawn with measured beside simulated values, from rows that are simulated anyway.

The kinds of pictures are in modules of their own (figure_columns, figure_bars).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments import shares
from experiments.run import Outcome

Found = Mapping[str, Outcome]  # by the row's id


@dataclass(frozen=True)
class Figure(ABC):
    """A kind of picture says which `rows` (ids) it shows, and draws them."""

    title: str
    caption: str

    @property
    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """The ids of all rows in it."""

    def by_name(self, found: Found) -> Iterator[Mapping[str, float]]:
        """Processor time, name -> share, of each bar that shows it."""
        yield from ()

    def spoken(self, found: Found) -> str:
        """Its alternative text."""
        rows = [found[row] for row in self.rows]
        within = sum(one.near for one in rows)
        return f"{self.title}: bars of measured beside simulated values; {within} of {len(rows)} are within tolerance"

    @abstractmethod
    def picture(self, found: Found, colours: Mapping[str, str], name: str) -> str:
        """The SVG, whose ids begin with `name`; `colours` are those of the kinds of processor time."""


def draw(figures: Sequence[Figure], outcomes: Sequence[Outcome], name: str) -> list[tuple[Figure, str]]:
    """Each figure of the report called `name` with its SVG. A kind of processor time has the same colour in all."""
    found = {one.row.id: one for one in outcomes}
    colours = shares.colours([each for figure in figures for each in figure.by_name(found)])
    return [
        (one, one.picture(found, colours, f"{name}-figure-{number}")) for number, one in enumerate(figures, start=1)
    ]
