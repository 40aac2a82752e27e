"""A device's DMA engine: how it takes commands, and how fast it moves their data."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import PS_PER_S, ByteRate, Parts, Time


class DmaEngineSpec(Spec):
    """An engine that has up to `commands` under way, and up to `tags` of their read requests. It takes commands in
    sequence, a read every `read_interval` and a write every `write_interval`, and begins each after an `overhead` (ps).
    The data of one command move at `rate` within the device (bytes per second; none: in no time), those of several
    commands in parallel."""

    catalogue = "dma-engines"

    commands: Parts
    tags: Parts
    read_interval: Time
    write_interval: Time
    overhead: Time
    rate: ByteRate | None = None

    def move_time(self, nbytes: int) -> int:
        """ps in which `nbytes` bytes of one command move."""
        return 0 if self.rate is None else nbytes * PS_PER_S // self.rate
