"""A user's request, and the resulting plan for the measurement of a stream."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from netsim.accounts.accounts import Accounts
from netsim.accounts.bounds import Bounds
from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.statistics import Estimate, never
from netsim.units import PS_PER_S, RateUnit, format_time, parse

PRECISION, WARM_UP, SAMPLE = 0.002, "30 ms", "2 ms"  # unless a user asks for others
_WARM_UP = int(parse("time", WARM_UP))  # ps
_SHORT = 4  # the default warm-up is at most the test's length divided by this
_SAMPLES = 40  # at least in the time of a test, however short it is,
_LEFT = 30  # and after its warm-up: as many as the default leaves


@dataclass(frozen=True)
class Asked:
    """The arguments of `simulate`, times in ps; None: not given."""

    precision: float
    warm_up: int | None
    sample: int
    limit: int | None


@dataclass(frozen=True)
class SamplingPlan:
    """The plan of a measurement. Times are in ps; `unit` says what is delivered, in pieces of `piece` bytes or
    transactions; `most` is the limit of the closed form (base units per second)."""

    confidence: float
    warm_up: int
    sample: int
    limit: int
    unit: RateUnit
    piece: int
    most: float

    def nothing(self, window: Accounts) -> Estimate:
        """The estimate for a window in which nothing was delivered. Transactions that are under way together may end
        together, as a device's commands do that share a link: all of them then count as one delivery."""
        together = max(1.0, window.under_way / window.elapsed)
        return never(window.elapsed / PS_PER_S, together * self.piece * self.unit.each, self.confidence)


def plan_of(scenario: Scenario, duration: int, asked: Asked) -> SamplingPlan:
    """The plan of a stream, with a delivery in each sample; all samples of a short test fit in its duration.

    Longer samples are longer by a power of two, so that samples of similar tests share a grid. Raises ScenarioError for
    a test too short to have samples of a picosecond, and for a warm-up that leaves no room for samples.
    """
    end, address = min((duration, "duration"), (asked.limit or duration, "limit"))
    if end < _SAMPLES:
        problem = f"{format_time(end)} is too short; allowed: {format_time(_SAMPLES)} or more"
        raise ScenarioError(problem, address=address)
    sample, bounds = asked.sample, _slowest(scenario)
    delivery = max(bounds.demand.values())
    while sample < delivery:
        sample *= 2
    warm_up = _warm_up(asked.warm_up, end, min(math.ceil(delivery), end // _SAMPLES))
    return SamplingPlan(
        scenario.confidence,
        warm_up,
        min(sample, end // _SAMPLES, (end - warm_up) // _LEFT),
        end,
        scenario.unit,
        bounds.delivered,
        bounds.limit,
    )


def _warm_up(asked: int | None, end: int, least: int) -> int:
    """The time (ps) to cut off from a test that ends at `end`: what a user asks for, if that leaves room for samples of
    `least` ps. Only the default adapts to a short test. Raises ScenarioError."""
    if asked is None:
        return min(_WARM_UP, end // _SHORT)
    most = end - _LEFT * least
    if asked > most:
        most -= most % 10 ** max(0, len(str(most)) - 3)  # a round number, as an answer
        problem = f"{format_time(asked)} of {format_time(end)} leave no room for {_LEFT} samples"
        raise ScenarioError(f"{problem}; allowed: up to {format_time(most)}", address="warm_up")
    return asked


@lru_cache(maxsize=8)  # further runs of the same scenario, with other seeds, need it again
def _slowest(scenario: Scenario) -> Bounds:
    """The closed form of the turn with the longest least time per delivery."""
    turns = map(scenario.turn, range(scenario.turns))
    return max((one.bounds() for one in turns), key=lambda one: max(one.demand.values()))
