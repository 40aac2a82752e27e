"""The closed form of a stream between two hosts: per segment or datagram, the least time of every resource."""

from __future__ import annotations

from collections.abc import Sequence

from netsim.accounts.bounds import Bounds
from netsim.closed_form.bursts import quickest
from netsim.closed_form.load import Demand, Frames, Load, acknowledge, carry, host_demand, on_the_wire
from netsim.closed_form.passage import tcp_ack, tcp_data
from netsim.stack.tcp_costs import TcpCosts, segments_at_once
from netsim.topology.pair import RECEIVER, SENDER, Pair
from netsim.units import total


def pair_bounds(
    test: Pair, unit: int, sending: Load, taking: Load, out: Sequence[Frames], back: Sequence[Frames]
) -> Bounds:
    """Per `unit` bytes delivered: wires and both hosts, with the `out` and `back` frames of each pair of ports."""
    medium = quickest(test.medium)
    wires: Demand = {}
    for number, both in enumerate(zip(out, back, strict=True)):
        for crossed, frames in zip(test.wires(number), both, strict=True):
            time = total(count * medium.frame_time(frame.size) for count, frame in on_the_wire(frames))
            wires |= {wire: wires.get(wire, 0) + time for wire in crossed}
    near, far = test.ends
    sender = host_demand(near, SENDER, medium, sending, out, back)
    return Bounds(wires | sender | host_demand(far, RECEIVER, medium, taking, back, out), unit)


def tcp_bounds(test: Pair) -> Bounds:
    """Per full segment from sender to receiver, with its share of an acknowledgement; as many segments as possible are
    sent at once."""
    near, far = test.ends
    sending, taking = ends = TcpCosts(near, near.offloads()), TcpCosts(far, far.offloads())
    length = sending.host.mss(test.mtu)
    segments = segments_at_once(test.sender.large_send(), length)
    acks = length / taking.spec.unacknowledged(length)
    sends, takes = Load(), Load()
    out: list[Frames] = [[] for _ in range(test.cables)]
    back: list[Frames] = [[] for _ in range(test.cables)]
    there, again = test.shares
    for share, port in there:
        data = tcp_data(sending, taking, length, segments, (port, port))
        carry(sends, takes, share / segments, data, port, taking.spec.backlog, segments)
        out[port].append((share / segments, data.frame))
    for share, port in again:
        for part, made in there:
            acknowledge(sends, takes, share * part * acks, ends, (port, port), made)
        back[port].append((share * acks, tcp_ack(*ends, (port, port)).frame))
    return pair_bounds(test, length, sends, takes, out, back)
