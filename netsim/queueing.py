"""Closed queueing networks in closed form: `n` customers that circulate among stations.

A customer's `demand` at a station is the time that a server there works for it, over all of its visits in one round.
Times may be in s or in ps, provided that all are in the same unit; throughputs are rounds per that unit. `mva` is exact
for networks in product form: exponential service at stations that serve customers in turn, or any service at delay
stations and those where all share a server (Baskett, Chandy, Muntz and Palacios, Journal of the ACM 22, 1975).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError, check_type, plain, show, whole_number

Array = NDArray[np.float64]
_MOST = 10**6  # customers that `mva` adds one by one
_MOST_SHARED = 10**4  # of a station with several servers, where every number of customers has a probability
_MOST_COUNTED = 2**53  # that a float counts exactly
_LARGEST = float(np.finfo(float).max)
_NEVER = -1e300  # the logarithm of nothing, as a number


@dataclass(frozen=True)
class Station:
    """`servers` that share one queue; math.inf: a delay, where no customer waits for another."""

    demand: float
    servers: float = 1

    def __post_init__(self) -> None:
        _check_time("demand", self.demand)
        allowed = "a whole number, 1 or more, or math.inf"
        check_type("servers", self.servers, Real, allowed)
        number = plain(self.servers)
        if number != math.inf and not (1 <= number <= _LARGEST and number % 1 == 0):
            raise ScenarioError(f"{show(self.servers)} is not allowed; allowed: {allowed}", address="servers")

    @property
    def shared(self) -> bool:
        """Whether it has several servers."""
        return 1 < self.servers < math.inf


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
    networks", Journal of the ACM 27, 1980). That takes a step for each customer: up to 1000000 are allowed. With
    stations of several servers, up to 10000 are allowed, and each such station adds n x n steps. Raises ScenarioError
    for a wrong argument.
    """
    stations, n, think = _network(demands, n, think, _MOST, _MOST_SHARED)
    used = {name: one for name, one in stations.items() if one.demand}
    if any(one.shared for one in used.values()):
        rate, times = _solve_shared(used, n, think)
    else:
        rates, times = _solve(used, n, think)
        rate = rates[-1]
    there = dict.fromkeys(stations, 0.0) | times
    return Solution(
        throughput=rate,
        response=math.fsum(there.values()),
        residence=there,
        queue={name: rate * time for name, time in there.items()},
        utilisation={
            name: rate * one.demand / one.servers for name, one in stations.items() if one.servers < math.inf
        },
    )


def asymptotes(demands: Mapping[str, float | Station], n: int, think: float = 0.0) -> ThroughputRange:
    """Limits of the throughput of `n` customers, whatever the distributions: at most that of the slowest station, or
    that of customers that never wait; at least that of customers each of which waits for all others at every station
    (Denning and Buzen, "The operational analysis of queueing network models", ACM Computing Surveys 10, 1978).
    Raises ScenarioError for a wrong argument."""
    stations, n, think = _network(demands, n, think)
    queues, pause = _apart(stations, think)
    total = math.fsum(one.demand for one in queues)
    slowest = max((one.demand / one.servers for one in queues), default=0.0)
    free = n / (total + pause)
    return ThroughputRange(n / (n * total + pause), min(1 / slowest, free) if slowest else free)


def balanced_job_bounds(demands: Mapping[str, float | Station], n: int, think: float = 0.0) -> ThroughputRange:
    """Closer limits, for networks in product form of single servers and delays: those of networks whose demands all
    equal the largest, or all the mean (Zahorjan, Sevcik, Eager and Galler, "Balanced job bound analysis of queueing
    networks", Communications of the ACM 25, 1982; with thinking: Lazowska and others, "Quantitative system
    performance", 1984, chapter 5). Raises ScenarioError for a wrong argument."""
    stations, n, think = _network(demands, n, think)
    queues, pause = _apart(stations, think)
    if any(one.servers > 1 for one in queues):
        raise ScenarioError("several servers are not allowed; allowed: 1 or math.inf", address="servers")
    if not queues:
        return ThroughputRange(n / pause, n / pause)
    total, slowest = math.fsum(one.demand for one in queues), max(one.demand for one in queues)
    worst = (n - 1) * slowest / (1 + pause / (n * total))
    best = (n - 1) * total / len(queues) / (1 + pause / total)
    return ThroughputRange(n / (total + pause + worst), min(1 / slowest, n / (total + pause + best)))


def _network(
    demands: Mapping[str, float | Station], n: int, think: float, most: int = _MOST_COUNTED, most_shared: int = 0
) -> tuple[dict[str, Station], int, float]:
    """The stations by name, the number of customers, up to `most`, or `most_shared` (0: the same) if a station has
    several servers, and their pause. Raises ScenarioError for wrong ones, or if nothing takes any time."""
    check_type("demands", demands, Mapping, 'a table of stations, such as {"cpu": 0.002}')
    _check_time("think", think)
    made = {name: one if isinstance(one, Station) else Station(one) for name, one in demands.items()}
    stations = {name: Station(float(one.demand), float(one.servers)) for name, one in made.items()}
    shared = any(one.shared for one in stations.values())
    number = whole_number("n", n, 1, (shared and most_shared) or most)
    whole = _added([float(think), *(one.demand for one in stations.values())])
    if not whole:
        raise ScenarioError("nothing takes any time; allowed: a demand or think above 0", address="demands")
    if math.inf in (number * whole, number / whole):
        text = f"a round of {whole:.3g} is beyond what floats can hold; allowed: another unit of time"
        raise ScenarioError(text, address="demands")
    return stations, number, float(think)


