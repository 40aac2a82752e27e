"""Adds up the costs of a work. The closed form uses it too, with numbers that differ at every point of a sweep, so this
module is not compiled."""

from __future__ import annotations

from typing import Final, cast

from netsim.bus import Slot, Way
from netsim.errors import ScenarioError
from netsim.machine.memory_spec import MemorySpec, Source
from netsim.machine.processor_spec import ProcessorSpec
from netsim.machine.work import NAMES, Work
from netsim.nic.data_path import DataPathSpec
from netsim.units import QUANTITIES, format_time

_ORDER: Final = {name: number for number, name in enumerate(NAMES)}
WORD: Final = 4  # bytes that copies and checksums move at a time
_LONGEST: Final = 2**63 - 1 - int(QUANTITIES["time"].highest)  # ps: whenever it begins, its end fits 63 bits


class SweptWork:
    """A Work at all points of a sweep: its numbers are not integers (netsim.units.swept), and no processor performs
    it."""

    def __init__(
        self, parts: tuple[tuple[str, int], ...], accesses: int, posted: int, slot: int, memory: int, moved: int
    ) -> None:
        self.parts = parts
        self.accesses, self.posted, self.moved = accesses, posted, moved
        self.bus = accesses + posted + moved
        self.slot = slot
        self.memory = memory
        self.total = sum(ps for _, ps in parts)
        self.outside: Work | None = None
        self.inside: Work | None = None


