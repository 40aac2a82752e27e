"""A request of NetWare's core protocol and its reply: all frames that the two ends send each other for it."""

from __future__ import annotations

from collections.abc import Iterator

from netsim.closed_form.message import End, Exchange, Message
from netsim.closed_form.outline import frame
from netsim.closed_form.passage import Passage
from netsim.ethernet import SegmentSpec
from netsim.stack import NcpHostSpec, NcpRequest
from netsim.stack.ncp_costs import NcpCosts
from netsim.stack.ncp_messages import cut


def ncp_exchange(
    workstation: NcpHostSpec,
    server: NcpHostSpec,
    segment: SegmentSpec,
    distance: int,
    request: NcpRequest,
    port: int = 0,
) -> Exchange:
    """Between a workstation's first adapter and the server's port of this number, `distance` ps apart."""
    near, far = End(workstation), End(server, port)
    asking, serving = NcpCosts(workstation), NcpCosts(server)
    agreed = workstation.system.ncp.agreed(server.system.ncp)

    def messages() -> Iterator[Message]:
        for one in agreed.requests(request):
            asks = [(workstation.system.ncp.request_frame(n), n) for n in cut(one.sent, agreed.largest)]
            replies = [(server.system.ncp.reply_frame(n), n) for n in cut(one.asked, agreed.largest)]
            there, back = _passages(asking, serving, asks, 0, port), _passages(serving, asking, replies, port, 0)
            there[0] = there[0]._replace(sent=(asking.request, *there[0].sent))
            there[-1] = there[-1]._replace(reads=(serving.request,))
            yield Message(near, far, segment, distance, there)
            yield Message(far, near, segment, distance, back)

    return Exchange(far, list(messages()))


def _passages(
    sending: NcpCosts, taking: NcpCosts, frames: list[tuple[int, int]], out: int, into: int
) -> list[Passage]:
    """Of `frames` (size, bytes of data) from one port to another."""
    return [_passage(sending, taking, *frame, out, into, number > 0) for number, frame in enumerate(frames)]


def _passage(
    sending: NcpCosts, taking: NcpCosts, size: int, length: int, out: int, into: int, further: bool
) -> Passage:
    """A frame, or a `further` one of its message."""
    sent = (sending.send(size, out), *([sending.fragment] if further else []))
    arrival = (taking.further_arrival if further else taking.arrival)(size, length, into)
    return Passage(frame(size), sent, (arrival,) if arrival else ())
