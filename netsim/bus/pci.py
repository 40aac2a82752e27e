"""Conventional PCI (PCI Local Bus Specification 2.1/2.2): one shared bus, several masters, one burst at a time.

A burst is: one clock of turnaround on the idle bus (arbitration is hidden behind the burst before), the address phase,
for reads a turnaround clock, the target's initial latency, and a data phase of one clock for each bus width. A master
keeps the bus as long as it has data and no other asks; when another does, its grant is taken away, and it must stop
once its latency timer has run out (3.5.4). Writes are posted in the host bridge. A read is served from what the
bridge has prefetched from memory: when that is used up it disconnects (3.3.3.2.1), and the master comes again.

Not modelled: subsequent-phase wait states, other target disconnects, retries, parity errors.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from netsim.bus.bus_spec import BusSpec, Way
from netsim.bus.tenure import Tenure
from netsim.units import Bytes, Clocks, Time

_TURNAROUND = 1  # idle clock between bursts of different masters, and between address and read data (3.3.1)
_ADDRESS = 1


class PciSpec(BusSpec):
    """A PCI bus and the host bridge behind it.

    `clock`, `width` in bytes (4 or 8), `latency_timer` in clocks; `read_latency` and `write_latency` are the bridge's
    initial target latency in clocks for a master that reads or writes memory, `register_read_latency` and
    `register_write_latency` an adapter's for a processor that reads or writes one of its registers, `bridge_crossing`
    what the bridge adds to that (ps). `read_prefetch` is how many bytes of memory the bridge hands out in one burst to
    a plain read (Memory Read, Memory Read Line), before it disconnects (0: no limit).
    """

    takes: ClassVar[tuple[str, ...]] = ("pci",)

    standard: Literal["pci"] = "pci"
    latency_timer: Clocks
    read_latency: Clocks
    write_latency: Clocks
    register_read_latency: Clocks
    register_write_latency: Clocks
    bridge_crossing: Time
    read_prefetch: Bytes = 0

    def overhead_clocks(self, write: bool) -> int:
        """Clocks of one burst in which no data move."""
        if write:
            return _TURNAROUND + _ADDRESS + self.write_latency
        return _TURNAROUND + _ADDRESS + _TURNAROUND + self.read_latency

    def transfer_time(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        bursts = self.bursts(nbytes, write, max_burst)
        return self.clocks(bursts * self.overhead_clocks(write) + -(-nbytes // self.width))

    def bursts(self, nbytes: int, write: bool, max_burst: int | None = None) -> int:
        """None is longer than the master makes it, nor a read than the bridge lets it."""
        return -(-nbytes // (self._longest(nbytes, write, max_burst) or 1))

    def _longest(self, nbytes: int, write: bool, max_burst: int | None) -> int:
        return min(filter(None, (max_burst, nbytes, 0 if write else self.read_prefetch)), default=0)

    def restart_time(self, write: bool, max_burst: int) -> int:
        """Nothing if its bursts are shorter than the latency timer."""
        burst = self.overhead_clocks(write) + -(-self._longest(max_burst, write, None) // self.width)
        return 0 if burst <= self.latency_timer else self.clocks(self.overhead_clocks(write))

    def tenure(self, write: bool, max_burst: int) -> Tenure:
        """At its latency timer, or as soon as another asks for the bus after that; it always has one data phase."""
        restart = self.restart_time(write, max_burst)
        return Tenure(restart, least=max(self.clocks(self.latency_timer), restart + self.clocks(1)))

    def access_time(
        self, reads: int, writes: int, width: int = 4, way: Way = "ports", zero_wait: bool = False
    ) -> int:
        """As BusSpec's; one data phase each, whatever its width."""
        read = 2 * _TURNAROUND + _ADDRESS + self.register_read_latency + 1
        write = _TURNAROUND + _ADDRESS + self.register_write_latency + 1
        return self.clocks(reads * read + writes * write)

    def crossing_time(self, accesses: int, way: Way = "ports") -> int:
        return accesses * self.bridge_crossing

    def posts(self, way: Way) -> bool:
        """Memory is posted to, I/O ports never are (3.2.5)."""
        return way == "memory"
