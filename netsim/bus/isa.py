"""ISA, the bus of the PC/AT (ISA System Architecture; IEEE P996, a draft): cycles on a clock of 8 to 8.33 MHz (BCLK).

A processor's access takes one cycle for the data that the card's data lines carry at once; the controller splits a
wider access into several, each synchronised with that clock. Some controllers leave time for slow cards between two of
a processor's I/O cycles (I/O recovery).

A master (a card that has been granted a DMA channel and asserts MASTER) makes 16-bit cycles to memory. It is never
preempted: it stops by itself when it has had the bus for a set time (its longest burst), and requests the bus again.

Every `refresh_interval` a memory refresh takes the bus; it waits for the end of a cycle or a burst, and all other
accesses wait for it.

Not modelled: a first cycle shorter or longer than those that follow.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from netsim.bus.bus_spec import BusSpec, Way
from netsim.bus.chipset import ChipsetSpec
from netsim.bus.tenure import NEVER, Tenure
from netsim.units import Clocks, Count, Ratio, Time


class IsaSpec(BusSpec):
    """An ISA bus and its controller; all in clocks of the bus.

    A processor's cycle takes `io_cycle_8` or `io_cycle_16` at a card's ports and `memory_cycle_8` or `memory_cycle_16`
    in its memory, depending on its data lines (8 or 16 bits). A card that signals that it needs no wait state (NOWS)
    has shorter ones: `zero_wait_cycle` in 16-bit memory, `zero_wait_cycle_8` with 8 data lines, at ports and in memory.
    For each access the processor also waits for `synchronisation`, a mean that need not be a whole number, and at ports
    for `io_recovery`. A master has to wait for `arbitration` before each of its bursts, and each of its cycles takes
    `master_cycle`. A refresh takes `refresh_cycle`, every `refresh_interval` (ps; 0: the bus has no refresh).
    """

    takes: ClassVar[tuple[str, ...]] = ("isa",)

    standard: Literal["isa"] = "isa"
    io_cycle_8: Count
    io_cycle_16: Count
    memory_cycle_8: Count
    memory_cycle_16: Count
    zero_wait_cycle: Count
    zero_wait_cycle_8: Count
    synchronisation: Ratio
    io_recovery: Clocks
    arbitration: Clocks
    master_cycle: Count
    refresh_interval: Time = 0
    refresh_cycle: Clocks = 0

    @property
    def takes_masters(self) -> bool:
        """The PC/AT's extension of its slots, which has the 16 data lines, has the line MASTER, too."""
        return self.width > 1

    @property
    def refresh(self) -> tuple[int, int]:
        return self.refresh_interval, self.clocks(self.refresh_cycle)

    def under(self, chipset: ChipsetSpec | None) -> Self:
        """The bus itself: a chipset does not change its cycles."""
        return self

    def narrowed(self, width: int) -> Self:
        return self.unchecked(width=width) if width < self.width else self

    # ---- a processor's accesses ----

    def cycle_clocks(self, width: int, way: Way, zero_wait: bool = False) -> float:
        """Clocks of a processor's cycle to a card with data lines of `width` bytes."""
        if width == 1:
            if zero_wait:
                return self.zero_wait_cycle_8
            return self.io_cycle_8 if way == "ports" else self.memory_cycle_8
        if way == "ports":
            return self.io_cycle_16
        return self.zero_wait_cycle if zero_wait else self.memory_cycle_16

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """An access wider than the bus takes several cycles."""
        lines = min(width, self.width)
        cycles = (reads + writes) * -(-width // lines)
        return self.clocks(cycles * self.cycle_clocks(lines, way, zero_wait))

    def crossing_time(self, accesses: int, way: Way = "ports") -> int:
        recovery = self.io_recovery if way == "ports" else 0
        return self.clocks(accesses * (self.synchronisation + recovery))

    # ---- a master's transfers ----

    @property
    def first_clocks(self) -> int:
        """Clocks of a master's burst in addition to `next_clocks` for each cycle."""
        return self.arbitration

    @property
    def next_clocks(self) -> int:
        """Clocks of each cycle of a master's burst."""
        return self.master_cycle

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """The number of bursts that the master makes."""
        return -(-nbytes // (max_burst or nbytes or 1))

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        bursts = self.bursts(nbytes, write, max_burst)
        whole, rest = divmod(nbytes, max_burst or nbytes or 1)
        cycles = whole * -(-(max_burst or nbytes) // self.width) + -(-rest // self.width)
        return self.clocks(bursts * self.first_clocks + cycles * self.next_clocks)

    def shared_time(self, nbytes: int, write: bool, pieces: int, max_burst: int | None = None) -> int:
        return self.transfer_time(pieces * nbytes, write, max_burst) // pieces

    def away_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """0: memory answers within a cycle."""
        return 0

    def restart_time(self, write: bool, max_burst: int) -> int:
        """0: the master always stops between two bursts."""
        return 0

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """The master leaves at the end of its burst, asked or not."""
        return Tenure(0, notice=NEVER, burst=self.transfer_time(max_burst, write))

    def posts(self, way: Way) -> bool:
        """Never: the processor waits for each write."""
        return False
