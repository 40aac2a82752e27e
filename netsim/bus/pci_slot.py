"""A PCI bus with a chipset behind it, as a card in one of its slots sees it.

A burst is: an idle clock (arbitration is hidden behind the previous burst, unless the chipset first takes the
processors' bus from them), the address phase, the clocks until the target moves the first data, and a data phase of one
clock for each bus width (3.3). A target can move data in the clock in which it claims the burst, which is the first one
after the address phase if it is fast (3.6.1). In a read, that clock is the turnaround, and data follow it (3.3.1). If
the bridge has no more data while the master wants some, it stops it with the last ones, which takes one more clock
(3.3.3.2.1).

When the bridge makes a master retry, the attempt takes an idle clock, an address phase, and the clocks until the bridge
has claimed and stopped it; memory answers meanwhile. A bridge on the card does the same until it has fetched the data,
which takes the bus in front of it for one burst.

A master keeps the bus as long as its burst lasts and no other master requests it; when one does, its grant is removed,
and it must stop once its latency timer has run out, which counts from the address phase (3.5.4).

Not modelled: the phase of a master that retries (the number of its attempts is a mean); a master that leaves the bus
after each of its short bursts (it leaves when its latency timer would have run out: fewer, longer turns); a burst for
which the bridge still has the processors' bus, because of another master's burst; parity errors.
"""

from __future__ import annotations

from typing import Literal

from netsim.bus.bridge import BridgeSpec
from netsim.bus.bus_spec import Way
from netsim.bus.chipset import Command
from netsim.bus.clocked_slot import ClockedSlot
from netsim.bus.tenure import Tenure
from netsim.units import PS_PER_S, RetryClocks

ReadCommands = Literal["read", "line", "multiple", "by-length"]

_IDLE = 1  # clock between bursts of different masters (3.3.1)
_ADDRESS = 1
_TURNAROUND = 1  # between the address and read data (3.3.1)
_DATA = 1
_STOPPED = 1  # after STOP#, which comes with DEVSEL# or the last data: the master's last clock (3.3.3.2.1)
_LONGEST_WAIT = 16  # clocks from the address phase to the first data (3.5.1.1)
_LINE = 32  # bytes of a cache line, by which masters choose their commands (3.1.1)


