"""A request of NetWare's core protocol and its reply: all frames that the two ends exchange for it."""

from __future__ import annotations

from collections.abc import Iterator

from netsim.closed_form.message import End, Exchange, Message
from netsim.closed_form.outline import frame
from netsim.closed_form.passage import Passage, Runs, with_calls
from netsim.ethernet import SegmentSpec
from netsim.stack import NcpHostSpec, NcpRequest
from netsim.stack.ncp_costs import NcpCosts
from netsim.stack.ncp_requests import counted


def ncp_exchange(
    workstation: NcpHostSpec,
    server: NcpHostSpec,
    segment: SegmentSpec,
    distance: int,
    request: NcpRequest,
    port: int = 0,
) -> Exchange:
    """The exchange between a workstation's first adapter and the server's port of this number, `distance` (ps)
    apart."""
    near, far = End(workstation), End(server, port)
    asking, serving = NcpCosts(workstation), NcpCosts(server)
    agreed = workstation.system.ncp.agreed(server.system.ncp)

    def messages() -> Iterator[tuple[int, Message]]:
        for count, one in agreed.counted_requests(request):
            asks = [(n, workstation.system.ncp.request_frame(nbytes), nbytes)
                    for n, nbytes in counted(one.sent, agreed.largest)]
            replies = [(n, server.system.ncp.reply_frame(nbytes), nbytes)
                       for n, nbytes in counted(one.asked, agreed.largest)]
            there = with_calls(_runs(asking, serving, asks, 0, port), (asking.request,), (serving.request,))
            yield count, Message(near, far, segment, distance, there)
            yield count, Message(far, near, segment, distance, _runs(serving, asking, replies, port, 0))

    return Exchange(far, list(messages()))


def _runs(sending: NcpCosts, taking: NcpCosts, frames: list[tuple[int, int, int]], out: int, into: int) -> Runs:
    """The passages of `frames` (number, size, bytes of data) from one port to another; all except the first one are
    further frames of their message."""
    (count, *first), *others = frames
    alike = [(1, *first), (count - 1, *first), *others]
    passages = [(n, _passage(sending, taking, size, length, out, into, number > 0))
                for number, (n, size, length) in enumerate(alike)]
    return [run for run in passages if run[0]]


def _passage(
    sending: NcpCosts, taking: NcpCosts, size: int, length: int, out: int, into: int, further: bool
) -> Passage:
    """The passage of a message's first frame, or of a `further` one."""
    sent = (sending.send(size, out), *([sending.fragment] if further else []))
    arrival = (taking.further_arrival if further else taking.arrival)(size, length, into)
    return Passage(frame(size), sent, (arrival,) if arrival else ())
