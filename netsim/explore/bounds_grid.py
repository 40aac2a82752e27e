"""The closed form of a scenario over the points of a sweep: `bounds(scenario, axes)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netsim.accounts.bounds import Bounds
from netsim.errors import ScenarioError, nearest
from netsim.explore.axes import Given
from netsim.explore.one_unit import one_unit
from netsim.explore.part import Part, each_part
from netsim.explore.points import Points
from netsim.results.by_content import ByContent
from netsim.scenario import Scenario
from netsim.show import grid_view
from netsim.units import RateUnit, Swept

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Failure(ByContent):
    """The number of `points` of a sweep that are not a scenario, for the same reason. `error` is that of the `first`;
    the errors of others may contain other numbers."""

    points: int
    first: Mapping[str, object]
    error: ScenarioError

    def __str__(self) -> str:
        return f"{self.points} point{'s are' if self.points > 1 else ' is'} no scenario: {self.error}"


@dataclass(frozen=True, eq=False, repr=False)
class BoundsGrid(ByContent):
    """What the resources of a scenario allow at every point of a sweep (netsim.accounts.Bounds, point by point).

    `demand`: resource -> ps, as in Bounds. All arrays have the sweep's `shape`: a dimension for each axis, or a single
    one for a table of points. They are NaN where there is no such resource, and at points that are not valid scenarios
    (`failed`; the reasons are in `failures`). `bottleneck` is the name of the resource that allows least; None at
    failed points.
    """

    scenario: Scenario
    points: Points
    unit: RateUnit
    demand: Mapping[str, Array]
    allowed: Mapping[str, Array]
    limit: Array  # what all resources together allow, bit/s
    bottleneck: Array
    failures: Sequence[Failure]

    @property
    def axes(self) -> dict[str, tuple[object, ...]]:
        """The values of each address as they were given."""
        return {column.address: tuple(column.values) for _, column in self.points.columns}

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has, or how many rows the table has."""
        return self.points.shape

    @property
    def failed(self) -> Array:
        """Which points are not a scenario."""
        return np.isnan(self.limit)

    @property
    def mbit_per_s(self) -> Array:
        """`limit` in Mbit/s. Raises ScenarioError for a test that counts transactions."""
        limit: Array = self.unit.mbit_per_s(self.limit)
        return limit

    def throughput(self, resource: str) -> Array:
        """What `resource` alone would allow (bit/s); infinite where it is not needed. Raises ScenarioError."""
        if resource not in self.allowed:
            raise ScenarioError(f'"{resource}" is not a resource of this test{nearest(resource, self.allowed)}')
        return self.allowed[resource]

    def to_frame(self) -> pd.DataFrame:
        """A row for each point: the addresses, in base units ("mtu [B]"), then `throughput` (bit/s, what all resources
        together allow), `bottleneck`, and for each resource `throughput.NAME` and `demand.NAME` (ps)."""
        import pandas as pd

        at = np.indices(self.shape).reshape(len(self.shape), -1)
        given = {one.name: pd.Series([*one.shown]).take(at[number]) for number, one in self.points.columns}
        found = {"throughput": self.limit, "bottleneck": self.bottleneck}
        found |= {f"throughput.{name}": rates for name, rates in self.allowed.items()}
        found |= {f"demand.{name}": times for name, times in self.demand.items()}
        return pd.DataFrame(
            {name: values.to_numpy() for name, values in given.items()} | {k: v.ravel() for k, v in found.items()}
        )

    def to_xarray(self) -> xr.Dataset:
        """The arrays with their axes: `throughput` (bit/s), `bottleneck`, and by resource `allowed` (bit/s) and
        `demand` (ps). Dimensions are called as the addresses, or "point" for a table. Needs the package xarray."""
        from netsim.explore.dataset import dataset

        return dataset(self)

    def plot(
        self,
        x: str | None = None,
        y: str = "throughput",
        hue: str | None = None,
        *,
        simulated: pd.DataFrame | None = None,
        share: float = 0.05,
        ax: Axes | None = None,
    ) -> Axes:
        """A curve of `y`, which is "throughput" or a resource, over the address `x` (by default the first axis). Each
        value of `hue`, another address or "resource", has a colour; there is one curve for each combination of the
        other addresses. `simulated` are rows of results, with columns for the addresses and one for `y`: they are drawn
        as points over the curves, and those that differ from the bound by more than a `share` of it are marked. Draw
        all of this into `ax` (None: new axes), and return it. Raises ScenarioError for unknown names.
        """
        from netsim.show.grid_picture import Picture

        return Picture(self, x, y, hue).draw(simulated, share, ax)

    def __str__(self) -> str:
        return grid_view.text(self)

    def __repr__(self) -> str:
        return f"<BoundsGrid: {grid_view.title(self)}>"

    def _repr_html_(self) -> str:
        return grid_view.html(self)


