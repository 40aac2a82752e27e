"""simulate(scenario) -> Result: as many iterations as the tool would run, each only as long as its mean needs.

A tool that measures a stream, such as netperf, runs for its `duration`, 60 s for instance, and takes the mean. In
steady state that mean is known long before, and to simulate further would only repeat it. So an iteration ends as soon
as the interval of its mean is narrow enough (`precision`), or with the tool's own duration, and Result.converged says
whether all of them got there. What this leaves out: the tool's figure includes its start, a share of
warm_up / duration of the time, which is cut off here; and something that happens less often than every few tenths of a
second is seen only if it falls into the part simulated (`precision=0` simulates every iteration to its end).

netsim.measure.series says how long a series such as NetPIPE's is simulated. A test to which something happens, such
as an outage, has no steady state: each of its iterations is simulated from beginning to end (netsim.measure.phased).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from netsim.engine import Environment
from netsim.errors import ScenarioError, show
from netsim.measure.monitor import Attended, Monitor, WallLimit, reason
from netsim.measure.phased import PhasedMeasurement
from netsim.measure.series import SeriesMeasurement
from netsim.measure.steady_state import Measurement, SamplingPlan
from netsim.results.found import found
from netsim.results.iteration import Iteration
from netsim.results.result import Result
from netsim.scenario import Scenario, SeriesRun
from netsim.statistics import Estimate, replications
from netsim.units import PS_PER_S, parse

_Measurement = Measurement | PhasedMeasurement | SeriesMeasurement

_UNITS_PER_SAMPLE = 4  # deliveries, at least
_UNITS_PER_WINDOW = 2500  # or _SAMPLES_PER_WINDOW, if that is less: 0.04 % for one delivery more or less
_SAMPLES_PER_WINDOW = 40


def simulate(
    scenario: Scenario,
    *,
    seed: int = 1,
    precision: float = 0.002,
    warm_up: str | int = "30 ms",
    sample: str | int = "10 ms",
    limit: str | int | None = None,
    wall_limit: str | float | None = None,
    progress: bool | None = None,
) -> Result:
    """Simulate `scenario` as its tool would run it: iterations with independent seeds, until their mean is known.

    `precision` is the half-width of one iteration's interval as a share of its mean, at the scenario's confidence;
    `warm_up` is always cut off, more if MSER says so; `sample` is the time between two looks at the accounts;
    `limit` caps the simulated time of an iteration (the tool's own duration). Of a series, which has no warm-up and no
    samples, `precision` is that of each point, and `limit` caps a trial. An iteration with outages takes all of
    `limit`, or of the tool's duration, whatever the precision. Times as text with a unit, or in ps.

    `wall_limit` is the time that you give it: text with a unit, or seconds. When that is over, or at Ctrl-C, the result
    so far is returned, and its `cut_short` says why. A run of more than two seconds shows how far it is where stderr is
    a terminal, or anywhere or nowhere if `progress` says so.

    Raises ScenarioError for a wrong argument; SimulationError if nothing is delivered any more, or nothing could be
    measured within `wall_limit` (after Ctrl-C: KeyboardInterrupt); ConservationError if something went missing.
    """
    asked = _asked(scenario, seed, precision, warm_up, sample, limit)
    seconds = None if wall_limit is None else _seconds("wall_limit", wall_limit)
    with closing(Attended(scenario.label, scenario.min_iterations, seconds, progress)) as monitor:
        return _result(scenario, asked, seed, monitor)


def unattended(scenario: Scenario, *, seed: int = 1, **settings: Any) -> Result:
    """`simulate`, for code that makes many runs, in whatever process: it shows nothing, and what interrupts it is
    raised. `settings` are `precision`, `warm_up`, `sample` and `limit`."""
    return _result(scenario, _asked(scenario, seed, **settings), seed, Monitor())


@dataclass(frozen=True)
class _Asked:
    """The arguments of `simulate`, times in ps."""

    precision: float
    warm_up: int
    sample: int
    limit: int | None


def _asked(
    scenario: Scenario,
    seed: int,
    precision: float = 0.002,
    warm_up: str | int = "30 ms",
    sample: str | int = "10 ms",
    limit: str | int | None = None,
) -> _Asked:
    """Raises ScenarioError for a wrong argument."""
    check_run(scenario, seed)
    if not 0 <= precision < 1:
        raise ScenarioError(f"{show(precision)} is not allowed; allowed: a share, 0 to below 1", address="precision")
    most = None if limit is None else time_of("limit", limit)
    return _Asked(precision, time_of("warm_up", warm_up), time_of("sample", sample), most)


def _result(scenario: Scenario, asked: _Asked, seed: int, monitor: Monitor) -> Result:
    iterations, cut = _iterations(scenario, asked, seed, monitor)
    return found(scenario, seed, iterations, _combined(scenario, iterations), _curve(scenario, iterations), cut)


def _iterations(scenario: Scenario, asked: _Asked, seed: int, monitor: Monitor) -> tuple[list[Iteration], str]:
    """Iterations, until the tool would be content or the run is cut short, and what cut it. An iteration that was cut
    counts, as far as it came, only where there is no whole one."""
    done: list[Iteration] = []
    measurement = None
    try:
        while not _content(scenario, done):
            env = Environment(seed_of(seed, len(done)))
            measurement = _measurement(scenario.turn(len(done)), asked, env, monitor)
            done.append(measurement.iterate())
    except monitor.cuts as cut:
        if measurement and not done:
            done.extend(_so_far(measurement, cut))
        if not done:
            raise
        return done, reason(cut)
    return done, ""


def _so_far(measurement: _Measurement, cut: BaseException) -> Iterator[Iteration]:
    """What was measured of an iteration that was cut short, if anything was. Its parts can be audited, unless something
    was raised amidst what they do."""
    so_far = measurement.so_far()
    if so_far is not None:
        if isinstance(cut, WallLimit):
            measurement.run.audit()
        yield so_far


def _content(scenario: Scenario, done: list[Iteration]) -> bool:
    """Whether the tool would stop."""
    if len(done) < scenario.min_iterations:
        return False
    return len(done) >= scenario.max_iterations or 2 * _combined(scenario, done).relative <= scenario.interval


def _measurement(scenario: Scenario, asked: _Asked, env: Environment, monitor: Monitor) -> _Measurement:
    run = scenario.build(env)
    if isinstance(run, SeriesRun):
        return SeriesMeasurement(run, asked.precision, scenario.confidence, asked.limit, monitor)
    plan = _plan(scenario, run.duration, asked)
    return PhasedMeasurement(run, plan, monitor) if run.moments else Measurement(run, plan, monitor)


def _combined(scenario: Scenario, iterations: list[Iteration]) -> Estimate:
    """The tool's figure over all iterations: of a series, the best point's."""
    curve = _curve(scenario, iterations)
    if curve:
        return max(curve.values(), key=lambda point: point.mean)
    return replications([one.estimate for one in iterations], scenario.confidence)


def _curve(scenario: Scenario, iterations: list[Iteration]) -> dict[int, Estimate]:
    """Each point of a series over all iterations."""
    return {
        size: replications([one.curve[size] for one in iterations], scenario.confidence)
        for size in iterations[0].curve
    }


def seed_of(seed: int, index: int) -> int:
    """An iteration's own seed, by its number from 0: independent of all others."""
    return int(np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1, np.uint64)[0])


