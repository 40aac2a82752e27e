"""Flows that share resources: each one's share of the whole at the highest total throughput."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netsim.closed_form.load import Demand
from netsim.units import Swept

_FAR = 1e6  # ratio between flows from which the linear programme is scaled
_EVEN = 1e-6  # weight of the slowest pair relative to all: it only decides between equally good solutions


def alike(things: Sequence[object]) -> list[list[int]]:
    """The positions of equal things, grouped, in the order of their first occurrence. Swept values have no hash."""
    found: list[list[int]] = []
    for number, one in enumerate(things):
        group = next((group for group in found if things[group[0]] == one), None)
        if group is None:
            found.append([number])
        else:
            group.append(number)
    return found


def added(parts: Iterable[tuple[float, Demand]]) -> Demand:
    """The sum of demands, each weighted by its part."""
    total: Demand = {}
    for part, demand in parts:
        for name, ps in demand.items():
            total[name] = total.get(name, 0.0) + part * ps
    return total


def fastest(flows: Sequence[Demand], pairs: Sequence[int]) -> list[float]:
    """Each flow's share at the highest total throughput for which no resource is needed for more than the whole time:
    the solution of a linear programme. Of equally good solutions it is the one with the fastest slowest pair (each flow
    has `pairs`). Each point of a sweep has its own programme."""
    if len(flows) == 1:
        return [1.0]
    names = sorted({name for flow in flows for name in flow})
    needed: list[list[Any]] = [[flow.get(name, 0.0) for flow in flows] for name in names]
    swept = [number.values for row in needed for number in row if isinstance(number, Swept)]
    if not swept:
        return _rates(np.array(needed), pairs)
    shape = np.broadcast_shapes(*(one.shape for one in swept))
    spread = [[np.broadcast_to(getattr(number, "values", number), shape) for number in row] for row in needed]
    points = np.array(spread, float).reshape(len(names), len(flows), -1)
    distinct, which = np.unique(points, axis=2, return_inverse=True)
    found = np.array([_rates(distinct[:, :, point], pairs) for point in range(distinct.shape[2])])
    return [Swept(rates.reshape(shape)) for rates in found[which.ravel()].T]  # type: ignore[misc]


def _rates(needed: NDArray[np.float64], pairs: Sequence[int]) -> list[float]:
    """The shares of flows (columns) that need resources (rows) for these times."""
    from scipy.optimize import linprog  # here, because it takes a while

    # The unknowns are the flows' rates and the slowest pair's: rates that fit in the time, none below the slowest.
    # Their unit is the rate that the slowest flow reaches alone or, if the solver could not tell such numbers from 0,
    # the rate that each flow reaches alone.
    alone = needed.max(axis=0)
    unit = alone / alone.max() if alone.max() > _FAR * alone.min() else np.ones(len(alone))
    busy = np.column_stack([needed / (unit * alone.max()), np.zeros(len(needed))])
    even = np.column_stack([-np.eye(len(unit)), np.asarray(pairs) * unit])
    limits = np.repeat([1.0, 0.0], [len(busy), len(even)])
    worth = -unit.min() / np.append(unit, 1 / _EVEN)
    found = linprog(worth, A_ub=np.vstack([busy, even]), b_ub=limits)
    assert found.x is not None
    rates = np.maximum(found.x[:-1], 0.0) / unit
    return [float(rate) for rate in rates / rates.sum()]
