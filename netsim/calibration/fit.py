"""The fit itself: rows are selected, then the search begins on the closed form and ends on the simulation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from functools import partial

import numpy as np

from netsim.calibration.calibration import INFLUENCE, Calibration
from netsim.calibration.computing import estimated_rows, simulated_rows
from netsim.calibration.design import sufficient
from netsim.calibration.discrepancy import discrepancies
from netsim.calibration.fit_settings import DEFAULT, FitSettings
from netsim.calibration.leaps import beyond_flats
from netsim.calibration.parameter import Parameter, Values
from netsim.calibration.problem import Key, Matrix, Problem
from netsim.calibration.row import Observation
from netsim.calibration.scatter import steadied
from netsim.calibration.search import called_back, first_point, refined
from netsim.catalog import Overlay
from netsim.errors import ScenarioError, show

CLOSED_STEP = 1e-4  # of the logarithm, for derivatives of the closed form, which has no noise


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
    """Fit parameters to rows. `fixed` has values that replace those of models/. `selected` are the ids of the rows that
    an earlier fit selected; others are added only if these no longer hold their share of the information. `earlier` has
    the values at which that fit ended: the search continues from there if that point is better than what it has found
    (parameters that the earlier fit lacks keep the values found). `executor` runs rows in parallel. If not `simulated`,
    only the closed form is fitted, to the rows that have one. `watch` is called with the root mean square error of each
    simulated point.

    Raises ScenarioError for a parameter that no row depends on, if two rows have the same id or two parameters are the
    same number, and if there are no parameters, or fewer rows than parameters.
    """
    _check_given(parameters, rows)
    fit = _Fit(parameters, rows, fixed or {}, settings, executor, simulated, watch)
    _check(fit.every)
    fit.select(selected)
    fit.search()
    fit.resume(earlier or {})
    if simulated:
        fit.steady()
        fit.leap()
    fit.refine(settings.steps[1:] if simulated else [CLOSED_STEP])
    return fit.found()


def check(
    rows: Sequence[Observation],
    *,
    values: Overlay | None = None,
    settings: FitSettings = DEFAULT,
    executor: Executor | None = None,
) -> list[float]:
    """Each row's error (`Observation.error`) with the values of models/, or with other `values`, such as those of a fit
    (`Calibration.overlay`). The quality of a model shows in rows to which it was not fitted. Rows of the same scenario
    share its simulation. Raises what `simulate` raises."""
    problem = Problem([], rows, values or {}, partial(simulated_rows, settings), settings.steps[0], executor)
    return [float(error) for error in problem.errors(np.array([]))]


class _Fit:
    """A fit under way: its point `x`, the rows that are `seen` (by number), and the problems of `every` row and of
    `these`, those seen."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        rows: Sequence[Observation],
        fixed: Overlay,
        settings: FitSettings,
        executor: Executor | None,
        simulated: bool,
        watch: Callable[[float], None] | None,
    ) -> None:
        self.parameters, self.settings, self.simulated = parameters, settings, simulated
        self.rows = [row for row in rows if simulated or row.estimated]
        first = settings.discrepancy
        self.discrepancy = dict.fromkeys((row.family for row in rows), first) if first else {}
        self.x = np.log([one.first for one in parameters])
        self.seen: list[int] = []
        self._fixed, self._executor, self._watch = fixed, executor, watch
        self._errors: dict[Key, float] = {}  # of simulated rows, for all problems
        self.every = self.these = self._every()

    # ---- problems ----

    def _every(self) -> Problem:
        """All rows, with slopes that are computed anew at each point."""
        every = self._problem(range(len(self.rows)))
        every.updated = False
        return every

    def _problem(self, seen: Sequence[int]) -> Problem:
        return self._simulated(seen) if self.simulated else self._closed(seen, exact=True)

    def _closed(self, seen: Sequence[int], *, exact: bool = False) -> Problem:
        rows = [self.rows[one] for one in seen if self.rows[one].estimated]
        run = partial(estimated_rows, exact=exact)
        return self._weighed(Problem(self.parameters, rows, self._fixed, run, CLOSED_STEP, self._executor))

    def _simulated(self, seen: Sequence[int]) -> Problem:
        run, step = partial(simulated_rows, self.settings), self.settings.steps[0]
        rows = [self.rows[one] for one in seen]
        found = Problem(self.parameters, rows, self._fixed, run, step, self._executor, self._watch, known=self._errors)
        found.updated = self.settings.starts > 1
        return self._weighed(found)

    def _weighed(self, problem: Problem) -> Problem:
        problem.outlier, problem.discrepancy = self.settings.outlier, self.discrepancy
        return problem

    # ---- stages ----

    def select(self, ids: Collection[str]) -> None:
        """Select the rows to fit to, beside those of these ids, by slopes over wide distances."""
        before = [number for number, row in enumerate(self.rows) if row.id in ids]
        self.seen = self._sufficient(before, wide=True)

    def search(self) -> None:
        """Search from all starts, and again as long as slopes at the end ask for more rows."""
        self._search()
        while len(more := self._sufficient(self.seen)) > len(self.seen):
            self.seen = more
            if self.simulated:
                self.x = self._refined(self._simulated(more), self.x)
            else:
                self._search()

    def _search(self) -> None:
        self.x = first_point(self._closed(self.seen), self._problem(self.seen), self.settings)

    def resume(self, values: Values) -> None:
        """Go to these values, within the bounds, if that is better; parameters that have none stay."""
        self.these = self._problem(self.seen)
        logs = [math.log(values.get(one.name, math.exp(at))) for one, at in zip(self.parameters, self.x, strict=True)]
        self.x = min((self.x, self.these.within(np.array(logs))), key=self.these.cost)

    def steady(self) -> None:
        """Find out how far rows scatter here, and how many runs they need."""
        self.rows = steadied(self.every, self.x)
        self.every, self.these = self._every(), self._problem(self.seen)

    def leap(self) -> None:
        """Look beyond flat regions."""
        self.x = beyond_flats(self.these, self.x, partial(self._refined, self.these))

    def refine(self, steps: Sequence[float]) -> None:
        """Search again from here, once for each of `steps`, with a fresh trust region and finer slopes, and with the
        model's own error as it shows here. A parameter that no row speaks of goes to the middle of its prior: where no
        value explains a row's large error, the prior's small part of the cost does not keep the search going."""
        for step in steps:
            if self.settings.discrepancy:
                self.discrepancy = self.these.discrepancy = _discrepancies(self.these, self.x)
            self.x = refined(self.these, self.x, self.settings, step)
            self.every.step = step
        if not self.these.updated:  # slopes are those of this very point
            self.x = called_back(self.these, self.x, INFLUENCE)

    def found(self) -> Calibration:
        """The outcome."""
        every, settings = self.every, self.settings
        errors, slopes = every.errors(self.x), every.slopes(self.x)
        found = self.parameters, self.rows, self.x, errors, slopes, settings.outlier, tuple(self.seen), settings.share
        return Calibration(*found, self.discrepancy)

    # ---- within ----

    def _refined(self, problem: Problem, x: Matrix) -> Matrix:
        return refined(problem, x, self.settings, self.settings.steps[0])

    def _sufficient(self, seen: Sequence[int], *, wide: bool = False) -> list[int]:
        """The rows to fit to, according to their slopes here, or over a `wide` range around."""
        every = self.every
        slopes = np.zeros(every.depends.shape)
        if self.settings.share < 1:
            slopes = every.wide_slopes(self.x) if wide else every.slopes(self.x)
        return sufficient(every.weights[:, None] * slopes * every.widths, self.settings.share, seen)


