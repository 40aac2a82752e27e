"""Leaps beyond flat regions, where a search by slopes stops.

If a wire limits a row, its error has no slope in a processor's costs, although costs so large that the processor
becomes the limit would explain it. A leap changes one parameter by one to three standard deviations of its prior, as
far as its bounds allow (a flat region may be wide), and the search continues from there if that is better.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netsim.calibration.problem import Problem

Matrix = NDArray[np.float64]
FLAT = 0.05  # slope of a row (its error over a parameter's relative change) up to which it says nothing
WORTH = 2.0  # least gain in cost: an error of one standard deviation costs 1/2, the simulation's noise about 1
LEAPS = (1, 2, 3)  # standard deviations of a prior, up and down
LEAST = 0.5  # of a prior's standard deviation: a change that a bound makes shorter is not a leap
ROUNDS = 3  # of leaps and searches, at most


def beyond_flats(problem: Problem, x: Matrix, solve: Callable[[Matrix], Matrix]) -> Matrix:
    """A better point than `x`, the result of a search: leaps, each followed by `solve`, until none is better; `x` if
    there is no better one."""
    for _ in range(ROUNDS):
        there = leapt(problem, x)
        if there is x:
            break
        x = min((there, solve(there)), key=problem.cost)
    return x


def leapt(problem: Problem, x: Matrix) -> Matrix:
    """A better point, one or several leaps away; `x` if there is none. Slopes are computed again there."""
    cost = problem.cost(x)
    tried = _promising(problem, x)
    costs = problem.costs([_moved(x, *one) for one in tried])
    there = x
    for found, one in sorted(zip(costs, tried, strict=True)):
        if found < cost - WORTH and problem.cost(_moved(there, *one)) < problem.cost(there) - WORTH:
            there, problem.secant = _moved(there, *one), None
    return there


def _promising(problem: Problem, x: Matrix) -> list[tuple[int, float]]:
    """The number and the new value of a parameter, for each leap that would pay if rows without a slope in it were
    matched exactly, and the others followed their slopes."""
    slopes, errors = problem.slopes(x), problem.errors(x)
    least = problem.cost(x) - WORTH
    found = []
    for number, value in _within_bounds(problem, x):
        there = _moved(x, number, value)
        flat = problem.depends[:, number] & (np.abs(slopes[:, number]) < FLAT)
        hoped = np.where(flat, 0.0, errors + slopes @ (there - x))
        if problem.cost_of(hoped, there) < least:
            found.append((number, value))
    return found


def _within_bounds(problem: Problem, x: Matrix) -> list[tuple[int, float]]:
    """All leaps of each parameter; the last one in each direction may end at a bound."""
    found = []
    for number, width in enumerate(problem.widths):
        for way in (-width, width):
            before = x[number]
            for leap in LEAPS:
                value = float(problem.within(_moved(x, number, x[number] + leap * way))[number])
                if abs(value - before) >= LEAST * width:
                    found.append((number, value))
                    before = value
    return found


def _moved(x: Matrix, number: int, value: float) -> Matrix:
    there = x.copy()
    there[number] = value
    return there
