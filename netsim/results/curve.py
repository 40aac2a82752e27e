"""The results of a series of message sizes, point by point."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.statistics import Estimate
from netsim.units import MBIT_S


@dataclass(frozen=True)
class CurvePoint:
    """A message size (bytes), the time of half a round trip (s) and the half-width of its interval (s)."""

    size: int
    half_round_trip: float
    half_width: float

    @classmethod
    def of(cls, size: int, throughput: Estimate) -> CurvePoint:
        """A point, from the estimate of the throughput (bit/s)."""
        half = size * 8 / throughput.mean
        return cls(size, half, half * throughput.relative)

    @property
    def throughput(self) -> float:
        """The throughput (bit/s): the message in half a round trip."""
        return self.size * 8 / self.half_round_trip

    @property
    def mbit_per_s(self) -> float:
        """`throughput` in Mbit/s."""
        return self.throughput / MBIT_S
