"""The closed form of a netperf test: per segment or datagram, the least time of every resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from netsim.bounds import Bounds
from netsim.ethernet import Frame, LinkSpec
from netsim.ethernet.frame import frame_size
from netsim.host import AdapterSpec
from netsim.stack import ComputerSpec, ip, udp
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts

if TYPE_CHECKING:
    from netsim.workload.netperf import Netperf


def _free_time(host: ComputerSpec, adapter: AdapterSpec, frames: float) -> float:
    """ps to take back the buffers of frames sent."""
    return frames * adapter.driver.bill_free(host.bill(), 1).work().total


def _receive_time(host: ComputerSpec, adapter: AdapterSpec, size: int) -> int:
    """ps for the driver to take a frame of `size` bytes in memory; the interrupt may have been for another one."""
    return adapter.driver.bill_receive(host.bill(), size).work().total


def _wires(sizes_out: Mapping[int, float], sizes_back: Mapping[int, float], test: Netperf) -> dict[str, float]:
    """Demand of wires, buses and the sender's transmitter, for so many frames of these sizes each way."""
    link: LinkSpec = test.link
    sender, receiver = test.sender, test.receiver
    there, back = sender.nics[0], receiver.nics[0]

    def total(sizes: Mapping[int, float], time: object) -> float:
        return sum(count * time(Frame(size)) for size, count in sizes.items())  # type: ignore[operator]

    return {
        "wire to receiver": total(sizes_out, lambda f: link.frame_time(f.size)),
        "wire to sender": total(sizes_back, lambda f: link.frame_time(f.size)),
        "sender nic 0 transmitter": total(sizes_out, lambda f: there.transmit_interval(sender.bus, link, f)),
        "sender bus": total(sizes_out, lambda f: there.tx_bus_time(sender.bus, f.buffer))
        + total(sizes_back, lambda f: there.rx_bus_time(sender.bus, f.buffer)),
        "receiver bus": total(sizes_out, lambda f: back.rx_bus_time(receiver.bus, f.buffer))
        + total(sizes_back, lambda f: back.tx_bus_time(receiver.bus, f.buffer)),
    }


def tcp_bounds(test: Netperf) -> Bounds:
    """Per full segment, with half an acknowledgement."""
    sender, receiver = test.sender, test.receiver
    out, back = sender.nics[0], receiver.nics[0]
    length = sender.system.tcp.segment_size(test.mtu)
    data = Frame(sender.system.tcp.frame_size(length))
    ack = Frame(receiver.system.tcp.frame_size(0))
    sending, receiving = TcpCosts(sender, out.driver), TcpCosts(receiver, back.driver)
    acks = 0.5
    sends = sending.write(length, length, True, False, False).total + _free_time(sender, out, 1)
    sends += acks * (_receive_time(sender, out, ack.buffer) + sending.arrival(0, False, False).total)
    takes = _receive_time(receiver, back, data.buffer) + receiving.arrival(length, False, False).total
    takes += acks * (receiving.segment(0, True).total + _free_time(receiver, back, 1))
    takes += receiving.read(length, receiving.lies_in(data.size), False, False).total
    demand = {
        "sender processors": sends / sender.processors.count,
        "receiver processors": takes / receiver.processors.count,
    }
    return Bounds(demand | _wires({data.size: 1}, {ack.size: acks}, test), length)


def udp_bounds(test: Netperf) -> Bounds:
    """Per datagram."""
    sender, receiver = test.sender, test.receiver
    out, back = sender.nics[0], receiver.nics[0]
    message = test.message_size
    total = message + udp.HEADER
    fragments = sender.system.ip.fragments(total, test.mtu)
    sending, receiving = UdpCosts(sender, out.driver), UdpCosts(receiver, back.driver)
    sizes: dict[int, float] = {}
    sends = takes = 0.0
    for index, nbytes in enumerate(fragments):
        size = frame_size(ip.HEADER + nbytes)
        sizes[size] = sizes.get(size, 0) + 1
        sends += sending.write(nbytes, index == 0, True, False).total + _free_time(sender, out, 1)
        takes += _receive_time(receiver, back, Frame(size).buffer)
        takes += receiving.arrival(nbytes, total, index == len(fragments) - 1).total
    takes += receiving.read(message, receiving.lies_in(fragments[-1], total), False).total
    demand = {
        "sender processors": sends / sender.processors.count,
        "receiver processors": takes / receiver.processors.count,
    }
    return Bounds(demand | _wires(sizes, {}, test), message)


