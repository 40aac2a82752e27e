"""How uncertain a row's closed form is because some numbers are not known, and which of them cause it.

All numbers with a range vary within it, independently of each other. Those that move the result by themselves are drawn
together, and Sobol indices give the share of its variance that each causes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from experiments.row import Row
from experiments.scale import CPU_UNIT
from experiments.unknown import Unknown
from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSORS
from netsim.calibration.row import SHARPNESS
from netsim.errors import NetsimError, SimulationError
from netsim.explore.bounds_grid import BoundsGrid, of_points
from netsim.explore.part import each_part
from netsim.explore.points import Points, sampled
from netsim.explore.sensitivity import indices
from netsim.scenario import Scenario
from netsim.units import Swept

Array = NDArray[np.float64]
MOVES = 0.002  # the smallest change (relative, or of CPU time) for which a number is drawn
MOST = 12  # numbers that are drawn together: those that move the result most
SAMPLES = 64  # rows of the samples
SERVER = "server"  # the host whose CPU reports print


@dataclass(frozen=True)
class Uncertainty:
    """`spread` is the standard deviation of a row's closed form (relative, or a share of CPU time), `first` and `total`
    are Sobol indices by the name of a number. All are empty if no number moves it."""

    row: Row
    spread: float = 0.0
    first: Mapping[str, float] = field(default_factory=dict)
    total: Mapping[str, float] = field(default_factory=dict)
    failed: str = ""  # why there are no indices


def uncertainty(row: Row, scenario: Scenario, unknowns: Sequence[Unknown], seed: int = 1) -> Uncertainty:
    """The uncertainty of a row's closed form."""
    form = _ClosedForm(row, scenario, {one.limits.address: one.places for one in unknowns})
    try:
        moving = _moving(form, unknowns)
        if not moving:
            return Uncertainty(row)
        found = indices([one.limits for one in moving], form.evaluate, SAMPLES, seed, row.quantity, "bounds")
    except SimulationError as error:
        return Uncertainty(row, failed=str(error))
    names = [one.name for one in moving]
    drawn = form.last[: 2 * SAMPLES]  # the two independent samples
    first, total = (dict(zip(names, one.tolist(), strict=True)) for one in np.clip(found.indices, 0, 1))
    return Uncertainty(row, float(np.nanstd(drawn)), first, total)


def _moving(form: _ClosedForm, unknowns: Sequence[Unknown]) -> list[Unknown]:
    """The numbers that move the result most when each goes from one end of its range to the other, while all others
    stay in the middle of theirs."""
    if not unknowns:
        return []
    ends = np.repeat([[0.0], [1 - 1e-9]], len(unknowns), axis=1)
    shares = np.full((1 + 2 * len(unknowns), len(unknowns)), 0.5)
    for number in range(len(unknowns)):
        shares[1 + 2 * number : 3 + 2 * number, number] = ends[:, number]
    columns = tuple(sampled(one.limits, shares[:, number]) for number, one in enumerate(unknowns))
    values, _ = form.evaluate(Points((columns,)))
    moved = np.nan_to_num(np.ptp(values[1:].reshape(-1, 2), axis=1))
    order = [int(number) for number in np.argsort(-moved, kind="stable")[:MOST] if moved[number] >= MOVES]
    return [unknowns[number] for number in sorted(order)]


@dataclass
class _ClosedForm:
    """A row's closed form at points with a column for each number, set at all of its `places`. `last` holds the values
    of the last evaluation."""

    row: Row
    scenario: Scenario
    places: Mapping[str, Sequence[str]]
    last: Array = field(default_factory=lambda: np.array([]))

    def evaluate(self, points: Points) -> tuple[Array, str]:
        """Values (logarithms of relative ones), NaN for points without a valid scenario, and why the first has none."""
        columns = tuple(replace(one, address=at) for _, one in points.columns for at in self.places[one.address])
        everywhere = Points((columns,))
        self.last, why = self._latency(everywhere) if self.row.quantity == "latency" else self._bounds(everywhere)
        return self.last, why

    def _bounds(self, points: Points) -> tuple[Array, str]:
        grid = _grid(_Asked(self.scenario, points))
        why = next((str(one.error) for one in grid.failures), "")
        time = _rounded(grid)
        if self.row.unit == CPU_UNIT:
            return grid.demand[Resource(SERVER, PROCESSORS)] / time, why
        return -np.log(time), why

    def _latency(self, points: Points) -> tuple[Array, str]:
        """For the latency of a small message, where throughput does not matter."""
        estimate = self.row.estimate
        assert estimate is not None
        values, why = np.full(points.shape, np.nan), ""
        for part, found in each_part(points, lambda changes: estimate(self.scenario.replace(changes))):
            if isinstance(found, NetsimError):
                why = why or str(found)
            else:
                values[part.places] = found.values if isinstance(found, Swept) else found
        return np.log(values), why


@dataclass(frozen=True)
class _Asked:
    """A scenario at points, compared by content."""

    scenario: Scenario
    points: Points

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[str, str]:
        return self.scenario.digest(), self.points.digest


@lru_cache(maxsize=2)
def _grid(asked: _Asked) -> BoundsGrid:
    """One grid serves both throughput and CPU of a scenario."""
    return of_points(asked.scenario, asked.points)


def _rounded(grid: BoundsGrid) -> Array:
    """The time for a unit of work, with the corner between two bottlenecks rounded off as in the calibration."""
    demand = np.array(list(grid.demand.values()))
    longest = np.fmax.reduce(demand)
    rounded: Array = longest * np.nansum((demand / longest) ** SHARPNESS, axis=0) ** (1 / SHARPNESS)
    return rounded
