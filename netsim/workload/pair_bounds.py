"""The closed form of a test between two hosts: per segment or datagram, the least time of every resource."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING

from netsim.bounds import Bounds
from netsim.ethernet import Frame
from netsim.ethernet.frame import frame_size
from netsim.host import Work
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts

if TYPE_CHECKING:
    from netsim.workload.netperf import Netperf
    from netsim.workload.pair import Pair


Load = list[tuple[float, Work]]  # how often each piece of work is done
Frames = Mapping[int, float]  # how many frames of each size (with FCS)


def _driver_load(
    host: ComputerSpec, sent: Sequence[Frames], received: Sequence[Frames]
) -> Iterator[tuple[float, Work]]:
    """The drivers' work that goes with no protocol's: frames received, buffers freed. The interrupt in which that is
    done may have been for another frame, so it is left out."""
    for port, out, into in zip(host.ports(), sent, received, strict=False):
        for size, count in into.items():
            yield count, port.bill_receive(host.bill(), Frame(size).buffer).work()
        yield sum(out.values()), port.bill_free(host.bill(), 1).work()


def _host_demand(
    test: Pair, name: str, load: Load, sent: Sequence[Frames], received: Sequence[Frames]
) -> dict[str, float]:
    """ps of a host's processors, bus and transmitters."""
    host: ComputerSpec = getattr(test, name)
    load = [*load, *_driver_load(host, sent, received)]
    bus = sum(count * work.accesses for count, work in load)
    demand = {}
    for number, (port, out, into) in enumerate(zip(host.ports(), sent, received, strict=False)):
        nic, pci = port.adapter, port.bus
        bus += sum(count * nic.tx_bus_time(pci, Frame(size).buffer) for size, count in out.items())
        bus += sum(count * nic.rx_bus_time(pci, Frame(size).buffer) for size, count in into.items())
        interval = {size: nic.transmit_interval(pci, test.link, Frame(size)) for size in out}
        demand[f"{name} nic {number} transmitter"] = sum(count * interval[size] for size, count in out.items())
    processors = sum(count * work.total for count, work in load) / host.processors.count
    return {f"{name} processors": processors, f"{name} bus": bus} | demand


def _bounds(
    test: Pair, unit: int, sending: Load, taking: Load, out: Sequence[Frames], back: Sequence[Frames]
) -> Bounds:
    wires = {
        wire: sum(count * test.link.frame_time(size) for size, count in frames.items())
        for number, both in enumerate(zip(out, back, strict=True))
        for wire, frames in zip(test.wires(number), both, strict=True)
    }
    sender = _host_demand(test, "sender", sending, out, back)
    return Bounds(wires | sender | _host_demand(test, "receiver", taking, back, out), unit)


def tcp_bounds(test: Pair) -> Bounds:
    """Per full segment from sender to receiver, with half an acknowledgement."""
    sending, taking = TcpCosts(test.sender), TcpCosts(test.receiver)
    length = sending.spec.segment_size(test.mtu)
    data, ack = sending.spec.frame_size(length), taking.spec.frame_size(0)
    share = 1 / test.cables
    sends, takes = [], []
    for port in range(test.cables):
        sends.append((share, sending.write(length, length, port, False, False)))
        sends.append((share / 2, sending.arrival(0, port, False, None)))
        takes.append((share, taking.arrival(length, port, False, None)))
        takes.append((share, taking.read(length, taking.place(data, port), False, False)))
        takes.append((share / 2, taking.segment(0, port)))
    return _bounds(test, length, sends, takes, [{data: share}] * test.cables, [{ack: share / 2}] * test.cables)


def udp_bounds(test: Netperf) -> Bounds:
    """Per datagram."""
    sending, taking = UdpCosts(test.sender), UdpCosts(test.receiver)
    total = test.message_size + udp.HEADER
    fragments = test.sender.system.ip.fragments(total, test.mtu)
    ports = range(test.cables)
    share = 1 / test.cables  # round robin goes through all ports, with every fragment, in as many datagrams
    sends, takes = [], []
    for index, (port, nbytes) in enumerate(zip(cycle(ports), fragments * test.cables, strict=False)):
        first, last = index % len(fragments) == 0, index % len(fragments) == len(fragments) - 1
        sends.append((share, sending.write(nbytes, first, port, False)))
        takes.append((share, taking.arrival(nbytes, total, port, last)))
        if last:
            takes.append((share, taking.read(test.message_size, taking.place(nbytes, total, port), False)))
    sizes = [frame_size(ip.HEADER + nbytes) for nbytes in fragments] * test.cables
    out = [_scaled(Counter(islice(sizes, port, None, test.cables)), share) for port in ports]
    return _bounds(test, test.message_size, sends, takes, out, [{}] * test.cables)


def _scaled(counts: Mapping[int, int], factor: float) -> Frames:
    return {size: count * factor for size, count in counts.items()}
