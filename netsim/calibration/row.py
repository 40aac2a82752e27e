"""A measured row to fit to, and the values that are compared with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from netsim.errors import ScenarioError, check_type, plain, show
from netsim.scenario import Scenario
from netsim.units import PS_PER_S

SHARPNESS = 12  # order of the norm that stands for the maximum


def closed_form(scenario: Scenario) -> float:
    """The throughput (bit/s, or transactions/s) that the resources allow, with the corner between two bottlenecks
    rounded off: up to 6 % below the bound where two resources are equal. Otherwise a row that another resource limits
    at the start would have no slope, and the search no direction.
    """
    bounds = scenario.bounds()
    longest = bounds.demand[bounds.bottleneck]
    rounded = longest * sum((demand / longest) ** SHARPNESS for demand in bounds.demand.values()) ** (1 / SHARPNESS)
    return float(bounds.delivered * bounds.unit.each * PS_PER_S / rounded)


def bound(scenario: Scenario) -> float:
    """The throughput (bit/s, or transactions/s) that the resources allow."""
    return scenario.bounds().limit


def throughput(result: Any) -> float:
    """The throughput (bit/s, or transactions/s) of a simulation's result."""
    return float(result.throughput)


@dataclass(frozen=True)
class Observation:
    """`build` makes the scenario from the catalogue; it is a function of a module, or a partial of one, because it is
    sent to other processes. `simulated` takes the quantity that was `measured` from a result, and `estimated` takes it
    from the closed form; if the closed form says nothing about it (None), it is fitted by simulation only.

    `whole` is for a share of something, such as processor time: its errors are in units of the whole, because a tenth
    of a small share is negligible. Errors of other quantities are relative. `repeatability`, the standard deviation of
    the measurement, is in the same unit as the errors. Rows of a `family`, such as those of a report, share the model's
    own error. A simulated value is the mean of `runs`, each with another seed; `scatter` is the standard deviation of a
    single one's error (netsim.calibration.scatter).
    """

    id: str
    measured: float
    build: Callable[[], Any]
    simulated: Callable[[Any], float] = throughput
    estimated: Callable[[Scenario], float] | None = closed_form
    repeatability: float = 0.005
    whole: float | None = None
    family: str = ""
    runs: int = 1
    scatter: float = 0.0

    def __post_init__(self) -> None:
        """Raises ScenarioError for numbers whose logarithm or weight does not exist."""
        self._check("measured", self.measured, self.whole is None)
        self._check("repeatability", self.repeatability, True)
        if self.whole is not None:
            self._check("whole", self.whole, True)

    def _check(self, name: str, value: float, positive: bool) -> None:
        allowed = "a number above 0" if positive else "a number"
        check_type(f"{self.id}: {name}", plain(value), (int, float), allowed)
        if not math.isfinite(value) or (positive and value <= 0):
            raise ScenarioError(f"{show(value)} is not allowed; allowed: {allowed}", address=f"{self.id}: {name}")

    @property
    def exact(self) -> Callable[[Scenario], float] | None:
        """`estimated`, with no corner rounded off."""
        return bound if self.estimated is closed_form else self.estimated

    @property
    def resolution(self) -> float:
        """The standard deviation of an error if the model itself has none."""
        return math.hypot(self.repeatability, self.scatter / math.sqrt(self.runs))

    def precision(self, discrepancy: Mapping[str, float]) -> float:
        """One over the standard deviation of an error, with that of the model."""
        return 1 / math.hypot(self.resolution, discrepancy.get(self.family, 0.0))

    def error(self, computed: float) -> float:
        """log(computed / measured), or the computed share less the measured one, in units of the whole."""
        if self.whole is None:
            return math.log(computed / self.measured)
        return (computed - self.measured) / self.whole

    def share(self, error: float) -> float:
        """An error as a share of the measured value, or of the whole."""
        return math.expm1(error) if self.whole is None else error

    def error_text(self, error: float) -> str:
        """An error as text."""
        return f"{100 * self.share(error):>+7.2f} %" + (f" of {self.whole:g}" if self.whole is not None else "")
