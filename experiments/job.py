"""A piece of work for one process: scenarios simulated together for rows, or one scenario for a point of a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.row import Observed, Row
from experiments.several import Several, each
from netsim.errors import SimulationError
from netsim.measure.simulation import simulate_together, unattended
from netsim.results.result import Result
from netsim.scenario import Scenario

LIMIT: dict[str, Any] = {"limit": "30 s"}  # simulated time for rows without a limit of their own
POINT: dict[str, Any] = {"precision": 0.01}  # of a curve
_CAUTION = 0.8  # of the precision that a series needs if it matches the measurement: its points are measured one by one


def observed(row: Row, scenario: Scenario | Several, results: Sequence[Result]) -> Observed:
    """The row's value in the results of its scenario or scenarios."""
    return row.observe(tuple(results) if isinstance(scenario, Several) else results[0])


@dataclass(frozen=True)
class Job:
    """`name` is that of the first requester. A job without `rows` is a point. The half-width of each row's interval
    must not exceed this `share` of its tolerance."""

    name: str
    scenario: Scenario | Several
    settings: Mapping[str, Any]
    seed: int
    share: float
    rows: list[Row] = field(default_factory=list)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its results: each scenario's digest with the simulation settings."""
        return tuple(f"{one.digest()} {sorted(self.settings.items())}" for one in each(self.scenario))

    def simulate(self) -> list[Result]:
        """A result for each scenario. Raises SimulationError, with the name, for a run that can't finish."""
        scenarios = each(self.scenario)
        try:
            if not self.rows:
                return [unattended(one, seed=self.seed, **POINT | dict(self.settings)) for one in scenarios]
            own = LIMIT | {"precision": self.precision} | dict(self.settings)
            return simulate_together(scenarios, self.excess, about=self.about, seed=self.seed, **own)
        except SimulationError as error:
            raise SimulationError(f"{self.name}: {error}") from None

    def excess(self, results: Sequence[Result]) -> float:
        """How many times too wide the worst row's interval is."""
        return max(row.too_wide(observed(row, self.scenario, results)[1], self.share) for row in self.rows)

    def about(self, results: Sequence[Result]) -> set[int]:
        """The indices of the scenarios that its rows take values from, judging by these results."""
        return {one for row in self.rows for one in (range(len(results)) if row.about is None else row.about(results))}

    @property
    def precision(self) -> float:
        """The precision that a series needs; its error is relative."""
        return _CAUTION * min(self.share * row.tolerance / 100 for row in self.rows)
