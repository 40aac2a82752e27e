"""Means of a run's iterations, and the quotient or the difference of two: with an interval from pairs of samples.

Two means of one run, such as throughput and CPU, go up and down together, and so do those of two runs with one seed. A
sample's contribution to the error of a quotient is therefore its contribution to the numerator's error less that to the
denominator's (both relative), and the interval comes from the sum over samples. With the same seed, clients of a closed
test do the same work however fast they are served: there, pieces of equal work are paired, and what only one of both
did is left out. A quotient over several iterations is that of the two means, with the error that Cochran derives for a
ratio (netsim.statistics).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from netsim.results.by_content import ByContent
from netsim.results.samples import Samples
from netsim.statistics import Array, Estimate, degrees_of_each, estimate, never, replications, variance_of_sum
from netsim.units import PS_PER_S

# Of either run: the part that both must have. The slowest swings that tell the error have one period or more in all
# samples of both together. If less is shared, much of their power is at frequencies too low to show in one run alone.
_SHARED = 0.5


@dataclass(frozen=True, eq=False)
class Trace(ByContent):
    """A mean of one iteration (deliveries per second, or busy processors of a host), and each sample's contribution to
    its error: a share of the mean, by the sample's number on its grid."""

    mean: float
    errors: Array
    origin: int
    step: int
    first: int

    @classmethod
    def of(cls, samples: Samples, host: str | None = None) -> Trace:
        """The trace of deliveries, or of a host's CPU."""
        amounts, seconds = samples.amounts(host), samples.seconds
        whole, time = amounts.sum(), seconds.sum()
        errors = amounts / whole - seconds / time if whole else 0 * seconds
        return cls(float(whole / time), errors, samples.origin, samples.step, samples.first)

    def estimate(self, confidence: float, degrees: int, each: float = 1) -> Estimate:
        """The mean with its interval, both multiplied by `each`."""
        mean = self.mean * each
        return _estimate(mean, mean, self.errors, degrees, confidence)

    def pairs_with(self, other: Trace) -> bool:
        """Whether samples of one grid fit into those of the other, and most are at the same places."""
        long, short = max(self.step, other.step), min(self.step, other.step)
        return self.origin == other.origin and long % short == 0 and self._meets(other)

    def _meets(self, other: Trace) -> bool:
        """Whether both have enough of the grid in common."""
        begins, ends = zip(*(own._span for own in (self, other)), strict=True)
        most = max(end - begin for begin, end in zip(begins, ends, strict=True))
        return bool(min(ends) - max(begins) >= _SHARED * most)

    @property
    def _span(self) -> tuple[int, int]:
        return self.first * self.step, (self.first + len(self.errors)) * self.step

    def apart(self, other: Trace, weight: float = 1.0) -> Array:
        """The errors of this trace less `weight` times those of the other; a sample that only one has counts alone."""
        step = max(self.step, other.step)
        numbers = [(one.first + np.arange(len(one.errors))) // (step // one.step) for one in (self, other)]
        begin = min(own[0] for own in numbers)
        length = 1 + max(own[-1] for own in numbers) - begin
        this, that = (
            np.bincount(own - begin, one.errors, length) for own, one in zip(numbers, (self, other), strict=True)
        )
        found: Array = this - weight * that
        return found


def of_work(one: Samples, other: Samples) -> tuple[Trace, Trace] | None:
    """Two traces of deliveries over the work that both runs did: for runs that do the same work at different times.
    Pieces of equal work form the pairs, and the errors are those of the times that they take. None if they have less
    than half of their work in common."""
    low, high = max(one.delivered[0], other.delivered[0]), min(one.delivered[-1], other.delivered[-1])
    most = max(own.delivered[-1] - own.delivered[0] for own in (one, other))
    if not 0 < _SHARED * most <= high - low:
        return None
    work = np.linspace(low, high, 1 + min(len(one.edges), len(other.edges)) // 2)
    first, second = (
        _of_times(np.diff(np.interp(work, own.delivered, own.edges)) / PS_PER_S, high - low) for own in (one, other)
    )
    return first, second


def _of_times(seconds: Array, whole: int) -> Trace:
    return Trace(float(whole / seconds.sum()), 1 / len(seconds) - seconds / seconds.sum(), 0, 1, 0)


def traces(samples: Sequence[Samples], host: str | None = None) -> list[Trace]:
    """The trace of each iteration."""
    return [Trace.of(one, host) for one in samples]


def mean_of(samples: Samples, confidence: float, degrees: int, piece: float, each: float = 1) -> Estimate:
    """The mean of one iteration's deliveries of `piece` each, multiplied by `each`; if there are none, 0 with its upper
    limit."""
    trace = Trace.of(samples)
    if trace.mean:
        return trace.estimate(confidence, degrees, each)
    return never((samples.edges[-1] - samples.edges[0]) / PS_PER_S, piece * each, confidence)


def means(found: Sequence[Trace], confidence: float, alike: bool) -> Estimate:
    """The mean over iterations."""
    degrees = degrees_of_each(len(found))
    return replications([one.estimate(confidence, degrees) for one in found], confidence, alike)


def quotient(one: Sequence[Trace], other: Sequence[Trace], confidence: float, alike: bool) -> Estimate | None:
    """The quotient of two means over iterations; None if they cannot be paired."""
    if not paired(one, other):
        return None
    degrees = degrees_of_each(len(one))
    below = fmean(trace.mean for trace in other)
    value = fmean(trace.mean for trace in one) / below
    runs = []
    for a, b in zip(one, other, strict=True):
        high, low = a.mean / below, value * b.mean / below
        runs.append(_estimate(value + (high - low), high, a.apart(b, low / high), degrees, confidence))
    return replications(runs, confidence, alike)


def difference(
    one: Sequence[Trace], other: Sequence[Trace], values: tuple[float, float], confidence: float, alike: bool
) -> Estimate | None:
    """The first mean less the second, in the unit in which they have these `values`; None if they cannot be paired."""
    if not paired(one, other):
        return None
    degrees = degrees_of_each(len(one))
    units = [value / fmean(trace.mean for trace in own) for value, own in zip(values, (one, other), strict=True)]
    runs = []
    for a, b in zip(one, other, strict=True):
        high, low = a.mean * units[0], b.mean * units[1]
        runs.append(_estimate(high - low, high, a.apart(b, low / high), degrees, confidence))
    return replications(runs, confidence, alike)


def paired(one: Sequence[Trace], other: Sequence[Trace]) -> bool:
    """Whether both are known sample by sample, on one grid, in equally many iterations, and none is 0."""
    return (
        0 < len(one) == len(other)
        and all(a.pairs_with(b) for a, b in zip(one, other, strict=True))
        and all(trace.mean for trace in (*one, *other))
    )


def _estimate(mean: float, scale: float, errors: Array, degrees: int, confidence: float) -> Estimate:
    """The estimate of a mean whose errors are shares of `scale`."""
    variance, found = variance_of_sum(errors, degrees)
    return estimate(mean, scale**2 * variance, found, confidence)
