"""The processor time of receiving a datagram, to the picosecond: each part once, by the specs' own functions."""

from __future__ import annotations

import pytest

from netsim import catalog
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.ethernet.frame import FCS
from netsim.ethernet.frame_sizes import frame_size
from netsim.machine.port import Port
from netsim.scenario import host
from netsim.stack import Computer, ComputerSpec, UdpReceiver, UdpSender, ip, udp
from netsim.units import MS

MTU = 1500
NICS = {
    "summed by its card": "3c905b/3c59x",
    "left where it came in": "lne100tx/tulip",
    "copied by its driver": "rtl8139/rtl8139",
}


def taken(spec: ComputerSpec, message: int) -> tuple[Computer, int]:
    """The computer that has received a datagram of `message` bytes for a waiting process, and the number of interrupts
    that this took."""
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


def reassembled(spec: ComputerSpec, port: Port, sizes: list[int]) -> int:
    """ps of the copy that joins fragments with `sizes` bytes of payload, from where the last one was placed."""
    if len(sizes) == 1:
        return 0
    return spec.bill().copy(sum(sizes), *port.leaves(frame_size(ip.HEADER + sizes[-1]) - FCS)).work().total


def summed(spec: ComputerSpec, port: Port, sizes: list[int], before: bool) -> int:
    """ps of the pass over the whole datagram (Linux 2.2.16: udp_rcv), which is saved if a single frame was summed
    `before`: a buffer that fragments are copied to has lost their sums (ip_glue), but most of it is still in the
    first-level cache. The sum is computed aligned (csum_partial)."""
    if len(sizes) > 1:
        level1 = spec.memory.still_level1(sum(sizes))
        return spec.memory.read_time(level1, "level1") + spec.memory.read_time(sum(sizes) - level1, "cache")
    source = port.leaves(frame_size(ip.HEADER + sizes[0]) - FCS).source
    return 0 if before else spec.memory.read_time(sizes[0], source)


def read_out(spec: ComputerSpec, port: Port, sizes: list[int], before: bool) -> int:
    """ps of the copy to the process: out of a cache that a pass has just filled, or from where the frame was placed."""
    message = sum(sizes) - udp.HEADER
    place = port.leaves(frame_size(ip.HEADER + sizes[0]) - FCS)
    if len(sizes) > 1 or not before:
        place = place._replace(source="cache")
    return spec.bill().copy(message, place.source, len(sizes) > 1 or place.aligned).work().total


@pytest.mark.parametrize("message", [57, 100, 1472, 1473, 4000, 8192])
@pytest.mark.parametrize("nic", NICS.values(), ids=NICS)
@pytest.mark.parametrize("system", catalog.names("systems"))
def test_every_part_of_a_datagram_is_paid_for_once(system: str, nic: str, message: int) -> None:
    spec = host("piii-600", system=system, nics=[nic]).replace("system.kernel.tick", "0 s")
    spec = spec.replace("memory.bandwidth", "1000000 GB/s")  # no copy waits for the adapter
    spec = spec.replace("nics.0.rx_threshold", "64 B")  # no frame is stored while a handler accesses registers
    port, kernel, costs = spec.ports()[0], spec.system.kernel, spec.system
    sizes = costs.ip.fragments(message + udp.HEADER, MTU)
    receiver, interrupts = taken(spec, message)
    bill = spec.bill().cycles("wake-up", kernel.wake_up_cycles).cycles("system call", kernel.system_call_cycles)
    for _ in range(interrupts):
        port.bill_end(port.bill_interrupt(bill))
        if kernel.ring_work == "deferred":
            port.bill_entry(bill, kernel)
    for size in sizes:
        port.bill_receive(bill, frame_size(ip.HEADER + size) - FCS).cycles("protocol", costs.ip.filter_rx_cycles)
        if len(sizes) > 1:
            bill.cycles("protocol", costs.ip.reassembly_cycles)
    bill.cycles("protocol", costs.udp.rx_cycles)
    # By the card, or by eth_copy_and_sum: in rtl8139.c for every frame, in tulip.c for those below the copybreak.
    before = nic != "lne100tx/tulip" or message == 100 - udp.HEADER - ip.HEADER - 14 - 1
    bill.time("copy", reassembled(spec, port, sizes) + read_out(spec, port, sizes, before))
    bill.time("checksum", summed(spec, port, sizes, before))
    assert receiver.processors[0].busy() == {name: ps for name, ps in bill.work().parts if ps}
