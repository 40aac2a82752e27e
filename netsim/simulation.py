"""simulate(scenario) -> Result: as many iterations as the tool would run, each only as long as its mean needs.

A measuring tool runs for its `duration`, 60 s for instance, and takes the mean. In steady state that mean is known long
before, and to simulate further would only repeat it. So an iteration ends as soon as the interval of its mean is narrow
enough (`precision`), or with the tool's own duration, and Result.converged says whether all of them got there. What
this leaves out: the tool's figure includes its start, a share of warm_up / duration of the time, which is cut off here;
and something that happens less often than every few tenths of a second is seen only if it falls into the part simulated
(`precision=0` runs every iteration to its end).

A sample begins and ends with a delivery, so that no piece of one is counted at its edges: the mean is bytes delivered
by the time between two deliveries, however large the pieces are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from netsim.books import Books
from netsim.bounds import Bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError, SimulationError, show
from netsim.result import Result
from netsim.scenario import Run
from netsim.statistics import Array, Estimate, batch_means, mser, replications
from netsim.units import PS_PER_S, S, format_time, parse

PATIENCE = 5 * S  # ps without a delivery after which a run stands still
_FIRST_LOOK = 25  # samples
_NEXT_LOOK = 1.2  # times as many: looking seldom keeps chance from stopping a run early
_UNITS_PER_SAMPLE = 4  # deliveries, at least
_UNITS_PER_WINDOW = 2500  # or _SAMPLES_PER_WINDOW, if that is less: 0.04 % for one delivery more or less
_SAMPLES_PER_WINDOW = 40


@runtime_checkable
class Tool(Protocol):
    """What simulate needs of a scenario: its parts, and the tool's rule for repeating. `duration` in ps."""

    @property
    def label(self) -> str: ...
    @property
    def duration(self) -> int: ...
    @property
    def min_iterations(self) -> int: ...
    @property
    def max_iterations(self) -> int: ...
    @property
    def confidence(self) -> float: ...
    @property
    def interval(self) -> float: ...
    @property
    def hash12(self) -> str: ...
    def build(self, env: Environment) -> Run: ...
    def bounds(self) -> Bounds: ...
    def addresses(self) -> dict[str, object]: ...


@dataclass(frozen=True)
class Plan:
    """How to simulate one iteration: times in ps, `window` the least time to measure, `precision` a share."""

    precision: float
    confidence: float
    warm_up: int
    sample: int
    window: int
    limit: int


@dataclass(frozen=True)
class Iteration:
    """What one iteration found: the books of the window measured, and `reached`, whether the precision was."""

    estimate: Estimate
    window: Books
    reached: bool
    simulated: int  # ps, with the warm-up
    events: int