class PciSlot(ClockedSlot):
    """A PCI bus as seen by a master that reads by `read_commands`, begins an attempt every `retry_clocks` while it is
    made to retry, and may be behind a `bridge` on its card."""

    bridge: BridgeSpec | None = None
    read_commands: ReadCommands = "by-length"
    retry_clocks: RetryClocks = 0

    # ---- bursts ----

    def start_clocks(self, write: bool) -> int:
        """Clocks of one burst without data, when memory has answered."""
        return self._idle_clocks + _ADDRESS + self._first_clocks(write)

    @property
    def _idle_clocks(self) -> int:
        """Clocks from the grant to the address phase."""
        return _IDLE if self.chipset.concurrent else _IDLE + self.whole_clocks(self.chipset.handover)

    def _first_clocks(self, write: bool, memory: int = 0) -> int:
        """Clocks between the address phase and the first data, for which the bridge needs `memory` clocks once it knows
        the address."""
        known = self.chipset.decode - 1
        if write:
            return known + (self.bridge.write_latency if self.bridge else 0)
        return max(_TURNAROUND, known + memory)

    def command(self, nbytes: int) -> Command:
        """The command for a burst of `nbytes`. A master that chooses by length uses Memory Read Multiple for more than
        two lines, Memory Read for less than one, and Memory Read Line in between."""
        if self.read_commands != "by-length":
            return self.read_commands
        if nbytes > 2 * _LINE:
            return "multiple"
        return "line" if nbytes >= _LINE else "read"

    def ahead(self, nbytes: int) -> int:
        """The most bytes that a read of `nbytes` gets in one burst; 0: no limit."""
        command = self.command(nbytes)
        limits = self.chipset.ahead(command), self.bridge.ahead(command) if self.bridge else 0
        return min(filter(None, limits), default=0)

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """The number of bursts: none exceeds the master's limit, or for a read the bridge's."""
        return _pieces(nbytes, self._longest(nbytes, write, max_burst))

    def _longest(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        wanted = min(max_burst or nbytes, nbytes)
        return wanted if write else min(self.ahead(wanted) or wanted, wanted)

    def _fetches(self, nbytes: int, max_burst: int | None) -> int:
        """How often memory is asked for a read: for each burst, or whenever the data that the bridge keeps are used
        up."""
        bursts = self.bursts(nbytes, False, max_burst)
        if not self.chipset.restream:
            return bursts
        kept = self.chipset.ahead(self.command(min(max_burst or nbytes, nbytes))) or nbytes
        return min(bursts, _pieces(nbytes, kept))

    def _stops(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        """How many bursts of a read the chipset ends before the master does."""
        wanted = min(max_burst or nbytes, nbytes)
        if self.bridge:
            wanted = min(self.bridge.ahead(self.command(wanted)) or wanted, wanted)
        return 0 if write else self.bursts(nbytes, write, max_burst) - _pieces(nbytes, wanted)

    def _burst_clocks(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        """Clocks of all bursts, when memory has answered."""
        longest = self._longest(nbytes, write, max_burst)
        whole, rest = divmod(nbytes, longest or 1)
        phases = whole * -(-longest // self.width) + -(-rest // self.width)
        around = self.bursts(nbytes, write, max_burst) * self.start_clocks(write)
        return around + phases + self._stops(nbytes, write, max_burst) * _STOPPED

    # ---- waiting for memory ----

    @property
    def memory_clocks(self) -> int:
        """Whole clocks in which memory answers."""
        return self.whole_clocks(self.chipset.memory_time)

    @property
    def holds(self) -> bool:
        """Whether a read is held in wait states until memory has answered, which the standard limits."""
        held = self._first_clocks(False, self.memory_clocks)
        return self.chipset.miss == "hold" and held + _DATA <= _LONGEST_WAIT

    @property
    def _held_clocks(self) -> int:
        """Clocks for which a read is held, beyond those of one that memory answers at once."""
        return self._first_clocks(False, self.memory_clocks) - self._first_clocks(False)

    @property
    def overlaps_reads(self) -> bool:
        return not self.holds

    def _waits(self, nbytes: int, max_burst: int | None = None) -> tuple[float, int]:
        """Clocks of the bus for which a read waits for memory, and ps for which it leaves the bus."""
        fetches = self._fetches(nbytes, max_burst)
        if not fetches:
            return 0, 0
        memory = self.chipset.memory_time
        if self.holds:
            late = self._late(nbytes, fetches, self.clocks(self._held_clocks), max_burst)
            return fetches * self._held_clocks + late * self.clock / PS_PER_S, 0
        attempts, time = self._retried(memory + self._late(nbytes, fetches, memory, max_burst) / fetches)
        clocks = fetches * attempts * self._attempt_clocks
        return clocks, max(0, round(fetches * time) - self.clocks(clocks))

    def _late(self, nbytes: int, fetches: int, waited: int, max_burst: int | None) -> int:
        """ps by which memory lags behind the data phases of a read. It moves whole lines, and the first one of each
        fetch while it is `waited` for (ps)."""
        line = self.chipset.stream_time(_LINE)
        if waited >= line and not self.outruns_memory:
            return 0  # it is a line ahead, and as fast as the bus
        lines = self.chipset.stream_time(_pieces(nbytes, _LINE) * _LINE)
        first = min(waited, line)
        paced = self._burst_clocks(nbytes, False, max_burst) - fetches * self.start_clocks(False)
        return max(0, lines - fetches * first - self.clocks(paced))

    @property
    def _attempt_clocks(self) -> int:
        """Clocks of an attempt that ends with a retry."""
        return _IDLE + _ADDRESS + self.chipset.decode + _STOPPED

    def _retried(self, answer: float) -> tuple[float, float]:
        """The number of attempts before the burst that gets data which are there after `answer`, and the time for them
        (ps). A master with its own interval comes half of it too late on average."""
        interval = self.clocks(max(self.retry_clocks, self._attempt_clocks))
        if not self.retry_clocks:
            return 1, max(interval, answer)
        time = max(interval, answer + interval / 2)
        return time / interval, time

    def away_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps for which the master has left the bus until memory has answered, and a bridge on its card has the data."""
        if write or not nbytes:
            return 0
        delayed = self.bridge.read_latency * self.bursts(nbytes, write, max_burst) if self.bridge else 0
        waits = 0 if self.holds else self._waits(nbytes, max_burst)[1]
        return waits + self.clocks(delayed) if delayed else waits

    # ---- transfers ----

    def _time_of(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        clocks = self._burst_clocks(nbytes, write, max_burst)
        if write:
            return max(self.clocks(clocks), self.chipset.stream_time(max(0, nbytes - self.chipset.post)))
        return self.clocks(clocks + self._waits(nbytes, max_burst)[0])

    # ---- leaving the bus to others ----

    def _started(self, write: bool) -> tuple[float, int]:
        """Clocks from the grant to the address phase of a burst that moves data, and from there to these."""
        before, first = self._idle_clocks, _ADDRESS + self._first_clocks(write)
        if write:
            return before, first
        if self.holds:
            return before, _ADDRESS + self._first_clocks(False, self.memory_clocks)
        return before + self._retried(self.chipset.memory_time)[0] * self._attempt_clocks, first

    def _data_clocks(self, write: bool, nbytes: int) -> float:
        """Clocks of the data phases of one burst, with the wait states of a read that memory lags behind."""
        phases = -(-nbytes // self.width)
        if write or not self.holds:
            return phases
        return phases + self._late(nbytes, 1, self.clocks(self._held_clocks), None) * self.clock / PS_PER_S

    def restart_time(self, write: bool, max_burst: int) -> int:
        """0 if the master's bursts are shorter than the latency timer."""
        before, first = self._started(write)
        lasts = first + self._data_clocks(write, self._longest(max_burst, write, None))
        return 0 if lasts <= self.latency_timer else self.clocks(before + first)

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """The master leaves when its latency timer runs out, or as soon as another master requests the bus after that;
        it always has one data phase, however long memory takes for it."""
        before, first = self._started(write)
        longest = self._longest(max_burst, write, None)
        one = self._data_clocks(write, longest) / -(-longest // self.width)
        least = self.clocks(before + max(self.latency_timer, first + one))
        return Tenure(self.restart_time(write, max_burst), least)

    # ---- a processor's accesses ----

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """ps of bus; each access has one data phase, whatever its width."""
        read, write = self.whole_clocks(self.register_read_time), self.whole_clocks(self.register_write_time)
        read, write = max(_TURNAROUND + _DATA, read), max(_DATA, write)
        if self.bridge:
            read, write = read + self.bridge.read_latency, write + self.bridge.write_latency
        return self.clocks((reads + writes) * (_IDLE + _ADDRESS) + reads * read + writes * write)


def _pieces(nbytes: int, most: int) -> int:
    """The number of pieces, none of them longer than `most`."""
    return -(-nbytes // (most or 1))
