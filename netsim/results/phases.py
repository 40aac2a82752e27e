"""The phases of a test with events at given times, such as the failure of a cable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from netsim.statistics import Estimate, mean_rate
from netsim.units import MBIT_S, PS_PER_S, RateUnit

if TYPE_CHECKING:
    from netsim.results.iteration import Iteration


@dataclass(frozen=True)
class Phase:
    """A phase from `start` to `end` (s of the run), with its mean `throughput` (bit/s or transactions/s, by the test's
    unit) and its `cause`, the event that begins it."""

    start: float
    end: float
    throughput: float
    cause: str

    @property
    def mbit_per_s(self) -> float:
        """`throughput` in Mbit/s, for a test that counts bytes."""
        return self.throughput / MBIT_S


@dataclass(frozen=True)
class Stretch:
    """A phase of one iteration: the edges of its samples (ps), and the sum `delivered` from the start up to each edge,
    in units of `unit`."""

    cause: str
    edges: tuple[int, ...]
    delivered: tuple[int, ...]
    unit: RateUnit

    @classmethod
    def sum(cls, same: Sequence[Stretch]) -> Stretch:
        """The sum of one phase over several iterations, whose samples have the same edges."""
        delivered = tuple(map(sum, zip(*(one.delivered for one in same), strict=True)))
        return replace(same[0], delivered=delivered)

    def estimate(self, confidence: float) -> Estimate:
        """The phase's mean (base units per second)."""
        amounts, seconds = (np.diff(np.array(each, dtype=float)) for each in (self.delivered, self.edges))
        return mean_rate(amounts * self.unit.each, seconds / PS_PER_S, confidence)


def phases(iterations: Sequence[Iteration]) -> Iterator[Phase]:
    """The phases of a test, each with its mean over all iterations."""
    for one in _together(iterations):
        start, end = one.edges[0], one.edges[-1]
        rate = _rate(one, one.delivered[-1] - one.delivered[0], end - start, iterations)
        yield Phase(start / PS_PER_S, end / PS_PER_S, rate, one.cause)


def history(iterations: Sequence[Iteration]) -> Iterator[tuple[float, float]]:
    """The middle (s) of each sample and its throughput (in the unit of Phase.throughput), averaged over all
    iterations."""
    for one in _together(iterations):
        for (start, before), (end, after) in pairwise(zip(one.edges, one.delivered, strict=True)):
            yield (start + end) / 2 / PS_PER_S, _rate(one, after - before, end - start, iterations)


def _together(iterations: Sequence[Iteration]) -> Iterator[Stretch]:
    return map(Stretch.sum, zip(*(one.stretches for one in iterations), strict=True))


def _rate(of: Stretch, delivered: int, time: int, iterations: Sequence[Iteration]) -> float:
    return delivered * of.unit.each * PS_PER_S / (time * len(iterations))