class Bill:
    """Adds up a Work from its costs on one host. Each method returns the bill, so calls can be chained."""

    def __init__(
        self, processor: ProcessorSpec, memory: MemorySpec, cycle_factor: float = 1.0, locked: float = 0.0
    ) -> None:
        self._processor = processor
        self._memory = memory
        self._cycle_factor = cycle_factor
        self._locked = locked if processor.count > 1 else 0.0
        self._parts: dict[str, int] = {}
        self._accesses = self._posted = self._moved = self._slot = self._memory_time = 0
        self._before: Bill | None = None  # the costs before a frame is handed to a device

    def time(self, name: str, ps: int) -> Bill:
        """`ps` independent of the clock."""
        self._parts[name] = self._parts.get(name, 0) + ps
        return self

    def cycles(self, name: str, cycles: float) -> Bill:
        """Code, in the system's cycles (KernelSpec). Its locked instructions wait for no other cache."""
        locked = cycles / 1000 * self._locked * self._processor.locked_cycles
        return self.time(name, self._processor.code_time(cycles * self._cycle_factor) + self._processor.time(locked))

    def crypto(self, cycles: float) -> Bill:
        """Ciphers and hashes, in cycles of the P6 core."""
        return self.time("crypto", self._processor.crypto_time(cycles))

    def copy(self, nbytes: int, source: Source, aligned: bool = True) -> Bill:
        """A copy of `nbytes` from `source`."""
        self._memory_time += self._memory.copy_time(nbytes, source) - self._memory.cache_time(nbytes, source)
        return self.time("copy", self._memory.copy_time(nbytes, source) + self._misaligned(nbytes, aligned))

    def checksum(self, nbytes: int, source: Source) -> Bill:
        """A checksum over `nbytes` in `source`. It reads whole words wherever they begin; if necessary, it first takes
        two bytes separately (Linux: csum_partial)."""
        self._memory_time += self._memory.read_time(nbytes, source) - self._memory.cache_time(nbytes, source)
        return self.time("checksum", self._memory.read_time(nbytes, source))

    def _misaligned(self, nbytes: int, aligned: bool) -> int:
        return 0 if aligned else self._processor.time(nbytes / WORD * self._processor.misaligned_cycles)

    def accesses(
        self, name: str, bus: Slot, reads: int, writes: int, slot: int = 0, way: Way = "ports", width: int = 4
    ) -> Bill:
        """Accesses to registers of `width` bytes on `bus`, number `slot` of the host: the processor waits for each, and
        the bus is occupied. All accesses of a work are on one bus. If a bridge posts memory writes, the processor does
        not wait for them."""
        posted = bus.posts(way)
        if posted:
            self._posted += bus.access_time(0, writes, width, way)
        taken = bus.access_time(reads, 0 if posted else writes, width, way)
        self._accesses += taken
        self._slot = slot
        return self.time(name, taken + bus.crossing_time(reads + writes, way))

    def move(self, path: DataPathSpec, bus: Slot, nbytes: int, write: bool, slot: int = 0) -> Bill:
        """The processor moves `nbytes` to a card (`write`) or from it, over `bus`, number `slot` of the host. Raises
        ScenarioError if the time of its string instructions is not known."""
        total, taken = path.move_time(bus, self._processor, nbytes, write)
        self._moved += taken
        self._slot = slot
        return self.time("programmed I/O" if path.way == "ports" else "shared memory", total)

    def shared(self, lines: float) -> Bill:
        """Cache `lines` that another processor has changed: none without another processor."""
        if self._processor.count == 1:
            return self
        return self.time("cache transfers", round(lines * self._processor.line_transfer))

    def interrupt(self, cycles: float, masks: bool = True) -> Bill:
        """Entry into an interrupt handler, and the return; with `masks` the system masks the line at the controller
        meanwhile."""
        return self.time("interrupt", self._processor.interrupt_time(masks)).cycles("interrupt", cycles)

    def interrupt_entry(self, cycles: float, masks: bool = True) -> Bill:
        """Entry into an interrupt handler, booked with all `cycles` of entry and return, as it takes nearly all of
        them."""
        return self.time("interrupt", self._processor.acknowledge_time(masks)).cycles("interrupt", cycles)

    def interrupt_exit(self, masks: bool = True) -> Bill:
        """The return from the handler: only accesses to the controller."""
        return self.time("interrupt", self._processor.release_time(masks))

    def tick(self, cycles: float, masks: bool = True) -> Bill:
        """A clock interrupt."""
        return self.interrupt(cycles, masks).time("interrupt", self._processor.tick_time)

    def hand_over(self) -> Bill:
        """The costs from here on are those of handing a frame to a device, which several processors coordinate."""
        if self._processor.count > 1:
            self._before = Bill(self._processor, self._memory)._plus(self, 1)
        return self

    def _plus(self, other: Bill, sign: int) -> Bill:
        """Add the costs on the `other` bill, or (-1) subtract them."""
        for name, ps in other._parts.items():
            self.time(name, sign * ps)
        self._accesses += sign * other._accesses
        self._posted += sign * other._posted
        self._moved += sign * other._moved
        self._memory_time += sign * other._memory_time
        self._slot = self._slot or other._slot
        return self

    def work(self) -> Work:
        """The sum."""
        work = self._sum()
        if self._before is not None:
            work.outside = self._before._sum()
            work.inside = Bill(self._processor, self._memory)._plus(self, 1)._plus(self._before, -1)._sum()
        return work

    def _sum(self) -> Work:
        parts = sorted(self._parts.items(), key=lambda part: _ORDER.get(part[0], len(_ORDER)))
        done = tuple((name, ps) for name, ps in parts if ps)
        numbers = self._accesses, self._posted, self._slot, self._memory_time, self._moved
        if all(isinstance(number, int) for number in (*numbers, *(ps for _, ps in done))):
            _check(done)
            return Work(done, *numbers)
        return cast(Work, SweptWork(done, *numbers))


def _check(parts: tuple[tuple[str, int], ...]) -> None:
    """Numbers that are each allowed may together make a work too long to be counted. Raises ScenarioError."""
    total = sum(ps for _, ps in parts)
    if total > _LONGEST:
        name = max(parts, key=lambda part: part[1])[0]
        text = f'one work, "{name}" most of it, takes {format_time(total)}'
        raise ScenarioError(f"{text}; allowed: up to {format_time(_LONGEST)}", address="processors")
