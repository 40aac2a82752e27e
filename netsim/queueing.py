"""Closed queueing networks in closed form: `n` customers that circulate among stations.

A customer's `demand` at a station is the time that a server there works for it, over all of its visits in one round.
Times may be in s or in ps, provided that all are in the same unit; throughputs are rounds per that unit. `mva` is exact
for networks in product form: exponential service at stations that serve customers in turn, or any service at delay
stations and those where all share a server (Baskett, Chandy, Muntz and Palacios, Journal of the ACM 22, 1975).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError, plain, show, whole_number

Array = NDArray[np.float64]
_MOST = 10**6  # customers that `mva` adds one by one
_MOST_SHARED = 10**4  # of a station with several servers, where each has a probability for every number before


@dataclass(frozen=True)
class Station:
    """`servers` that share one queue; math.inf: a delay, where no customer waits for another."""

    demand: float
    servers: float = 1

    def __post_init__(self) -> None:
        if not 0 <= self.demand < math.inf:
            raise ScenarioError(f"{show(self.demand)} is not allowed; allowed: a time, 0 or more", address="demand")
        if self.servers != math.inf and not (self.servers >= 1 and self.servers % 1 == 0):
            text = f"{show(self.servers)} is not allowed; allowed: a whole number, 1 or more, or math.inf"
            raise ScenarioError(text, address="servers")

    def busy(self, customers: Array) -> Array:
        """The number of busy servers, for each number of customers there."""
        return np.minimum(customers, self.servers)


@dataclass(frozen=True)
class Solution:
    """Rounds per unit of time (`throughput`), and the time of one without thinking (`response`). By station: the part
    of that time spent there (`residence`), the mean number of customers there (`queue`, with those in service), and the
    busy share of each server (`utilisation`, without delays, which have no servers)."""

    throughput: float
    response: float
    residence: Mapping[str, float]
    queue: Mapping[str, float]
    utilisation: Mapping[str, float]


@dataclass(frozen=True)
class ThroughputRange:
    """The limits of a throughput."""

    low: float
    high: float


def mva(demands: Mapping[str, float | Station], n: int, think: float = 0.0) -> Solution:
    """The mean values for `n` customers that pause for `think` after each round; a bare demand is that of a station
    with a single server. Exact mean-value analysis: a customer that arrives at a station sees what an outside observer
    would see with one customer fewer (Reiser and Lavenberg, "Mean-value analysis of closed multichain queuing
    networks", Journal of the ACM 27, 1980). That takes a step for each customer: up to 1000000 are allowed, or 10000
    if a station has several servers. Raises ScenarioError for a wrong argument.
    """
    stations = _stations(demands, plain(think))
    several = any(1 < one.servers < math.inf for one in stations.values())
    n, think = _counted(n, think, _MOST_SHARED if several else _MOST)
    used = {name: one for name, one in stations.items() if one.demand}
    rates, times = _solve(tuple(used.values()), n, think)
    rate, there = rates[-1], dict.fromkeys(stations, 0.0) | dict(zip(used, times, strict=True))
    return Solution(
        throughput=rate,
        response=math.fsum(times),
        residence=there,
        queue={name: rate * time for name, time in there.items()},
        utilisation={
            name: rate * one.demand / one.servers for name, one in stations.items() if one.servers < math.inf
        },
    )


def asymptotes(demands: Mapping[str, float | Station], n: int, think: float = 0.0) -> ThroughputRange:
    """Limits of the throughput of `n` customers, whatever the distributions: at most that of the slowest station, or
    that of customers that never wait; at least that of customers each of which waits for all others at every station
    (Denning and Buzen, "The operational analysis of queueing network models", ACM Computing Surveys 10, 1978)."""
    n, think = _counted(n, think)
    queues, pause = _apart(_stations(demands, think), think)
    total = math.fsum(one.demand for one in queues)
    slowest = max((one.demand / one.servers for one in queues), default=0.0)
    free = n / (total + pause)
    return ThroughputRange(n / (n * total + pause), min(1 / slowest, free) if slowest else free)


def balanced_job_bounds(demands: Mapping[str, float | Station], n: int, think: float = 0.0) -> ThroughputRange:
    """Closer limits, for networks in product form of single servers and delays: those of networks whose demands all
    equal the largest, or all the mean (Zahorjan, Sevcik, Eager and Galler, "Balanced job bound analysis of queueing
    networks", Communications of the ACM 25, 1982; with thinking: Lazowska and others, "Quantitative system
    performance", 1984, chapter 5)."""
    n, think = _counted(n, think)
    queues, pause = _apart(_stations(demands, think), think)
    if any(one.servers > 1 for one in queues):
        raise ScenarioError("several servers are not allowed; allowed: 1 or math.inf", address="servers")
    if not queues:
        return ThroughputRange(n / pause, n / pause)
    total, slowest = math.fsum(one.demand for one in queues), max(one.demand for one in queues)
    worst = (n - 1) * slowest / (1 + pause / (n * total))
    best = (n - 1) * total / len(queues) / (1 + pause / total)
    return ThroughputRange(n / (total + pause + worst), min(1 / slowest, n / (total + pause + best)))


def _counted(n: int, think: float, most: int = 0) -> tuple[int, float]:
    """The number of customers, up to `most` (0: any), and their pause. Raises ScenarioError."""
    number = whole_number("n", n, 1, most)
    if not 0 <= think < math.inf:
        raise ScenarioError(f"{show(think)} is not allowed; allowed: a time, 0 or more", address="think")
    return number, plain(think)


def _stations(demands: Mapping[str, float | Station], think: float) -> dict[str, Station]:
    """The stations by name. Raises ScenarioError for wrong ones, or if nothing takes any time."""
    made = {name: one if isinstance(one, Station) else Station(one) for name, one in demands.items()}
    stations = {name: Station(plain(one.demand), plain(one.servers)) for name, one in made.items()}
    if not think and not any(one.demand for one in stations.values()):
        raise ScenarioError("nothing takes any time; allowed: a demand or think above 0", address="demands")
    return stations


def _apart(stations: Mapping[str, Station], think: float) -> tuple[list[Station], float]:
    """The stations where customers may wait, and the time of a round spent elsewhere."""
    queues = [one for one in stations.values() if one.demand and one.servers < math.inf]
    return queues, think + math.fsum(one.demand for one in stations.values() if one.servers == math.inf)


@lru_cache(maxsize=256)
def _solve(stations: tuple[Station, ...], n: int, think: float) -> tuple[list[float], list[float]]:
    """The throughput with 0, 1, ... n customers, and the time at each station with `n`. All demands are above 0."""
    crowds = [_Crowd(one, _without(stations, index, n, think)) for index, one in enumerate(stations)]
    rates, times = [0.0], [0.0] * len(stations)
    for number in range(1, n + 1):
        times = [crowd.time() for crowd in crowds]
        whole = think + math.fsum(times)
        rates.append(number / whole if whole else math.inf)
        for crowd, time in zip(crowds, times, strict=True):
            crowd.grow(rates[-1], time)
    return rates, times


def _without(stations: tuple[Station, ...], index: int, n: int, think: float) -> list[float]:
    """The throughputs of the network without this station; not needed, and empty, unless it has several servers."""
    if not 1 < stations[index].servers < math.inf:
        return []
    return _solve(stations[:index] + stations[index + 1 :], n, think)[0]


class _Crowd:
    """The customers at a station, while the network gets one customer after another. With several servers their mean
    number is not enough: the probability of each number is needed.

    The probability of an empty station is usually computed as 1 less all others, which loses all digits if the station
    is busy, and then that error grows without bounds. Here it follows from the network `without` the station: p(0) for
    n customers divided by p(0) for n - 1 is the throughput with the station divided by that without it, because both
    are ratios of the same normalisation constants (Reiser, "Mean-value analysis and convolution method for
    queue-dependent servers in closed queueing networks", Performance Evaluation 1, 1981, describes the problem).
    """

    def __init__(self, station: Station, without: list[float]) -> None:
        self._station = station
        self._without = without
        self._mean = 0.0
        self._likely: Array = np.ones(1)

    def time(self) -> float:
        """The time of one more customer at the station, with those there now."""
        demand = self._station.demand
        if self._station.servers == math.inf:
            return demand
        if not self._without:
            return demand * (1 + self._mean)
        places = np.arange(1.0, len(self._likely) + 1)
        return float(demand * np.sum(places / self._station.busy(places) * self._likely))

    def grow(self, rate: float, time: float) -> None:
        """Add a customer to the network: there are now `rate` rounds per unit of time, each with `time` here."""
        self._mean = rate * time
        if self._without:
            places = np.arange(1.0, len(self._likely) + 1)
            some = rate * self._station.demand / self._station.busy(places) * self._likely
            none = self._likely[0] * rate / self._without[len(self._likely)]
            self._likely = np.concatenate(([none], some))
