"""Means of a run's iterations, and the quotient or the difference of two: with an interval from pairs of samples.

Two means of one run, such as throughput and CPU, go up and down together, and so do those of two runs with one seed.
So what a sample adds to the error of a quotient is what it adds to that of the numerator less what it adds to that of
the denominator (both relative), and the interval is that of their sum. Clients of a closed test do the same with the
same seed, however fast they are served: there it is pieces of equal work that are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from netsim.results.samples import Samples
from netsim.statistics import Array, Estimate, degrees_of_each, estimate, replications, variance_of_sum
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class Trace:
    """A mean of one iteration (what is delivered per second, or processors of a host that are busy), and what each
    sample adds to its error: a share of the mean, by the number of the sample on its grid."""

    mean: float
    errors: Array
    origin: int
    step: int
    first: int

    @classmethod
    def of(cls, samples: Samples, host: str | None = None) -> Trace:
        """Of what was delivered, or of a host's CPU."""
        amounts, seconds = samples.amounts(host), samples.seconds
        whole, time = amounts.sum(), seconds.sum()
        errors = amounts / whole - seconds / time if whole else 0 * seconds
        return cls(float(whole / time), errors, samples.origin, samples.step, samples.first)

    def estimate(self, confidence: float, degrees: int, each: float = 1) -> Estimate:
        """The mean, of which one counts as much as `each`, with its interval."""
        mean = self.mean * each
        return _estimate(mean, mean, self.errors, degrees, confidence)

    def pairs_with(self, other: Trace) -> bool:
        """Whether samples of one grid fit into the other one's."""
        long, short = max(self.step, other.step), min(self.step, other.step)
        return self.origin == other.origin and long % short == 0

    def apart(self, other: Trace, weight: float = 1.0) -> Array:
        """This one's errors less `weight` times the other one's, sample by sample, where they have some."""
        step = max(self.step, other.step)
        numbers = [(one.first + np.arange(len(one.errors))) // (step // one.step) for one in (self, other)]
        begin = min(own[0] for own in numbers)
        length = 1 + max(own[-1] for own in numbers) - begin
        this, that = (
            np.bincount(own - begin, one.errors, length) for own, one in zip(numbers, (self, other), strict=True)
        )
        found: Array = this - weight * that
        return found


def of_work(one: Samples, other: Samples) -> tuple[Trace, Trace]:
    """Two traces of what was delivered, over the work that both did: for runs in which the same is done, but at other
    times. Pieces of equal work are the pairs, and the time that they take is what errs."""
    low, high = max(one.delivered[0], other.delivered[0]), min(one.delivered[-1], other.delivered[-1])
    work = np.linspace(low, high, 1 + min(len(one.edges), len(other.edges)) // 2)
    first, second = (
        _of_times(np.diff(np.interp(work, own.delivered, own.edges)) / PS_PER_S, high - low) for own in (one, other)
    )
    return first, second


def _of_times(seconds: Array, whole: int) -> Trace:
    return Trace(float(whole / seconds.sum()), 1 / len(seconds) - seconds / seconds.sum(), 0, 1, 0)


def traces(samples: Sequence[Samples], host: str | None = None) -> list[Trace]:
    """One of each iteration."""
    return [Trace.of(one, host) for one in samples]


def means(found: Sequence[Trace], confidence: float, alike: bool) -> Estimate:
    """The mean over iterations."""
    degrees = degrees_of_each(len(found))
    return replications([one.estimate(confidence, degrees) for one in found], confidence, alike)


def quotient(one: Sequence[Trace], other: Sequence[Trace], confidence: float, alike: bool) -> Estimate | None:
    """The mean of the quotients of two means, iteration by iteration; None if they are no pairs."""
    if not paired(one, other):
        return None
    degrees = degrees_of_each(len(one))
    pairs = zip(one, other, strict=True)
    runs = [_estimate(a.mean / b.mean, a.mean / b.mean, a.apart(b), degrees, confidence) for a, b in pairs]
    return replications(runs, confidence, alike)


def difference(
    one: Sequence[Trace], other: Sequence[Trace], values: tuple[float, float], confidence: float, alike: bool
) -> Estimate | None:
    """What the first mean has more, both in a unit in which they have these `values`; None if they are no pairs."""
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
    """Whether both are known sample by sample, on one grid, in as many iterations, and none is 0."""
    return (
        0 < len(one) == len(other)
        and all(a.pairs_with(b) for a, b in zip(one, other, strict=True))
        and all(trace.mean for trace in (*one, *other))
    )


def _estimate(mean: float, scale: float, errors: Array, degrees: int, confidence: float) -> Estimate:
    """Of a mean, whose errors are shares of `scale`."""
    variance, found = variance_of_sum(errors, degrees)
    return estimate(mean, scale**2 * variance, found, confidence)
