"""A request of NetWare's core protocol and its reply on a shared segment: what they need at the least, and how long
they take where nothing is in the way."""

from __future__ import annotations

from typing import NamedTuple

from netsim.closed_form.stages import Stage, between, least_time, total
from netsim.ethernet import Frame, SegmentSpec
from netsim.ethernet.frame import FCS
from netsim.stack import NcpHostSpec, NcpRequest
from netsim.stack.ncp import NcpCosts
from netsim.stack.ncp_messages import cut
from netsim.stack.remembering import anew


class _Message(NamedTuple):
    """The frames of one message, from `near` to `far`: their sizes and their stages."""

    near: NcpHostSpec
    far: NcpHostSpec
    sizes: list[int]
    stages: list[Stage]


class NcpExchange:
    """Between a workstation and its server, over the first adapter of each, `distance` ps apart."""

    def __init__(self, workstation: NcpHostSpec, server: NcpHostSpec, segment: SegmentSpec, distance: int) -> None:
        self._ends = workstation, server
        self._costs = NcpCosts(workstation, anew), NcpCosts(server, anew)
        self._segment, self._distance = segment, distance
        self._agreed = workstation.system.ncp.agreed(server.system.ncp)

    def _messages(self, request: NcpRequest) -> list[_Message]:
        """All that are exchanged for it, in their order."""
        workstation, server = (host.system.ncp for host in self._ends)
        found = []
        for one in self._agreed.requests(request):
            asks, answers = (cut(nbytes, self._agreed.largest) for nbytes in (one.sent, one.asked))
            found.append(self._message([workstation.request_frame(length) for length in asks], asks, 0))
            found.append(self._message([server.reply_frame(length) for length in answers], answers, 1))
        return found

    def _message(self, sizes: list[int], lengths: tuple[int, ...], end: int) -> _Message:
        """A message that leaves the end of this number; a request is made there and taken up at the other one."""
        near, far = self._ends[end], self._ends[1 - end]
        stages = [self._stage(end, *frame, number > 0) for number, frame in enumerate(zip(sizes, lengths, strict=True))]
        if end == 0:
            asked, taken = (costs.request.total for costs in self._costs)
            stages[0] = stages[0]._replace(sent=stages[0].sent + asked)
            stages[-1] = stages[-1]._replace(taken=stages[-1].taken + taken)
        return _Message(near, far, sizes, stages)

    def _stage(self, end: int, size: int, length: int, behind: bool) -> Stage:
        """A frame of `size` bytes with `length` bytes of data, `behind` another one of its message or not."""
        near, far = self._ends[end], self._ends[1 - end]
        sending, taking = self._costs[end], self._costs[1 - end]
        sent = sending.send(size, 0).total
        arrival = (taking.further_arrival if behind else taking.arrival)(size, length, 0)
        taken = far.ports()[0].bill_receive(far.bill(), size - FCS).work().total
        return Stage(
            sent + (sending.fragment.total if behind else 0),
            self._segment.frame_time(size),
            taken + (arrival.total if arrival else 0),
            near.ports()[0].bill_free(near.bill(), 1).work().total,
        )

    def server_time(self, request: NcpRequest) -> int:
        """ps of the server's processors, without the service itself; interrupts left out."""
        sums = [(message.near, total(message.stages)) for message in self._messages(request)]
        return sum(one.sender if near is self._ends[1] else one.taken for near, one in sums)

    def wire_time(self, request: NcpRequest) -> int:
        """ps of the segment."""
        return sum(total(message.stages).wire for message in self._messages(request))

    def bus_time(self, request: NcpRequest) -> int:
        """ps that its frames take of the server's bus."""
        port, time = self._ends[1].ports()[0], 0
        for message in self._messages(request):
            for size in message.sizes:
                out, into = (size - FCS, 0) if message.near is self._ends[1] else (0, size - FCS)
                time += port.adapter.bus_time(port.bus, out, into)
        return time

    def time(self, request: NcpRequest) -> int:
        """ps from when a process makes the request until the workstation has the whole reply, without the service."""
        return sum(self._lone(message) for message in self._messages(request))

    def _lone(self, message: _Message) -> int:
        way = between(message.near, message.far, self._segment, self._distance, Frame(message.sizes[-1]))
        return least_time(message.stages) - self._segment.gap + way
