"""What a processor's time is made of: code scales with the core and its clock, bytes with the memory, registers with
neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from netsim.engine import Environment
from netsim.machine import Bill, MemorySpec, Place, ProcessorSpec, Work
from netsim.scenario import host
from netsim.stack import ComputerSpec, UdpSpec
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts
from netsim.units import MS, US
from netsim.workload import Netperf
from netsim.workload.netperf.run import UdpStream

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("processors.misaligned_cycles", 3)
SLOW = PC.replace("processors.relative_cpi", 2.5)
CODE = ("interrupt", "driver", "protocol", "wake-up", "system call", "mpi")


def parts(work: Work) -> dict[str, int]:
    return dict(work.parts)


# ---- the price of each kind ----


def bill(**changes: Any) -> Bill:
    return PC.replace({f"processors.{name}": value for name, value in changes.items()}).bill()


def test_code_takes_another_core_so_many_times_as_many_cycles() -> None:
    assert parts(bill(clock="500 MHz").cycles("driver", 1000).work()) == {"driver": 2 * US}
    assert parts(bill(clock="500 MHz", relative_cpi=2.5).cycles("driver", 1000).work()) == {"driver": 5 * US}


def test_an_interrupts_entry_is_not_code_but_its_handling_is() -> None:
    entry = PC.processors.interrupt_entry
    for cpi in (1, 2.5):
        assert bill(clock="500 MHz", relative_cpi=cpi).interrupt(1000).work().total == entry + cpi * 2 * US


NO_CODE: dict[str, Callable[[Bill], Bill]] = {
    "a copy": lambda one: one.copy(1500, "memory"),
    "a copy from a cache": lambda one: one.copy(1500, "cache"),
    "a copy of misaligned words": lambda one: one.copy(1500, "memory", aligned=False),
    "a checksum": lambda one: one.checksum(1500, "cache"),
    "a checksum of misaligned words": lambda one: one.checksum(1500, "cache", aligned=False),
    "register accesses": lambda one: one.accesses("driver", PC.bus, 3, 2),
    "time": lambda one: one.time("driver", 77),
}


@pytest.mark.parametrize("what", NO_CODE)
def test_what_is_no_code_takes_any_core_as_long(what: str) -> None:
    one, other = (NO_CODE[what](bill(relative_cpi=cpi)).work() for cpi in (1, 2.5))
    assert one.total > 0
    assert (one.parts, one.accesses) == (other.parts, other.accesses)


def test_misaligned_words_cost_the_cores_own_cycles() -> None:
    straight, off = (bill(relative_cpi=2.5).copy(1500, "memory", aligned).work().total for aligned in (True, False))
    assert off - straight == PC.processors.time(3 * 1500 / 4)


def test_memory_is_read_where_the_bytes_lie_and_written_once() -> None:
    memory = MemorySpec(read="100 MB/s", cached="400 MB/s", write="200 MB/s")
    one = ProcessorSpec(count=1, clock="1 GHz", relative_cpi=1, interrupt_entry=0, misaligned_cycles=0)
    assert Bill(one, memory).copy(1000, "memory").work().total == 15 * US
    assert Bill(one, memory).copy(1000, "cache").work().total == 7.5 * US
    assert Bill(one, memory).checksum(1000, "cache").work().total == 2.5 * US


# ---- in a host's works ----


def registers(pc: ComputerSpec, reads: int, writes: int) -> int:
    return pc.bill().accesses("driver", pc.bus, reads, writes).work().total


def works(pc: ComputerSpec) -> dict[str, Work]:
    """What the processor of a host does for a frame, on all of its way."""
    tcp, udp, port = TcpCosts(pc), UdpCosts(pc), pc.ports()[0]
    kernel = pc.system.kernel
    return {
        "write": tcp.write_and_send(1448, 1448, None, CALLED.asleep),
        "arrival": tcp.arrival(1448, 0),
        "acknowledgement": tcp.segment(0, None),
        "read": tcp.read(1448, Place("memory", aligned=False), CALLED.asleep),
        "datagram": udp.write(1480, None, CALLED.asleep),
        "fragment": udp.completion(1480, 8200, 0),
        "interrupt": pc.bill().cycles("interrupt", kernel.interrupt_cycles).work(),
        "receive": port.bill_receive(pc.bill(), 1514).work(),
        "free": port.bill_free(pc.bill(), 3).work(),
    }


@pytest.mark.parametrize("name", works(PC))
def test_a_hosts_code_scales_and_its_bytes_do_not(name: str) -> None:
    one, other = parts(works(PC)[name]), parts(works(SLOW)[name])
    assert one.keys() == other.keys()
    for part, ps in one.items():
        assert other[part] == pytest.approx(ps * (2.5 if part in CODE else 1), abs=3), part  # ps: parts are rounded


def test_sending_touches_registers_that_do_not_scale() -> None:
    driver = PC.nics[0].driver
    there = registers(PC, driver.tx_reads, driver.tx_writes)
    assert there > 0
    one, other = (parts(TcpCosts(pc).segment(0, 0))["driver"] for pc in (PC, SLOW))
    assert other - there == pytest.approx(2.5 * (one - there), abs=3)


def test_a_protocols_cycles_are_those_of_the_p6_core() -> None:
    assert isinstance(PC.system.udp, UdpSpec)
    free = PC.replace({"system.ip.fragment_cycles": 0, "system.udp.tx_cycles": 6000})
    for cpi in (1, 2.5):
        pc = free.replace("processors.relative_cpi", cpi)
        assert parts(UdpCosts(pc).write(100, None, CALLED))["protocol"] == cpi * 10 * US


# ---- what a card adds ----


def test_a_doorbell_that_holds_the_processor_is_the_drivers_time() -> None:
    one, other = (
        pc.ports()[0].bill_transmit(pc.bill(), 1514).work()
        for pc in (SLOW, SLOW.replace("nics.0.doorbell_hold", "4 us"))
    )
    assert parts(other)["driver"] - parts(one)["driver"] == other.total - one.total == 4 * US
    assert other.accesses == one.accesses  # the bus is not held


def test_what_a_doorbell_holds_shows_in_the_drivers_share() -> None:
    """Once for each frame, 6 of each datagram, at a load that leaves the processor time. (Frames that go out further
    apart wait for the bus at other times: a few per cent.)"""
    busy = {hold: driver_time(hold) for hold in (0, 4, 9)}
    datagrams, _ = busy[0]
    assert datagrams > 20
    for hold, (sent, driver) in busy.items():
        assert sent == datagrams
        assert driver - busy[0][1] == pytest.approx(6 * datagrams * hold * US, rel=0.05)


def driver_time(hold: int) -> tuple[int, int]:
    """Datagrams sent in 100 ms, and ps that the sender's driver took for them."""
    pc = PC.replace("nics.0.doorbell_hold", f"{hold} us")
    run = UdpStream(
        Environment(1), Netperf(test="UDP_STREAM", sender=pc, receiver=PC, message=8192, offered="20 Mbit/s")
    )
    run.start()
    run.env.run(100 * MS)
    run.audit()
    return run.out.datagrams, run.accounts().busy["sender processor 0"]["driver"]
