"""A last-level cache as seen by devices that write into it.

A device that writes to a cached line changes it in the cache. Any other line goes into the few ways that devices may
use (Intel calls this DDIO); lines that devices write later push it out of those ways into memory, unless the processor
has taken it first. So when the processor needs the first line of a frame, it finds that line in the cache if the
buffer's line was still there from its last use, or if devices have since written no more than those ways hold.
"""

from __future__ import annotations

from math import exp
from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Parts, PositiveBytes, Time

_ROUNDS = 60  # of a fixed-point iteration; each at least halves the error


class LastLevelCacheSpec(Spec):
    """A cache of `size` bytes in `ways` ways; devices fill only `dma_ways` of them. `miss_time` is how much longer the
    processor waits for a line that only memory has (ps)."""

    size: PositiveBytes
    ways: Parts
    dma_ways: Parts
    miss_time: Time

    @model_validator(mode="after")
    def _a_share(self) -> Self:
        if self.dma_ways > self.ways:
            raise ScenarioError(f"{self.dma_ways} are too many; allowed: 1 to {self.ways} (ways)", address="dma_ways")
        return self

    def buffers(self, stride: int) -> int:
        """The number of first lines it holds, of buffers `stride` bytes apart: these lines have the same offset in each
        stride, and only a part of the cache's sets serves such offsets."""
        return self.size // stride

    def dma_buffers(self, stride: int) -> int:
        """The number of such lines that the ways for devices hold."""
        return self.size * self.dma_ways // (self.ways * stride)

    def lost(self, buffers: int, stride: int) -> float:
        """The share of B buffers, used in turn, whose line has left the cache by the time its turn comes again.

        With random replacement, a line outlives n misses among C lines with probability exp(-n / C); a round of B
        buffers has x B misses, hence 1 - x = exp(-x B / C). Up to C buffers lose none. A cache smaller than a stride
        holds no such line."""
        most = self.buffers(stride)
        if buffers <= most:
            return 0.0
        if not most:
            return 1.0
        share = 1.0
        for _ in range(_ROUNDS):
            share = 1 - exp(-share * buffers / most)
        return share
