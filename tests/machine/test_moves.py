"""A processor that moves data to or from a card itself: the cost of each access, and bus masters in between."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.bus import Bus, BusSpec, ChipsetSpec, EisaSpec, IsaSpec, PciSpec, Transaction
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.machine import Bill, MemorySpec, Processor, ProcessorSpec, Work
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task
from netsim.nic import DataPathSpec
from netsim.units import US

CPU = ProcessorSpec(
    count=1,
    clock="40 MHz",  # 25 ns
    relative_cpi=1,
    port_access=0,
    misaligned_cycles=0,
    string_input_clocks=8,
    string_output_clocks=5,
    string_move_clocks=3,
)
MEMORY = MemorySpec(read="50 MB/s", cached="80 MB/s", write="50 MB/s")
ISA = IsaSpec.from_name("isa-16").replace({"clock": "8 MHz", "synchronisation": 1.5, "refresh_interval": 0})  # 125 ns
EISA = EisaSpec.from_name("eisa").replace({"clock": "8 MHz", "synchronisation": 1.5, "refresh_interval": 0})
CLOCK, BCLK = 25_000, 125_000  # ps


def path(**values: Any) -> DataPathSpec:
    return DataPathSpec(**{"way": "ports", "width": 2, "card_width": 2, **values})


def split(one: DataPathSpec, bus: BusSpec, nbytes: int, write: bool = False) -> tuple[int, int]:
    """ps of the instruction and of the bus."""
    total, taken = one.move_time(bus, CPU, nbytes, write)
    cycles = -(-nbytes // min(one.width, one.card_width, bus.width))
    return total - taken - bus.crossing_time(cycles, one.way), taken


# ---- costs ----


def test_string_input_of_words() -> None:
    """8 clocks, one cycle of 3 BCLK, and 1.5 for synchronisation: 1024 bytes in 390 us, or 2.6 MB/s."""
    total, taken = path().move_time(ISA, CPU, 1024, write=False)
    assert total == 512 * (8 * CLOCK + 3 * BCLK + 3 * BCLK // 2)
    assert taken == 512 * 3 * BCLK
    assert 1024 / total * 1e6 == pytest.approx(2.62, abs=0.01)


@pytest.mark.parametrize(
    ("changes", "bus", "write", "clocks", "cycles"),
    [
        ({}, ISA, False, 8, 3),
        ({}, ISA, True, 5, 3),
        ({"way": "memory"}, ISA, True, 3, 3),
        ({"way": "memory"}, ISA, False, 3, 3),
        ({"way": "memory", "zero_wait": True}, ISA, False, 3, 2),
        ({"width": 1, "card_width": 1}, ISA, False, 8, 6),
        ({"width": 1, "card_width": 1, "zero_wait": True}, ISA, False, 8, 3),
        ({"way": "memory", "width": 1, "card_width": 1, "zero_wait": True}, ISA, False, 3, 3),
        ({"width": 1}, ISA, False, 8, 6),  # a byte counts as a byte on a card with 16 lines, too
        ({"width": 2, "card_width": 1}, ISA, False, 8, 2 * 6),
        ({"width": 4, "card_width": 1}, ISA, True, 5, 4 * 6),
        ({"width": 4, "card_width": 2}, ISA, False, 8, 2 * 3),
        ({"width": 4, "card_width": 4}, ISA, False, 8, 2 * 3),  # the bus has no further lines
        ({"width": 4, "card_width": 4}, EISA, False, 8, 2),
        ({"width": 4, "card_width": 2}, EISA, False, 8, 2 * 2),
    ],
)
def test_an_access(changes: Any, bus: BusSpec, write: bool, clocks: int, cycles: int) -> None:
    """The instruction's clocks, and the card's cycles."""
    one = path(**changes)
    assert split(one, bus, one.width, write) == (clocks * CLOCK, cycles * BCLK)
    assert split(one, bus, 100 * one.width, write) == (100 * clocks * CLOCK, 100 * cycles * BCLK)


def test_each_cycle_of_an_access_is_synchronised_and_recovered() -> None:
    slow = ISA.replace("io_recovery", 4)
    for lines, cycles in ((2, 2), (1, 4)):
        total, taken = path(width=4, card_width=lines).move_time(slow, CPU, 400, write=False)
        assert total - taken == 100 * (8 * CLOCK + cycles * 11 * BCLK // 2)


def test_writes_that_are_posted_take_what_takes_longer() -> None:
    """EISA: the processor continues while the controller writes."""
    shared = path(way="memory", width=4, card_width=4)
    assert shared.move_time(EISA, CPU, 400, write=True) == (100 * 2 * BCLK, 100 * 2 * BCLK)
    compressed = shared.replace("zero_wait", True)
    assert compressed.move_time(EISA, CPU, 400, write=True) == (100 * 3 * BCLK // 2, 100 * 3 * BCLK // 2)
    total, taken = shared.move_time(EISA, CPU, 400, write=False)
    assert total == taken + 100 * (3 * CLOCK + 3 * BCLK // 2)
    slow = CPU.replace("string_move_clocks", 20)
    assert shared.move_time(EISA, slow, 400, write=True) == (100 * 20 * CLOCK, 100 * 2 * BCLK)


def test_what_is_left_over_takes_a_whole_access() -> None:
    assert path().move_time(ISA, CPU, 3, True) == path().move_time(ISA, CPU, 4, True)
    assert path().move_time(ISA, CPU, 0, True) == (0, 0)


def test_the_cards_wait_is_for_each_of_its_cycles() -> None:
    for write in (False, True):
        plain, slow = (path(width=4, **more).move_time(ISA, CPU, 400, write) for more in ({}, {"wait": "300 ns"}))
        assert slow[0] - plain[0] == slow[1] - plain[1] == 200 * 300_000


def test_on_pci_a_port_is_one_data_phase() -> None:
    pci = PciSpec.from_name("pci-32-33").under(ChipsetSpec.from_name("intel-440bx"))
    total, taken = path(width=4, card_width=4).move_time(pci, CPU, 400, write=False)
    assert taken == pci.access_time(100, 0)
    assert total == taken + 100 * (8 * CLOCK + pci.chipset.crossing)


def test_the_bill_books_it_under_a_name_of_its_own() -> None:
    for way, name in (("ports", "programmed I/O"), ("memory", "shared memory")):
        bill = Bill(CPU, MEMORY).cycles("driver", 100)
        work = bill.move(path(way=way), ISA, 64, True, slot=1).cycles("copy", 8).work()
        total, taken = path(way=way).move_time(ISA, CPU, 64, True)
        assert work.parts == (("driver", 100 * CLOCK), (name, total), ("copy", 8 * CLOCK))
        assert (work.moved, work.accesses, work.bus, work.slot) == (taken, 0, taken, 1)


# ---- refused ----


@pytest.mark.parametrize(
    ("way", "write", "name"), [("ports", False, "input"), ("ports", True, "output"), ("memory", True, "move")]
)
def test_an_instruction_that_is_not_known_is_refused_where_it_is_needed(way: str, write: bool, name: str) -> None:
    pc = ns.host("piii-600", system="linux-2.2.16", nics=[])
    with pytest.raises(ScenarioError) as error:
        pc.bill().move(path(way=way), ISA, 64, write)
    assert str(error.value).startswith(f"processors.string_{name}_clocks: needed for a card whose data the processor")
    known = pc.replace(f"processors.string_{name}_clocks", 8)
    assert known.bill().move(path(way=way), ISA, 64, write).work().moved > 0


def test_ports_of_16_lines_have_their_wait_state() -> None:
    with pytest.raises(ScenarioError, match=r"zero_wait: only memory, or 8 data lines, .* allowed here: false"):
        path(zero_wait=True, way="ports")


def test_a_width_that_no_instruction_has() -> None:
    with pytest.raises(ScenarioError, match="width: 3 is not allowed; allowed: 1, 2, 4"):
        path(width=3)


# ---- together with bus masters ----


class Machine:
    """Processors on a bus, with their works, and transfers of masters."""

    def __init__(self, processors: int = 1) -> None:
        self.env = env = Environment()
        self.bus = Bus(env, ISA, "bus")
        names = [Resource("cpu", PROCESSOR, i) for i in range(processors)]
        self.cpus = [Processor(env, name, [self.bus.access], buses=[self.bus]) for name in names]
        self.log: list[tuple[str, int]] = []

    def do(self, name: str, work: Work, at: int = 0, level: int = PROCESS, cpu: int = 0) -> None:
        todo = [work]

        def end() -> bool:
            todo.clear()
            self.log.append((name, self.env.now))
            return False

        self.env.call_at(at, self.cpus[cpu].kick, Task(level, lambda: todo[0] if todo else None, end))

    def transfer(self, at: int, duration: int) -> None:
        """A transfer of a master, which asks for the bus at that time."""
        dma = Transaction(ISA.tenure(True, 64), granted=lambda one: self.log.append(("granted", one.start)))
        self.env.call_at(at, lambda _: self.bus.request(dma, duration))

    def run(self) -> dict[str, int]:
        """The log when everything is done; the accounts agree with it."""
        self.env.run(2000 * US)
        for cpu in self.cpus:
            assert sum(cpu.busy().values()) + cpu.idle_until_now() == 2000 * US
        return dict(self.log)


MOVE = Work((("programmed I/O", 100 * US),), 0, moved=60 * US)


def test_alone_it_takes_its_time_and_the_bus_what_its_cycles_take() -> None:
    one = Machine()
    one.do("moved", MOVE)
    assert one.run() == {"moved": 100 * US}
    assert one.bus.busy_until(2000 * US) == 60 * US


def test_masters_get_the_bus_at_once_and_prolong_the_move() -> None:
    one = Machine()
    one.do("moved", MOVE)
    for at in (20, 50, 95):
        one.transfer(at * US, 10 * US)
    assert one.run() == {"granted": 95 * US, "moved": 130 * US}
    assert one.log[:2] == [("granted", 20 * US), ("granted", 50 * US)]
    assert one.bus.busy_until(2000 * US) == 90 * US
    assert one.cpus[0].busy() == {"programmed I/O": 130 * US}


def test_what_comes_while_it_is_prolonged_prolongs_it_further() -> None:
    one = Machine()
    one.do("moved", MOVE)
    one.transfer(90 * US, 20 * US)
    one.transfer(115 * US, 30 * US)
    assert one.run()["moved"] == 150 * US


def test_a_master_that_has_the_bus_when_it_begins() -> None:
    one = Machine()
    one.transfer(0, 40 * US)
    one.do("moved", MOVE, at=10 * US)
    assert one.run()["moved"] == (10 + 30 + 100) * US


def test_register_accesses_before_it_wait_once() -> None:
    """A burst of 64 bytes takes 12.5 us (4 + 32 * 3 clocks); the accesses come between two of them."""
    one = Machine()
    one.transfer(0, 40 * US)
    work = Work((("driver", 2 * US), ("programmed I/O", 100 * US)), 2 * US, moved=60 * US)
    one.do("moved", work, at=10 * US)
    assert one.run()["moved"] == (40 + 2 + 100) * US
    assert one.bus.busy_until(2000 * US) == (40 + 2 + 60) * US


@pytest.mark.parametrize("level", [INTERRUPT, DEFERRED])
def test_while_it_is_suspended_nobody_holds_it_up(level: int) -> None:
    """Suspended by an interrupt of 50 us with register accesses; a master transfers before, during and after it."""
    one = Machine()
    one.do("moved", MOVE)
    one.do("handled", Work((("interrupt", 50 * US),), 2 * US), at=30 * US, level=level)
    for at, duration in ((10, 7), (40, 10), (90, 5)):
        one.transfer(at * US, duration * US)
    found = one.run()
    assert (found["handled"], found["moved"]) == (80 * US, (100 + 50 + 7 + 5) * US)
    assert one.bus.busy_until(2000 * US) == (60 + 2 + 7 + 10 + 5) * US


def test_two_processors_on_one_bus_do_not_have_it_both() -> None:
    one = Machine(processors=2)
    for cpu in (0, 1):
        one.do(f"moved {cpu}", Work((("programmed I/O", 100 * US),), 0, moved=90 * US), at=cpu * US, cpu=cpu)
    assert one.run() == {"moved 0": 100 * US, "moved 1": (1 + 100 + 90) * US}
    assert one.bus.busy_until(2000 * US) == 180 * US


def test_another_processors_accesses_are_made_meanwhile() -> None:
    one = Machine(processors=2)
    one.do("moved", MOVE)
    one.do("read", Work((("driver", 3 * US),), 3 * US), at=50 * US, cpu=1)
    assert one.run() == {"read": 53 * US, "moved": 103 * US}