def _added(times: Iterable[float]) -> float:
    try:
        return math.fsum(times)
    except OverflowError:
        return math.inf


def _check_time(name: str, value: object) -> None:
    """Check that an argument is a time. Raises ScenarioError."""
    allowed = "a time, 0 or more"
    check_type(name, value, Real, allowed)
    if not 0 <= plain(value) <= _LARGEST:  # type: ignore[operator]
        raise ScenarioError(f"{show(value)} is not allowed; allowed: {allowed}", address=name)


def _apart(stations: Mapping[str, Station], think: float) -> tuple[list[Station], float]:
    """The stations where customers may wait, and the time of a round spent elsewhere."""
    queues = [one for one in stations.values() if one.demand and one.servers < math.inf]
    return queues, think + math.fsum(one.demand for one in stations.values() if one.servers == math.inf)


def _solve(stations: Mapping[str, Station], n: int, think: float) -> tuple[list[float], dict[str, float]]:
    """The throughput with 0, 1, ... n customers, and the time at each station with `n`. All demands are above 0, and
    no station has several servers."""
    rates, times = [0.0], dict.fromkeys(stations, 0.0)
    for number in range(1, n + 1):
        times = {name: _time(one, rates[-1], times[name]) for name, one in stations.items()}
        rates.append(number / (think + math.fsum(times.values())))
    return rates, times


def _time(station: Station, rate: float, time: float) -> float:
    """The time of one more customer at a delay or a single server, where customers have spent `time` at this `rate`:
    their product is the mean number that it finds."""
    return station.demand * (1 + rate * time) if station.servers == 1 else station.demand


def _solve_shared(stations: Mapping[str, Station], n: int, think: float) -> tuple[float, dict[str, float]]:
    """The throughput and the time at each station with `n` customers, where stations have several servers.

    Mean-value analysis would need the probability that such a station is empty, which is usually computed as 1 less all
    others: that loses all digits if the station is busy, and then the error grows without bounds (Reiser, "Mean-value
    analysis and convolution method for queue-dependent servers in closed queueing networks", Performance Evaluation 1,
    1981). Here all probabilities come from normalisation constants, which are sums of positive terms (Buzen,
    "Computational algorithms for closed queueing networks with exponential servers", Communications of the ACM 16,
    1973).
    """
    alone = {name: one for name, one in stations.items() if not one.shared}
    shared = {name: one for name, one in stations.items() if one.shared}
    weights = [_weights(one, n) for one in shared.values()]
    before = list(accumulate(weights, _convolved, initial=_constants(alone, n, think)))
    after = list(accumulate(weights[:0:-1], _convolved, initial=_nobody(n)))[::-1]
    every, times = before[-1], {}
    rates = [0.0, *np.exp(every[:-1] - every[1:]).tolist()]
    for name, own, others in zip(shared, weights, map(_convolved, before, after), strict=False):
        likely = np.exp(own + others[::-1] - every[-1])  # 0, 1, ... n customers there
        times[name] = float(np.sum(np.arange(n + 1) * likely)) / rates[-1]
    for name, one in alone.items():
        times[name] = reduce(lambda time, rate: _time(one, rate, time), rates[:-1], 0.0)
    return rates[-1], times


def _constants(stations: Mapping[str, Station], n: int, think: float) -> Array:
    """The normalisation constants (logarithms) for 0, 1, ... n customers, without shared stations: throughputs are
    their quotients."""
    if not stations and not think:
        return _nobody(n)
    rates, _ = _solve(stations, n, think)
    return np.concatenate(([0.0], -np.cumsum(np.log(rates[1:]))))


def _weights(station: Station, n: int) -> Array:
    """The same of a station alone."""
    busy = np.minimum(np.arange(1.0, n + 1), station.servers)
    return np.concatenate(([0.0], np.cumsum(math.log(station.demand) - np.log(busy))))


def _nobody(n: int) -> Array:
    """The same of nothing, where no customer can be."""
    return np.concatenate(([0.0], np.full(n, _NEVER)))


def _convolved(one: Array, other: Array) -> Array:
    """The logarithms of a convolution: the constants of two networks together, for 0, 1, ... customers."""
    if other[1] == _NEVER:  # no customer can be there
        return one
    if one[1] == _NEVER:
        return other
    found = np.empty(len(one))
    for number in range(len(one)):
        terms = one[: number + 1] + other[number::-1]
        most = terms.max()
        found[number] = most + np.log(np.sum(np.exp(terms - most)))
    return found
