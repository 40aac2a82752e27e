"""A sweep as a picture: a result over one address, with a line for each value of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from netsim.errors import ScenarioError, nearest
from netsim.explore import Column
from netsim.show import palette
from netsim.show.drawn_rows import check_complete, picked, with_numbers
from netsim.show.looks import LINES, MARKERS, drawn_unit, name_lines, new_axes, scale, series
from netsim.show.run_intervals import half_width
from netsim.sweeps.plan import SweepPlan
from netsim.sweeps.result_units import rate_unit, unit_of_result
from netsim.units import RateUnit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_OF_A_RUN = ("elapsed", "simulated", "start", "end")  # times that are drawn in s; others are those of transactions


def draw(
    plan: SweepPlan,
    table: pd.DataFrame,
    x: str | None,
    y: str,
    hue: str | None,
    where: Mapping[str, object],
    ax: Axes | None,
) -> Axes:
    """The picture that Sweep.plot returns."""
    columns = {one.address: one for _, one in plan.points.columns}
    x = next(iter(columns)) if x is None else x
    lines = [x, *filter(None, [hue])]
    for address in (*lines, *where):
        if address not in columns:
            raise ScenarioError(f"no axis of this sweep{nearest(address, columns)}", address=address)
    table, places = picked(plan.points, table, where)
    rows = with_numbers(table, y)
    check_complete(table, places, lines)
    return _drawn(new_axes(ax), plan, rows, places, columns[x], y, columns[hue] if hue else None)


def _drawn(
    ax: Axes,
    plan: SweepPlan,
    table: pd.DataFrame,
    places: Mapping[str, pd.Series[Any]],
    x: Column,
    y: str,
    hue: Column | None,
) -> Axes:
    size, unit = _scale(x)
    of_y, unit_of_y = _result_unit(plan.unit, y)
    named = []
    for number, (label, lines) in enumerate(_lines(table, places, hue), start=len(ax.containers)):
        at, means, bars = zip(*_marks(plan.scenario.confidence, lines, x, places[x.address], y), strict=True)
        colour = palette.of(ax).predicted if label is None and number == 0 else series(number, ax)
        drawn = ax.errorbar(
            [one / size if size else one for one in at],
            [mean / of_y for mean in means],
            yerr=[bar / of_y for bar in bars] if any(bars) else None,
            label=label,
            color=colour,
            marker=MARKERS[number % len(MARKERS)],
            linestyle=LINES[number % len(LINES)],
            markersize=4,
            capsize=3,
        )
        named.append((label or "", drawn.lines[0]))
    ax.set_xlabel(f"{x.address} ({unit})" if unit else x.address)
    ax.set_ylabel(f"{y} ({unit_of_y})" if unit_of_y else y)
    if hue:
        ax.set_title(f"lines: {hue.address}", loc="left", fontsize="medium")
        name_lines(ax, named)
    return ax


def _lines(
    table: pd.DataFrame, places: Mapping[str, pd.Series[Any]], hue: Column | None
) -> Iterator[tuple[str | None, pd.DataFrame]]:
    if hue is None:
        yield None, table
        return
    for place, rows in table.groupby(places[hue.address]):
        yield hue.texts[int(place)], rows


def _marks(
    confidence: float, rows: pd.DataFrame, x: Column, places: pd.Series[Any], y: str
) -> list[tuple[Any, float, float]]:
    """Place, mean and half an interval, from left to right; names in the order of the axis."""
    values: Sequence[Any] = x.shown if x.is_number else x.texts
    found = [
        (values[int(place)], float(group[y].mean()), half_width(confidence, group, y))
        for place, group in rows.groupby(places)
    ]
    return sorted(found, key=lambda one: one[0]) if x.is_number else found


def _scale(x: Column) -> tuple[float, str]:
    """The size in base units of a unit that suits the largest value, and its symbol; 0 for names."""
    if not x.is_number:
        return 0, ""
    return scale(x.quantity, max(abs(one) for one in x.shown)) if x.quantity else (1, "")  # type: ignore[arg-type]


def _result_unit(rate: RateUnit, y: str) -> tuple[float, str]:
    """The unit for a result, and its size in the result's own units: the same for all values, since several pictures
    may share their axes."""
    unit = unit_of_result(y, rate)
    if unit == "s" and y.rpartition(".")[2] not in _OF_A_RUN:
        return 1e-6, drawn_unit("us")
    return {rate_unit(rate): (rate.size, rate.name), "1": (0.01, "%")}.get(unit, (1, unit))
