"""How rows are computed: from the closed form, or by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

from netsim import catalog
from netsim.calibration.fit_settings import FitSettings
from netsim.calibration.row import Observation
from netsim.catalog import Overlay
from netsim.results.result import Result
from netsim.scenario.scenario import Scenario
from netsim.units import parse

UNSETTLED = 0.02  # half-width, as a share of the throughput, from which a run may not have reached its long-run state
LONGER = 4  # times the limit: a run that has not settled is made that long


def estimated_rows(rows: Sequence[Observation], overlay: Overlay, *, exact: bool = False) -> list[float]:
    """The closed-form values of rows that share a scenario, with corners rounded off for a search, or `exact`."""
    with catalog.overlay(overlay):
        scenario = rows[0].build()
        forms = [row.exact if exact else row.estimated for row in rows]
        return [form(scenario) for form in forms if form]


def simulated_rows(settings: FitSettings, rows: Sequence[Observation], overlay: Overlay) -> list[float]:
    """The simulated values of rows that share a scenario: means of as many runs as the row that wants most."""
    with catalog.overlay(overlay):
        scenario = rows[0].build()
    seeds = range(settings.seed, settings.seed + max(row.runs for row in rows))
    results = [_settled(scenario, replace(settings, seed=seed)) for seed in seeds]
    return [fmean(map(row.simulated, results)) for row in rows]


def _settled(scenario: Scenario, settings: FitSettings) -> Result:
    """The result of a simulation, which is made longer if its interval is wide."""
    from netsim.measure.simulation import unattended  # here, in the process that simulates

    asked = {"precision": settings.precision, "warm_up": settings.warm_up, "sample": settings.sample}
    run = partial(unattended, scenario, seed=settings.seed, **asked)
    result = run(limit=settings.limit)
    if settings.limit is None or result.half_width <= UNSETTLED * result.throughput:
        return result
    return run(limit=int(LONGER * parse("time", settings.limit)))
