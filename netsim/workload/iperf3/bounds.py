"""The closed form of a stream: the demand of a segment or a datagram on the wire, both slots, the cores of both hosts
and the sender's ring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.resource import (
    CABLE,
    OFFERED,
    PCIE_DOWNSTREAM,
    PCIE_UPSTREAM,
    PROCESSOR,
    PROCESSORS,
    RECEIVER,
    TRANSMITTER,
    TX_RING,
)
from netsim.stack import StreamHostSpec
from netsim.stack.device_queue import CLEANED
from netsim.stack.socket_backlog import joined_at_most
from netsim.stack.stream_costs import PAGE, StreamCosts
from netsim.units import PS_PER_S

if TYPE_CHECKING:
    from netsim.workload.iperf3.tool import Iperf3


def demand(test: Iperf3) -> dict[Resource, float]:
    """The least time (ps) of each resource for one segment: packets are as long as possible, their data are in the
    cache if they can be, and acknowledgements and interrupts are too rare to count."""
    found: dict[Resource, float] = {Resource("receiver", CABLE): test.link.frame_time(test.sizes["sender"])}
    for name, host in test.hosts:
        up, down = test.pcie_times(host, test.sizes["sender"], sends=name == "sender")
        found |= {Resource(name, PCIE_UPSTREAM): up, Resource(name, PCIE_DOWNSTREAM): down}
        half = TRANSMITTER if name == "sender" else RECEIVER
        found[Resource(name, half)] = test.engine_time(host, sends=name == "sender")
        process, softirq, either = _of_end(name, test, host)
        for stream in range(test.streams):
            own, irq = Resource(name, PROCESSOR, stream), host.irq_core(stream, test.streams)
            alone = process + softirq + either if host.arfs else process
            found[own] = alone / test.streams
            if not host.arfs:
                found[Resource(name, PROCESSOR, irq)] = softirq / test.streams
        cores = 1 if host.arfs else 2
        found[Resource(name, PROCESSORS)] = (process + softirq + either) / cores / test.streams
    found[Resource("sender", TX_RING)] = _in_ring(test) / test.streams
    if test.protocol == "udp":
        found[Resource("", OFFERED)] = test.mss * 8 * PS_PER_S / test.offered / test.streams
    return found


def _in_ring(test: Iperf3) -> float:
    """The least time (ps) of a stream's ring for one segment: each packet stays until the driver can know that it was
    sent. TCP's acknowledgements also start polls that clean; without them the ring is cleaned only by the adapter's
    interrupts for sent packets, which come at least `_announced` apart, and all of it at best. What a poll leaves over
    is cleaned with newer packets."""
    host, room = test.sender, test.sender.driver.room
    segments, visible = test.costs(host).sent, host.server.root_complex.visible_time(remote=False)
    size = test.sizes["sender"]
    stay = test.fetch_latency(host, size) + segments * test.step(host, size) + visible
    if test.protocol == "tcp":
        return stay / segments / room
    announced = _announced(test)
    if room == 1:
        return stay + announced
    return max(stay / room, announced / (room if room <= CLEANED else room + CLEANED))


def _announced(test: Iperf3) -> int:
    """The least time (ps) from when a packet is known to be sent until a poll cleans it."""
    host, costs = test.sender, test.costs(test.sender)
    message = host.adapter.interrupt_time(host.pcie) + host.server.root_complex.visible_time(remote=host.far)
    return host.stream_driver.sent_interval + message + costs.interrupt.total + costs.poll.total


def _of_end(name: str, test: Iperf3, host: StreamHostSpec) -> tuple[float, float, float]:
    """The times (ps) in the process, in softirqs, and in whichever of the two does the work."""
    if test.protocol == "tcp":
        return sender(test.costs(host), test) if name == "sender" else receiver(test.costs(host), test)
    costs = test.datagram_costs(host)
    if name == "sender":
        return costs.sent_datagram.total, costs.cleaned.total, 0
    softirq = costs.received_frame(costs.buffer / PAGE).plus(costs.ip_packet, costs.queued_datagram)
    return costs.read_datagram.total + costs.copy_times[0], softirq.total, 0


def receiver(costs: StreamCosts, test: Iperf3) -> tuple[float, float, float]:
    """The times (ps) of a segment in the process, in softirqs, and in whichever of the two does the work."""
    share = costs.mss / (test.block + costs.mss) if test.block >= costs.mss else 1
    process = costs.read_segment.total + costs.copy_times[0] + costs.read_call(test.block).total * share
    softirq = costs.received_frame(costs.buffer / PAGE).total + costs.ip_packet.total / costs.merged
    cycles = costs.host.costs.receive_cycles
    joined = max(1, joined_at_most(costs.fragments) // costs.merged)
    waits = costs.backlog.total + costs.taken_up(cycles).total / joined
    tcp = min(costs.through_tcp(cycles).total, waits)
    return process, softirq, tcp / costs.merged


def sender(costs: StreamCosts, test: Iperf3) -> tuple[float, float, float]:
    """As for `receiver`; packets are handed to the driver in the process or in softirqs."""
    call = costs.call.total * costs.mss / test.block
    process = costs.packet.total / costs.sent + costs.written_segment.total + call
    either = costs.send.total / costs.sent + costs.handed_segment.total + costs.freed_segment.total
    return process, costs.cleaned.total / costs.sent, either
