"""The fit itself: first on the closed form, then on the simulation."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np

from netsim import catalog
from netsim.calibrate.calibration import Calibration
from netsim.calibrate.parameter import Parameter
from netsim.calibrate.problem import Problem
from netsim.calibrate.row import Observation
from netsim.catalog import Overlay
from netsim.errors import ScenarioError

STEP = 0.05  # of the logarithm, for derivatives of the simulation: far above the noise that a fixed seed leaves
CLOSED_STEP = 1e-4  # the same for the closed form, which has none


@dataclass(frozen=True)
class Settings:
    """How rows are simulated: as long in every evaluation, with the same seed. `evaluations`: of all rows, at most."""

    seed: int = 1
    precision: float = 0.0  # every iteration runs to the limit
    warm_up: str = "30 ms"
    sample: str = "10 ms"
    limit: str | None = "0.5 s"
    evaluations: int = 12


DEFAULT = Settings()


def calibrate(
    parameters: Sequence[Parameter],
    rows: Sequence[Observation],
    *,
    fixed: Overlay | None = None,
    settings: Settings = DEFAULT,
    executor: Executor | None = None,
    simulated: bool = True,
) -> Calibration:
    """Fits parameters to rows. `fixed` holds other values than models/ has; `executor` runs rows in parallel; if not
    `simulated`, only the closed form is fitted.

    Raises ScenarioError for a parameter that no row depends on, and if there are fewer rows than parameters.
    """
    problem = Problem(parameters, rows, fixed or {}, _estimate, CLOSED_STEP)
    _check(problem)
    x = problem.solve(np.log([one.first for one in parameters]), 1e-9, 200)
    if simulated:
        problem = Problem(parameters, rows, fixed or {}, partial(_simulate, settings), STEP, executor)
        x = problem.solve(x, 1e-4, settings.evaluations)
    return Calibration(parameters, rows, x, problem.errors(x), problem.slopes(x))


def _check(problem: Problem) -> None:
    if len(problem.rows) < len(problem.parameters):
        raise ScenarioError(f"{len(problem.rows)} rows can't fix {len(problem.parameters)} parameters")
    for one, depends in zip(problem.parameters, problem.depends.T, strict=True):
        if not depends.any():
            raise ScenarioError("none of the rows depends on it", address=one.name)


def _estimate(row: Observation, overlay: Overlay) -> float:
    with catalog.overlay(overlay):
        return row.estimated(row.build())


def _simulate(settings: Settings, row: Observation, overlay: Overlay) -> float:
    from netsim.simulation import simulate  # where it runs

    with catalog.overlay(overlay):
        scenario = row.build()
    result = simulate(
        scenario,
        seed=settings.seed,
        precision=settings.precision,
        warm_up=settings.warm_up,
        sample=settings.sample,
        limit=settings.limit,
    )
    return row.simulated(result)
