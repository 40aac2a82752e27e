"""How long transactions take, as a distribution: percentiles with intervals, a histogram, and the time in each stage.

The interval of a percentile's share of all transactions has a percentile at each end: these are the ends of the
percentile's own interval (Woodruff, "Confidence intervals for medians and other position measures", Journal of the
American Statistical Association 47, 1952). Consecutive transactions are not independent, since many are slow together:
the share is as precise as fewer independent draws would make it (netsim.results.effective_draws).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from netsim.accounts import Accounts
from netsim.engine import ResponseLog
from netsim.results.by_content import ByContent
from netsim.results.effective_draws import both_sides
from netsim.statistics import Array
from netsim.units import PS_PER_S

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
STEPS = 32  # bins of the histogram per doubling: each is 2.2 % wide
_MIDDLE = (0.4, 0.6)  # shares of all, ordered by time: those around the median
_TAIL = 0.99  # share from which transactions belong to the tail
_FEWEST = 10  # transactions beyond a percentile, the fewest for an estimate


@dataclass(frozen=True)
class Percentile:
    """`percent` of all transactions take no longer than `time` (s), which lies between `low` and `high`."""

    percent: float
    time: float
    low: float
    high: float


@dataclass(frozen=True)
class Stage:
    """The time (s) that transactions spend in a stage: on average, around the median, and in the slowest hundredth."""

    name: str
    mean: float
    median: float
    tail: float


@dataclass(frozen=True)
class Latencies:
    """The times (s) of `count` transactions. `percentiles` has those percentiles whose interval is known. `histogram`
    has the limits (s) and the number of transactions of each bin that is not empty; bins are the same for all results.
    `stages` add up to the mean times of all transactions, of those around the median (the middle fifth, and at least
    the middle one or two), and of the slowest hundredth."""

    count: int
    mean: float
    least: float
    most: float
    percentiles: tuple[Percentile, ...]
    histogram: tuple[tuple[float, float, int], ...]
    stages: tuple[Stage, ...]

    @property
    def median(self) -> float:
        """The time (s) that half of all transactions do not exceed; their mean if the interval of that is not known."""
        return next((one.time for one in self.percentiles if one.percent == 50), self.mean)

    def record(self) -> dict[str, Any]:
        """A flat row, with one number per name: `mean`, `p99`, `p99.low`, `wire.tail` ..."""
        found: dict[str, Any] = {name: getattr(self, name) for name in ("count", "mean", "least", "most")}
        for one in self.percentiles:
            name = f"p{one.percent:g}"
            found |= {name: one.time, f"{name}.low": one.low, f"{name}.high": one.high}
        for stage in self.stages:
            found |= {f"{stage.name}.{of}": getattr(stage, of) for of in ("mean", "median", "tail")}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object from the data of `to_dict`."""
        parts = {
            "percentiles": tuple(Percentile(**one) for one in data["percentiles"]),
            "histogram": tuple((start, end, count) for start, end, count in data["histogram"]),
            "stages": tuple(Stage(**one) for one in data["stages"]),
        }
        return cls(**dict(data) | parts)


@dataclass(frozen=True, eq=False)
class Responses(ByContent):
    """The transactions of one iteration, in the order in which they ended: the time (ps) of each, and of each of its
    stages, by name."""

    times: Array
    stages: Mapping[str, Array]

    @classmethod
    def of(cls, log: ResponseLog, start: int, end: int) -> Self:
        """The transactions of a log from one number up to another."""
        stages = {name: np.array(of[start:end], dtype=float) for name, of in zip(log.names, log.stages, strict=True)}
        return cls(np.array(log.times[start:end], dtype=float), stages)

    @classmethod
    def within(cls, logs: Mapping[str, ResponseLog], before: Accounts, after: Accounts) -> dict[str, Self]:
        """The transactions of each kind that ended in a window, given the accounts at both of its ends."""
        return {kind: cls.of(log, before.ended.get(kind, 0), after.ended[kind]) for kind, log in logs.items()}


def latencies(runs: Sequence[Responses], confidence: float) -> Latencies | None:
    """The distribution over iterations of one test; None if nothing ended."""
    times = np.concatenate([run.times for run in runs]) if runs else np.array([])
    if not len(times):
        return None
    ordered = np.sort(times)
    known = (_percentile(runs, ordered, percent, confidence) for percent in PERCENTILES)
    return Latencies(
        len(times),
        _s(times.mean()),
        _s(ordered[0]),
        _s(ordered[-1]),
        tuple(one for one in known if one is not None),
        tuple(_histogram(times)),
        tuple(_stages(runs, times)),
    )


def _percentile(runs: Sequence[Responses], ordered: Array, percent: float, confidence: float) -> Percentile | None:
    share = percent / 100
    if len(ordered) - _number(ordered, share) < _FEWEST:
        return None
    time = _at(ordered, share)
    below, up_to = both_sides([run.times for run in runs if len(run.times) > 1], time)
    low, high = share - below.width(share, confidence), share + up_to.width(share, confidence)
    if time == ordered[-1]:
        if not up_to.reach_beyond(share, confidence):
            return None
        high = share
    if high >= 1:
        return None
    return Percentile(percent, _s(time), _s(_at(ordered, low)), _s(_at(ordered, high)))


def _at(ordered: Array, share: float) -> float:
    """The shortest time that this share of transactions does not exceed."""
    return float(ordered[max(0, _number(ordered, share) - 1)])


def _number(ordered: Array, share: float) -> int:
    """The fewest transactions that are at least this share."""
    return int(np.ceil(share * len(ordered)))


def _histogram(times: Array) -> list[tuple[float, float, int]]:
    bins, counts = np.unique(np.floor(np.log2(times) * STEPS).astype(int), return_counts=True)
    edges = [(_s(2.0 ** (number / STEPS)), _s(2.0 ** ((number + 1) / STEPS))) for number in bins.tolist()]
    return [(start, end, count) for (start, end), count in zip(edges, counts.tolist(), strict=True)]


def _stages(runs: Sequence[Responses], times: Array) -> list[Stage]:
    middle, slowest = _around_median(times), times >= np.quantile(times, _TAIL)
    found = []
    for name in runs[0].stages:
        own = np.concatenate([run.stages[name] for run in runs])
        found.append(Stage(name, *(_s(own[those].mean()) for those in (slice(None), middle, slowest))))
    return found


def _around_median(times: Array) -> Array:
    """Which times are in the middle fifth. Of two or four none is, so it extends to those next to the median."""
    low, high = np.quantile(times, _MIDDLE)
    below, above = (np.quantile(times, 0.5, method=method) for method in ("lower", "higher"))
    found: Array = (times >= min(low, below)) & (times <= max(high, above))
    return found


def _s(ps: float) -> float:
    return float(ps) / PS_PER_S
