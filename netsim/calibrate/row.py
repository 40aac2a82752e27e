"""A measured row to fit to, and what is compared with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from netsim.scenario import Scenario
from netsim.units import PS_PER_S

SHARPNESS = 12  # order of the norm that stands for the maximum


def closed_form(scenario: Scenario) -> float:
    """The throughput (bit/s) that the resources allow, with the corner between two bottlenecks rounded off.

    Without that, a row bound by another resource at the start has no slope, and the search no direction.
    """
    bounds = scenario.bounds()
    longest = bounds.demand[bounds.bottleneck]
    rounded = longest * sum((demand / longest) ** SHARPNESS for demand in bounds.demand.values()) ** (1 / SHARPNESS)
    return bounds.unit_bytes * 8 * PS_PER_S / rounded


def throughput(result: Any) -> float:
    """The throughput (bit/s) of a simulation's result."""
    return float(result.throughput)


@dataclass(frozen=True)
class Observation:
    """`build` makes the scenario from the catalogue (a module's function, or a partial of one: it goes to other
    processes); `simulated` takes from a result, `estimated` from the closed form, what was `measured`;
    `repeatability` is the relative standard deviation of the measurement.
    """

    id: str
    measured: float
    build: Callable[[], Scenario]
    simulated: Callable[[Any], float] = throughput
    estimated: Callable[[Scenario], float] = closed_form
    repeatability: float = 0.005
