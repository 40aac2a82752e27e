"""The closed form of a test between two hosts: per segment or datagram, the least time of every resource."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from netsim.bounds import Bounds
from netsim.ethernet import Frame, LinkSpec
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


def _driver_load(host: ComputerSpec, sent: Frames, received: Frames) -> Load:
    """The driver's work that goes with no protocol's: frames received, buffers freed. The interrupt in which that is
    done may have been for another frame, so it is left out."""
    driver = host.nics[0].driver
    load = [(count, driver.bill_receive(host.bill(), Frame(size).buffer).work()) for size, count in received.items()]
    return [*load, (sum(sent.values()), driver.bill_free(host.bill(), 1).work())]


def _host_demand(test: Pair, name: str, load: Load, sent: Frames, received: Frames) -> dict[str, float]:
    """ps of a host's processors, bus and transmitter."""
    host: ComputerSpec = getattr(test, name)
    nic, bus, link = host.nics[0], host.bus, test.link
    load = [*load, *_driver_load(host, sent, received)]
    data = [(count, nic.tx_bus_time(bus, Frame(size).buffer)) for size, count in sent.items()]
    data += [(count, nic.rx_bus_time(bus, Frame(size).buffer)) for size, count in received.items()]
    return {
        f"{name} processors": sum(count * work.total for count, work in load) / host.processors.count,
        f"{name} bus": sum(count * ps for count, ps in data) + sum(count * work.accesses for count, work in load),
        f"{name} nic 0 transmitter": _transmitting(sent, lambda frame: nic.transmit_interval(bus, link, frame)),
    }


def _transmitting(frames: Frames, interval: Callable[[Frame], int]) -> float:
    return sum(count * interval(Frame(size)) for size, count in frames.items())


def _bounds(test: Pair, unit: int, sending: Load, taking: Load, out: Frames, back: Frames) -> Bounds:
    link: LinkSpec = test.link
    wires = {
        "wire to receiver": _transmitting(out, lambda frame: link.frame_time(frame.size)),
        "wire to sender": _transmitting(back, lambda frame: link.frame_time(frame.size)),
    }
    sender = _host_demand(test, "sender", sending, out, back)
    return Bounds(wires | sender | _host_demand(test, "receiver", taking, back, out), unit)


def tcp_bounds(test: Pair) -> Bounds:
    """Per full segment from sender to receiver, with half an acknowledgement."""
    sending = TcpCosts(test.sender, test.sender.nics[0].driver)
    taking = TcpCosts(test.receiver, test.receiver.nics[0].driver)
    length = sending.spec.segment_size(test.mtu)
    data, ack = sending.spec.frame_size(length), taking.spec.frame_size(0)
    sends = [(1, sending.write(length, length, True, False, False)), (0.5, sending.arrival(0, False, False))]
    takes = [
        (1, taking.arrival(length, False, False)),
        (1, taking.read(length, taking.lies_in(data), False, False)),
        (0.5, taking.segment(0, True)),
    ]
    return _bounds(test, length, sends, takes, {data: 1}, {ack: 0.5})


def udp_bounds(test: Netperf) -> Bounds:
    """Per datagram."""
    sending = UdpCosts(test.sender, test.sender.nics[0].driver)
    taking = UdpCosts(test.receiver, test.receiver.nics[0].driver)
    total = test.message_size + udp.HEADER
    fragments = test.sender.system.ip.fragments(total, test.mtu)
    last = len(fragments) - 1
    sends = [(1.0, sending.write(nbytes, index == 0, True, False)) for index, nbytes in enumerate(fragments)]
    takes = [(1.0, taking.arrival(nbytes, total, index == last)) for index, nbytes in enumerate(fragments)]
    takes.append((1, taking.read(test.message_size, taking.lies_in(fragments[-1], total), False)))
    out = Counter(frame_size(ip.HEADER + nbytes) for nbytes in fragments)
    return _bounds(test, test.message_size, sends, takes, out, {})
