"""A sweep as a picture: a result over one address, with a line for each value of another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from netsim.errors import ScenarioError, nearest
from netsim.explore import Column
from netsim.explore.field import annotation_at, checked
from netsim.scenario import Scenario
from netsim.show import palette
from netsim.show.looks import LINES, MARKERS, name_lines, new_axes, scale, series
from netsim.sweeps.dataset import unit_of_result
from netsim.sweeps.plan import SweepPlan
from netsim.units import RateUnit, format_quantity

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


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
    for address in (x, *filter(None, [hue]), *where):
        if address not in columns:
            raise ScenarioError(f"no axis of this sweep{nearest(address, columns)}", address=address)
    table = _picked(plan, table, where)
    if y not in table:
        raise ScenarioError(f"no such column{nearest(y, table.columns)}", address=y)
    _check_complete(table, columns, [x, *filter(None, [hue])])
    return _drawn(new_axes(ax), plan.scenario, table, columns[x], y, columns[hue] if hue else None)


def _picked(plan: SweepPlan, table: pd.DataFrame, where: Mapping[str, object]) -> pd.DataFrame:
    for address, value in where.items():
        column = next(one for _, one in plan.points.columns if one.address == address)
        read = checked(plan.scenario, address, annotation_at(plan.scenario, address), value)
        wanted = read if column.quantity else value
        table = table[table[column.name] == wanted]
        if table.empty:
            raise ScenarioError(f"{value} is not among the values of this axis", address=address)
    return table[table["error"].isna()]


def _check_complete(table: pd.DataFrame, columns: Mapping[str, Column], shown: list[str]) -> None:
    """Raises ScenarioError if points that differ in other addresses would be drawn as one."""
    names = {address: one.name for address, one in columns.items()}
    groups = table.groupby([names[address] for address in shown], dropna=False)
    if (groups["point"].nunique() > 1).any():
        others = [one for one in columns if one not in shown and (groups[names[one]].nunique(dropna=False) > 1).any()]
        raise ScenarioError(f"{', '.join(others)} varies too; allowed: a value for it, where={{...}}, or hue=")


def _drawn(ax: Axes, scenario: Scenario, table: pd.DataFrame, x: Column, y: str, hue: Column | None) -> Axes:
    scale, unit = _scale(x, table)
    of_y, unit_of_y = _result_unit(scenario.unit, y)
    named = []
    for number, (label, lines) in enumerate(_lines(table, hue)):
        places, means, bars = zip(*_marks(scenario.confidence, lines, x.name, y), strict=True)
        colour = palette.of(ax).predicted if label is None else series(number, ax)
        drawn = ax.errorbar(
            [place / scale if scale else str(place) for place in places],
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


def _lines(table: pd.DataFrame, hue: Column | None) -> Iterator[tuple[str | None, pd.DataFrame]]:
    if hue is None:
        yield None, table
        return
    for value, rows in table.groupby(hue.name, sort=False, dropna=False):
        number = isinstance(value, int | float) and hue.quantity
        yield format_quantity(hue.quantity, value) if number else str(value), rows  # type: ignore[arg-type]


def _marks(confidence: float, rows: pd.DataFrame, x: str, y: str) -> Iterator[tuple[Any, float, float]]:
    """Place, mean and half an interval, from left to right; names in the order of the axis."""
    for place, group in rows.groupby(x, sort=bool(_is_number(rows[x])), dropna=False):
        values = group[y].astype(float)
        yield place, float(values.mean()), _half_width(confidence, group, y)


def _half_width(confidence: float, group: pd.DataFrame, y: str) -> float:
    """Half the interval of a mean: by Student's t over replications; 0 if unknown."""
    from netsim.statistics import student

    number = len(group)
    if number > 1:
        deviation = float(group[y].astype(float).std(ddof=1))
        return student(confidence, number - 1) * deviation / math.sqrt(number)
    return float(group["half_width"].iloc[0]) if y == "throughput" else 0.0


def _scale(x: Column, table: pd.DataFrame) -> tuple[float, str]:
    """The size in base units of a unit that suits the largest value, and its symbol; 0 for names."""
    values = table[x.name]
    if not _is_number(values):
        return 0, ""
    return scale(x.quantity, values.abs().max()) if x.quantity else (1, x.unit)


def _is_number(values: pd.Series[Any]) -> bool:
    return values.dtype.kind in "iuf"


def _result_unit(rate: RateUnit, y: str) -> tuple[float, str]:
    """The unit for a result, and its size in the result's own units."""
    drawn = {"bit/s": (rate.size, rate.name), "1": (0.01, "%"), "s": (1e-6, "μs") if y == "latency" else (1, "s")}
    return drawn.get(unit_of_result(y), (1, ""))
