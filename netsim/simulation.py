"""simulate(scenario) -> Result: as many iterations as the tool would run, each only as long as its mean needs.

A measuring tool runs for its `duration`, 60 s for instance, and takes the mean. In steady state that mean is known long
before, and to simulate further would only repeat it. So an iteration ends as soon as the interval of its mean is narrow
enough (`precision`), or with the tool's own duration, and Result.converged says whether all of them got there. What
this leaves out: the tool's figure includes its start, a share of warm_up / duration of the time, which is cut off here;
and something that happens less often than every few tenths of a second is seen only if it falls into the part simulated
(`precision=0` simulates every iteration to its end).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from netsim.engine import Environment
from netsim.errors import ScenarioError, show
from netsim.measurement import Iteration, Measurement, Plan
from netsim.result import Result
from netsim.scenario import Scenario
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
    `warm_up` is cut off in any case, more if MSER says so; `sample` is the time between two looks at the books; `limit`
    caps the simulated time of an iteration (the tool's own duration). Times as text with a unit, or in ps.
    Raises ScenarioError for a wrong argument, SimulationError if nothing is delivered any more, ConservationError if
    something went missing.
    """
    _check(scenario, seed, precision)
    plan = _plan(scenario, precision, _time("warm_up", warm_up), _time("sample", sample), limit)
    iterations = list(_iterations(scenario, plan, seed))
    return Result.of(scenario, seed, iterations, _combined(scenario, iterations))


def _iterations(scenario: Scenario, plan: Plan, seed: int) -> Iterator[Iteration]:
    """Iterations, until the tool would be content."""
    done: list[Iteration] = []
    while len(done) < scenario.max_iterations:
        env = Environment(_spawned(seed, len(done)))
        done.append(Measurement(env, scenario.build(env), plan).iterate())
        yield done[-1]
        if len(done) >= scenario.min_iterations and 2 * _combined(scenario, done).relative <= scenario.interval:
            return


def _combined(scenario: Scenario, iterations: list[Iteration]) -> Estimate:
    return replications([one.estimate for one in iterations], scenario.confidence)


def _spawned(seed: int, index: int) -> int:
    """An iteration's own seed, independent of all others."""
    return int(np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1, np.uint64)[0])


def _plan(scenario: Scenario, precision: float, warm_up: int, sample: int, limit: str | int | None) -> Plan:
    """The plan, with a sample of several deliveries and, for a short test, all within its duration."""
    end = scenario.duration if limit is None else min(_time("limit", limit), scenario.duration)
    unit = max(scenario.bounds().demand.values())
    sample = max(sample, round(_UNITS_PER_SAMPLE * unit))
    window = min(round(_UNITS_PER_WINDOW * unit), _SAMPLES_PER_WINDOW * sample)
    return Plan(precision, scenario.confidence, min(warm_up, end // 4), max(1, min(sample, end // 40)), window, end)


def _check(scenario: Scenario, seed: int, precision: float) -> None:
    if not isinstance(scenario, Scenario):
        raise ScenarioError(f"{show(scenario)} is not a scenario; allowed: a measuring tool's test, such as Netperf")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ScenarioError(f"{show(seed)} is not allowed; allowed: a whole number, 0 or more", address="seed")
    if not 0 <= precision < 1:
        raise ScenarioError(f"{show(precision)} is not allowed; allowed: a share, 0 to below 1", address="precision")


def _time(name: str, value: str | int) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value} ps"
    try:
        return int(parse("positive_time", value))
    except ScenarioError as error:
        raise error.at(name) from None
