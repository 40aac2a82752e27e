"""One iteration of a test to which something happens at given times, such as the failure of a cable. It has no steady
state, so it runs to its end, and beside the mean of all there is a mean of each phase, from one moment to the next.

The books are cut at the moments themselves. What it takes to settle after one is in the phase that it begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from netsim.measure.steady_state import Iteration, Plan, standstill
from netsim.scenario import Stream
from netsim.statistics import Estimate, batch_means, estimate
from netsim.units import PS_PER_S, RateUnit

_FEWEST = 2  # samples of a phase, without which nothing is known of its spread


@dataclass(frozen=True)
class Phase:
    """From `start` to `end` (s of the run), its mean `throughput` (bit/s, or transactions/s by the test's unit), and
    `cause`: what it begins with."""

    start: float
    end: float
    throughput: float
    cause: str


@dataclass(frozen=True)
class Stretch:
    """A phase of one iteration: the edges of its samples (ps), and what was `delivered` up to each since the
    start, which counts as much as `unit` says."""

    cause: str
    edges: tuple[int, ...]
    delivered: tuple[int, ...]
    unit: RateUnit

    @classmethod
    def sum(cls, same: Sequence[Stretch]) -> Stretch:
        """Of the same phase in several iterations, whose samples have the same edges."""
        delivered = tuple(map(sum, zip(*(one.delivered for one in same), strict=True)))
        return replace(same[0], delivered=delivered)

    def estimate(self, confidence: float) -> Estimate:
        """Its mean (base units per second)."""
        amounts, seconds = (np.diff(np.array(each, dtype=float)) for each in (self.delivered, self.edges))
        return batch_means(amounts * self.unit.each, seconds / PS_PER_S, confidence)


def phases(iterations: Sequence[Iteration]) -> Iterator[Phase]:
    """The phases of a test, each with its mean over all iterations."""
    for one in _together(iterations):
        start, end = one.edges[0], one.edges[-1]
        rate = _rate(one, one.delivered[-1] - one.delivered[0], end - start, iterations)
        yield Phase(start / PS_PER_S, end / PS_PER_S, rate, one.cause)


def history(iterations: Sequence[Iteration]) -> Iterator[tuple[float, float]]:
    """Of each sample its middle (s) and its throughput (as a phase's), the mean over all iterations."""
    for one in _together(iterations):
        for (start, before), (end, after) in pairwise(zip(one.edges, one.delivered, strict=True)):
            yield (start + end) / 2 / PS_PER_S, _rate(one, after - before, end - start, iterations)


def _together(iterations: Sequence[Iteration]) -> Iterator[Stretch]:
    return map(Stretch.sum, zip(*(one.stretches for one in iterations), strict=True))


def _rate(of: Stretch, delivered: int, time: int, iterations: Sequence[Iteration]) -> float:
    return delivered * of.unit.each * PS_PER_S / (time * len(iterations))


class PhasedMeasurement:
    """A run under way, measured from the end of the plan's warm-up to its limit, in samples of about its length."""

    def __init__(self, run: Stream, plan: Plan) -> None:
        self.env = run.env
        self.run = run
        self.plan = plan

    def iterate(self) -> Iteration:
        """Simulate all of it.

        Raises SimulationError if nothing was delivered, ConservationError if something went missing.
        """
        self.run.start()
        self.env.run(self.plan.warm_up)
        before = self.run.books()
        stretches = tuple(self._stretch(*phase) for phase in self._phases())
        window = self.run.books() - before
        if not window.delivered:
            raise standstill(self.run, "nothing was delivered")
        self.run.audit()
        return Iteration(self._mean(stretches), window, True, self.env.now, self.env.events, stretches=stretches)

    def _phases(self) -> Iterator[tuple[str, int, int]]:
        """What each begins with, from when until when (ps)."""
        first, last = self.plan.warm_up, self.plan.limit
        before = [what for time, what in self.run.moments.items() if time <= first]
        later = {time: what for time, what in self.run.moments.items() if first < time < last}
        causes = {first: ", ".join(before) or "start"} | later
        for start, end in pairwise([*causes, last]):
            yield causes[start], start, end

    def _stretch(self, cause: str, start: int, end: int) -> Stretch:
        number = max(_FEWEST, round((end - start) / self.plan.sample))
        edges = tuple(start + (end - start) * sample // number for sample in range(number + 1))
        return Stretch(cause, edges, tuple(map(self._delivered, edges)), self.plan.unit)

    def _delivered(self, time: int) -> int:
        self.env.run(time)
        return self.run.delivered

    def _mean(self, stretches: Sequence[Stretch]) -> Estimate:
        """Of all the time. Each phase varies about a mean of its own, so their variances are what counts."""
        each = [(one.edges[-1] - one.edges[0], one.estimate(self.plan.confidence)) for one in stretches]
        whole = sum(time for time, _ in each)
        mean = math.fsum(time / whole * one.mean for time, one in each)
        variance = math.fsum((time / whole) ** 2 * one.variance for time, one in each)
        return estimate(mean, variance, sum(one.degrees for _, one in each), self.plan.confidence)
