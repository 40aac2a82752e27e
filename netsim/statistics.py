"""What a simulation's output says about the mean in steady state: warm-up removal, batch means, replications.

Successive samples of one run are not independent, and the first ones still show the empty start. So the start is cut
off where MSER puts it, the rest is put together into batches long enough to be nearly independent, and Student's t
gives the interval. Runs with other seeds are independent by construction and are combined last.

Sources: White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation" (WSC 2000) for
MSER; Schmeiser, "Batch size effects in the analysis of simulation output" (Operations Research 30, 1982) for 10 to 30
batches; Fishman and Yarberry, "An implementation of the batch means method" (INFORMS J. Computing 9, 1997) for longer
batches while neighbours are correlated; Cochran, "Sampling Techniques" (1977), chapter 6, for the ratio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MIN_BATCHES = 10  # fewer give a variance that is hardly known
_CHANCE = 2.0  # standard errors: a negative correlation below this counts as chance, a positive one never
_ALIKE = 0.25  # level of the test before variances are pooled (Bancroft, Biometrika 51, 1964): rather too cautious
_NOISE = 1e-12  # relative variance that is rounding and nothing else


@dataclass(frozen=True)
class Estimate:
    """A mean with the half-width of its interval, `variance` that of the mean, from `degrees` of freedom."""

    mean: float
    half_width: float
    variance: float
    degrees: int

    @property
    def relative(self) -> float:
        """The half-width as a share of the mean."""
        return self.half_width / abs(self.mean) if self.mean else math.inf


def mser(samples: Sequence[float] | Array) -> int | None:
    """How many samples to cut off at the start, or None: not settled within the first half.

    The cut is where the squared standard error of what remains is smallest. MSER-5 puts five observations together
    first; a sample is a batch already, of far more than five deliveries.
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


def batch_means(amounts: Sequence[float] | Array, times: Sequence[float] | Array, confidence: float) -> Estimate:
    """The rate sum(amounts) / sum(times) of one run, from two or more consecutive samples of nearly equal length.

    Samples are put together into ever longer batches until neighbours are uncorrelated or only MIN_BATCHES are left.
    What correlation r is left then changes the variance as that of a first-order autoregressive process, by
    (1 + r) / (1 - r). A positive one is always believed; a negative one (what one batch lacks, the next one has) makes
    the interval narrower, and is believed only if it is more than chance. The rate is a ratio, so its spread is that
    of `amount - rate * time`.
    """
    amount, time = np.asarray(amounts, dtype=float), np.asarray(times, dtype=float)
    rate = float(amount.sum() / time.sum())
    residual = amount - rate * time
    size = 1
    while _correlation(batches := _grouped(residual, size)) and len(residual) // (2 * size) >= MIN_BATCHES:
        size *= 2
    number, lag1 = len(batches), _correlation(batches)
    variance = float(np.sum(batches**2)) / (number - 1) * number / float(time[: number * size].sum()) ** 2
    return estimate(rate, variance * (1 + lag1) / (1 - lag1), number - 1, confidence)


def estimate(mean: float, variance: float, degrees: int, confidence: float) -> Estimate:
    """A mean whose own variance was estimated with `degrees` degrees of freedom."""
    return Estimate(mean, student(confidence, degrees) * math.sqrt(variance), variance, degrees)


def replications(runs: Sequence[Estimate], confidence: float) -> Estimate:
    """The mean over independent runs.

    With two runs Student's t has one degree of freedom, and its 99 % interval is 64 standard errors wide. Each run also
    knows its own variance, from its batches. If the runs differ no more than those say (an F test at a cautious level),
    both describe one variance and are pooled with all their degrees of freedom. If they differ more, each run
    has found something of its own, and only the differences between runs count, however few they are.
    """
    means = np.array([run.mean for run in runs])
    mean, number = float(means.mean()), len(runs)
    within_degrees = sum(run.degrees for run in runs)
    within = sum(run.degrees * run.variance for run in runs) / within_degrees
    if number == 1:
        return estimate(mean, within, within_degrees, confidence)
    between, degrees = float(means.var(ddof=1)), number - 1
    if between <= within * _f_limit(degrees, within_degrees):
        between = (degrees * between + within_degrees * within) / (degrees + within_degrees)
        degrees += within_degrees
    return estimate(mean, between / number, degrees, confidence)


def student(confidence: float, degrees: int) -> float:
    """Student's t: how many standard errors a two-sided interval reaches out."""
    from scipy.special import stdtrit  # here, so that importing netsim stays quick

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def _f_limit(between: int, within: int) -> float:
    from scipy.special import fdtri

    return float(fdtri(between, within, 1 - _ALIKE))


def _grouped(values: Array, size: int) -> Array:
    """Sums of `size` neighbours; an incomplete group at the end is left out."""
    number = len(values) // size
    sums: Array = values[: number * size].reshape(number, size).sum(axis=1)
    return sums


def _correlation(residuals: Array) -> float:
    """The lag-1 correlation of neighbours, with that of independent ones taken as 0 if it is negative."""
    power = float(np.sum(residuals**2))
    lag1 = float(np.sum(residuals[1:] * residuals[:-1])) / power if power else 0.0
    return lag1 if lag1 > 0 or -lag1 * math.sqrt(len(residuals)) > _CHANCE else 0.0
