"""simulate(scenario) -> Result: as many iterations as the tool would run, each only as long as their mean requires.

A tool that measures a stream, such as netperf, runs for its `duration`, 60 s for instance, and takes the mean. In
steady state that mean is known long before, and simulating more would only repeat it. All iterations therefore end as
soon as the interval of their common mean is narrow enough (`precision`), or with the tool's own duration, and
Result.converged says whether the precision was reached. Two things are left out: the tool's result includes its start,
the share warm_up / duration of the time, which is cut off here; and events rarer than every few tenths of a second are
seen only if they fall within the simulated part (`precision=0` simulates every iteration to its end).

netsim.measure.series says how long a series such as NetPIPE's is simulated. A test with events at given times, such as
an outage, has no steady state: each of its iterations is simulated from beginning to end (netsim.measure.phased).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from netsim.engine import Environment
from netsim.errors import ScenarioError, check_type, plain, show, whole_number
from netsim.measure.in_turn import InTurn
from netsim.measure.monitor import Attended, Monitor, reason
from netsim.measure.sampling import PRECISION, SAMPLE, Asked
from netsim.measure.side_by_side import SideBySide
from netsim.results.found import found
from netsim.results.iteration import Ending
from netsim.results.result import Result
from netsim.scenario import Scenario, SeriesRun, StreamRun
from netsim.units import PS_PER_S, format_time, parse

Test = SideBySide | InTurn

_GROWS, _MOST = 1.5, 200  # times as many iterations at the next look, and how many at most
_UNSETTLED = 1.1  # an interval that has not settled counts as at least this many times too wide


def simulate(
    scenario: Scenario,
    *,
    seed: int = 1,
    precision: float = PRECISION,
    warm_up: str | int | None = None,
    sample: str | int = SAMPLE,
    limit: str | int | None = None,
    wall_limit: str | float | None = None,
    progress: bool | None = None,
) -> Result:
    """Simulate `scenario` as its tool would run it: iterations with independent seeds, until their mean is known.

    `precision` is the half-width of the result's interval, for all iterations together, as a share of its mean, at the
    scenario's confidence. `warm_up` is always cut off, and more if MSER says so (by default 30 ms, or a quarter of a
    shorter test). `sample` is the time between two samples of the deliveries; it becomes longer if deliveries are rare,
    and shorter in a short test. `limit` caps the simulated time of an iteration (by default the tool's duration). In a
    series, which has no warm-up and no samples, `precision` applies to each point, and `limit` caps a trial. An
    iteration with outages takes all of `limit`, or of the tool's duration, whatever the precision. Times are texts with
    a unit, or numbers of ps.

    `wall_limit` is the longest time to wait: a text with a unit, or seconds. After that, or at Ctrl-C, the result so
    far is returned, and its `cut_short` says why. A run of more than two seconds shows its progress if stderr is a
    terminal; `progress` shows it always or never.

    If nothing is delivered, the result is 0, and `half_width` is its upper limit. In this case, and if the mean is
    below a hundredth of the closed form's bound times the busy share of the busiest resource, `precision` is a share of
    that bound. A closed test lasts for at least ten mean response times, and its precision is a share of its mean,
    however small that is.

    Raises ScenarioError for a wrong argument, such as a `warm_up` that leaves no room for samples; SimulationError if
    nothing moves any more, if time stands still (a million events at one time plan others for the same time), or if
    nothing could be measured within `wall_limit` (after Ctrl-C: KeyboardInterrupt);
    ConservationError if something is missing.
    """
    seed = check_run(scenario, seed)
    check_type("progress", progress, (bool, type(None)), "True, False or None")
    asked = _asked(precision, warm_up, sample, limit)
    seconds = None if wall_limit is None else _seconds("wall_limit", wall_limit)
    with closing(Attended(scenario.label, seconds, progress)) as monitor:
        return _simulated(scenario, asked, seed, monitor)


def unattended(scenario: Scenario, *, seed: int = 1, **settings: Any) -> Result:
    """`simulate`, for code that makes many runs, in any process: it shows nothing, and interruptions raise their
    exception. `settings` are `precision`, `warm_up`, `sample` and `limit`."""
    return monitored(scenario, Monitor(), seed=seed, **settings)


def monitored(scenario: Scenario, monitor: Monitor, *, seed: int = 1, **settings: Any) -> Result:
    """`simulate`, for code that shows the progress of a run: it calls `monitor` between two samples. `settings` are
    those of `unattended`."""
    seed = check_run(scenario, seed)
    return _simulated(scenario, _asked(**settings), seed, monitor)


def simulate_together(
    scenarios: Sequence[Scenario],
    excess: Callable[[Sequence[Result]], float],
    about: Callable[[Sequence[Result]], Collection[int]] | None = None,
    *,
    seed: int = 1,
    **settings: Any,
) -> list[Result]:
    """Simulate one scenario, or several with the same seed and for the same time, until a combination of their results
    is known.

    `excess` takes their results, in the order of the scenarios, and returns how many times too wide the combination's
    interval is, such as that of a quotient (Result.quotient): 1 is narrow enough. If the combination depends on only
    some of them, such as the two at a peak, `about` returns their numbers (from 0): only they are lengthened, while it
    returns the same. `precision` applies only to series. Each scenario makes as few iterations as its tool allows, and
    more, up to 200, only where time alone does not narrow the interval: where iterations differ, or each is a series.
    `settings` and errors are those of `unattended`.
    """
    for scenario in scenarios:
        seed = check_run(scenario, seed)
    asked = _asked(**settings)
    tests = [_made(scenario, asked, seed, Monitor()) for scenario in scenarios]
    for test in tests:
        test.begin()
    results = [_so_far(one, seed, test) for one, test in zip(scenarios, tests, strict=True)]
    while True:
        chosen = sorted(range(len(tests)) if about is None else about(results))
        wide = max(excess(results), 0 if all(tests[one].settled for one in chosen) else _UNSETTLED)
        number = _number([tests[one] for one in chosen], wide)
        if wide <= 1 or (number == tests[chosen[0]].number and all(tests[one].over for one in chosen)):
            return results
        for one in chosen:
            _refine(tests[one], scenarios[one], seed, wide, number)
            results[one] = _so_far(scenarios[one], seed, tests[one])


def _number(tests: Sequence[Test], wide: float) -> int:
    """How many iterations tests should have if their interval is `wide` times too wide: as many as now if more time
    will do."""
    number = tests[0].number
    if all(test.settled for test in tests) and any(test.differ for test in tests):
        return min(_MOST, math.ceil(number * min(_GROWS, max(1.0, wide) ** 2)))
    return number


def _refine(test: Test, scenario: Scenario, seed: int, wide: float, number: int) -> None:
    """Bring a test to this number of iterations, rounded up to whole turns, or make those it has longer."""
    if number > test.number:
        test.add(*[_run(scenario, seed, one) for one in range(test.number, number + -number % scenario.turns)])
    else:
        test.lengthen(wide)


def _so_far(scenario: Scenario, seed: int, test: Test) -> Result:
    return _result(scenario, seed, Ending(0.0, test.settled, True, test.share), test)


def _asked(
    precision: float = PRECISION,
    warm_up: str | int | None = None,
    sample: str | int = SAMPLE,
    limit: str | int | None = None,
) -> Asked:
    """The checked arguments. Raises ScenarioError for a wrong one."""
    precision = plain(precision)
    check_type("precision", precision, (int, float), "a share, 0 to below 1")
    if not 0 <= precision < 1:
        raise ScenarioError(f"{show(precision)} is not allowed; allowed: a share, 0 to below 1", address="precision")
    given = {"warm_up": warm_up, "limit": limit}
    start, most = (None if time is None else time_of(name, time) for name, time in given.items())
    return Asked(precision, start, time_of("sample", sample), most)


def _made(scenario: Scenario, asked: Asked, seed: int, monitor: Monitor) -> Test:
    """The fewest iterations that the tool makes, not begun yet."""
    runs = [_run(scenario, seed, number) for number in range(scenario.iterations[0])]
    streams = [run for run in runs if isinstance(run, StreamRun)]
    test: Test

    def look() -> None:
        monitor.sample(test)

    if not streams or streams[0].moments:
        test = InTurn(scenario, asked, runs, look)
    else:
        test = SideBySide(scenario, asked, streams, look)
    return test


def _run(scenario: Scenario, seed: int, number: int) -> StreamRun | SeriesRun:
    """The iteration of this number, from 0."""
    return scenario.turn(number).build(Environment(seed_of(seed, number)))


def _simulated(scenario: Scenario, asked: Asked, seed: int, monitor: Monitor) -> Result:
    test = _made(scenario, asked, seed, monitor)
    try:
        _measure(scenario, test, seed)
    except monitor.cuts as cut:
        if not test.cut():
            raise
        test.audit()
        return _result(scenario, seed, Ending(asked.precision, test.settled, False, test.share, reason(cut)), test)
    test.audit()
    return _result(scenario, seed, Ending(test.precision, test.settled, test.excess <= 1, test.share), test)


def _measure(scenario: Scenario, test: Test, seed: int) -> None:
    """Measure until the precision is reached and the tool's own rule is satisfied, or up to the limit."""
    test.begin()
    _, most = scenario.iterations
    while True:
        while not test.over and (wide := max(test.excess, 0 if test.settled else _UNSETTLED)) > 1:
            test.lengthen(wide)
        if test.number >= most or 2 * test.share <= scenario.interval:
            return
        test.add(*[_run(scenario, seed, test.number + one) for one in range(scenario.turns)])


def _result(scenario: Scenario, seed: int, ending: Ending, test: Test) -> Result:
    return found(scenario, seed, test.iterations(), test.estimate, test.curve, ending)


def seed_of(seed: int, index: int) -> int:
    """An iteration's own seed, by its number from 0: independent of all others."""
    return int(np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1, np.uint64)[0])


