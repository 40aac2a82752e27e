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
from dataclasses import dataclass

import numpy as np

from netsim.engine import Environment
from netsim.errors import ScenarioError, show
from netsim.measure.phased import PhasedMeasurement
from netsim.measure.series import SeriesMeasurement
from netsim.measure.steady_state import Measurement, SamplingPlan
from netsim.results.found import found
from netsim.results.iteration import Iteration
from netsim.results.result import Result
from netsim.scenario import Scenario, SeriesRun
from netsim.statistics import Estimate, replications
from netsim.units import parse

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
) -> Result:
    """Simulate `scenario` as its tool would run it: iterations with independent seeds, until their mean is known.

    `precision` is the half-width of one iteration's interval as a share of its mean, at the scenario's confidence;
    `warm_up` is always cut off, more if MSER says so; `sample` is the time between two looks at the accounts;
    `limit` caps the simulated time of an iteration (the tool's own duration). Of a series, which has no warm-up and no
    samples, `precision` is that of each point, and `limit` caps a trial. An iteration with outages takes all of
    `limit`, or of the tool's duration, whatever the precision. Times as text with a unit, or in ps. Raises
    ScenarioError for a wrong argument, SimulationError if nothing is delivered any more, ConservationError if something
    went missing.
    """
    check_run(scenario, seed)
    if not 0 <= precision < 1:
        raise ScenarioError(f"{show(precision)} is not allowed; allowed: a share, 0 to below 1", address="precision")
    most = None if limit is None else time_of("limit", limit)
    asked = _Asked(precision, time_of("warm_up", warm_up), time_of("sample", sample), most)
    iterations = list(_iterations(scenario, asked, seed))
    return found(scenario, seed, iterations, _combined(scenario, iterations), _curve(scenario, iterations))


@dataclass(frozen=True)
class _Asked:
    """The arguments of `simulate`, times in ps."""

    precision: float
    warm_up: int
    sample: int
    limit: int | None


def _iterations(scenario: Scenario, asked: _Asked, seed: int) -> Iterator[Iteration]:
    """Iterations, until the tool would be content."""
    done: list[Iteration] = []
    while len(done) < scenario.max_iterations:
        turn = scenario.turn(len(done))
        done.append(_iteration(turn, asked, Environment(seed_of(seed, len(done)))))
        yield done[-1]
        if len(done) >= scenario.min_iterations and 2 * _combined(scenario, done).relative <= scenario.interval:
            return


def _iteration(scenario: Scenario, asked: _Asked, env: Environment) -> Iteration:
    run = scenario.build(env)
    if isinstance(run, SeriesRun):
        return SeriesMeasurement(run, asked.precision, scenario.confidence, asked.limit).iterate()
    plan = _plan(scenario, run.duration, asked)
    return (PhasedMeasurement(run, plan) if run.moments else Measurement(run, plan)).iterate()


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
