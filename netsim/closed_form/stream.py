"""The closed form of a stream between two hosts: per segment or datagram, the least time of every resource."""

from __future__ import annotations

from collections.abc import Sequence

from netsim.accounts.bounds import Bounds
from netsim.closed_form.load import Frames, Load, add_ack, add_data, host_demand, on_the_wire
from netsim.stack.large_send import at_once, handed_over
from netsim.stack.remembering import anew
from netsim.stack.tcp_costs import TcpCosts
from netsim.topology.pair import Pair


def pair_bounds(
    test: Pair, unit: int, sending: Load, taking: Load, out: Sequence[Frames], back: Sequence[Frames]
) -> Bounds:
    """Per `unit` bytes delivered: cables and both hosts, with the `out` and `back` frames of each cable."""
    wires = {
        wire: sum(count * test.link.frame_time(frame.size) for count, frame in on_the_wire(frames))
        for number, both in enumerate(zip(out, back, strict=True))
        for wire, frames in zip(test.wires(number), both, strict=True)
    }
    near, far = test.ends
    sender = host_demand(near, "sender", test.link, sending, out, back)
    return Bounds(wires | sender | host_demand(far, "receiver", test.link, taking, back, out), unit)


def tcp_bounds(test: Pair) -> Bounds:
    """Per full segment from sender to receiver, with half an acknowledgement; as many as can be are sent at once."""
    sending, taking = (TcpCosts(host, host.offloads(), anew) for host in test.ends)
    length = sending.host.segment_size(test.mtu)
    segments = at_once(test.sender.large_send(), length)
    data, ack = handed_over(sending, taking, length, segments), handed_over(taking, sending, 0)
    share = 1 / test.cables
    sends, takes = Load(), Load()
    for port in range(test.cables):
        add_data(sends, takes, sending, taking, share / segments, length, segments, (port, port))
        add_ack(sends, takes, sending, taking, share / 2, (port, port))
    out: list[Frames] = [[(share / segments, data)]] * test.cables
    return pair_bounds(test, length, sends, takes, out, [[(share / 2, ack)]] * test.cables)
