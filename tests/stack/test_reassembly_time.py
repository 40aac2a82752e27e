"""What a datagram costs its receiver's processors, to the picosecond: everything once, by the specs' own functions."""

from __future__ import annotations

import pytest

from netsim import catalog
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine.port import MasterPort
from netsim.scenario import host
from netsim.stack import Computer, ComputerSpec, UdpReceiver, UdpSender, ip, udp
from netsim.units import MS

MTU = 1500
NICS = {"left where it came in": "3c905b/3c59x", "copied by its driver": "rtl8139/rtl8139"}


def taken(spec: ComputerSpec, message: int) -> tuple[Computer, int]:
    """The computer that has received a datagram of `message` bytes, for which a process waited; how many interrupts
    that took."""
    env = Environment(1)
    a, b = Computer(env, spec, "a"), Computer(env, spec, "b")
    there, back = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("there", "back"))
    a.nics[0].plug(there, back)
    b.nics[0].plug(back, there)
    sender, receiver = UdpSender(a, "port", message, MTU, 65536), UdpReceiver(b, "port", 65536)
    read: list[int] = []
    receiver.receive(read.append)
    sender.send(lambda: None)
    env.run(100 * MS)
    assert read == [message]
    return b, b.drivers[0].interrupts


def reassembled(spec: ComputerSpec, port: MasterPort, sizes: list[int]) -> int:
    """ps of the copy that puts fragments with `sizes` bytes of payload together, from where the last one lies."""
    if len(sizes) == 1:
        return 0
    return spec.bill().copy(sum(sizes), *port.leaves(frame_size(ip.HEADER + sizes[-1]))).work().total


def read_out(spec: ComputerSpec, port: MasterPort, sizes: list[int]) -> int:
    """ps of the copy to the process: out of the buffer that a copy has just filled, or from where the frame lies."""
    message = sum(sizes) - udp.HEADER
    place = ("cache", True) if len(sizes) > 1 else port.leaves(frame_size(ip.HEADER + sizes[0]))
    return spec.bill().copy(message, *place).work().total


@pytest.mark.parametrize("message", [100, 1472, 1473, 4000, 8192])
@pytest.mark.parametrize("nic", NICS.values(), ids=NICS)
@pytest.mark.parametrize("system", catalog.names("systems"))
def test_every_part_of_a_datagram_is_paid_for_once(system: str, nic: str, message: int) -> None:
    spec = host("piii-600", system=system, nics=[nic]).replace("system.kernel.tick", "0 s")
    port, kernel, costs = spec.ports()[0], spec.system.kernel, spec.system
    sizes = costs.ip.fragments(message + udp.HEADER, MTU)
    receiver, interrupts = taken(spec, message)
    bill = spec.bill().cycles("wake-up", kernel.wake_up_cycles).cycles("system call", kernel.system_call_cycles)
    for _ in range(interrupts):
        port.bill_entry(bill, kernel)
        if kernel.ring_work == "deferred":
            port.bill_interrupt(bill, kernel.interrupt_cycles)
    for size in sizes:
        port.bill_receive(bill, frame_size(ip.HEADER + size) - FCS)
        if len(sizes) > 1:
            bill.cycles("protocol", costs.ip.reassembly_cycles)
    bill.cycles("protocol", costs.udp.rx_cycles)
    bill.time("copy", reassembled(spec, port, sizes) + read_out(spec, port, sizes))
    assert receiver.processors[0].busy() == {name: ps for name, ps in bill.work().parts if ps}
