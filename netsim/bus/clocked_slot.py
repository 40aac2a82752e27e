"""What PCI and PCI-X have in common, as a card in one of their slots sees it: a clock, and a chipset behind the bus."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Self

from netsim.bus.bus_spec import Way
from netsim.bus.chipset import ChipsetSpec
from netsim.spec import Spec
from netsim.units import PS_PER_S, Clocks, Frequency, PositiveBytes, Time


class ClockedSlot(Spec):
    """A bus with `width` bytes of data lines, on which a master has the bus for `latency_timer` clocks at least. The
    card takes `register_read_time` for the first data of a processor's read, and `register_write_time` for those of a
    write (ps)."""

    clock: Frequency
    width: PositiveBytes
    latency_timer: Clocks
    chipset: ChipsetSpec
    register_read_time: Time = 0
    register_write_time: Time = 0

    @property
    def refresh(self) -> tuple[int, int]:
        """Memory is refreshed behind the bridge."""
        return 0, 0

    @property
    def outruns_memory(self) -> bool:
        """Whether masters may write faster than memory takes their bytes."""
        return self.chipset.rate < self.width * self.clock

    @property
    def overlaps_reads(self) -> bool:
        """Whether other masters may have the bus while one waits for memory."""
        return True

    def clocks(self, count: float) -> int:
        """ps of `count` bus clocks."""
        return round(count * PS_PER_S / self.clock)

    def whole_clocks(self, time: int) -> int:
        """Clocks that begin in `time` (ps); a millionth of a clock is rounding error."""
        return -(-(time * self.clock - PS_PER_S // 1_000_000) // PS_PER_S)

    def with_registers(self, read_time: int, write_time: int) -> Self:
        """The same slot with a card whose registers take these times (ps)."""
        return self.unchecked(register_read_time=read_time, register_write_time=write_time)

    def narrowed(self, width: int) -> Self:
        """The same slot with at most `width` bytes of data lines."""
        return self.unchecked(width=width) if width < self.width else self

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps of bus to move `nbytes`. Data for which the bridge has no room move no faster than memory takes them."""
        transfer = nbytes, write, max_burst
        time = self._transfers.get(transfer)
        if time is None:
            time = self._transfers[transfer] = self._time_of(nbytes, write, max_burst)
        return time

    @cached_property
    def _transfers(self) -> dict[tuple[int, bool, int | None], int]:
        """The times computed so far: alike adapters of many hosts share a slot, and ask for the same ones."""
        return {}

    @abstractmethod
    def _time_of(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        """The same, computed."""

    def shared_time(self, nbytes: int, write: bool, pieces: int, max_burst: int | None = None) -> int:
        """ps for one piece of `nbytes`, when `pieces` of them move together, in one burst or several."""
        return self.transfer_time(pieces * nbytes, write, max_burst) // pieces

    def crossing_time(self, accesses: int, way: Way = "ports") -> int:
        """ps for which a processor waits in addition."""
        return accesses * self.chipset.crossing

    def posts(self, way: Way) -> bool:
        """Writes to memory are posted, those to I/O ports never (PCI 2.2, 3.2.5)."""
        return way == "memory"
