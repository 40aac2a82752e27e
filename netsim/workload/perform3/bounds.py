"""The closed form of PERFORM3: the throughput that the segment, the server and the workstations each alone allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, PROCESSORS, SEGMENT, WORKSTATIONS
from netsim.closed_form.load import Demand
from netsim.closed_form.message import Exchange
from netsim.closed_form.ncp_exchange import ncp_exchange
from netsim.closed_form.parts import alike
from netsim.stack import NcpRequest
from netsim.units import total

if TYPE_CHECKING:
    from netsim.workload.perform3.tool import Perform3


def perform3_bounds(test: Perform3) -> Bounds:
    """Per turn through all file sizes. Each size has the same time, however little is read in it: a resource allows the
    mean of what it allows for each size."""
    each = [_read(test, size) for size in test.file_sizes]
    demand = {one: _mean_time(test.file_sizes, [read[one] for read in each]) for one in each[0]}
    return Bounds(demand, sum(test.file_sizes), test.unit)


def _mean_time(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The time (ps) for all sizes together at the mean of the rates at which each is read in its own time."""
    if len(times) == 1 or not all(times):
        return min(times)
    rates = [size / time for size, time in zip(sizes, times, strict=True)]  # rounded, but never less for less time
    return sum(sizes) / (total(rates) / len(sizes))


def _read(test: Perform3, size: int) -> Demand:
    """The times (ps) for a file of this size, read by any one workstation: for shared resources, that of the one that
    needs least."""
    exchanges = [_exchange(test, number, size) for number, _ in enumerate(test.workstations)]
    shared = [_demand(test, exchanges[number]) for number, *_ in alike(test.workstations)]
    demand = {one: min(need[one] for need in shared) for one in shared[0]}
    alone = total(1 / exchange.least_mean for exchange in exchanges)
    return demand | {Resource("", WORKSTATIONS): 1 / alone}


def _exchange(test: Perform3, number: int, size: int) -> Exchange:
    """The requests for a file of this size, by the workstation of this number, and their replies."""
    workstation = test.workstations[number]
    distance = test.segment.propagation(test.position(0), test.position(number + 1))
    return ncp_exchange(workstation, test.server, test.segment, distance, NcpRequest("read", asked=size))


def _demand(test: Perform3, exchange: Exchange) -> Demand:
    return {
        Resource("", SEGMENT): exchange.wire,
        Resource("server", PROCESSORS): exchange.need.processors / test.server.processors.count,
        Resource("server", BUS): exchange.need.bus,
    }