def _plan(scenario: Scenario, duration: int, asked: _Asked) -> SamplingPlan:
    """The plan of a stream, with a sample of several deliveries and, for a short test, all within its duration."""
    end = duration if asked.limit is None else min(asked.limit, duration)
    unit = max(scenario.bounds().demand.values())
    sample = max(asked.sample, round(_UNITS_PER_SAMPLE * unit))
    window = min(round(_UNITS_PER_WINDOW * unit), _SAMPLES_PER_WINDOW * sample)
    warm_up, sample = min(asked.warm_up, end // 4), max(1, min(sample, end // 40))
    return SamplingPlan(asked.precision, scenario.confidence, warm_up, sample, window, end, scenario.unit)


def check_run(scenario: Scenario, seed: int) -> None:
    """Raises ScenarioError for what is no scenario, or no seed."""
    if not isinstance(scenario, Scenario):
        raise ScenarioError(f"{show(scenario)} is not a scenario; allowed: a measuring tool's test, such as Netperf")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ScenarioError(f"{show(seed)} is not allowed; allowed: a whole number, 0 or more", address="seed")


def time_of(name: str, value: str | int, quantity: str = "positive_time") -> int:
    """ps of an argument: text with a unit, or ps. Raises ScenarioError that names it."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value} ps"
    try:
        return int(parse(quantity, value))
    except ScenarioError as error:
        raise error.at(name) from None


def _seconds(name: str, value: str | float) -> float:
    """Seconds of an argument: text with a unit, or seconds. Raises ScenarioError that names it."""
    bare = isinstance(value, int | float) and not isinstance(value, bool)
    return time_of(name, f"{value} s" if bare else value) / PS_PER_S  # type: ignore[arg-type]
