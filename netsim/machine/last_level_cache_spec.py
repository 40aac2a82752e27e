"""What a last-level cache is to devices that write into it.

A write of a device to a line that the cache has changes it there. One that it has not is put into the few ways that
devices may use (Intel calls it DDIO); lines that devices write after it push it out of those again, into memory, unless
the processor has taken it up by then. So a frame's first line is in the cache when the processor wants it, if its
buffer's line was still there from the last time, or if no more has been written since than those ways hold.
"""

from __future__ import annotations

from math import exp
from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Parts, PositiveBytes, Time

_ROUNDS = 60  # of a fixed point that each halves the error of, at least


class LastLevelCacheSpec(Spec):
    """`size` in `ways`, of which devices fill `dma_ways`; `miss_time` is what the processor waits longer for a line
    that only memory has (ps)."""

    size: PositiveBytes
    ways: Parts
    dma_ways: Parts
    miss_time: Time

    @model_validator(mode="after")
    def _a_share(self) -> Self:
        if self.dma_ways > self.ways:
            raise ScenarioError(f"{self.dma_ways} are more than it has ({self.ways})", address="dma_ways")
        return self

    def buffers(self, stride: int) -> int:
        """How many buffers' first lines it holds that lie `stride` bytes apart: a line for each of them is at the same
        place of a stride, and only a part of its sets has such places."""
        return self.size // stride

    def dma_buffers(self, stride: int) -> int:
        """How many of them the ways for devices hold."""
        return self.size * self.dma_ways // (self.ways * stride)

    def lost(self, buffers: int, stride: int) -> float:
        """The share of B buffers, used in turn, whose line is not there any more when its turn comes again.

        With what is replaced drawn by lot, a line outlives n misses among C lines with probability exp(-n / C); a round
        of B buffers has x B misses, so 1 - x = exp(-x B / C). Up to C none is lost."""
        most = self.buffers(stride)
        if buffers <= most:
            return 0.0
        share = 1.0
        for _ in range(_ROUNDS):
            share = 1 - exp(-share * buffers / most)
        return share
