"""A PCI bus with a chipset behind it, as a card in one of its slots sees it.

A burst is: one clock of turnaround on the idle bus (arbitration is hidden behind the previous burst, unless the chipset
first takes the processors' bus from them), the address phase, for reads a turnaround clock, the clocks until the target
claims it and has the first data, and a data phase of one clock for each bus width (3.3). When the bridge makes a master
retry, the attempt takes a turnaround, an address phase, and the clocks until the bridge has claimed and stopped it;
memory answers meanwhile, off the bus.

A master keeps the bus as long as its burst lasts and no other master requests it; when one does, its grant is removed,
and it must stop once its latency timer has run out (3.5.4).

Not modelled: the phase of a master that retries (the number of attempts that come too early is computed from means); a
burst for which the bridge still has the processors' bus, because of another master's burst; parity errors.
"""

from __future__ import annotations

from typing import Literal

from netsim.bus.bridge import BridgeSpec
from netsim.bus.bus_spec import Way
from netsim.bus.chipset import Command
from netsim.bus.clocked_slot import ClockedSlot
from netsim.bus.tenure import Tenure
from netsim.units import RetryClocks

ReadCommands = Literal["read", "line", "multiple", "by-length"]

_TURNAROUND = 1  # idle clock between bursts of different masters, and between address and read data (3.3.1)
_ADDRESS = 1
_STOP = 1  # STOP# with DEVSEL#, and the master's last clock (3.3.3.2.1)
_LONGEST_WAIT = 16  # clocks from the address phase to the first data (3.5.1.1)
_LINE = 32  # bytes of a cache line, by which masters choose their commands (3.1.1)


class PciSlot(ClockedSlot):
    """A PCI bus as seen by a master that reads by `read_commands`, tries again every `retry_clocks` after a retry, and
    may be behind a `bridge` on its card."""

    bridge: BridgeSpec | None = None
    read_commands: ReadCommands = "by-length"
    retry_clocks: RetryClocks = 0

    # ---- bursts ----

    def start_clocks(self, write: bool) -> int:
        """Clocks of one burst without data, when memory has answered."""
        bridged = 0 if self.bridge is None else (self.bridge.write_latency if write else self.bridge.read_latency)
        granted = _TURNAROUND if self.chipset.concurrent else _TURNAROUND + self.whole_clocks(self.chipset.handover)
        return granted + _ADDRESS + (0 if write else _TURNAROUND) + self.chipset.decode + bridged

    def memory_clocks(self) -> int:
        """Whole clocks for which a master waits for memory."""
        return self.whole_clocks(self.chipset.memory_time)

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

    def _misses(self, nbytes: int, write: bool, max_burst: int | None, bursts: int) -> int:
        """The number of waits for memory: before each of the `bursts` of a read, or whenever the kept data are used
        up."""
        if write:
            return 0
        if not self.chipset.restream:
            return bursts
        kept = self.chipset.ahead(self.command(min(max_burst or nbytes, nbytes))) or nbytes
        return min(bursts, _pieces(nbytes, kept))

    # ---- waiting for memory ----

    @property
    def holds(self) -> bool:
        """Whether a read is held in wait states until memory has answered, which the standard limits."""
        return self.chipset.miss == "hold" and self.chipset.decode + self.memory_clocks() <= _LONGEST_WAIT

    @property
    def wait_clocks(self) -> int:
        """Bus clocks of one wait for memory."""
        if self.holds:
            return self.memory_clocks()
        interval = self.clocks(self.retry_clocks)
        attempts = max(1, -(-self.chipset.memory_time // interval)) if interval else 1
        return attempts * (_TURNAROUND + _ADDRESS + self.chipset.decode + _STOP)

    def away_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """ps for which the master has left the bus until memory has answered. It tries again at its own interval, on
        average half an interval after memory has answered."""
        if write or self.holds:
            return 0
        interval, memory = self.clocks(self.retry_clocks), self.chipset.memory_time
        misses = self._misses(nbytes, write, max_burst, self.bursts(nbytes, write, max_burst))
        return misses * max(interval, memory + interval // 2)

    # ---- transfers ----

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        longest = self._longest(nbytes, write, max_burst)
        whole, rest = divmod(nbytes, longest or 1)
        phases = whole * -(-longest // self.width) + -(-rest // self.width)
        bursts = _pieces(nbytes, longest)
        clocks = bursts * self.start_clocks(write) + phases
        if write:
            return max(self.clocks(clocks), self.chipset.stream_time(max(0, nbytes - self.chipset.post)))
        time = self.clocks(clocks + self._misses(nbytes, write, max_burst, bursts) * self.wait_clocks)
        return time + whole * self._starved(longest) + self._starved(rest)

    def _starved(self, nbytes: int) -> int:
        """ps by which memory lags behind the data phases of a read of `nbytes`, after the wait for its first line.
        """
        late = 0 if self.ahead(nbytes) else self.chipset.stream_time(max(0, nbytes - _LINE))
        return max(0, late - self.clocks(-(-nbytes // self.width)))

    def restart_time(self, write: bool, max_burst: int) -> int:
        """0 if the master's bursts are shorter than the latency timer."""
        longest = self._longest(max_burst, write, None)
        start = self.start_clocks(write) + (0 if write else self.wait_clocks)
        return 0 if start + -(-longest // self.width) <= self.latency_timer else self.clocks(start)

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """The master leaves when its latency timer runs out, or as soon as another master requests the bus after that;
        it always has one data phase."""
        restart = self.restart_time(write, max_burst)
        return Tenure(restart, least=max(self.clocks(self.latency_timer), restart + self.clocks(1)))

    # ---- a processor's accesses ----

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """ps of bus; each access has one data phase, whatever its width."""
        bridge = self.bridge
        read = 2 * _TURNAROUND + _ADDRESS + 1 + (bridge.read_latency if bridge else 0)
        write = _TURNAROUND + _ADDRESS + 1 + (bridge.write_latency if bridge else 0)
        return self.clocks(reads * read + writes * write + self.register_clocks(reads, writes))


def _pieces(nbytes: int, most: int) -> int:
    """The number of pieces, none of them longer than `most`."""
    return -(-nbytes // (most or 1))
