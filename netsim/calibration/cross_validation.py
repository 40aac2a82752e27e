"""Cross-validation of a calibration: each group of rows is predicted by a fit that has not seen it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from netsim.calibration.calibration import Calibration
from netsim.calibration.fit import COARSE, DEFAULT, FitSettings, simulated_rows
from netsim.calibration.parameter import Values
from netsim.calibration.problem import Problem
from netsim.calibration.row import Observation

Matrix = NDArray[np.float64]
EVALUATIONS = 4  # of the kept rows, at most, for each fit without a group


@dataclass(frozen=True)
class LeftOut:
    """A `group` of rows, predicted with the `values` of a fit without them, and their `errors` by id
    (`Observation.error`)."""

    group: str
    values: Values
    errors: Mapping[str, float]


def cross_validate(
    fit: Calibration,
    rows: Sequence[Observation],
    groups: Mapping[str, Collection[str]],
    *,
    settings: FitSettings = DEFAULT,
    executor: Executor | None = None,
) -> list[LeftOut]:
    """Leaves out each of `groups` (ids of `rows`) in turn. `rows` may include more than those of the fit.

    Each fit starts where the slopes of the whole calibration lead without the group. From there it searches by
    simulation, with slopes that are updated on the way. Then the group is simulated. Raises what `simulate` raises.
    """
    run, step = partial(simulated_rows, settings), settings.steps[-1]
    every = Problem(fit.parameters, rows, {}, run, step, executor, updated=True, outlier=fit.outlier)
    every.discrepancy = fit.discrepancy
    return [_left_out(fit, every, group, frozenset(ids)) for group, ids in groups.items()]


def _left_out(fit: Calibration, every: Problem, group: str, ids: frozenset[str]) -> LeftOut:
    x = _without(fit, every, ids)
    chosen = [number for number, row in enumerate(every.rows) if row.id in ids]
    values = {one.name: float(value) for one, value in zip(fit.parameters, np.exp(x), strict=True)}
    errors = every.some_errors(chosen, x)
    return LeftOut(group, values, {every.rows[one].id: float(error) for one, error in zip(chosen, errors, strict=True)})


def _without(fit: Calibration, every: Problem, ids: frozenset[str]) -> Matrix:
    """The result of the fit without these rows, as logarithms."""
    kept = fit.kept(ids)
    problem = replace(every, rows=[fit.rows[number] for number in kept], secant=(fit.x, fit.slopes[kept]))
    return problem.solve(fit.without(ids), COARSE, EVALUATIONS)
