"""A user's request, and the resulting plan for the measurement of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from netsim.accounts.bounds import Bounds
from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.units import RateUnit, format_time

PRECISION, WARM_UP, SAMPLE = 0.002, "30 ms", "2 ms"  # unless a user asks for others
_SAMPLES = 40  # at least, however short the test is


@dataclass(frozen=True)
class Asked:
    """The arguments of `simulate`, times in ps."""

    precision: float
    warm_up: int
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


def plan_of(scenario: Scenario, duration: int, asked: Asked) -> SamplingPlan:
    """The plan of a stream, with a delivery in each sample; all samples of a short test fit in its duration.

    Longer samples are longer by a power of two, so that samples of similar tests share a grid. Raises ScenarioError for
    a test too short to have samples of a picosecond.
    """
    end, address = min((duration, "duration"), (asked.limit or duration, "limit"))
    if end < _SAMPLES:
        problem = f"{format_time(end)} is too short; allowed: {format_time(_SAMPLES)} or more"
        raise ScenarioError(problem, address=address)
    sample, bounds = asked.sample, _slowest(scenario)
    while sample < max(bounds.demand.values()):
        sample *= 2
    return SamplingPlan(
        scenario.confidence,
        min(asked.warm_up, end // 4),
        min(sample, end // _SAMPLES),
        end,
        scenario.unit,
        bounds.delivered,
        bounds.limit,
    )


@lru_cache(maxsize=8)  # further runs of the same scenario, with other seeds, need it again
def _slowest(scenario: Scenario) -> Bounds:
    """The closed form of the turn with the longest least time per delivery."""
    turns = {id(one): one for one in map(scenario.turn, range(scenario.min_iterations))}
    return max((one.bounds() for one in turns.values()), key=lambda one: max(one.demand.values()))
