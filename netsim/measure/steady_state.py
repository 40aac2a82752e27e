"""One iteration of a tool that measures a stream: how long to simulate it, and what is measured of it.

A sample begins and ends with a delivery, so that no piece of one is counted at its edges: the mean is the bytes between
two deliveries, or the transactions, by the time between them, however large the pieces are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from netsim.accounts.accounts import Accounts
from netsim.errors import SimulationError
from netsim.measure.monitor import Monitor, Standing
from netsim.results.iteration import Iteration
from netsim.scenario import Run, StreamRun
from netsim.statistics import Estimate, batch_means, mser
from netsim.units import PS_PER_S, RateUnit, S, format_time

PATIENCE = 5 * S  # ps without a delivery after which a run counts as stalled, if that is half of its time
_FIRST_LOOK = 25  # samples
_FEWEST = 4  # samples, of which something can be said
_NEXT_LOOK = 1.2  # times as many: looking seldom keeps chance from stopping a run early


@dataclass(frozen=True)
class SamplingPlan:
    """How to measure: times in ps; `window` is the least time that counts, `precision` a share of the mean; `unit` says
    what is delivered."""

    precision: float
    confidence: float
    warm_up: int
    sample: int
    window: int
    limit: int
    unit: RateUnit


def standstill(run: Run, problem: str) -> SimulationError:
    """The error of a run that can't go on: when, why, and what it waits for."""
    return SimulationError(f"after {format_time(run.env.now)}: {problem}; {run.waiting_for()}")


@dataclass(frozen=True)
class _Found:
    estimate: Estimate
    start: int  # the edge at which the window begins
    settled: bool


class Measurement:
    """A run under way, and its accounts at the edge of each sample."""

    def __init__(self, run: StreamRun, plan: SamplingPlan, monitor: Monitor) -> None:
        self.env = run.env
        self.run = run
        self.plan = plan
        self._monitor = monitor
        self._reached = math.nan  # half-width as a share of the mean, at the last look
        self._goal = math.inf  # ps that it will take, as far as can be told
        self.edges: list[Accounts] = []
        self._delivered = self._since = 0  # bytes or transactions, and when (ps) the last of them were seen

    def iterate(self) -> Iteration:
        """Simulate until the mean is known well enough, or to the limit.

        Raises SimulationError if nothing is delivered any more, ConservationError if something went missing.
        """
        self.run.start()
        self._sample(self.plan.warm_up)
        look = _FIRST_LOOK
        while self.env.now + self.plan.sample <= self.plan.limit:
            self._sample(self.plan.sample)
            if len(self.edges) > look:
                found = self._look()
                if self._is_precise(found) and self._length(found) >= self.plan.window:
                    return self._audited(found)
                look = max(look + 1, int(look * _NEXT_LOOK))
        self._require(self.edges[-1].delivered > self.edges[0].delivered, "nothing was delivered")
        return self._audited(self._find())

    def so_far(self) -> Iteration | None:
        """What whole samples say of a run that is cut short, unaudited; None if that is nothing yet."""
        if len(self.edges) <= _FEWEST:
            return None
        found = self._find()
        return replace(self._iteration(found), reached=False) if found.estimate.mean else None

    def standing(self) -> Standing:
        """How far it is, by the precision reached so far."""
        done = min(1.0, self.env.now / min(self.plan.limit, self._goal))
        return Standing(self.env.now, sum(self.edges[-1].frames.values()), self._reached, done)

    def _audited(self, found: _Found) -> Iteration:
        self.run.audit()
        return self._iteration(found)

    def _iteration(self, found: _Found) -> Iteration:
        window = self.edges[-1] - self.edges[found.start]
        return Iteration(found.estimate, window, self._is_precise(found), self.env.now, self.env.events)

    # --- samples -----------------------------------------------------------------------------------------------------

    def _sample(self, duration: int) -> None:
        """Run for `duration` and on to the next delivery; at most as long again, where there are so few."""
        self.env.run(self.env.now + duration)
        self.edges.append(self._next_delivery(min(self.env.now + duration, self.plan.limit)))
        self._check_alive(self.edges[-1].delivered)
        self._monitor.sample(self)

    def _next_delivery(self, latest: int) -> Accounts:
        env, run = self.env, self.run
        delivered = run.delivered
        while run.delivered == delivered and env.peek() <= latest:
            env.step()
        return run.accounts()

    def _check_alive(self, delivered: int) -> None:
        now = self.env.now
        if delivered != self._delivered:
            self._delivered, self._since = delivered, now
        silence = now - self._since
        self._require(self.env.peek() < float("inf"), "nothing can happen any more")
        self._require(silence < max(PATIENCE, now // 2), f"nothing was delivered for {format_time(silence)}")

    def _require(self, condition: bool, problem: str) -> None:
        if not condition:
            raise standstill(self.run, problem)

    # --- what they say -----------------------------------------------------------------------------------------------

    def _look(self) -> _Found:
        """The estimate so far. An interval narrows with the root of the time: that says how much is left."""
        found = self._find()
        self._reached, length = found.estimate.relative, self._length(found)
        times = (self._reached / self.plan.precision) ** 2 if self.plan.precision else math.inf
        self._goal = self.env.now - length + max(length * times, self.plan.window)
        return found

    def _find(self) -> _Found:
        """The estimate so far: of the second half, if the run has not settled yet."""
        delivered = np.array([edge.delivered for edge in self.edges], dtype=float)
        elapsed = np.array([edge.elapsed for edge in self.edges], dtype=float)
        amounts, seconds = np.diff(delivered) * self.plan.unit.each, np.diff(elapsed) / PS_PER_S
        cut = mser(amounts / seconds)
        start = len(amounts) // 2 if cut is None else cut
        return _Found(batch_means(amounts[start:], seconds[start:], self.plan.confidence), start, cut is not None)

    def _is_precise(self, found: _Found) -> bool:
        return found.settled and found.estimate.relative < self.plan.precision

    def _length(self, found: _Found) -> int:
        return self.edges[-1].elapsed - self.edges[found.start].elapsed
