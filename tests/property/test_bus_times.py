"""Of any bus: more takes longer, a faster or wider one never does; and it is never taken for longer than there was
time, whoever moves data over it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.bus import Bus, BusSpec, EisaSpec, IsaSpec, PciSpec, Transaction
from netsim.engine import Environment
from netsim.machine import Processor, ProcessorSpec, Work
from netsim.machine.task import INTERRUPT, PROCESS, Task
from netsim.nic import DataPathSpec

CPU = ProcessorSpec(
    count=1,
    clock="33 MHz",
    relative_cpi=1,
    interrupt_entry=0,
    misaligned_cycles=0,
    string_input_clocks=8,
    string_output_clocks=5,
    string_move_clocks=3,
)
PCI, ISA, EISA = (
    kind.from_name(name) for kind, name in ((PciSpec, "pci-32-33"), (IsaSpec, "isa-16"), (EisaSpec, "eisa"))
)
BUSES = st.sampled_from([PCI, PCI.replace("read_prefetch", 32), ISA, EISA, EISA.without_bursts(), EISA.for_isa()])
SIZES = st.integers(0, 5000)
BURSTS = st.integers(1, 4096)
PATHS = st.builds(
    lambda **values: DataPathSpec(**values),
    way=st.sampled_from(["ports", "memory"]),
    width=st.sampled_from([1, 2, 4]),
    card_width=st.sampled_from([1, 2, 4]),
    wait=st.integers(0, 10**6).map(lambda ps: f"{ps} ps"),
)


@given(bus=BUSES, write=st.booleans(), sizes=st.tuples(SIZES, SIZES).map(sorted), burst=BURSTS)
def test_more_takes_longer(bus: BusSpec, write: bool, sizes: list[int], burst: int) -> None:
    less, more = (bus.transfer_time(size, write, burst) for size in sizes)
    assert less <= more
    assert bus.bursts(sizes[0], write, burst) <= bus.bursts(sizes[1], write, burst)


@given(bus=BUSES, write=st.booleans(), size=SIZES, factor=st.integers(1, 50), burst=BURSTS)
def test_longer_bursts_never_take_longer(bus: BusSpec, write: bool, size: int, factor: int, burst: int) -> None:
    """Of a length that divides the other, and ends with a whole cycle."""
    short = 8 * burst
    assert bus.transfer_time(size, write, factor * short) <= bus.transfer_time(size, write, short)
    assert bus.transfer_time(size, write) <= bus.transfer_time(size, write, short)


@given(bus=BUSES, write=st.booleans(), size=SIZES, burst=BURSTS, faster=st.integers(1, 10))
def test_a_faster_or_wider_bus_never_takes_longer(
    bus: BusSpec, write: bool, size: int, burst: int, faster: int
) -> None:
    time = bus.transfer_time(size, write, burst)
    assert bus.scale("clock", faster).transfer_time(size, write, burst) <= time
    assert bus.replace("width", 2 * bus.width).transfer_time(size, write, burst) <= time


@given(bus=st.sampled_from([ISA, EISA]), write=st.booleans(), size=SIZES, burst=BURSTS)
def test_eisa_is_never_slower_than_isa(bus: BusSpec, write: bool, size: int, burst: int) -> None:
    slow, plain, fast = (one.transfer_time(size, write, burst) for one in (ISA, EISA.without_bursts(), EISA))
    assert fast <= plain <= slow


@given(
    bus=BUSES,
    burst=BURSTS,
    write=st.booleans(),
    start=st.integers(0, 10**9),
    asked=st.tuples(*[st.integers(0, 10**9)] * 2).map(sorted),
)
def test_who_asks_later_does_not_get_the_bus_sooner(
    bus: BusSpec, burst: int, write: bool, start: int, asked: list[int]
) -> None:
    tenure = bus.tenure(write, burst)
    first, second = (max(start + one, tenure.cut(start, start + one)) for one in asked)
    assert start < tenure.cut(start, start)
    assert first <= second


@given(
    bus=BUSES, one=PATHS, write=st.booleans(), sizes=st.tuples(SIZES, SIZES).map(sorted), wait=st.integers(0, 10**6)
)
def test_a_move_takes_longer_the_more_it_moves(
    bus: BusSpec, one: DataPathSpec, write: bool, sizes: list[int], wait: int
) -> None:
    (less, less_bus), (more, more_bus) = (one.move_time(bus, CPU, size, write) for size in sizes)
    assert 0 <= less <= more
    assert 0 <= less_bus <= less
    assert less_bus <= more_bus <= more
    slow = one.replace("wait", f"{one.wait + wait} ps")
    assert slow.move_time(bus, CPU, sizes[1], write) >= (more, more_bus)


@given(bus=st.sampled_from([ISA, EISA]), one=PATHS, write=st.booleans(), size=SIZES)
def test_wider_cards_and_wider_accesses_never_take_longer(
    bus: BusSpec, one: DataPathSpec, write: bool, size: int
) -> None:
    """Where they have the same wait, of all that they move."""
    one, whole = one.replace("wait", 0), size // 4 * 4
    times = {
        (width, lines): one.replace({"width": width, "card_width": lines}).move_time(bus, CPU, whole, write)[0]
        for width in (1, 2, 4)
        for lines in (1, 2, 4)
    }
    assert all(times[width, 1] >= times[width, 2] >= times[width, 4] for width in (1, 2, 4))
    assert all(times[1, lines] >= times[2, lines] >= times[4, lines] for lines in (1, 2, 4))


# ---- in a run ----

TIMES = st.integers(0, 400)
LEVELS = st.sampled_from([INTERRUPT, PROCESS])
MOVES = st.lists(st.tuples(TIMES, st.integers(0, 1), LEVELS, st.integers(1, 60), st.integers(0, 9)), max_size=8)
TRANSFERS = st.lists(st.tuples(TIMES, st.integers(1, 60), st.integers(1, 30)), max_size=8)


def _work(length: int, accesses: int) -> Work:
    """Register accesses, and then data for as much of the time as there can be, or none."""
    return Work((("driver", length + accesses),), accesses, moved=length * (accesses % 3) // 2)


@settings(max_examples=300, deadline=None)
@given(bus=st.sampled_from([PCI, ISA, EISA]), moves=MOVES, transfers=TRANSFERS)
def test_nobody_has_the_bus_at_once(bus: Any, moves: Any, transfers: Any) -> None:
    """Two processors move data and read registers, and masters take the bus; times in units of BCLK."""
    env = Environment()
    clock = bus.clocks(1)
    part = Bus(env, bus, "bus")
    cpus = [Processor(env, Resource("cpu", PROCESSOR, i), [part.access], buses=[part]) for i in range(2)]
    done: list[int] = []
    works = []
    for number, (at, cpu, level, length, accesses) in enumerate(moves):
        work = _work(length * clock, accesses * clock)
        works.append(work)
        todo = [work]

        def end(todo: list[Work] = todo, number: int = number) -> bool:
            todo.clear()
            done.append(number)
            return False

        env.call_at(at * clock, cpus[cpu].kick, Task(level, lambda todo=todo: todo[0] if todo else None, end))
    for at, length, burst in transfers:
        dma = Transaction(bus.tenure(True, burst * bus.width))
        env.call_at(at * clock, lambda _, dma=dma, length=length: part.request(dma, length * clock))
    for step in range(0, 3000, 11):
        now = step * clock
        env.run(until=now)
        assert part.busy_until(now) <= now
        for one in cpus:
            assert sum(one.busy().values()) + one.idle_until_now() == now
    assert sorted(done) == list(range(len(moves)))
    least = sum(work.bus for work in works) + sum(length * clock for _, length, _ in transfers)
    assert part.busy_until(now) >= least
