"""The fit itself: first on the closed form, then on the simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from netsim import catalog
from netsim.calibration.calibration import Calibration
from netsim.calibration.design import sufficient
from netsim.calibration.discrepancy import discrepancies
from netsim.calibration.leaps import FLAT, beyond_flats
from netsim.calibration.parameter import Parameter, Values
from netsim.calibration.problem import Key, Matrix, Problem
from netsim.calibration.row import Observation
from netsim.calibration.scatter import steadied
from netsim.catalog import Overlay
from netsim.errors import ScenarioError
from netsim.results.result import Result
from netsim.scenario.scenario import Scenario
from netsim.units import parse

STEPS = (0.1, 0.04)  # of the logarithm, for derivatives of the simulation: above the noise that a fixed seed leaves
TOLERANCE = 1e-3  # relative, of the solution: far below the standard deviations that measurements leave
COARSE = 1e-2  # the same where there are many starts
CLOSED_STEP, CLOSED_TOLERANCE = 1e-4, 1e-5  # the same for the closed form, which has no noise
UNSETTLED = 0.02  # half-width, as a share of the throughput, from which a run may not have reached its long-run state
LONGER = 4  # times the limit: a run that has not settled is made that long
MAPPINGS = 3  # steps from the closed form to the simulation


@dataclass(frozen=True)
class FitSettings:
    """How rows are simulated, always with the same seed, and fitted. A row whose interval is wide after `limit` (more
    than 2 % of the throughput to each side) is simulated for 4 times as long; one whose value scatters from run to run
    is simulated several times (netsim.calibration.scatter). Slopes are differences over each of `steps` in turn (of the
    logarithms of parameters), with at most `evaluations` of all rows for each. The closed form is searched from the
    parameters' starts and from `starts` - 1 further points, spread over their bounds; with several starts, slopes are
    computed once for each of `steps`, and updated from further points. Residuals beyond `outlier` standard deviations
    count less, so that a row that the model gets wrong does not distort the fit to others (None: all count alike). With
    a `share` below 1, only rows that together provide this share of the information of all are fitted to
    (netsim.calibration.design); the others are predicted. `discrepancy` is a first guess at the model's own error, as a
    standard deviation, relative or of a row's whole. For each family of rows it is estimated again
    (netsim.calibration.discrepancy) before each of `steps` except the first, or once if only the closed form is fitted.
    With 0 the model counts as perfect."""

    seed: int = 1
    precision: float = 0.002
    warm_up: str = "30 ms"
    sample: str = "5 ms"
    limit: str | None = "0.3 s"
    evaluations: int = 12
    steps: tuple[float, ...] = STEPS
    starts: int = 1
    outlier: float | None = None
    share: float = 1.0
    discrepancy: float = 0.0


DEFAULT = FitSettings()


def calibrate(
    parameters: Sequence[Parameter],
    rows: Sequence[Observation],
    *,
    fixed: Overlay | None = None,
    settings: FitSettings = DEFAULT,
    selected: Collection[str] = (),
    earlier: Values | None = None,
    executor: Executor | None = None,
    simulated: bool = True,
    watch: Callable[[float], None] | None = None,
) -> Calibration:
    """Fits parameters to rows. `fixed` has values that replace those of models/; `selected` are the ids of rows that an
    earlier fit selected: others are added only if these no longer have their share of the information. `earlier` has
    the values where that fit ended: the search continues from there if that is better than what it has found
    (parameters that the earlier fit lacks keep the values found). `executor` runs rows in parallel; if not `simulated`,
    only the closed form is fitted, to the rows that have one; `watch` gets the root mean square error of each simulated
    point.

    Raises ScenarioError for a parameter that no row depends on, and if there are fewer rows than parameters.
    """
    known = [row for row in rows if simulated or row.estimated]
    step, many = settings.steps[0], settings.starts > 1
    own = dict.fromkeys((row.family for row in rows), settings.discrepancy) if settings.discrepancy else {}
    weighed: dict[str, Any] = {"outlier": settings.outlier, "discrepancy": own}
    runs: dict[Key, float] = {}

    def closed(seen: Sequence[int]) -> Problem:
        estimated = [known[one] for one in seen if known[one].estimated]
        return Problem(parameters, estimated, fixed or {}, _estimate, CLOSED_STEP, executor, **weighed)

    def problem(seen: Sequence[int]) -> Problem:
        run, own = partial(simulated_rows, settings), [known[one] for one in seen]
        return Problem(parameters, own, fixed or {}, run, step, executor, watch, updated=many, known=runs, **weighed)

    every = (problem if simulated else closed)(range(len(known)))
    every.updated = False
    _check(every)
    middle = np.log([one.first for one in parameters])
    before = [number for number, row in enumerate(known) if row.id in selected]
    seen = _sufficient(every, middle, settings.share, before, wide=True)
    x = _fitted(closed(seen), problem(seen) if simulated else None, settings)
    while len(more := _sufficient(every, x, settings.share, seen)) > len(seen):
        seen = more
        x = _refined(problem(seen), x, settings, step) if simulated else _fitted(closed(seen), None, settings)
    last = (problem if simulated else closed)(seen)
    finer = settings.steps[1:] if simulated else [CLOSED_STEP] * bool(settings.discrepancy or earlier)
    x = min((x, _there(last, x, earlier or {})), key=last.cost)
    if simulated:
        known = steadied(every, x)
        every, last = problem(range(len(known))), problem(seen)
        every.updated = False
        x = beyond_flats(last, x, partial(_refined, last, settings=settings, step=step))
    for finer_step in finer:  # again from there, with a fresh trust region and finer slopes
        last.discrepancy = _discrepancies(last, x) if settings.discrepancy else {}
        x = _refined(last, x, settings, finer_step)
        every.step = finer_step
    found = parameters, known, x, every.errors(x), every.slopes(x)
    return Calibration(*found, settings.outlier, tuple(seen), settings.share, last.discrepancy)


def _there(problem: Problem, x: Matrix, values: Values) -> Matrix:
    """A point with these values, within the bounds, and as `x` for parameters that have none."""
    logs = [math.log(values.get(one.name, math.exp(at))) for one, at in zip(problem.parameters, x, strict=True)]
    return problem.within(np.array(logs))


def _discrepancies(problem: Problem, x: Matrix) -> dict[str, float]:
    """The model's own error by family, estimated from the rows at a point."""
    slopes, resolution = problem.slopes(x), np.array([row.resolution for row in problem.rows])
    expected = problem.errors(x) + slopes @ (problem.middles - x)
    families = [row.family for row in problem.rows]
    return discrepancies(expected, slopes, resolution, problem.widths, families)


