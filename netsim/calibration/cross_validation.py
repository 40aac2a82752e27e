"""Cross-validation of a calibration: each group of rows is predicted by a fit that has not seen it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from netsim.calibration.calibration import Calibration
from netsim.calibration.computing import simulated_rows
from netsim.calibration.fit_settings import DEFAULT, FitSettings
from netsim.calibration.parameter import Values
from netsim.calibration.problem import Problem
from netsim.calibration.row import Observation
from netsim.calibration.search import COARSE

Matrix = NDArray[np.float64]
EVALUATIONS = 4  # of the kept rows, at most, for each fit without a group
STAYS = 1e-3  # of the prior's standard deviation: a parameter that a group moves by less is not fitted again


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
    """Leave out each of `groups` (ids of `rows`) in turn, and predict its rows. `rows` may include more than those of
    the fit.

    Each fit starts at the point to which the slopes of the whole calibration lead without the group. From there it
    searches by simulation, with slopes that are updated on the way. Parameters that the group hardly moves stay where
    they are. Then the group is simulated. `executor` runs groups in parallel. Raises what `simulate` raises.
    """
    every = _every(fit, rows, settings)
    largest_first = sorted(groups, key=lambda group: -len(groups[group]))
    run = executor.map if executor else map
    left_out = run(partial(_left_out, fit, every), largest_first, (frozenset(groups[one]) for one in largest_first))
    found = dict(zip(largest_first, left_out, strict=True))
    return [found[group] for group in groups]


def _every(fit: Calibration, rows: Sequence[Observation], settings: FitSettings) -> Problem:
    """All rows, where the errors that the calibration ended with are known."""
    run, step = partial(simulated_rows, settings), settings.steps[-1]
    fitted = {row.id: row for row in fit.rows}
    own = [fitted.get(row.id, row) for row in rows]
    every = Problem(fit.parameters, own, {}, run, step, updated=True, outlier=fit.outlier)
    every.discrepancy = fit.discrepancy
    keys = replace(every, rows=fit.rows).keys(every.within(fit.x))
    every.known |= zip(keys, fit.errors.tolist(), strict=True)
    return every


def _left_out(fit: Calibration, every: Problem, group: str, ids: frozenset[str]) -> LeftOut:
    x = _without(fit, every, ids)
    chosen = [number for number, row in enumerate(every.rows) if row.id in ids]
    values = {one.name: float(value) for one, value in zip(fit.parameters, np.exp(x), strict=True)}
    errors = every.some_errors(chosen, x)
    return LeftOut(group, values, {every.rows[one].id: float(error) for one, error in zip(chosen, errors, strict=True)})


def _without(fit: Calibration, every: Problem, ids: frozenset[str]) -> Matrix:
    """The result of the fit without these rows, as logarithms."""
    kept, before = fit.kept(ids), every.within(fit.x)
    moved = fit.without(ids) - fit.without(())  # the second is what the search of the calibration refused to follow
    free = np.abs(moved) >= STAYS * every.widths
    rows, secant = [fit.rows[number] for number in kept], (before, fit.slopes[kept])
    problem = replace(every, rows=rows, secant=secant, free=free)
    return problem.solve(before + np.where(free, moved, 0.0), COARSE, EVALUATIONS) if free.any() else before
