"""The picture of a sweep's bounds: curves, and simulated points over them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from netsim.errors import ScenarioError, nearest
from netsim.explore import Column
from netsim.explore.field import text_of
from netsim.show import palette
from netsim.show.looks import LINES, name_lines, new_axes, scale, series
from netsim.units import QUANTITIES, Exact

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from netsim.explore.bounds_grid import BoundsGrid

RESOURCE = "resource"
THROUGHPUT = "throughput"
_NAMED = 8  # curves; if there are more, they have a legend


class Picture:
    """Curves of `y` over `x`, in colours by `hue`: see BoundsGrid.plot."""

    def __init__(self, grid: BoundsGrid, x: str | None, y: str, hue: str | None) -> None:
        self._grid = grid
        self._columns = {column.address: column for _, column in grid.points.columns}
        self._x = next(iter(self._columns)) if x is None else x
        self._hue = hue
        self._y = y if y == THROUGHPUT else f"{THROUGHPUT}.{y}"
        _check(self._x, [*self._columns])
        _check(hue or self._x, [*self._columns, RESOURCE])
        _check(y, [THROUGHPUT, *grid.allowed])

    def draw(self, simulated: pd.DataFrame | None, share: float, ax: Axes | None) -> Axes:
        """The curves, and the points over them."""
        ax = new_axes(ax)
        colours = self._curves(ax)
        if simulated is not None:
            self._points(ax, simulated, share, colours)
        ax.set_xlabel(f"{self._x} ({self._unit[1]})" if self._unit[1] else self._x)
        ax.set_ylabel(self._grid.unit.name)
        if self._hue == RESOURCE:
            ax.set_yscale("log")  # some allow a hundred times as much as others
        else:
            ax.set_ylim(bottom=0)
        self._name(ax)
        return ax

    def _name(self, ax: Axes) -> None:
        """Label the curves, at their ends if the names fit; explain the points."""
        known = [(str(line.get_label()), line) for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
        if 1 < len(known) <= _NAMED:
            name_lines(ax, known)
            for _, line in known:
                line.set_label("_")
        if self._hue not in (None, RESOURCE):
            ax.set_title(f"curves: {self._hue}", loc="left", fontsize="medium")
        if ax.get_legend_handles_labels()[1]:
            ax.legend(frameon=False)

    # ---- curves ----

    def _curves(self, ax: Axes) -> dict[str, Any]:
        """Draw them. Returns their colours by label."""
        colours: dict[str, Any] = {}
        for label, x, y in self._each():
            known = label in colours
            number = [*colours, label].index(label)
            colour = palette.of(ax).muted if self._hue is None else series(number, ax)
            colours[label] = colour
            ax.plot(x, y, LINES[number % len(LINES)], color=colour, label="_" if known else label)
        return colours

    def _each(self) -> Iterator[tuple[str, Any, Any]]:
        """Label, x and y of each curve, from left to right."""
        frame, unit = self._named(self._grid), self._grid.unit.size
        apart = [column.name for address, column in self._columns.items() if address != self._x]
        for _, lot in frame.groupby(apart, sort=False, dropna=False) if apart else [((), frame)]:
            if self._columns[self._x].numbers is not None:
                lot = lot.sort_values(self._columns[self._x].name, kind="stable")
            if self._hue == RESOURCE:
                for name in self._grid.allowed:
                    yield name, self._across(lot), lot[f"{THROUGHPUT}.{name}"].to_numpy() / unit
            else:
                yield self._label(lot.iloc[0]), self._across(lot), lot[self._y].to_numpy() / unit

    def _named(self, grid: BoundsGrid) -> pd.DataFrame:
        """The table of a grid with texts for what is no number here: pandas makes NaN of None among numbers."""
        at = np.indices(grid.shape).reshape(len(grid.shape), -1)
        texts = {
            column.name: [column.texts[place] for place in at[number]]
            for number, column in grid.points.columns
            if self._columns[column.address].numbers is None
        }
        return grid.to_frame().assign(**texts)

    def _across(self, frame: pd.DataFrame) -> Any:
        """x in the unit of the axis; names unchanged."""
        values = frame[self._columns[self._x].name].to_numpy()
        return values if self._columns[self._x].numbers is None else values / self._unit[0]

    @cached_property
    def _unit(self) -> tuple[float, str]:
        """The size of the axis unit of x in base units, and its symbol."""
        column = self._columns[self._x]
        if not column.quantity or column.numbers is None:
            return 1, ""
        return scale(column.quantity, column.numbers.max())

    def _label(self, row: pd.Series[Any]) -> str:
        if self._hue is None:
            return "bound"
        column = self._columns[self._hue]
        return text_of(column.quantity, row[column.name])

    # ---- simulated points ----

    def _points(self, ax: Axes, simulated: pd.DataFrame, share: float, colours: dict[str, Any]) -> None:
        """Draw the points, each in its curve's colour, and rings around those far from it."""
        frame, unit = self.compared(simulated, share), self._grid.unit.size
        named = [RESOURCE] * len(frame) if self._hue == RESOURCE else [self._label(row) for _, row in frame.iterrows()]
        dots = [colours.get(name, palette.of(ax).ink) for name in named]
        ax.scatter(self._across(frame), frame["simulated"] / unit, c=dots, s=16, zorder=3, label="simulated")
        far = frame[frame["far"]]
        text = f"off by more than {100 * share:g} %: {len(far)} of {len(frame)}"
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": palette.of(ax).limits, "s": 90, "zorder": 4}
        ax.scatter(self._across(far), far["simulated"] / unit, label=text, **ring)

    def compared(self, simulated: pd.DataFrame, share: float) -> pd.DataFrame:
        """The bounds at the simulated points, the results there (`simulated`), and whether these differ from the bound
        by more than a `share` of it (`far`)."""
        import pandas as pd

        from netsim.explore.bounds_grid import bounds

        if THROUGHPUT not in simulated:
            raise ScenarioError(
                f'no column "{THROUGHPUT}" in what was simulated; allowed: a column for each address, and it'
            )
        points = {name: self._given(column, simulated) for name, column in self._columns.items()}
        frame = self._named(bounds(self._grid.scenario, pd.DataFrame(points, dtype=object)))
        frame["simulated"] = simulated[THROUGHPUT].to_numpy()
        frame["far"] = (frame["simulated"] - frame[self._y]).abs() > share * frame[self._y]
        return frame

    def _given(self, column: Column, simulated: pd.DataFrame) -> list[object]:
        """The values of an address at the simulated points. The column has the name of the address, or that in a table,
        with the unit; bare numbers are in base units."""
        for name in (column.name, column.address):
            if name in simulated:
                return [_base(column.quantity, value) for value in simulated[name].tolist()]
        if len(set(column.codes.tolist())) > 1:
            text = f'no column "{column.address}" in what was simulated; allowed: a column for each address'
            raise ScenarioError(text)
        return [column.values[0]] * len(simulated)


def _base(quantity: str, value: object) -> object:
    if isinstance(value, float) and isnan(value):
        return None  # as a table has it
    if not quantity or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return Exact(round(value)) if QUANTITIES[quantity].whole else value


def _check(name: str, known: list[str]) -> None:
    if name not in known:
        raise ScenarioError(f'"{name}" is not in this sweep{nearest(name, known)}')
