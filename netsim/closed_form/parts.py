"""Flows that share resources: each one's share of the whole at the highest total throughput."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from netsim.closed_form.load import Demand
from netsim.statistics import Array
from netsim.units import Swept

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FAR = 1e6  # ratio between flows from which the linear programme is scaled
_AT_ONCE = 100  # programmes
_SAME = 1e-9  # relative rounding error of a programme's solution
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


def fastest(flows: Sequence[Demand], pairs: Sequence[int], equal: Sequence[Sequence[int]] = ()) -> list[float]:
    """Each flow's share at the highest total throughput for which no resource is needed for more than the whole time:
    the solution of a linear programme. Of equally good solutions it is the one with the fastest slowest pair (each flow
    has `pairs`); if it is as good as that, flows at positions that are `equal` have equal shares. Each point of a sweep
    has its own programme."""
    if len(flows) == 1:
        return [1.0]
    names = sorted({name for flow in flows for name in flow})
    needed: list[list[Any]] = [[flow.get(name, 0.0) for flow in flows] for name in names]
    swept = [number.values for row in needed for number in row if isinstance(number, Swept)]
    if not swept:
        one = np.array(needed)[:, :, np.newaxis]
        return _evened(_shares(one, pairs), one, equal)[0].tolist()  # type: ignore[no-any-return]
    shape = np.broadcast_shapes(*(one.shape for one in swept))
    spread = [[np.broadcast_to(getattr(number, "values", number), shape) for number in row] for row in needed]
    points = np.array(spread, float).reshape(len(names), len(flows), -1)
    distinct, which = np.unique(points, axis=2, return_inverse=True)
    parts = [distinct[:, :, start : start + _AT_ONCE] for start in range(0, distinct.shape[2], _AT_ONCE)]
    found = np.concatenate([_evened(_shares(part, pairs), part, equal) for part in parts])
    return [Swept(rates.reshape(shape)) for rates in found[which.ravel()].T]  # type: ignore[misc]


def _shares(needed: Array, pairs: Sequence[int]) -> Array:
    """The shares of flows, by point and flow, if they need resources for these times, by resource, flow and point. The
    points' programmes do not depend on each other, and are solved as one, which takes a fraction of the time."""
    from scipy.optimize import linprog  # here, because it takes a while

    # The unknowns are the flows' rates and the slowest pair's: rates that fit in the time, none below the slowest.
    # Their unit is the rate that the slowest flow reaches alone or, if the solver could not tell such numbers from 0,
    # the rate that each flow reaches alone.
    alone = needed.max(axis=0).T
    slowest = alone.max(axis=1, keepdims=True)
    unit = np.where(slowest > _FAR * alone.min(axis=1, keepdims=True), alone / slowest, 1.0)
    points, flows = unit.shape
    busy = np.moveaxis(needed, 2, 0) / (unit * slowest)[:, np.newaxis]
    limits = np.zeros((points, len(needed) + flows, flows + 1))
    limits[:, : len(needed), :flows] = busy
    limits[:, len(needed) :, :flows] = -np.eye(flows)
    limits[:, len(needed) :, flows] = np.asarray(pairs) * unit
    worth = -unit.min(axis=1, keepdims=True) / np.column_stack([unit, np.full(points, 1 / _EVEN)])
    most = np.tile(np.repeat([1.0, 0.0], [len(needed), flows]), points)
    found = linprog(worth.ravel(), A_ub=_diagonal(limits), b_ub=most)  # type: ignore[call-overload]
    assert found.x is not None
    rates = np.maximum(found.x.reshape(points, -1)[:, :flows], 0.0) / unit
    shares: Array = rates / rates.sum(axis=1, keepdims=True)
    return shares


def _evened(shares: Array, needed: Array, equal: Sequence[Sequence[int]]) -> Array:
    """The shares with the mean of each group of `equal` flows, at points where no resource then takes longer than the
    slowest one did. Flows that differ only in the names of their ports have many solutions in common, and the programme
    finds any of them."""
    even = shares.copy()
    for group in map(list, equal):
        even[:, group] = shares[:, group].mean(axis=1, keepdims=True)
    before, after = (np.einsum("rfp,pf->pr", needed, one).max(axis=1) for one in (shares, even))
    return np.where((after <= before * (1 + _SAME))[:, np.newaxis], even, shares)


def _diagonal(blocks: Array) -> csr_array:
    """The sparse matrix with these blocks (block, row, column) on its diagonal."""
    from scipy.sparse import csr_array

    count, rows, columns = blocks.shape
    own = np.arange(count)[:, np.newaxis, np.newaxis] * columns + np.arange(columns)
    ends = np.arange(count * rows + 1) * columns
    where = np.broadcast_to(own, blocks.shape).ravel()
    found = csr_array((blocks.ravel(), where, ends), (count * rows, count * columns))
    found.eliminate_zeros()
    return found