def simulate(
    scenario: Tool,
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
    _check(seed, precision)
    plan = _plan(scenario, precision, _time("warm_up", warm_up), _time("sample", sample), limit)
    iterations = list(_iterations(scenario, plan, seed))
    return Result.of(scenario, seed, iterations, _combined(scenario, iterations))


def _iterations(scenario: Tool, plan: Plan, seed: int) -> Iterator[Iteration]:
    """Iterations, until the tool would be content."""
    done: list[Iteration] = []
    while len(done) < scenario.max_iterations:
        done.append(_Measurement(scenario, plan, _spawned(seed, len(done))).run())
        yield done[-1]
        if len(done) >= scenario.min_iterations and 2 * _combined(scenario, done).relative <= scenario.interval:
            return


def _combined(scenario: Tool, iterations: list[Iteration]) -> Estimate:
    return replications([one.estimate for one in iterations], scenario.confidence)


def _spawned(seed: int, index: int) -> int:
    """An iteration's own seed, independent of all others."""
    return int(np.random.SeedSequence(seed, spawn_key=(index,)).generate_state(1, np.uint64)[0])


class _Measurement:
    """One iteration under way: a run, and its books at the edge of each sample."""

    def __init__(self, scenario: Tool, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.env = Environment(seed)
        self.ran = scenario.build(self.env)
        self.edges: list[Books] = []
        self.delivered = self.since = 0  # bytes, and when (ps) the last of them were seen

    def run(self) -> Iteration:
        """Simulate until the mean is known well enough, or to the end."""
        self.ran.start()
        self._sample(self.plan.warm_up)
        look, found, reached = _FIRST_LOOK, None, False
        while not reached and self.env.now + self.plan.sample <= self.plan.limit:
            self._sample(self.plan.sample)
            if len(self.edges) > look:
                found = self._look()
                reached = found is not None and self._is_enough(*found)
                look = max(look + 1, int(look * _NEXT_LOOK))
        self.ran.audit()
        estimate, start = found if reached and found else self._at_the_end()
        window = self.edges[-1] - self.edges[start]
        return Iteration(estimate, window, reached, self.env.now, self.env.events)

    def _sample(self, duration: int) -> None:
        """Run for `duration` and on to the next delivery; at most as long again, where there are so few."""
        self.env.run(self.env.now + duration)
        self.edges.append(self._next_delivery(min(self.env.now + duration, self.plan.limit)))
        self._check_alive(self.edges[-1].delivered)

    def _next_delivery(self, latest: int) -> Books:
        books = self.ran.books()
        delivered = books.delivered
        while books.delivered == delivered and self.env.peek() <= latest:
            self.env.step()
            books = self.ran.books()
        return books

    def _check_alive(self, delivered: int) -> None:
        now = self.env.now
        if delivered != self.delivered:
            self.delivered, self.since = delivered, now
        if self.env.peek() == float("inf"):
            raise SimulationError(f"nothing can happen after {format_time(now)}: {self.ran.waiting_for()}")
        if now - self.since >= PATIENCE:
            text = f"nothing was delivered for {format_time(now - self.since)}, until {format_time(now)}"
            raise SimulationError(f"{text}: {self.ran.waiting_for()}")

    def _look(self) -> tuple[Estimate, int] | None:
        """The estimate so far and the edge that it starts from; None if the run has not settled yet."""
        amounts, times = self._differences()
        cut = mser(amounts / times)
        if cut is None:
            return None
        return batch_means(amounts[cut:], times[cut:], self.plan.confidence), cut

    def _is_enough(self, estimate: Estimate, start: int) -> bool:
        window = self.edges[-1].elapsed - self.edges[start].elapsed
        return estimate.relative <= self.plan.precision and window >= self.plan.window

    def _at_the_end(self) -> tuple[Estimate, int]:
        """The best estimate of a run that got to its limit: of its second half, if it never settled."""
        if self.edges[-1].delivered == self.edges[0].delivered:
            text = f"nothing was delivered in {format_time(self.env.now)}"
            raise SimulationError(f"{text}: {self.ran.waiting_for()}")
        amounts, times = self._differences()
        cut = mser(amounts / times)
        start = len(times) // 2 if cut is None else cut
        return batch_means(amounts[start:], times[start:], self.plan.confidence), start

    def _differences(self) -> tuple[Array, Array]:
        """Bits and seconds of each sample."""
        delivered = np.array([edge.delivered for edge in self.edges], dtype=float)
        elapsed = np.array([edge.elapsed for edge in self.edges], dtype=float)
        return np.diff(delivered) * 8, np.diff(elapsed) / PS_PER_S


def _plan(scenario: Tool, precision: float, warm_up: int, sample: int, limit: str | int | None) -> Plan:
    """The plan, with a sample of several deliveries and, for a short test, all within its duration."""
    end = scenario.duration if limit is None else min(_time("limit", limit), scenario.duration)
    bounds = scenario.bounds()
    unit = max(bounds.demand.values())
    sample = max(sample, round(_UNITS_PER_SAMPLE * unit))
    window = min(round(_UNITS_PER_WINDOW * unit), _SAMPLES_PER_WINDOW * sample)
    return Plan(precision, scenario.confidence, min(warm_up, end // 4), min(sample, end // 40), window, end)


def _check(seed: int, precision: float) -> None:
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
