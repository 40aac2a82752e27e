"""The closed form of PERFORM3: the throughput that the segment, the server and the workstations each alone allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, PROCESSORS, SEGMENT, WORKSTATIONS
from netsim.closed_form.load import Demand
from netsim.closed_form.message import Exchange
from netsim.closed_form.ncp_exchange import ncp_exchange
from netsim.closed_form.parts import added, alike
from netsim.stack import NcpRequest
from netsim.stack.ncp_requests import counted
from netsim.units import total

if TYPE_CHECKING:
    from netsim.workload.perform3.tool import Perform3


def perform3_bounds(test: Perform3) -> Bounds:
    """Per turn through all file sizes by any one workstation: for shared resources, the demand is that of the
    workstation that needs least."""
    turns = [_turn(test, number) for number, *_ in alike(test.workstations)]
    demand = {one: min(turn[one] for turn in turns) for one in turns[0]}
    alone = [_time_alone(test, number) for number, _ in enumerate(test.workstations)]
    demand[Resource("", WORKSTATIONS)] = 1 / total(1 / ps for ps in alone)
    return Bounds(demand, sum(test.file_sizes), test.unit)


def _reads(test: Perform3, number: int) -> list[tuple[int, Exchange]]:
    """The number of reads of each length in a turn by the workstation of this number, and the exchange of one."""
    workstation = test.workstations[number]
    distance = test.segment.propagation(test.position(0), test.position(number + 1))
    largest = test.largest_read(workstation)
    pieces = [piece for size in test.file_sizes for piece in counted(size, largest)]
    whole = sum(count for count, length in pieces if length == largest)
    rests = [piece for piece in pieces if piece[1] != largest]
    return [
        (count, ncp_exchange(workstation, test.server, test.segment, distance, NcpRequest("read", asked=length)))
        for count, length in ([(whole, largest)] if whole else []) + rests
    ]


def _turn(test: Perform3, number: int) -> Demand:
    """The time (ps) of each shared resource for a turn by this workstation."""
    return added((count, _demand(test, exchange)) for count, exchange in _reads(test, number))


def _demand(test: Perform3, exchange: Exchange) -> Demand:
    return {
        Resource("", SEGMENT): exchange.wire,
        Resource("server", PROCESSORS): exchange.need.processors / test.server.processors.count,
        Resource("server", BUS): exchange.need.bus,
    }


def _time_alone(test: Perform3, number: int) -> int:
    """The time (ps) of one turn by the workstation of this number without any other."""
    return sum(count * exchange.time(interrupts=True) for count, exchange in _reads(test, number))