def check_run(scenario: Scenario, seed: int) -> int:
    """The seed as Python's number. Raises ScenarioError if `scenario` is not a scenario that lasts, or `seed` is not a
    seed."""
    if not isinstance(scenario, Scenario):
        raise ScenarioError(f"{show(scenario)} is not a scenario; allowed: a measuring tool's test, such as Netperf")
    scenario.check_lasts()
    return whole_number("seed", seed, 0)


def time_of(name: str, value: str | int, quantity: str = "positive_time") -> int:
    """An argument as ps: a text with a unit, or ps. Raises ScenarioError that names the argument."""
    value = plain(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value} ps"
    try:
        return int(parse(quantity, value))
    except ScenarioError as error:
        raise error.at(name) from None


def too_short(name: str, time: int, least: int) -> ScenarioError:
    """The error for a trial of that `time` (ps) in which there is no frame; one of the `least` time has some."""
    return ScenarioError(f"{format_time(time)} has no frame; allowed: {format_time(least)} or more", address=name)


def _seconds(name: str, value: str | float) -> float:
    """An argument as seconds: a text with a unit, or seconds. Raises ScenarioError that names the argument."""
    value = plain(value)
    bare = isinstance(value, int | float) and not isinstance(value, bool)
    return time_of(name, f"{value} s" if bare else value) / PS_PER_S  # type: ignore[arg-type]