def _discrepancies(problem: Problem, x: Matrix) -> dict[str, float]:
    """The model's own error by family, estimated from the rows at a point."""
    slopes, resolution = problem.slopes(x), np.array([row.resolution for row in problem.rows])
    expected = problem.errors(x) + slopes @ (problem.middles - x)
    families = [row.family for row in problem.rows]
    return discrepancies(expected, slopes, resolution, problem.widths, families)


def _check_given(parameters: Sequence[Parameter], rows: Sequence[Observation]) -> None:
    if not parameters:
        raise ScenarioError("[] is not allowed; allowed: at least one", address="parameters")
    _check_different("parameters", "name", [one.name for one in parameters])
    _check_different("rows", "id", [row.id for row in rows])


def _check_different(address: str, what: str, names: Sequence[str]) -> None:
    for name, number in Counter(names).items():
        if number > 1:
            problem = f"{number} have the {what} {show(name)}; allowed: a different one for each"
            raise ScenarioError(problem, address=address)


def _check(problem: Problem) -> None:
    if len(problem.rows) < len(problem.parameters):
        raise ScenarioError(f"{len(problem.rows)} rows can't determine {len(problem.parameters)} parameters")
    for one, depends in zip(problem.parameters, problem.depends.T, strict=True):
        if not depends.any():
            raise ScenarioError("no row depends on it", address=one.name)
