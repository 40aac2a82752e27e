"""The search of a fit: from many starts on the closed form, which costs nothing, then on the simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from netsim.calibration.fit_settings import FitSettings
from netsim.calibration.leaps import FLAT
from netsim.calibration.parameter import Parameter
from netsim.calibration.problem import Matrix, Problem

TOLERANCE = 1e-3  # relative, of the solution: far below the standard deviations that measurements leave
COARSE = 1e-2  # the same where there are many starts
CLOSED_TOLERANCE = 1e-5  # the same for the closed form, which has no noise
MAPPINGS = 3  # steps from the closed form to the simulation


def first_point(closed: Problem, problem: Problem, settings: FitSettings) -> Matrix:
    """Where a search from the parameters' starts ends: on the `closed` form with its corners rounded off first, and
    from there on the `problem` itself."""
    points = _searched(closed, settings.starts)
    x = points[0] if len(points) == 1 else min(points, key=problem.cost)
    return refined(problem, _near(closed, problem, x) if closed.rows else x, settings, settings.steps[0])


def refined(problem: Problem, x: Matrix, settings: FitSettings, step: float) -> Matrix:
    """The result of a fit from a point near it, with slopes over `step`."""
    problem.step, problem.secant = step, None
    return problem.solve(called_back(problem, x, FLAT) if problem.updated else x, TOLERANCE, settings.evaluations)


def _searched(closed: Problem, starts: int) -> list[Matrix]:
    """The results of searches of the closed form. A search may end in a local minimum: with many starts, each has a
    coarse search, and the simulation decides which result is best."""
    points = _starts(closed.parameters, starts)
    if starts == 1:
        return [closed.solve(points[0], CLOSED_TOLERANCE, 50)]
    return [points[0], *(_coarsely(closed, start) for start in points)]


def _coarsely(closed: Problem, start: Matrix) -> Matrix:
    closed.updated, closed.secant = True, None
    return closed.solve(start, COARSE, 15)


def _starts(parameters: Sequence[Parameter], count: int) -> list[Matrix]:
    first = np.log([one.first for one in parameters])
    if count == 1:
        return [first]
    from scipy.stats.qmc import Sobol, scale  # here, because it takes half a second

    low, high = np.array([one.log_bounds for one in parameters]).T
    spread = scale(Sobol(len(parameters), rng=1).random(count - 1), low, high)
    return [first, *spread]


def _near(closed: Problem, simulated: Problem, x: Matrix) -> Matrix:
    """A point near the solution, with one simulation of each row per step: the closed form is solved again, with each
    row shifted by its difference from the simulation at the last point (Bandler et al., "Space mapping", IEEE
    Transactions on Microwave Theory and Techniques 52, 2004). The best point counts.
    """
    points = [x]
    estimated = [row.estimated is not None for row in simulated.rows]
    for _ in range(MAPPINGS):
        closed.shift = closed.shift + simulated.errors(x)[estimated] - closed.errors(x)
        points.append(x := closed.solve(x, COARSE if closed.updated else CLOSED_TOLERANCE, 15))
    return min(points, key=simulated.cost)


def called_back(problem: Problem, x: Matrix, flat: float) -> Matrix:
    """The point, with each parameter reset to the middle of its prior that no row depends on any more (all slopes are
    below `flat`), because something else limits all rows, if that is better. No slope leads back there."""
    slopes = np.abs(problem.slopes(x))
    for number in np.flatnonzero(np.max(slopes, axis=0) < flat):
        tried = x.copy()
        tried[number] = problem.middles[number]
        if problem.cost(tried) < problem.cost(x):
            x, problem.secant = tried, None
    return x
