"""A description of memory, and the time that copies and checksums take in it."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import PS_PER_S, ByteRate, Bytes, PositiveBytes

Source = Literal["memory", "cache", "level1"]


class MemorySpec(Spec):
    """The rates that one processor gets from its memory: `read` for bytes that only memory has (an adapter has just
    written them), but no more than `cached`, since they come through the second-level cache; `cached` for bytes that an
    earlier pass has left there; `level1` for those that the last copy has left in a first-level cache of `level1_size`
    bytes (None: as `cached`); and `write` for the destination of a copy (None: half of `read`, as for a core that reads
    a line before it stores into it, and writes it back later). `bandwidth` is the rate at which memory serves adapters,
    which slows down the processors (None: that of the host's chipset; without a chipset it is not known, and adapters
    slow nothing down). `size` is the amount of memory, which matters to a host with disks (bytes; None: not known)."""

    read: ByteRate
    cached: ByteRate
    level1: ByteRate | None = None
    level1_size: Bytes = 0
    write: ByteRate | None = None
    bandwidth: ByteRate | None = None
    size: PositiveBytes | None = None

    @property
    def write_rate(self) -> float:
        """The rate for the destination of a copy (bytes per second)."""
        return self.read / 2 if self.write is None else self.write

    def copy_time(self, nbytes: int, source: Source) -> int:
        """ps to copy `nbytes`."""
        return self.read_time(nbytes, source) + _time(nbytes, self.write_rate)

    def read_time(self, nbytes: int, source: Source) -> int:
        """ps to read `nbytes` once, as a checksum does."""
        if source != "level1" or self.level1 is None:
            return _time(nbytes, min(self.read, self.cached) if source == "memory" else self.cached)
        level1 = self.still_level1(nbytes)
        return _time(level1, self.level1) + _time(nbytes - level1, self.cached)

    def still_level1(self, nbytes: int) -> int:
        """How many of `nbytes` that were just copied a pass in the same order finds in the first-level cache. It holds
        the last `level1_size` bytes of both source and destination; the pass itself displaces nothing that it needs."""
        return min(nbytes, max(0, self.level1_size - nbytes))

    def cache_time(self, nbytes: int, source: Source) -> int:
        """The part of the read time (ps) that does not need memory."""
        return 0 if source == "memory" else self.read_time(nbytes, source)


def _time(nbytes: int, rate: float) -> int:
    """ps for `nbytes` at `rate` (bytes per second)."""
    return round(nbytes * PS_PER_S / rate)