def _sufficient(
    problem: Problem, x: Matrix, share: float, seen: Sequence[int] = (), *, wide: bool = False
) -> list[int]:
    """The rows to fit to, according to their slopes at a point, or over a `wide` range around it."""
    slopes = np.zeros(problem.depends.shape)
    if share < 1:
        slopes = problem.wide_slopes(x) if wide else problem.slopes(x)
    return sufficient(problem.weights[:, None] * slopes * problem.widths, share, seen)


def _fitted(closed: Problem, problem: Problem | None, settings: FitSettings) -> Matrix:
    """The result of a fit from the parameters' starts; of the closed form only, if there is no simulated `problem`."""
    points = _searched(closed, settings.starts)
    if problem is None:
        return min(points, key=closed.cost)
    x = points[0] if len(points) == 1 else min(points, key=problem.cost)
    return _refined(problem, _near(closed, problem, x) if closed.rows else x, settings, settings.steps[0])


def _refined(problem: Problem, x: Matrix, settings: FitSettings, step: float) -> Matrix:
    """The result of a fit from a point near it, with slopes over `step`."""
    problem.step, problem.secant = step, None
    return problem.solve(_called_back(problem, x) if problem.updated else x, TOLERANCE, settings.evaluations)


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


def check(
    rows: Sequence[Observation],
    *,
    values: Overlay | None = None,
    settings: FitSettings = DEFAULT,
    executor: Executor | None = None,
) -> list[float]:
    """Each row's error (`Observation.error`) with the values of models/, or with other `values`, such as those of a
    fit (`Calibration.overlay`): the quality of a model shows in rows that it was not fitted to. Rows of one scenario
    share its simulation. Raises what `simulate` raises."""
    problem = Problem([], rows, values or {}, partial(simulated_rows, settings), STEPS[0], executor)
    return [float(error) for error in problem.errors(np.array([]))]


def _called_back(problem: Problem, x: Matrix) -> Matrix:
    """The point, with each parameter reset to the middle of its prior that no row depends on any more, because
    something else limits all rows, if that is better. No slope leads back there."""
    slopes = np.abs(problem.slopes(x))
    for number in np.flatnonzero(np.max(slopes, axis=0) < FLAT):
        tried = x.copy()
        tried[number] = problem.middles[number]
        if problem.cost(tried) < problem.cost(x):
            x, problem.secant = tried, None
    return x


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


def _check(problem: Problem) -> None:
    if len(problem.rows) < len(problem.parameters):
        raise ScenarioError(f"{len(problem.rows)} rows can't fix {len(problem.parameters)} parameters")
    for one, depends in zip(problem.parameters, problem.depends.T, strict=True):
        if not depends.any():
            raise ScenarioError("none of the rows depends on it", address=one.name)


def _estimate(rows: Sequence[Observation], overlay: Overlay) -> list[float]:
    """The closed-form values of rows that share a scenario."""
    with catalog.overlay(overlay):
        scenario = rows[0].build()
        return [row.estimated(scenario) for row in rows if row.estimated]


def simulated_rows(settings: FitSettings, rows: Sequence[Observation], overlay: Overlay) -> list[float]:
    """The simulated values of rows that share a scenario: means of as many runs as the row that wants most."""
    with catalog.overlay(overlay):
        scenario = rows[0].build()
    seeds = range(settings.seed, settings.seed + max(row.runs for row in rows))
    results = [_settled(scenario, replace(settings, seed=seed)) for seed in seeds]
    return [fmean(map(row.simulated, results)) for row in rows]


def _settled(scenario: Scenario, settings: FitSettings) -> Result:
    """The result of a simulation, which is made longer if its interval is wide."""
    from netsim.measure.simulation import unattended  # here, in the process that simulates

    asked = {"precision": settings.precision, "warm_up": settings.warm_up, "sample": settings.sample}
    run = partial(unattended, scenario, seed=settings.seed, **asked)
    result = run(limit=settings.limit)
    if settings.limit is None or result.half_width <= UNSETTLED * result.throughput:
        return result
    return run(limit=int(LONGER * parse("time", settings.limit)))
