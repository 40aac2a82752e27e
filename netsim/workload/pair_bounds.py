"""The closed form of a test between two hosts: per segment or datagram, the least time of every resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING

from netsim.bounds import Bounds
from netsim.ethernet import Frame, LinkSpec
from netsim.ethernet.frame import frame_size
from netsim.host import Work
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.large_send import at_once, handed_over
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts

if TYPE_CHECKING:
    from netsim.workload.netperf import Netperf
    from netsim.workload.pair import Pair


@dataclass
class Load:
    """How often each piece of work is done: by whatever processor, or in deferred work and so by the one that takes the
    interrupts."""

    anywhere: list[tuple[float, Work]] = field(default_factory=list)
    deferred: list[tuple[float, Work]] = field(default_factory=list)

    def of_segments(self, costs: TcpCosts) -> list[tuple[float, Work]]:
        """Where segments that come in are taken: by deferred work, or perhaps by a process that is inside a call."""
        return self.anywhere if costs.spec.backlog else self.deferred


Frames = list[tuple[float, Frame]]  # how often each frame is handed to the card, which may make several of it


def on_the_wire(frames: Frames) -> Frames:
    """How often each frame is sent."""
    return [(count, piece) for count, frame in frames for piece in frame.pieces or (frame,)]


def _driver_load(
    host: ComputerSpec, sent: Sequence[Frames], received: Sequence[Frames]
) -> Iterator[tuple[float, Work]]:
    """The drivers' work that goes with no protocol's: frames received, buffers freed. The interrupt in which that is
    done may have been for another frame, so it is left out."""
    for port, out, into in zip(host.ports(), sent, received, strict=False):
        for count, frame in on_the_wire(into):
            yield count, port.bill_receive(host.bill(), frame.buffer).work()
        yield sum(count for count, _ in out), port.bill_free(host.bill(), 1).work()


def host_demand(
    host: ComputerSpec, name: str, link: LinkSpec, load: Load, sent: Sequence[Frames], received: Sequence[Frames]
) -> dict[str, float]:
    """ps of a host's processors (all, and the first, which takes the interrupts), network lock, buses, transmitters
    and onboard processors. `load` is the protocols' and the processes'. Frames are listed port by port; ports
    behind the lists' ends have none."""
    handlers = list(_driver_load(host, sent, received))
    everything = [*load.anywhere, *load.deferred, *handlers]
    demand = {f"{name} processors": _time(everything) / host.processors.count}
    if host.processors.count > 1:
        demand[f"{name} processor 0"] = _time([*load.deferred, *handlers])
    if host.locks:
        demand[f"{name} network lock"] = _time([*load.anywhere, *load.deferred])
    buses = host.bus_names(name)
    demand |= dict.fromkeys(buses, 0.0)
    for count, work in everything:
        demand[buses[work.slot]] += count * work.bus
    for number, (port, out, into) in enumerate(zip(host.ports(), sent, received, strict=False)):
        nic, pci, bus = port.adapter, port.bus, buses[port.slot]
        leaving, coming = on_the_wire(out), on_the_wire(into)
        demand[bus] += sum(count * nic.tx_bus_time(pci, frame.fetched, frame.first) for count, frame in leaving)
        demand[bus] += sum(count * nic.rx_bus_time(pci, frame.buffer) for count, frame in coming)
        interval = sum(count * nic.transmit_interval(pci, link, frame) for count, frame in out)
        demand[f"{name} nic {number} transmitter"] = interval
        if nic.onboard:
            firmware = sum(count for count, _ in leaving) * nic.onboard.tx_time
            firmware += sum(count for count, _ in coming) * nic.onboard.rx_time
            demand[f"{name} nic {number} onboard"] = firmware
    return demand


def _time(load: Iterable[tuple[float, Work]]) -> float:
    return sum(count * work.total for count, work in load)


def _bounds(
    test: Pair, unit: int, sending: Load, taking: Load, out: Sequence[Frames], back: Sequence[Frames]
) -> Bounds:
    wires = {
        wire: sum(count * test.link.frame_time(frame.size) for count, frame in on_the_wire(frames))
        for number, both in enumerate(zip(out, back, strict=True))
        for wire, frames in zip(test.wires(number), both, strict=True)
    }
    sender = host_demand(test.sender, "sender", test.link, sending, out, back)
    return Bounds(wires | sender | host_demand(test.receiver, "receiver", test.link, taking, back, out), unit)


def add_data(
    sends: Load,
    takes: Load,
    sending: TcpCosts,
    taking: TcpCosts,
    count: float,
    length: int,
    segments: int = 1,
    port: int = 0,
) -> None:
    """`count` times so many `segments` at once with `length` bytes each, written and read within longer calls."""
    whole, frame = segments * length, sending.spec.frame_size(length)
    sends.anywhere.append((count, sending.write(whole, whole, port, False, False)))
    takes.of_segments(taking).append((count * segments, taking.arrival(length, port, False, None)))
    takes.anywhere.append((count * segments, taking.read(length, taking.place(frame, port), False, False)))


def add_ack(sends: Load, takes: Load, sending: TcpCosts, taking: TcpCosts, count: float, port: int = 0) -> None:
    """`count` acknowledgements of such segments."""
    sends.of_segments(sending).append((count, sending.arrival(0, port, False, None)))
    takes.of_segments(taking).append((count, taking.segment(0, port)))


def tcp_bounds(test: Pair) -> Bounds:
    """Per full segment from sender to receiver, with half an acknowledgement; as many as can be are sent at once."""
    sending, taking = TcpCosts(test.sender), TcpCosts(test.receiver.answering(test.sender))
    length = sending.spec.segment_size(test.mtu)
    segments = at_once(test.sender.large_send, length)
    data, ack = handed_over(sending.spec, length, segments), handed_over(taking.spec, 0, 1)
    share = 1 / test.cables
    sends, takes = Load(), Load()
    for port in range(test.cables):
        add_data(sends, takes, sending, taking, share / segments, length, segments, port)
        add_ack(sends, takes, sending, taking, share / 2, port)
    out: list[Frames] = [[(share / segments, data)]] * test.cables
    return _bounds(test, length, sends, takes, out, [[(share / 2, ack)]] * test.cables)


def udp_bounds(test: Netperf) -> Bounds:
    """Per datagram."""
    sending, taking = UdpCosts(test.sender), UdpCosts(test.receiver)
    total = test.message_size + udp.HEADER
    fragments = test.sender.system.ip.fragments(total, test.mtu)
    ports = range(test.cables)
    share = 1 / test.cables  # round robin goes through all ports, with every fragment, in as many datagrams
    sends, takes = Load(), Load()
    for index, (port, nbytes) in enumerate(zip(cycle(ports), fragments * test.cables, strict=False)):
        first, last = index % len(fragments) == 0, index % len(fragments) == len(fragments) - 1
        sends.anywhere.append((share, sending.write(nbytes, first, port, False)))
        takes.deferred.append((share, taking.arrival(nbytes, total, port, last)))
        if last:
            takes.anywhere.append((share, taking.read(test.message_size, taking.place(nbytes, total, port), False)))
    frames = [(share, Frame(frame_size(ip.HEADER + nbytes))) for nbytes in fragments] * test.cables
    out = [frames[port :: test.cables] for port in ports]
    return _bounds(test, test.message_size, sends, takes, out, [[]] * test.cables)
