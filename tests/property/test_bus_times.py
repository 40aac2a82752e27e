"""On any bus, more data take longer, and a faster or wider bus never does; the bus is never busy for longer than the
elapsed time, whichever parts move data over it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from netsim import catalog
from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.bus import Bus, BusSpec, ChipsetSpec, EisaSpec, IsaSpec, PciSlot, PcixSlot, Slot, Transaction
from netsim.engine import Environment
from netsim.machine import Processor, ProcessorSpec, Work
from netsim.machine.task import INTERRUPT, PROCESS, Task
from netsim.nic import DataPathSpec

CPU = ProcessorSpec(
    count=1,
    clock="33 MHz",
    relative_cpi=1,
    port_access=0,
    misaligned_cycles=0,
    string_input_clocks=8,
    string_output_clocks=5,
    string_move_clocks=3,
)
ISA, EISA = IsaSpec.from_name("isa-16"), EisaSpec.from_name("eisa")
CHIPSETS = [ChipsetSpec.from_name(name) for name in catalog.names("chipsets")]
PCI_NAMES = ("pci-32-33", "pci-64-33", "pci-64-66")  # each is wider or faster than the one before it


def slots(chipset: ChipsetSpec) -> list[PciSlot]:
    """One of each bus."""
    found = [BusSpec.from_name(name).under(chipset) for name in PCI_NAMES]
    assert all(isinstance(one, PciSlot) for one in found)
    return found  # type: ignore[return-value]


def pcix_slots(chipset: ChipsetSpec) -> list[PcixSlot]:
    """One of each PCI-X bus: each is wider or faster than the one before it."""
    buses = [BusSpec.from_name(name) for name in ("pci-x-66", "pci-x-66", "pci-x-100", "pci-x-133")]
    found = [bus.under(chipset) for bus in (buses[0].replace("width", 4), *buses[1:])]
    assert all(isinstance(one, PcixSlot) for one in found)
    return found  # type: ignore[return-value]


SPLITTING = [chipset for chipset in CHIPSETS if chipset.split]
PCIX = [slot for chipset in SPLITTING for slot in pcix_slots(chipset)]
PCI = slots(ChipsetSpec.from_name("intel-440bx"))[0]
BUSES = st.sampled_from(
    [*(one for chipset in CHIPSETS for one in slots(chipset)), *PCIX, ISA, EISA, EISA.without_bursts()]
)
COMMANDS = st.sampled_from(["read", "line", "multiple", "by-length"])
ONE_COMMAND = BUSES.flatmap(  # if another command may request more, it may come sooner
    lambda bus: st.sampled_from([bus.replace("read_commands", one) for one in ("read", "line", "multiple")])
    if isinstance(bus, PciSlot)
    else st.just(bus)
)
SIZES = st.integers(0, 5000)
BURSTS = st.integers(1, 4096)
PATHS = st.builds(
    lambda **values: DataPathSpec(**values),
    way=st.sampled_from(["ports", "memory"]),
    width=st.sampled_from([1, 2, 4]),
    card_width=st.sampled_from([1, 2, 4]),
    wait=st.integers(0, 10**6).map(lambda ps: f"{ps} ps"),
)


@given(bus=ONE_COMMAND, write=st.booleans(), sizes=st.tuples(SIZES, SIZES).map(sorted), burst=BURSTS)
def test_more_takes_longer(bus: Slot, write: bool, sizes: list[int], burst: int) -> None:
    less, more = (bus.transfer_time(size, write, burst) for size in sizes)
    assert less <= more
    assert bus.bursts(sizes[0], write, burst) <= bus.bursts(sizes[1], write, burst)


def _whole_time(slot: Slot, size: int, write: bool, burst: int | None) -> int:
    return slot.transfer_time(size, write, burst) + slot.away_time(size, write, burst)


@given(bus=BUSES, write=st.booleans(), size=SIZES, factor=st.integers(1, 50), burst=BURSTS)
def test_longer_bursts_never_take_longer(bus: Slot, write: bool, size: int, factor: int, burst: int) -> None:
    """If the length is a multiple of the other and ends with a whole cycle. On the bus alone longer bursts may take
    more: shorter ones leave it until memory has answered."""
    short = 8 * burst
    assert _whole_time(bus, size, write, factor * short) <= _whole_time(bus, size, write, short)
    assert _whole_time(bus, size, write, None) <= _whole_time(bus, size, write, short)


@given(
    chipset=st.sampled_from(CHIPSETS), commands=COMMANDS, write=st.booleans(), size=SIZES, burst=BURSTS,
    interval=st.sampled_from([0, 6, 16, 100]), changes=st.fixed_dictionaries(
        {}, optional={
            "memory_time": st.integers(0, 600_000).map(lambda ps: f"{ps} ps"),
            "read_multiple": st.sampled_from([0, 32, 64, 128, 512]),
            "restream": st.booleans(),
            "memory_rate": st.sampled_from(["50 MB/s", "200 MB/s", "1 GB/s"]),
        },
    ),
)  # fmt: skip
def test_under_one_chipset_a_wider_or_faster_slot_never_takes_longer(
    chipset: ChipsetSpec, commands: str, write: bool, size: int, burst: int, interval: int, changes: dict[str, Any]
) -> None:
    chipset = chipset.replace(changes) if changes else chipset
    card = {"read_commands": commands, "retry_clocks": interval}
    seen = [slot.unchecked(**card) for slot in slots(chipset)]
    if len({slot.holds for slot in seen}) > 1:  # then the card loses time because it comes too late
        seen = [slot.unchecked(retry_clocks=0) for slot in seen]
    times = [_whole_time(slot, size, write, burst) for slot in seen]
    assert times[0] + 2 >= times[1]
    assert times[1] + 2 >= times[2]  # ps of rounding


AT_ONCE, ASKED = (1, 2, 3, 4, 8, 12, 16, 32), (512, 1024, 2048, 4096)
BETTER = {  # of a slot, its chipset, and how that splits reads: in order from worse to better
    0: {"max_read": ASKED, "outstanding": AT_ONCE},
    1: {"memory_time": (900_000, 300_000, 50_000, 0), "memory_rate": (10**8, 10**9, 10**10)},
    2: {"outstanding": AT_ONCE, "completion": (128, 256, 512, 1024, 2048, 4096), "decode": (3, 2, 1)},
}
WHAT = [(part, name) for part, numbers in BETTER.items() for name in numbers]


def _changed(slot: PcixSlot, values: dict[tuple[int, str], int]) -> PcixSlot:
    own, chipset, split = ({name: one for (part, name), one in values.items() if part == want} for want in BETTER)
    behind = slot.chipset.unchecked(**chipset, split=slot.split.unchecked(**split))
    return slot.unchecked(**own, chipset=behind)


@given(
    chipset=st.sampled_from(SPLITTING), write=st.booleans(), size=SIZES, burst=st.integers(100, 4096),
    drawn=st.fixed_dictionaries({(part, name): st.sampled_from(BETTER[part][name]) for part, name in WHAT}),
    better=st.sampled_from(WHAT),
)  # fmt: skip
def test_on_pci_x_nothing_that_is_better_takes_longer(
    chipset: ChipsetSpec, write: bool, size: int, burst: int, drawn: dict[tuple[int, str], int],
    better: tuple[int, str],
) -> None:  # fmt: skip
    """A wider or faster bus, or a card or bridge that does more at once."""
    seen = [_changed(slot, drawn) for slot in PCIX if slot.chipset == chipset]
    times = [_whole_time(slot, size, write, burst) for slot in seen]
    assert all(slower + 2 >= faster for slower, faster in pairwise(times))  # ps of rounding
    following = BETTER[better[0]][better[1]]
    if (place := following.index(drawn[better]) + 1) < len(following):
        after = _changed(seen[-1], drawn | {better: following[place]})
        assert _whole_time(after, size, write, burst) <= times[-1] + 2
        assert after.transfer_time(size, write, burst) <= seen[-1].transfer_time(size, write, burst)


@given(bus=st.sampled_from([ISA, EISA]), write=st.booleans(), size=SIZES, burst=BURSTS, faster=st.integers(1, 10))
def test_a_faster_or_wider_bus_never_takes_longer(
    bus: IsaSpec, write: bool, size: int, burst: int, faster: int
) -> None:
    time = bus.transfer_time(size, write, burst)
    assert bus.scale("clock", faster).transfer_time(size, write, burst) <= time
    assert bus.replace("width", 2 * bus.width).transfer_time(size, write, burst) <= time


@given(bus=st.sampled_from([ISA, EISA]), write=st.booleans(), size=SIZES, burst=BURSTS)
def test_eisa_is_never_slower_than_isa(bus: Slot, write: bool, size: int, burst: int) -> None:
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
    bus: Slot, burst: int, write: bool, start: int, asked: list[int]
) -> None:
    tenure = bus.tenure(write, burst)
    first, second = (max(start + one, tenure.cut(start, start + one)) for one in asked)
    assert start < tenure.cut(start, start)
    assert first <= second


@given(
    bus=BUSES, one=PATHS, write=st.booleans(), sizes=st.tuples(SIZES, SIZES).map(sorted), wait=st.integers(0, 10**6)
)
def test_a_move_takes_longer_the_more_it_moves(
    bus: Slot, one: DataPathSpec, write: bool, sizes: list[int], wait: int
) -> None:
    (less, less_bus), (more, more_bus) = (one.move_time(bus, CPU, size, write) for size in sizes)
    assert 0 <= less <= more
    assert 0 <= less_bus <= less
    assert less_bus <= more_bus <= more
    slow = one.replace("wait", f"{one.wait + wait} ps")
    assert slow.move_time(bus, CPU, sizes[1], write) >= (more, more_bus)


@given(bus=st.sampled_from([ISA, EISA]), one=PATHS, write=st.booleans(), size=SIZES)
def test_wider_cards_and_wider_accesses_never_take_longer(
    bus: Slot, one: DataPathSpec, write: bool, size: int
) -> None:
    """With the same wait, for everything that they move."""
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
    """Register accesses, then data: for the whole remaining time, for half of it, or none."""
    return Work((("driver", length + accesses),), accesses, moved=length * (accesses % 3) // 2)


@settings(max_examples=300, deadline=None)
@given(bus=st.sampled_from([PCI, ISA, EISA]), moves=MOVES, transfers=TRANSFERS)
def test_nobody_has_the_bus_at_once(bus: Any, moves: Any, transfers: Any) -> None:
    """Two processors move data and read registers, and masters use the bus; times in units of BCLK."""
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
