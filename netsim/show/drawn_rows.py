"""The rows of a sweep's table that a picture draws, and where they lie on its axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from netsim.errors import ScenarioError, nearest
from netsim.explore import Column, Points
from netsim.explore.field import text_of

if TYPE_CHECKING:
    import pandas as pd

    Places = Mapping[str, pd.Series[Any]]  # address -> for each row, the place of its value in Column.shown


def picked(points: Points, table: pd.DataFrame, where: Mapping[str, object]) -> tuple[pd.DataFrame, Places]:
    """The rows of runs that succeeded at the points with these values, and the places of all rows: pandas can compare
    places, but neither None nor tables. Raises ScenarioError if there are none."""
    import pandas as pd

    at = np.unravel_index(table["point"].to_numpy(int), points.shape)
    places = {one.address: pd.Series(_firsts(one)[at[number]], table.index) for number, one in points.columns}
    for _, column in points.columns:
        if column.address in where:
            chosen = places[column.address] == _place(column, where[column.address])
            table = table[chosen[table.index]]
    failed = table["error"].notna()
    if failed.all():
        told = [f"; the first failure, at point {row.point}: {row.error}" for row in table[:1].itertuples()]
        raise ScenarioError("no run succeeded, so there is nothing to draw" + "".join(told))
    return table[~failed], places


def _firsts(column: Column) -> np.ndarray[Any, Any]:
    """For each value the place of the first one that equals it."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(one, place) for place, one in enumerate(column.shown)])


def _place(column: Column, value: object) -> int:
    """The first place of a value as a user gives it. Raises ScenarioError."""
    shown = column.shown_as(value)
    if shown in column.shown:
        return [*column.shown].index(shown)
    told = text_of(column.quantity, shown)
    others = nearest(told, column.texts)
    raise ScenarioError(f"{told} is not among the values of this axis{others}", address=column.address)


def check_complete(table: pd.DataFrame, places: Places, shown: list[str]) -> None:
    """Raises ScenarioError if points that differ in other addresses would be drawn as one."""
    groups = table.assign(**places).groupby(shown)
    if (groups["point"].nunique() > 1).any():
        others = [one for one in places if one not in shown and (groups[one].nunique() > 1).any()]
        raise ScenarioError(f"{', '.join(others)} varies too; allowed: a value for it, where={{...}}, or hue=")


def with_numbers(table: pd.DataFrame, y: str) -> pd.DataFrame:
    """The rows that have the column `y`, as a number. Raises ScenarioError."""
    if y not in table:
        raise ScenarioError(f"no such column{nearest(y, table.columns)}", address=y)
    values = table[y].dropna()
    if values.empty or any(isinstance(one, str) for one in values):
        raise ScenarioError("not a number in these runs; allowed: a column of numbers, such as throughput", address=y)
    return table.loc[values.index].assign(**{y: values.astype(float)})
