"""A measured row to fit to, and what is compared with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from netsim.scenario import Scenario
from netsim.units import PS_PER_S

SHARPNESS = 12  # order of the norm that stands for the maximum


def closed_form(scenario: Scenario) -> float:
    """The throughput (bit/s, or transactions/s) that the resources allow, with the corner between two bottlenecks
    rounded off.

    Without that, a row bound by another resource at the start has no slope, and the search no direction.
    """
    bounds = scenario.bounds()
    longest = bounds.demand[bounds.bottleneck]
    rounded = longest * sum((demand / longest) ** SHARPNESS for demand in bounds.demand.values()) ** (1 / SHARPNESS)
    return float(bounds.delivered * bounds.unit.each * PS_PER_S / rounded)


def throughput(result: Any) -> float:
    """The throughput (bit/s, or transactions/s) of a simulation's result."""
    return float(result.throughput)


@dataclass(frozen=True)
class Observation:
    """`build` makes the scenario from the catalogue (a module's function, or a partial of one: it goes to other
    processes); `simulated` takes from a result, `estimated` from the closed form, what was `measured`; the closed form
    says nothing about some quantities (None), which are fitted by simulation only.

    `whole` is for a share of something, such as processor time: the unit its errors are told in, since a tenth of
    little is nothing. Those of other quantities are relative. `repeatability`, the standard deviation of the
    measurement, is told likewise.
    """

    id: str
    measured: float
    build: Callable[[], Any]
    simulated: Callable[[Any], float] = throughput
    estimated: Callable[[Scenario], float] | None = closed_form
    repeatability: float = 0.005
    whole: float | None = None

    def error(self, computed: float) -> float:
        """log(computed / measured), or by how much of the whole the computed share is above the measured one."""
        if self.whole is None:
            return math.log(computed / self.measured)
        return (computed - self.measured) / self.whole

    def error_text(self, error: float) -> str:
        """An error for people."""
        if self.whole is None:
            return f"{100 * math.expm1(error):>+7.2f} %"
        return f"{100 * error:>+7.2f} % of {self.whole:g}"
