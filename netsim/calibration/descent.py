"""Least squares where evaluations are expensive, slopes are rough, and rows may jump: Levenberg and Marquardt's method.

It differs from scipy's `least_squares` in one thing: points that turn out worse correct the slopes, too. A system with
two states jumps from one to the other where the values change little. A search that learns nothing from the jump tries
the same direction again, ever more timidly, and ends there, although other directions still lead down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from netsim.calibration.problem import Problem

Matrix = NDArray[np.float64]
DAMPING = 0.3  # at first: how much a step weighs, beside what the prior weighs its distance from the middle
LESS, MORE = 3.0, 4.0  # by how much it falls after a better point, and rises after a worse one
PATIENCE = 3  # worse points in a row that end the search: after them a step is too short to be told from noise


def descend(problem: Problem, start: Matrix, tolerance: float, evaluations: int) -> Matrix:
    """The best of at most that many points. It ends when a step is shorter than `tolerance` (in standard deviations of
    the priors), or promises less than this share of the cost, or after `PATIENCE` worse points in a row."""
    x, damping, worse = start, DAMPING, 0
    for _ in range(evaluations - 1):
        there, promised = _proposed(problem, x, damping)
        if np.max(np.abs(there - x) / problem.widths) < tolerance or promised < tolerance * problem.cost(x):
            break
        better = problem.cost(there) < problem.cost(x)
        problem.slopes(there)  # corrects them by what happened on the way
        x, damping, worse = (there, damping / LESS, 0) if better else (x, damping * MORE, worse + 1)
        if worse == PATIENCE:
            break
    return x


def _proposed(problem: Problem, x: Matrix, damping: float) -> tuple[Matrix, float]:
    """The best point within the bounds if rows followed their slopes and a step had its price, and the gain there."""
    from scipy.optimize import lsq_linear  # here, because it takes a quarter of a second

    slopes, residuals = problem.jacobian(x), problem.residuals(x)
    price = np.diag(np.sqrt(damping) / problem.widths)
    (low, high), step = problem.bounds, np.zeros_like(x)
    free = slice(None) if problem.free is None else problem.free
    matrix, target = np.vstack([slopes, price])[:, free], np.append(-residuals, np.zeros(len(x)))
    step[free] = lsq_linear(matrix, target, ((low - x)[free], (high - x)[free])).x
    there = problem.within(x + step)
    hoped = residuals + slopes @ (there - x)
    return there, float(residuals @ residuals - hoped @ hoped) / 2
