"""Cross-validation of a calibration: each group of rows is predicted by a fit that has not seen it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from netsim.calibration.calibration import Calibration
from netsim.calibration.fit import DEFAULT, FitSettings, simulated_rows
from netsim.calibration.parameter import Values
from netsim.calibration.problem import Problem
from netsim.calibration.row import Observation

Matrix = NDArray[np.float64]
ROUNDS = 3  # steps from the whole calibration to one without a group, at most
NEAR = 0.01  # change of a row's error above which it is simulated again; greatest error of what slopes predict


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

    Each fit starts from the whole calibration, and makes Gauss-Newton steps with its slopes. After each step, the kept
    rows that may have changed are simulated, until the slopes predict them well. Then the group is simulated.
    Raises what `simulate` raises.
    """
    outlier = fit.outlier
    seen = Problem(fit.parameters, fit.rows, {}, partial(simulated_rows, settings), 0.1, executor, outlier=outlier)
    every = Problem(fit.parameters, rows, {}, partial(simulated_rows, settings), 0.1, executor, outlier=outlier)
    return [_left_out(fit, seen, every, group, frozenset(ids)) for group, ids in groups.items()]


def _left_out(fit: Calibration, seen: Problem, every: Problem, group: str, ids: frozenset[str]) -> LeftOut:
    x = _without(fit, seen, ids)
    chosen = [number for number, row in enumerate(every.rows) if row.id in ids]
    values = {one.name: float(value) for one, value in zip(fit.parameters, np.exp(x), strict=True)}
    errors = every.some_errors(chosen, x)
    return LeftOut(group, values, {every.rows[one].id: float(error) for one, error in zip(chosen, errors, strict=True)})


def _without(fit: Calibration, seen: Problem, ids: frozenset[str]) -> Matrix:
    """The result of the fit without these rows, as logarithms."""
    x, errors = fit.x, fit.errors
    for _ in range(ROUNDS):
        before, x = x, fit.without(ids, errors, x)
        told = errors + fit.slopes @ (x - before)
        moved = np.abs(fit.slopes @ (x - before)) > NEAR
        again = [number for number in fit.kept(ids) if moved[number]]
        errors = told.copy()
        errors[again] = seen.some_errors(again, x)
        if np.all(np.abs(errors - told) <= NEAR):
            break
    return x
