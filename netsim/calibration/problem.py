"""The residuals of measured rows and their slopes, as functions of the logarithms of some parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from netsim import catalog
from netsim.calibration.descent import descend
from netsim.calibration.parameter import Parameter, addresses, overlay_of
from netsim.calibration.robust import softened
from netsim.calibration.row import Observation
from netsim.catalog import Overlay

Matrix = NDArray[np.float64]
Key = tuple[Observation, tuple[float, ...]]  # a row, and the logarithms of those parameters that it depends on

SHORT = 0.1  # of `step`: over a shorter distance, changes are noise of the simulation, and say nothing about slopes


@dataclass
class Problem:
    """Rows as functions of parameters: `compute`, a function of a module, computes the rows of a scenario under an
    overlay.

    `fixed` has values that replace those of models/; derivatives are differences over `step` of the logarithm. If that
    is expensive, they are computed once, and `updated` from all further points (Broyden's rule). Residuals beyond
    `outlier` standard deviations count less (pseudo-Huber). `discrepancy` has the standard deviation of the model's own
    error, by family. `shift` is added to each row's error; `watch` gets the root mean square error of each point tried.
    Problems that differ only in their rows may share the errors that are `known`. With `updated`, only the parameters
    that are `free` move (None: all).
    """

    parameters: Sequence[Parameter]
    rows: Sequence[Observation]
    fixed: Overlay
    compute: Callable[[Sequence[Observation], Overlay], Sequence[float]]
    step: float
    executor: Executor | None = None
    watch: Callable[[float], None] | None = None
    updated: bool = False
    outlier: float | None = None
    discrepancy: Mapping[str, float] = field(default_factory=dict)
    shift: Matrix | float = 0.0
    known: dict[Key, float] = field(default_factory=dict)
    secant: tuple[Matrix, Matrix] | None = None  # a point, and the slopes there
    free: NDArray[np.bool_] | None = None

    @cached_property
    def depends(self) -> NDArray[np.bool_]:
        """Which row (first index) depends on which parameter."""
        standing = [[one.name in found for one in self.parameters] for found in self._standing]
        return np.array(standing, dtype=np.bool_).reshape(len(self.rows), len(self.parameters))

    @cached_property
    def together(self) -> list[tuple[int, ...]]:
        """For each row, the rows that share its scenario: scenarios that are equal now, and have the parameters at the
        same addresses, so that they stay equal."""
        with catalog.overlay(self._overlay(self.parameters, [math.log(one.first) for one in self.parameters])):
            scenarios = [
                (row.build().digest(), tuple(sorted((name, tuple(at)) for name, at in standing.items())))
                for row, standing in zip(self.rows, self._standing, strict=True)
            ]
        return [tuple(row for row, other in enumerate(scenarios) if other == one) for one in scenarios]

    @property
    def weights(self) -> Matrix:
        """The weight of each row: one over the standard deviation of its measurement and of the model together."""
        return np.array([row.precision(self.discrepancy) for row in self.rows])

    def errors(self, x: Matrix) -> Matrix:
        """Each row's error, with the shift."""
        return self.some_errors(range(len(self.rows)), x) + self.shift

    def some_errors(self, rows: Sequence[int], x: Matrix) -> Matrix:
        """The errors of some rows, by number, without the shift."""
        return self._errors([(row, x) for row in rows])

    def residuals(self, x: Matrix) -> Matrix:
        """Each row's error in standard deviations, then each parameter's distance from the middle of its prior, in
        standard deviations of the prior."""
        errors = self.errors(x)
        if self.watch:
            self.watch(math.sqrt(float(np.mean(errors**2))))
        return self._residuals(errors, x)

    def jacobian(self, x: Matrix) -> Matrix:
        """The slopes of the residuals."""
        softening = softened(self.weights * self.errors(x), self.outlier)[1]
        return np.vstack([(softening * self.weights)[:, None] * self.slopes(x), np.diag(1 / self.widths)])

    def slopes(self, x: Matrix) -> Matrix:
        """d error / d log(parameter): zero where a row doesn't depend on a parameter."""
        if not self.updated:
            return self._differences(x, self._steps)
        if self.secant is None:
            slopes = self._differences(x, self._steps)
        else:
            before, slopes = self.secant
            step = x - before
            if np.max(np.abs(step)) >= SHORT * self.step:
                slopes = slopes + self._correction(before, slopes, step)
        self.secant = x, slopes
        return slopes

    def _correction(self, before: Matrix, slopes: Matrix, step: Matrix) -> Matrix:
        """The correction of the slopes after a step: only in each row's own parameters, and only as much as predicts
        the end of the step."""
        own = self.depends * step
        missed = self.errors(before + step) - self.errors(before) - slopes @ step
        lengths = np.sum(own**2, axis=1)
        correction: Matrix = np.divide(missed, lengths, out=np.zeros_like(missed), where=lengths > 0)[:, None] * own
        return correction

    def wide_slopes(self, x: Matrix) -> Matrix:
        """The slopes over a standard deviation of each prior, up or down, whichever is steeper: a row that a wire
        limits here may depend on the parameter farther away. If a bound leaves less than half of the standard
        deviation, the slope is 0."""
        ways = (self.within(x + way) - x for way in (self.widths, -self.widths))
        up, down = (self._differences(x, np.where(np.abs(way) >= self.widths / 2, way, 0.0)) for way in ways)
        return np.where(np.abs(up) >= np.abs(down), up, down)

    @property
    def _steps(self) -> Matrix:
        return np.full(len(self.parameters), self.step)

    def _differences(self, x: Matrix, steps: Matrix) -> Matrix:
        """Slopes over `steps`, one for each parameter; 0 for a step of 0."""
        rows, columns = np.nonzero(self.depends & (steps != 0))
        moved = x + np.diag(steps)
        there = self._errors([(int(row), moved[column]) for row, column in zip(rows, columns, strict=True)])
        here = self.some_errors(rows.tolist(), x)
        slopes = np.zeros(self.depends.shape)
        slopes[rows, columns] = (there - here) / steps[columns]
        return slopes

    def solve(self, start: Matrix, tolerance: float, evaluations: int) -> Matrix:
        """The least-squares solution from `start`, within the bounds, after at most that many `evaluations` of all
        rows; `start` if there are no rows."""
        if not self.rows:
            return start
        if self.updated:
            return descend(self, self.within(start), tolerance, evaluations)
        from scipy.optimize import least_squares  # here, because it takes a quarter of a second

        found = least_squares(
            self.residuals,
            self.within(start),
            self.jacobian,
            bounds=self.bounds,
            x_scale=self.widths,
            xtol=tolerance,
            ftol=tolerance,
            gtol=None,
            max_nfev=evaluations,
        )
        best: Matrix = found.x
        return best

    def cost(self, x: Matrix) -> float:
        """Half the sum of the squared residuals."""
        return float(np.sum(self.residuals(x) ** 2)) / 2

    def costs(self, points: Sequence[Matrix]) -> list[float]:
        """The costs of several points, computed in parallel."""
        self._errors([(row, x) for x in points for row in range(len(self.rows))])
        return [self.cost_of(self.errors(x), x) for x in points]

    def cost_of(self, errors: Matrix, x: Matrix) -> float:
        """The cost if rows had these errors at a point."""
        return float(np.sum(self._residuals(errors, x) ** 2)) / 2

    def within(self, x: Matrix) -> Matrix:
        """The nearest point from which a search may start: within the bounds, not on them."""
        low, high = self.bounds
        margin = 1e-6 * (high - low)
        return np.clip(x, low + margin, high - margin)

    @cached_property
    def bounds(self) -> tuple[Matrix, Matrix]:
        """The lower and the upper bounds of the parameters, as logarithms."""
        low, high = np.array([one.log_bounds for one in self.parameters]).T
        return low, high

    @cached_property
    def middles(self) -> Matrix:
        """The middles of the priors, as logarithms."""
        return np.array([one.middle for one in self.parameters])

    @cached_property
    def widths(self) -> Matrix:
        """The standard deviations of the priors, of the logarithms."""
        return np.array([one.width for one in self.parameters])

    @cached_property
    def _standing(self) -> list[dict[str, list[str]]]:
        return [addresses(self.parameters, row) for row in self.rows]

    def _residuals(self, errors: Matrix, x: Matrix) -> Matrix:
        return np.append(softened(self.weights * errors, self.outlier)[0], (x - self.middles) / self.widths)

    def _errors(self, points: Sequence[tuple[int, Matrix]]) -> Matrix:
        """The errors of rows at points, in parallel. Each scenario is computed once for the values that it depends on:
        if one parameter changes, only the rows that depend on it are computed again."""
        keys = [self._key(row, x) for row, x in points]
        wanted = [(self.together[row], key) for (row, _), key in zip(points, keys, strict=True)]
        missing = list(dict.fromkeys((together, at) for together, (row, at) in wanted if (row, at) not in self.known))
        scenarios = [[self.rows[row] for row in together] for together, _ in missing]
        overlays = [self._overlay([*compress(self.parameters, self.depends[first])], at) for (first, *_), at in missing]
        run = self.executor.map if self.executor else map
        for rows, at, found in zip(scenarios, missing, run(self.compute, scenarios, overlays), strict=True):
            self.known |= {(row, at[1]): row.error(value) for row, value in zip(rows, found, strict=True)}
        return np.array([self.known[key] for key in keys])

    def keys(self, x: Matrix) -> list[Key]:
        """Under which each row's error at a point is `known`."""
        return [self._key(row, x) for row in range(len(self.rows))]

    def _key(self, row: int, x: Matrix) -> Key:
        return self.rows[row], tuple(x[self.depends[row]].tolist())

    def _overlay(self, parameters: Sequence[Parameter], logs: Sequence[float]) -> Overlay:
        values = {one.name: math.exp(log) for one, log in zip(parameters, logs, strict=True)}
        return merged(self.fixed, overlay_of(parameters, values))


def merged(below: Overlay, above: Overlay) -> Overlay:
    """Two overlays as one, the values of the second winning."""
    return {file: {**below.get(file, {}), **above.get(file, {})} for file in {**below, **above}}
