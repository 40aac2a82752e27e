"""A search that meets a jump learns from it, and goes on beside it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from netsim.calibration import Observation
from netsim.calibration.descent import PATIENCE, descend
from netsim.calibration.problem import Matrix, Problem
from tests.calibration.test_leaps import HIGH, LOW, MIDDLE, Counted, Way, models, row

__all__ = ["models"]  # a fixture
EDGE = 1100  # cycles of the second machine
START = np.log([300.0, 2000.0])


class TwoStates(Way):
    """It works faster by 40 % as soon as the second processor takes less than EDGE."""

    @property
    def rate(self) -> float:
        return super().rate * (1.4 if self.second.cycles < EDGE else 1.0)


def jumping() -> Problem:
    """The first machine takes 100 cycles, by a row of its own. Of the other, one row says 833 cycles, and one 1150,
    with a jump between them: it is best to stay just above the jump."""
    build = partial(TwoStates, first="p", second="q", wire=10**6)
    both = Observation("both", 800, build, lambda result: float(result.rate), None, repeatability=0.05)
    return Counted([row("near", "pp", 5000), row("far", "qq", 600), both], updated=True).problem


def costs(problem: Problem) -> Matrix:
    """The cost on a fine grid of both parameters, around the best point."""
    grid = np.exp(np.meshgrid(np.linspace(np.log(90), np.log(115), 11), np.linspace(np.log(900), np.log(1300), 37)))
    return np.array([problem.cost(np.log(point)) for point in grid.reshape(2, -1).T])


def test_a_jump_does_not_end_the_search_in_other_directions() -> None:
    problem = jumping()
    found = descend(problem, START, 1e-3, 30)
    near, far = np.exp(found)
    assert near == pytest.approx(100, rel=0.05)
    assert EDGE <= far < 1.05 * EDGE
    assert problem.cost(found) < 1.1 * np.min(costs(problem))


def test_without_a_jump_it_ends_where_scipy_does() -> None:
    rows = [row("near", "pp", 5000), row("both", "pq", 800), row("far", "qq", 600)]
    problem = Counted(rows, updated=True).problem
    found, best = descend(problem, MIDDLE, 1e-4, 30), Counted(rows).problem.solve(MIDDLE, 1e-6, 50)
    assert found == pytest.approx(best, abs=0.03)  # its slopes are rough
    assert problem.cost(found) < 1.02 * problem.cost(best)


def test_it_stays_within_bounds_and_ends_no_worse_than_it_began() -> None:
    draws = np.random.default_rng(1)
    for _ in range(30):
        measured = np.exp(draws.uniform(np.log(300), np.log(8000), 3))
        rows = [row(two, two, rate) for two, rate in zip(["pp", "pq", "qq"], measured, strict=True)]
        problem = Counted(rows, updated=True).problem
        found = descend(problem, START, 1e-3, int(draws.integers(1, 12)))
        assert problem.cost(found) <= problem.cost(START)
        assert np.all((found >= LOW) & (found <= HIGH))


def test_it_gives_up_after_worse_points_in_a_row() -> None:
    """The slopes point the wrong way, and nothing corrects them."""
    counted = Counted([row("near", "pp", 5000), row("far", "qq", 600)], updated=True)
    slopes = counted.problem.slopes(START)
    counted.problem.slopes = lambda x: -10 * slopes  # type: ignore[method-assign]
    counted.seen.clear()
    assert descend(counted.problem, START, 1e-6, 50) == pytest.approx(START)
    assert counted.ids.count("near") == PATIENCE
