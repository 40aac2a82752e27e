"""The closed form of PERFORM3: what the segment, the server and the workstations allow, each alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, PROCESSORS, SEGMENT, WORKSTATIONS
from netsim.closed_form.load import Demand
from netsim.ethernet import Frame, SegmentSpec
from netsim.ethernet.frame import FCS
from netsim.stack import NcpCosts, NcpHostSpec
from netsim.stack.remembering import anew

if TYPE_CHECKING:
    from netsim.workload.perform3.tool import Perform3


def perform3_bounds(test: Perform3) -> Bounds:
    """Per turn through all file sizes by one workstation, whichever: of what they share, that one's part that needs
    least."""
    turns = [_turn(test, spec) for spec in dict.fromkeys(test.workstations)]
    demand = {name: min(turn[name] for turn in turns) for name in turns[0]}
    alone = [_files_time(test, number) for number, _ in enumerate(test.workstations)]
    demand[Resource("", WORKSTATIONS)] = 1 / sum(1 / ps for ps in alone)
    return Bounds(demand, sum(test.file_sizes), test.unit)


def _turn(test: Perform3, workstation: NcpHostSpec) -> Demand:
    """ps of each resource that all workstations share, for a turn by this one."""
    demand: Demand = {}
    for length in _lengths(test, workstation):
        for name, ps in _read(test, workstation, length).items():
            demand[name] = demand.get(name, 0.0) + ps
    return demand


def _lengths(test: Perform3, workstation: NcpHostSpec) -> list[int]:
    """Bytes of each read of a turn."""
    return [length for size in test.file_sizes for length in test.reads(workstation, size)]


def _files_time(test: Perform3, number: int) -> int:
    """ps for one turn by the workstation of this number, if it has everything to itself."""
    lengths = Counter(_lengths(test, test.workstations[number]))
    return sum(count * _lone_read(test, number, length) for length, count in lengths.items())


def _read(test: Perform3, workstation: NcpHostSpec, length: int) -> Demand:
    """ps of each of these resources for one read."""
    request = workstation.system.ncp.request_frame()
    reply = test.server.system.ncp.reply_frame(length)
    port, host, costs = test.server.ports()[0], test.server, NcpCosts(test.server, anew)
    works = [
        costs.request,
        costs.send(reply, 0),
        port.bill_receive(host.bill(), request - FCS).work(),
        port.bill_rest(host.bill(), reply - FCS).work(),
        port.bill_free(host.bill(), 1).work(),
    ]
    return {
        Resource("", SEGMENT): test.segment.frame_time(request) + test.segment.frame_time(reply),
        Resource("server", PROCESSORS): sum(work.total for work in works),
        Resource("server", BUS): sum(work.bus for work in works) + port.adapter.bus_time(port.bus, reply - FCS, request
        - FCS),
    }


def _lone_read(test: Perform3, number: int, length: int) -> int:
    """ps from one request to the next of such a workstation."""
    server, workstation = test.server, test.workstations[number]
    there = Frame(workstation.system.ncp.request_frame())
    back = Frame(server.system.ncp.reply_frame(length))
    ways = ((workstation, server, there, 0), (server, workstation, back, length))
    distance = test.segment.propagation(test.position(0), test.position(number + 1))
    return sum(_one_way(*way, test.segment) for way in ways) + 2 * distance


def _one_way(sender: NcpHostSpec, receiver: NcpHostSpec, frame: Frame, length: int, segment: SegmentSpec) -> int:
    """ps from when a process takes up a request until what comes of it, with `length` bytes of data, is with the other
    end's process, without the way along the cable."""
    costs = NcpCosts(sender, anew)
    made = costs.request.total + costs.send(frame.size, 0).total
    out, into = sender.ports()[0], receiver.ports()[0]
    handling = into.handling_time(receiver.bill, receiver.system.kernel, frame.buffer)
    taken = into.adapter.behind(into.bus, segment, frame, handling) + handling
    copied = NcpCosts(receiver).arrival(frame.size, length, 0)
    taken += copied.total if copied else 0
    return made + out.adapter.ahead(out.bus, frame) + segment.sending_time(frame.size) + taken
