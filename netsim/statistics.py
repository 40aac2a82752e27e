"""The steady-state mean of a simulation's output: warm-up removal, its variance, replications.

Successive samples of one run are not independent, and the first ones still show the empty start, so the start is cut
off where MSER puts it. The error of the mean is estimated from the slowest swings of the remaining samples: those with
one, two, three ... periods in all of them. If no effect lasts as long as these periods, each swing is as large as the
error of the mean itself, and independent of the other swings, however neighbouring samples are correlated; Student's t
then gives the interval. Fluctuations within a few samples, such as a delivery that falls into this sample or the next
one, cancel out. Runs with other seeds are independent by construction and are combined last.

If nothing was delivered at all, swings say nothing. Deliveries that arrive at random are all missed with the
probability exp(-rate x time); the rates for which that is not too small range from 0 to the half-width. What arrives
together counts as one delivery.

Sources: Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?" (JAMA 249, 1983) for the latter;
White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation" (WSC 2000) for
MSER; Heidelberger and Welch, "A spectral method for confidence interval generation and run length control in
simulations" (Communications of the ACM 24, 1981) for the variance of a mean from the spectrum near zero; Cochran,
"Sampling Techniques" (1977), chapter 6, for the ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from netsim.units import total

Array = NDArray[np.float64]

DEGREES = 16  # of freedom, of all iterations together: Student's t is then 1.1 times its limit
FEWEST_DEGREES = 4  # of each iteration
_CALM = 10  # samples before an event, at least: fewer may lie between the extremes by chance
_FEW = 2  # samples for each degree of freedom, up to which they are few
_LEAST = 1 / 3  # of the variance found is kept at least, however much of it is due to the edges of samples
_FEWEST_BETWEEN = 3  # degrees of freedom of runs that differ
_ALIKE = 0.001  # level of the test whether runs differ by more than their own variances explain
_LITTLE = 0.01  # of what could be delivered; a share of a mean below that says nothing
_NOISE = 1e-12  # relative variance that is only rounding


@dataclass(frozen=True)
class Estimate:
    """A mean with the half-width of its interval; `variance` is that of the mean, known with `degrees` of freedom."""

    mean: float
    half_width: float
    variance: float
    degrees: int

    @property
    def relative(self) -> float:
        """The half-width as a share of the mean."""
        return self.half_width / abs(self.mean) if self.mean else math.inf

    def is_tiny(self, most: float) -> bool:
        """Whether the mean is a tiny part of the `most` that is possible: then only the distance from zero matters, and
        a share of the mean would take forever."""
        return self.mean < _LITTLE * most

    def share(self, most: float) -> float:
        """The half-width as a share of the mean, or of the `most` that is possible if the mean is a tiny part of it."""
        return self.half_width / most if self.is_tiny(most) else self.relative


def mser(samples: Sequence[float] | Array) -> int | None:
    """How many samples to cut off at the start, or None: not settled within the first half.

    The cut minimises the squared standard error of the remaining samples. MSER-5 first averages batches of five
    observations, which is left to the caller.
    """
    values = np.asarray(samples, dtype=float)
    number = len(values)
    if number < 2:
        return None
    remaining = number - np.arange(number)
    sums, squares = (np.cumsum(each[::-1])[::-1] for each in (values, values**2))
    spread = squares / remaining - (sums / remaining) ** 2
    if spread[0] <= _NOISE * values.mean() ** 2:
        return 0
    best = int(np.argmin((spread / remaining)[: number // 2 + 1]))
    return best if best < number // 2 else None


def transient(samples: Sequence[float] | Array) -> int | None:
    """How many samples to cut off at the start, or None: not settled within the first half.

    This is MSER's cut, unless it removes a rare event, such as a timeout, with everything before it, only because the
    mean of what remains then varies less. In an event samples are beyond the extremes of those behind the cut; before
    it they are not, for a while that is as long as all such samples to come. If there is such a calm stretch, the cut
    is where MSER puts it without the event.
    """
    values = np.asarray(samples, dtype=float)
    cut = mser(values)
    if not cut:
        return cut
    start, rest = values[:cut], values[cut:]
    beyond = np.flatnonzero((start < rest.min()) | (start > rest.max()))
    for passed, (last, event) in enumerate(pairwise([-1, *beyond])):
        calm = values[last + 1 : event]
        if len(calm) >= max(_CALM, len(beyond) - passed):
            within = mser(np.concatenate([calm, rest]))
            return cut if within is None or within >= len(calm) else int(last + 1 + within)
    return cut


def mean_rate(
    amounts: Sequence[float] | Array, times: Sequence[float] | Array, confidence: float, degrees: int = DEGREES
) -> Estimate:
    """The rate sum(amounts) / sum(times) of one run, from two or more consecutive samples of nearly equal length.

    The rate is a ratio, so its spread is that of `amount - rate * time`.
    """
    amount, time = np.asarray(amounts, dtype=float), np.asarray(times, dtype=float)
    whole = float(time.sum())
    rate = float(amount.sum()) / whole
    return estimate(rate, *variance_of_sum((amount - rate * time) / whole, degrees), confidence)


def variance_of_sum(errors: Array, degrees: int = DEGREES) -> tuple[float, int]:
    """The variance of the sum of consecutive errors, and its degrees of freedom. The errors are deviations from the
    estimated mean, because the true one is unknown: they add up to 0.

    A few errors are assumed independent. For many, the variance is the mean power of the slowest swings, less the power
    that comes from edges: an error e of an edge is e in one sample and -e in the next, with a power of 2 - 2 cos w at
    the frequency w, and no error of the sum. If the slower half of these swings has more power than all of them, that
    of the half counts, because even slower swings may have more. The running sum may begin and end anywhere in its
    faster swings, so the result is at least twice their variance.
    """
    number = len(errors)
    if number <= _FEW * degrees:
        return float(np.sum(errors**2)) * number / (number - 1), number - 1
    power = np.abs(np.fft.rfft(errors)[1:]) ** 2
    shape = 2 - 2 * np.cos(2 * np.pi * np.arange(1, len(power) + 1) / number)
    swings, fast = power / shape, len(power) // 2
    edges = float(swings[fast:].mean()) * shape
    slow = degrees // 2
    most = max(_without(power[:some], edges[:some]) for some in (slow, -(-slow // 2)))
    return max(most, 4 * float(swings[slow:].sum()) / number**2), 2 * slow


def _without(power: Array, edges: Array) -> float:
    """The mean power, less that of edges."""
    found = float(power.mean())
    return max(found - float(edges.mean()), _LEAST * found)


def degrees_of_each(iterations: int) -> int:
    """The degrees of freedom for each of several iterations: an even number."""
    return max(FEWEST_DEGREES, DEGREES // iterations // 2 * 2)


def estimate(mean: float, variance: float, degrees: int, confidence: float) -> Estimate:
    """A mean whose own variance was estimated with `degrees` degrees of freedom."""
    return Estimate(mean, student(confidence, degrees) * math.sqrt(variance), variance, degrees)


def never(time: float, amount: float, confidence: float) -> Estimate:
    """The rate of deliveries of `amount` each, none of which arrived in `time`: 0, with its upper limit."""
    limit = -math.log(1 - confidence) * amount / time
    return Estimate(0.0, limit, (amount / time) ** 2, FEWEST_DEGREES)


def replications(runs: Sequence[Estimate], confidence: float, alike: bool = True) -> Estimate:
    """The mean over independent runs.

    With two runs Student's t has one degree of freedom, and its 99 % interval is 64 standard errors wide. Each run also
    has an estimate of its own variance. If the runs differ no more than these explain (an F test), both describe one
    variance and are pooled with all their degrees of freedom. If they differ more, each run behaves differently, and
    the differences between runs count, with at least three degrees of freedom: an interval of 64 standard errors, if
    only occasionally and by chance, is of no use. Runs that are not `alike`, because each does something else, differ
    anyway, so only their own variances count. Runs in which nothing was delivered count as one run of all their time.
    """
    if all(run.half_width > 0 and not run.mean for run in runs):
        return replace(runs[0], half_width=1 / total(1 / run.half_width for run in runs))
    means = np.array([run.mean for run in runs])
    mean, number = float(means.mean()), len(runs)
    within, within_degrees = _within(runs)
    if not alike:
        within = total(run.variance for run in runs) / number
    if number == 1 or not alike:
        return estimate(mean, within / number, within_degrees, confidence)
    between, degrees = float(means.var(ddof=1)), number - 1
    if not differ(runs):
        between = (degrees * between + within_degrees * within) / (degrees + within_degrees)
        degrees += within_degrees
    return estimate(mean, between / number, max(degrees, _FEWEST_BETWEEN), confidence)


def differences(runs: Sequence[Estimate], confidence: float) -> Estimate:
    """The mean over two or more independent runs whose own variances say nothing: only their differences count."""
    means = np.array([run.mean for run in runs])
    return estimate(float(means.mean()), float(means.var(ddof=1)) / len(runs), len(runs) - 1, confidence)


def differ(runs: Sequence[Estimate]) -> bool:
    """Whether independent runs differ by more than their own variances explain. Longer runs would, too: only further
    runs improve the overall mean."""
    if len(runs) == 1:
        return False
    within, degrees = _within(runs)
    between = float(np.var([run.mean for run in runs], ddof=1))
    return between > within * _f_limit(len(runs) - 1, degrees)


def _within(runs: Sequence[Estimate]) -> tuple[float, int]:
    """The variance of one mean, pooled from the runs' own estimates, and its degrees of freedom."""
    degrees = sum(run.degrees for run in runs)
    return total(run.degrees * run.variance for run in runs) / degrees, degrees


def student(confidence: float, degrees: int) -> float:
    """Student's t: the half-width of a two-sided interval in standard errors."""
    from scipy.special import stdtrit  # here, so that importing netsim stays quick

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def _f_limit(between: int, within: int) -> float:
    from scipy.special import fdtri

    return float(fdtri(between, within, 1 - _ALIKE))