def bounds(scenario: Scenario, axes: Given) -> BoundsGrid:
    """The closed form of `scenario` at every point of `axes`: address -> values, each combination of which is a point;
    or zipped, sampled, or a DataFrame (netsim.explore). Values are written as in `scenario.replace`, and the result for
    each point is that of `scenario.replace(point).bounds()`, to the last bit; where a linear programme divides a mix of
    flows, to a rounding error, by which two equal limits may change places.

    Raises ScenarioError for an unknown address (with the nearest right one), a value that is not allowed there or that
    no combination allows, an axis without values, points that are measured in different units (such as Mbit/s and
    transactions per second), and too many points. Where a combination is not allowed, although
    each of its values is allowed in others, the result is NaN, and `failures` lists it.
    """
    return of_points(scenario, Points.of(scenario, axes))


def of_points(scenario: Scenario, points: Points) -> BoundsGrid:
    """The same for points, whose numbers were checked before, or are checked here."""
    unit, filled = one_unit(scenario, points), _Filled(points.shape)
    failures = []
    for part, found in each_part(points, partial(_allowed, scenario)):
        if isinstance(found, ScenarioError):
            failures.append((part, found))
        else:
            filled.put(part, *found)
    _refuse(points, failures)
    told = [Failure(part.size, points.shown(part.first), error) for part, error in failures]
    return BoundsGrid(scenario, points, unit, filled.demand, filled.allowed, filled.limit, filled.bottleneck, told)


def _allowed(scenario: Scenario, changes: dict[str, object]) -> tuple[Bounds, list[float]]:
    """The closed form, and what each resource would allow: points are split if only some of them need one."""
    found = scenario.replace(changes).bounds()
    return found, [found.throughput(name) for name in found.demand]


class _Filled:
    """Arrays over the whole sweep, filled part by part."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self.demand: dict[str, Array] = {}
        self.allowed: dict[str, Array] = {}
        self.limit = self._empty()
        self.bottleneck = np.full(shape, None, object)

    def _empty(self) -> Array:
        return np.full(self._shape, np.nan)

    def put(self, part: Part, found: Bounds, rates: Sequence[float]) -> None:
        """The closed form at the points of a part, and what each resource would allow."""
        at, shape = part.places, part.shape
        names = list(found.demand)
        demand = [_values(found.demand[name], shape) for name in names]
        allowed = [_values(rate, shape) for rate in rates]
        most = np.argmax(demand, axis=0)  # the first one of several, as in Bounds
        self.limit[at] = np.take_along_axis(np.array(allowed), most[None], 0)[0]
        self.bottleneck[at] = np.array(names, object)[most]
        for arrays, values in ((self.demand, demand), (self.allowed, allowed)):
            for name, one in zip(names, values, strict=True):
                arrays.setdefault(name, self._empty())[at] = one


def _values(number: float | Swept, shape: tuple[int, ...]) -> Array:
    """A number over a part's points."""
    values = number.values if isinstance(number, Swept) else np.asarray(number)
    return np.broadcast_to(values, shape).astype(float)


def _refuse(points: Points, failures: Sequence[tuple[Part, ScenarioError]]) -> None:
    """Raises the error of a value that no combination allows, or of points none of which is a scenario."""
    if not failures:
        return
    failed = np.zeros(points.shape, bool)
    for part, _ in failures:
        failed[part.places] = True
    for number, columns in enumerate(points.dims):
        others = tuple(other for other in range(failed.ndim) if other != number)
        nowhere = failed.all(axis=others)
        if (nowhere.any() and len(columns) == 1) or nowhere.all():
            first = int(np.flatnonzero(nowhere)[0])
            raise next(error for part, error in failures if first in part.places[number])
