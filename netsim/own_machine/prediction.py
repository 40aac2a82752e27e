"""A test simulated with the assumed processor costs, and with those that another microarchitecture may have.

Costs were measured on one machine. Another one needs more or fewer cycles for the same code: from two thirds to three
halves of them, in total. That is an assumption, and wider than the interval of any single simulation.

Data that arrived out of order, or that wait for the process, are then read all at once. In a short run, data that were
waiting when the count began may lift the mean above the bound; such a run is too short, and is made longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from netsim.errors import ConservationError, SimulationError
from netsim.measure.simulation import unattended
from netsim.results.result import Result
from netsim.workload import Iperf3

SPEEDS = (1.0, 2 / 3, 1.5)  # times the clock: as assumed, slower, faster
_SETTINGS: Mapping[str, Any] = {"warm_up": "20 ms", "sample": "2 ms", "precision": 0.02}
# The second is for losses that only a timeout repairs (200 ms each), and for rates above the bound.
_LIMIT, _LONGER = "200 ms", "1 s"
_WIDE = 0.1  # half-width of an interval, as a share of its mean, from which the second applies
_LIKELY = 1.005  # times as much: less counts as no gain
_REACHED = 0.998  # of a bound: no further gain is possible
_CLOCKS = ("sender.server.clock", "receiver.server.clock")


@dataclass(frozen=True)
class Prediction:
    """The test's results, in the order of SPEEDS."""

    results: tuple[Result, ...]

    @property
    def likely(self) -> Result:
        """With costs as assumed."""
        return self.results[0]

    @cached_property
    def low(self) -> float:
        """Bit/s, less the half-width of the simulation itself."""
        return min(one.throughput - one.half_width for one in self.results)

    @cached_property
    def high(self) -> float:
        """Bit/s, with the half-width; no more than the bounds allow."""
        return max(min(one.throughput + one.half_width, one.scenario.bounds().limit) for one in self.results)


@dataclass(frozen=True)
class Gain:
    """The ratio of a change's rate to the rate without it, and its lower and upper limit; `rate` is the resulting rate
    (bit/s)."""

    factor: float
    low: float
    high: float
    rate: float

    @property
    def sure(self) -> bool:
        """Whether even the lower limit is a gain."""
        return self.low > 1

    @property
    def likely(self) -> bool:
        """Whether it is a gain with costs as assumed."""
        return self.factor > _LIKELY

    @property
    def possible(self) -> bool:
        """Whether it may be a gain."""
        return self.high > _LIKELY


def predict(test: Iperf3) -> Prediction:
    """Simulate it. Raises SimulationError if nothing is delivered."""
    return Prediction(tuple(_simulated(test, speed) for speed in SPEEDS))


def _at(test: Iperf3, speed: float) -> Iperf3:
    return test.scale(dict.fromkeys(_CLOCKS, speed)) if speed != 1 else test


def _simulated(test: Iperf3, speed: float) -> Result:
    changed = _at(test, speed)
    try:
        found = unattended(changed, limit=_LIMIT, **_SETTINGS)
        if found.half_width < _WIDE * found.throughput <= _WIDE * changed.bounds().limit:
            return found
    except ConservationError:
        raise
    except SimulationError:
        pass
    return unattended(changed, limit=_LONGER, **_SETTINGS)


def gain(before: Prediction, after: Iperf3, least: float = 0.0) -> Gain:
    """The gain of a changed test; if its factor is not above `least`, the interval is that of the first simulation
    alone. A result that already reaches its bound is not simulated again. Raises SimulationError."""
    found = [_quotient(before.results[0], after, SPEEDS[0])]
    factor = found[0][0]
    if factor > least:
        others = zip(before.results[1:], SPEEDS[1:], strict=True)
        found += [_quotient(one, after, speed) for one, speed in others]
    low, high = min(value - width for value, width in found), max(value + width for value, width in found)
    return Gain(factor, low, high, factor * before.likely.throughput)


def _quotient(before: Result, after: Iperf3, speed: float) -> tuple[float, float]:
    """The ratio, with half the width of its interval."""
    if before.throughput >= _REACHED * _at(after, speed).bounds().limit:
        return 1.0, 0.0
    return _simulated(after, speed).quotient(before)
