"""Flows that share resources: each one's share of the whole at the highest total throughput."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from netsim.closed_form.load import Demand

_EVEN = 1e-6  # what the slowest pair weighs beside all of them: it only decides between what is equally good


def added(parts: Iterable[tuple[float, Demand]]) -> Demand:
    """The sum of demands, each weighted by its part."""
    total: Demand = {}
    for part, demand in parts:
        for name, ps in demand.items():
            total[name] = total.get(name, 0.0) + part * ps
    return total


def fastest(flows: Sequence[Demand], pairs: Sequence[int]) -> list[float]:
    """Each flow's share at which most transactions are made in all, while no resource is needed for more than all of
    the time: a linear programme. Of equally good solutions it is the one where the slowest pair (each flow has `pairs`)
    is fastest."""
    if len(flows) == 1:
        return [1.0]
    from scipy.optimize import linprog  # here, because it takes a while

    names = sorted({name for flow in flows for name in flow})
    unit = max(max(flow.values()) for flow in flows)
    # Unknown are the flows' rates, and the slowest pair's: rates that fit into the time, none below the slowest.
    busy = np.array([[*(flow.get(name, 0.0) / unit for flow in flows), 0.0] for name in names])
    even = np.column_stack([-np.eye(len(flows)), pairs])
    limits = np.repeat([1.0, 0.0], [len(busy), len(even)])
    found = linprog([*[-1.0] * len(flows), -_EVEN], A_ub=np.vstack([busy, even]), b_ub=limits)
    assert found.x is not None
    rates = found.x[:-1]
    return [float(rate) for rate in rates / rates.sum()]
