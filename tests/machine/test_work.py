"""What a processor's time consists of: code scales with the core and its clock, bytes with the memory, registers with
neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from netsim.errors import ScenarioError
from netsim.machine import Bill, DriverSpec, MemorySpec, Place, ProcessorSpec, Work
from netsim.scenario import host
from netsim.stack import ComputerSpec, UdpSpec
from netsim.stack.computer_spec import Fragment
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts
from netsim.units import US

PC = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace(
    {"processors.misaligned_cycles": 3, "system.kernel.cycle_factor": 1, "system.kernel.apic_alone": True}
)
SLOW = PC.replace("processors.relative_cpi", 2.5)
CODE = ("interrupt", "driver", "protocol", "wake-up", "system call", "mpi")


def parts(work: Work) -> dict[str, int]:
    return dict(work.parts)


# ---- the cost of each kind ----


def bill(**changes: Any) -> Bill:
    return PC.replace({f"processors.{name}": value for name, value in changes.items()}).bill()


def test_code_takes_another_core_so_many_times_as_many_cycles() -> None:
    assert parts(bill(clock="500 MHz").cycles("driver", 1000).work()) == {"driver": 2 * US}
    assert parts(bill(clock="500 MHz", relative_cpi=2.5).cycles("driver", 1000).work()) == {"driver": 5 * US}


@pytest.mark.parametrize(("count", "more"), [(1, 0), (2, 2 * 9.8 * 26)])
def test_locked_instructions_cost_the_cores_own_cycles_and_only_beside_another(count: int, more: float) -> None:
    """Whatever the code takes on this core: for 2,000 cycles at 500 MHz."""
    two = PC.replace({"processors.count": count, "processors.clock": "500 MHz", "processors.locked_cycles": 26})
    plain = two.replace("system.kernel.locked", 0).bill().cycles("protocol", 2000).work().total
    locked = two.replace("system.kernel.locked", 9.8).bill().cycles("protocol", 2000).work().total
    assert locked - plain == pytest.approx(more * 2000, abs=1)  # ps


def test_an_interrupts_entry_is_not_code_but_its_handling_is() -> None:
    entry = PC.processors.interrupt_time()
    for cpi in (1, 2.5):
        assert bill(clock="500 MHz", relative_cpi=cpi).interrupt(1000).work().total == entry + cpi * 2 * US


def test_an_interrupt_takes_five_accesses_to_the_8259a_or_six_to_the_io_apic() -> None:
    """Linux 2.2: a read and three writes before the handler, a write after it (8259A, for lines on the second one);
    four before and two after, and a posted write (I/O APIC)."""
    access = {"port_access": "1 us", "clock": "500 MHz", "relative_cpi": 1}
    old, new = bill(**access), bill(**access, apic_access="100 ns")
    assert old.interrupt_entry(0).work().total == 4 * US
    assert new.interrupt_entry(0).work().total == 4 * US // 10
    assert bill(**access).interrupt(0).work().total == 5 * US
    assert bill(**access, apic_access="100 ns").interrupt(0).work().total == 6 * US // 10


@pytest.mark.parametrize(
    ("system", "count", "accesses"),
    [("linux-2.2.16", 1, 5), ("linux-2.2.16", 2, 6), ("linux-2.2.14-smp", 1, 6), ("windows-2000", 1, 6)],
)
def test_linux_for_one_processor_leaves_the_io_apic_alone(system: str, count: int, accesses: int) -> None:
    """Linux 2.2.16, arch/i386/config.in: CONFIG_X86_IO_APIC comes with CONFIG_SMP."""
    nic = "3c905b/3c59x" if system.startswith("linux") else "pro100s/e100bnt5"
    pc = host("2xpii-400", system=system, nics=[nic]).replace({"processors.count": count})
    of_each = {5: pc.processors.port_access, 6: pc.processors.apic_access}[accesses]
    assert of_each is not None
    assert pc.bill().interrupt(0).work().total == accesses * of_each


def test_the_end_of_an_interrupt_whose_line_is_not_masked_is_an_access_to_the_8259a_alone() -> None:
    access = {"port_access": "1 us", "clock": "500 MHz", "relative_cpi": 1}
    for more, end in (({}, US), ({"apic_access": "100 ns"}, 0)):
        assert bill(**access, **more).interrupt_entry(0, masks=False).work().total == 0
        assert bill(**access, **more).interrupt(0, masks=False).work().total == end


def test_a_tick_takes_three_more_to_the_timer() -> None:
    access = {"port_access": "1 us", "clock": "500 MHz", "relative_cpi": 1}
    assert bill(**access).tick(500).work().total == (5 + 3 + 1) * US
    assert bill(**access, apic_access="100 ns").tick(500).work().total == (3 + 1) * US + 6 * US // 10


NO_CODE: dict[str, Callable[[Bill], Bill]] = {
    "a copy": lambda one: one.copy(1500, "memory"),
    "a copy from a cache": lambda one: one.copy(1500, "cache"),
    "a copy of misaligned words": lambda one: one.copy(1500, "memory", aligned=False),
    "a checksum": lambda one: one.checksum(1500, "cache"),
    "register accesses": lambda one: one.accesses("driver", PC.slots[0], 3, 2),
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
    one = ProcessorSpec(count=1, clock="1 GHz", relative_cpi=1, port_access=0, misaligned_cycles=0)
    assert Bill(one, memory).copy(1000, "memory").work().total == 15 * US
    assert Bill(one, memory).copy(1000, "cache").work().total == 7.5 * US
    assert Bill(one, memory).checksum(1000, "cache").work().total == 2.5 * US
    read_first = memory.replace("write", None)  # and written back later: half as fast as reading
    assert Bill(one, read_first).copy(1000, "memory").work().total == 30 * US


# ---- in a host's works ----


def registers(pc: ComputerSpec, reads: int, writes: int) -> int:
    return pc.bill().accesses("driver", pc.ports()[0].bus, reads, writes).work().total


def works(pc: ComputerSpec) -> dict[str, Work]:
    """The works of a host's processor for a frame, on its whole path."""
    tcp, udp, port = TcpCosts(pc), UdpCosts(pc), pc.ports()[0]
    kernel = pc.system.kernel
    return {
        "write": tcp.write_and_send(1448, 1448, None, CALLED.asleep),
        "arrival": tcp.arrival(1448, 0),
        "acknowledgement": tcp.segment(0, None),
        "read": tcp.read(1448, Place("memory", aligned=False), CALLED.asleep),
        "datagram": udp.write(Fragment(1480, 0, 1518), 1480, None, CALLED.asleep),
        "fragment": udp.completion(1480, 8200, 0),
        "interrupt": pc.bill().cycles("interrupt", kernel.interrupt_cycles).work(),
        "receive": port.bill_receive(pc.bill(), 1514).work(),
        "free": port.bill_free(pc.bill(), 3).work(),
    }


@pytest.mark.parametrize("name", works(PC))
def test_a_hosts_code_scales_and_its_bytes_do_not(name: str) -> None:
    untouched = {f"nics.0.driver.{key}": 0 for key in DriverSpec.model_fields if key.endswith(("_reads", "_writes"))}
    one, other = (parts(works(pc.replace(untouched))[name]) for pc in (PC, SLOW))
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
    free = PC.replace({"system.ip.fragment_cycles": 0, "system.ip.filter_tx_cycles": 0, "system.udp.tx_cycles": 6000})
    for cpi in (1, 2.5):
        pc = free.replace("processors.relative_cpi", cpi)
        assert parts(UdpCosts(pc).write(Fragment(100, 0, 138), 100, None, CALLED))["protocol"] == cpi * 10 * US


def test_a_work_begun_at_any_time_ends_within_63_bits() -> None:
    slow = PC.processors.replace({"clock": "1 Hz", "relative_cpi": 1})
    bill = Bill(slow, PC.memory)
    assert bill.cycles("driver", 8e6).work().total == 8 * 10**18
    with pytest.raises(ScenarioError, match=r'processors: one work, "driver" most of it, takes .*; allowed: up to'):
        bill.cycles("driver", 1e6).work()
