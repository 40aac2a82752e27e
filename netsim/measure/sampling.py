"""What a user asks for, and how a stream is therefore measured."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.scenario import Scenario
from netsim.units import RateUnit


@dataclass(frozen=True)
class Asked:
    """The arguments of `simulate`, times in ps."""

    precision: float
    warm_up: int
    sample: int
    limit: int | None


@dataclass(frozen=True)
class SamplingPlan:
    """How to measure: times in ps; `unit` says what is delivered."""

    confidence: float
    warm_up: int
    sample: int
    limit: int
    unit: RateUnit


def plan_of(scenario: Scenario, duration: int, asked: Asked) -> SamplingPlan:
    """The plan of a stream, with a delivery in each sample and, for a short test, all within its duration.

    A longer sample is twice as long, or four times ..., so that those of similar tests are of one grid.
    """
    end = duration if asked.limit is None else min(asked.limit, duration)
    sample, unit = asked.sample, _unit(scenario)
    while sample < unit:
        sample *= 2
    return SamplingPlan(
        scenario.confidence, min(asked.warm_up, end // 4), max(1, min(sample, end // 40)), end, scenario.unit
    )


def _unit(scenario: Scenario) -> float:
    """ps that one delivery takes at best, in the turn in which it takes longest."""
    turns = {id(one): one for one in map(scenario.turn, range(scenario.min_iterations))}
    return max(max(one.bounds().demand.values()) for one in turns.values())
