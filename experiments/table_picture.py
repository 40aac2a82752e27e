"""A picture of each table of a report: measured beside simulated values, and the error."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments import far
from experiments.digits import two, unit
from experiments.drawing import GRID, MUTED, PAGE, legend, new_figure, style, svg, widen
from experiments.looks import MEASURED_POINT, POINTS
from experiments.run import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCHES = 0.21  # for a line
FRAME = 1.45  # inches of a picture without its lines: its legend, and an axis with its label
NAME = 72  # characters per line of a group's name
UNIT = 20  # characters per line of an axis's label
SIZE = 4.6  # of a simulated point

Line = Outcome | str  # a row, or the name of the group below it
Places = Mapping[int, Outcome]  # rows by the lines that they are in


@dataclass(frozen=True)
class TablePicture:
    """One quantity of a `table`; `outcomes` in the table's order."""

    table: str
    outcomes: tuple[Outcome, ...]

    @property
    def title(self) -> str:
        """The quantity, and the table's name."""
        return f"{self.outcomes[0].row.quantity}, {self.table}"

    @property
    def spoken(self) -> str:
        """Its alternative text."""
        within = sum(one.near for one in self.outcomes)
        worst = max(self.outcomes, key=lambda one: abs(one.error))
        error = worst.row.scale.text(two(worst.error, "+"))
        return (
            f"{self.title}: simulated beside measured, and errors. {within} of {len(self.outcomes)} rows are within "
            f"tolerance; the largest error is {error}, {worst.row.label}, {worst.row.group}"
        )

    @property
    def caption(self) -> str:
        """How to read it."""
        row = self.outcomes[0].row
        return (
            f"Left: {row.quantity} ({unit(row.unit)}), measured and simulated. Right: the error of each row, with the "
            f"interval of its simulation."
        )

    def lines(self) -> Iterator[Line]:
        """Rows, each group preceded by its name if there are several."""
        group = ""
        several = len({one.row.group for one in self.outcomes}) > 1
        for one in self.outcomes:
            if several and one.row.group != group:
                group = one.row.group
                yield from textwrap.wrap(group, NAME)
            yield one

    def draw(self) -> str:
        """The picture as SVG."""
        lines = list(self.lines())
        rows = {place: line for place, line in enumerate(lines) if isinstance(line, Outcome)}
        row = self.outcomes[0].row
        with style():
            figure = new_figure(4.6, FRAME + INCHES * len(lines))
            values, errors = figure.subplots(1, 2, sharey=True, width_ratios=(5, 4))
            _values(values, rows)
            is_far = _errors(errors, rows)
            _name_lines(values, errors, lines)
            kind = f"error ({row.scale.unit}" + (f", logarithmic beyond ±{row.tolerance:g})" if is_far else ")")
            for axes, label in ((values, f"{row.quantity} ({unit(row.unit)})"), (errors, kind)):
                axes.set_xlabel(textwrap.fill(label, UNIT))
                axes.tick_params(axis="y", length=0)
                axes.spines["left"].set_visible(False)  # names of groups go across
            legend(figure, values, errors)
            return svg(figure, f"{row.report}-{self.table}-{row.quantity}", self.spoken)


def tables(outcomes: Sequence[Outcome]) -> list[TablePicture]:
    """A picture for each quantity of each table, in the order of the rows."""
    found: dict[tuple[str, str, str], list[Outcome]] = {}
    for one in outcomes:
        found.setdefault((one.row.table, one.row.quantity, one.row.unit), []).append(one)
    return [TablePicture(table, tuple(rows)) for (table, *_), rows in found.items()]


def _values(axes: Axes, rows: Places) -> None:
    """Both values of each row, and a line between them."""
    measured, simulated = [one.row.measured for one in rows.values()], [one.simulated for one in rows.values()]
    axes.hlines(list(rows), measured, simulated, color=MUTED, linewidth=0.8, zorder=1)
    axes.plot(measured, list(rows), **MEASURED_POINT)
    for basis, look in POINTS.items():
        chosen = {place: one.simulated for place, one in rows.items() if one.basis == basis}
        if chosen:
            axes.plot(list(chosen.values()), list(chosen), markersize=SIZE, linestyle="none", **look)
    low, high = widen(min(*measured, *simulated), max(*measured, *simulated))
    axes.set_xlim(low, high)
    axes.locator_params(axis="x", nbins=4)  # numbers may be long


def _errors(axes: Axes, rows: Places) -> bool:
    """Each row's error with its interval, and the tolerance; returns whether the axis is logarithmic."""
    allowed = max(one.row.tolerance for one in rows.values())
    axes.axvspan(-allowed, allowed, color=GRID, alpha=0.5, linewidth=0, label="tolerance")
    axes.axvline(0, color=MUTED, linewidth=1, zorder=1)
    for basis, look in POINTS.items():
        chosen = {place: one for place, one in rows.items() if one.basis == basis}
        errors, spreads = [one.error for one in chosen.values()], [_spread(one) for one in chosen.values()]
        plain = {**look, "label": ""}
        axes.errorbar(errors, list(chosen), xerr=spreads, markersize=SIZE, linewidth=1.2, linestyle="none", **plain)
    is_far = far.along(axes, allowed, max(abs(one.error) + _spread(one) for one in rows.values()))
    for place, one in rows.items():
        if is_far and not one.near:
            _number(axes, place, one)
    return is_far


def _number(axes: Axes, place: int, one: Outcome) -> None:
    """The error as a number, on the side towards the middle, because a logarithmic axis is hard to read."""
    above = one.error > 0
    axes.annotate(two(one.error, "+"), (one.error, place),
                  (-6 if above else 6, 0), textcoords="offset points", ha="right" if above else "left", va="center",
                  fontsize=7, color=MUTED)  # fmt: skip


def _spread(one: Outcome) -> float:
    return one.spread


def _name_lines(axes: Axes, above: Axes, lines: Sequence[Line]) -> None:
    """Labels of rows beside the axes; names of groups on separate lines, from the picture's left edge. These belong to
    the upper axes, and cover the band that they cross."""
    from matplotlib.transforms import blended_transform_factory  # here, because matplotlib takes half a second

    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)), [line.row.label if isinstance(line, Outcome) else "" for line in lines])
    for place, line in enumerate(lines):
        if isinstance(line, str):
            edge = blended_transform_factory(above.figure.transFigure, above.transData)
            cover = {"facecolor": PAGE, "edgecolor": "none", "pad": 1}
            name = above.text(0.01, place, line, transform=edge, va="center", weight="bold", fontsize=8, bbox=cover)
            name.set_in_layout(False)
