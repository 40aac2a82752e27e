"""The residuals of measured rows and their slopes, as functions of the logarithms of some parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from netsim.calibrate.parameter import Parameter, addresses, overlay_of
from netsim.calibrate.row import Observation
from netsim.catalog import Overlay

Matrix = NDArray[np.float64]
Key = tuple[int, tuple[float, ...]]  # a row's index, and where


@dataclass
class Problem:
    """Rows as functions of parameters, by one way to `compute` a row under an overlay (a module's function).

    `fixed` are other values than models/ has; derivatives are differences over `step` of the logarithm;
    `shift` is added to each row's error; `watch` hears the root mean square error of each point tried.
    """

    parameters: Sequence[Parameter]
    rows: Sequence[Observation]
    fixed: Overlay
    compute: Callable[[Observation, Overlay], float]
    step: float
    executor: Executor | None = None
    watch: Callable[[float], None] | None = None
    shift: Matrix | float = 0.0
    known: dict[Key, float] = field(default_factory=dict)

    @cached_property
    def depends(self) -> NDArray[np.bool_]:
        """Which row (first index) depends on which parameter."""
        standing = [addresses(self.parameters, row) for row in self.rows]
        return np.array([[one.name in found for one in self.parameters] for found in standing])

    @cached_property
    def weights(self) -> Matrix:
        """Of each row: one over its repeatability."""
        return np.array([1 / row.repeatability for row in self.rows])

    def errors(self, x: Matrix) -> Matrix:
        """Each row's log(computed / measured), shifted."""
        return self._logs([(row, _key(x)) for row in range(len(self.rows))]) + self.shift

    def residuals(self, x: Matrix) -> Matrix:
        """Each row's error, in standard deviations of its measurement."""
        errors = self.errors(x)
        if self.watch:
            self.watch(math.sqrt(float(np.mean(errors**2))))
        return self.weights * errors

    def slopes(self, x: Matrix) -> Matrix:
        """d log(row) / d log(parameter): zero where a row doesn't depend on a parameter."""
        rows, columns = np.nonzero(self.depends)
        steps = self.step * np.eye(len(x))
        there = self._logs([(int(row), _key(x + steps[column])) for row, column in zip(rows, columns, strict=True)])
        here = self._logs([(int(row), _key(x)) for row in rows])
        slopes = np.zeros(self.depends.shape)
        slopes[rows, columns] = (there - here) / self.step
        return slopes

    def jacobian(self, x: Matrix) -> Matrix:
        """The slopes of the residuals."""
        return self.weights[:, None] * self.slopes(x)

    def solve(self, start: Matrix, tolerance: float, evaluations: int) -> Matrix:
        """The least squares from `start`, within the bounds, after so many evaluations of all rows at most."""
        from scipy.optimize import least_squares  # here, because it takes a quarter of a second

        low, high = np.array([one.log_bounds for one in self.parameters]).T
        margin = 1e-6 * (high - low)
        found = least_squares(
            self.residuals,
            np.clip(start, low + margin, high - margin),
            self.jacobian,
            bounds=(low, high),
            x_scale=[one.width for one in self.parameters],
            xtol=tolerance,
            ftol=tolerance,
            gtol=None,
            max_nfev=evaluations,
        )
        best: Matrix = found.x
        return best

    def _logs(self, keys: Sequence[Key]) -> Matrix:
        """log(computed / measured) of rows at points, each computed once, in parallel."""
        missing = [key for key in dict.fromkeys(keys) if key not in self.known]
        rows = [self.rows[row] for row, _ in missing]
        run = self.executor.map if self.executor else map
        values = list(run(self.compute, rows, [self._overlay(x) for _, x in missing]))
        for key, row, value in zip(missing, rows, values, strict=True):
            self.known[key] = math.log(value / row.measured)
        return np.array([self.known[key] for key in keys])

    def _overlay(self, x: Sequence[float]) -> Overlay:
        values = {one.name: math.exp(log) for one, log in zip(self.parameters, x, strict=True)}
        return merged(self.fixed, overlay_of(self.parameters, values))


def _key(x: Matrix) -> tuple[float, ...]:
    return tuple(x.tolist())


def merged(below: Overlay, above: Overlay) -> Overlay:
    """Two overlays as one, the values of the second winning."""
    return {file: {**below.get(file, {}), **above.get(file, {})} for file in {**below, **above}}
