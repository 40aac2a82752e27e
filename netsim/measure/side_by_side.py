"""The iterations of a test with a steady state, side by side: all have the same length, and are lengthened together
until their combined mean is known precisely enough.

The same start is cut off from all. It is found in their mean, sample by sample (netsim.statistics.transient).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from netsim.measure.monitor import Standing
from netsim.measure.rare_losses import losses_known
from netsim.measure.sampling import Asked, plan_of
from netsim.measure.steady_state import Measurement
from netsim.measure.turnover import turned_over
from netsim.results.iteration import Iteration
from netsim.scenario import Scenario, SeriesRun, StreamRun
from netsim.statistics import Estimate, degrees_of_each, differ, replications, transient
from netsim.units import PS_PER_S

_FEWEST, _FEWEST_OF_EACH = 300, 50  # samples, of all iterations and of each
_LEAST, _MOST = 1.2, 1.5  # times as long at the next look: rare looks keep chance from stopping a run early
_ROUND = 10  # samples of each in turn
_BATCH = 5  # samples that MSER gets as one
_ROUNDING = 1e-6  # of a bound: times are whole picoseconds
_KNOWN = 4  # edges, the fewest for any estimate


@dataclass(frozen=True)
class _Look:
    """The part examined: from one edge to another, whether the start had ended before it, and whether iterations
    differ by more than chance."""

    start: int
    end: int
    settled: bool
    differ: bool
    estimate: Estimate


class SideBySide:
    """Iterations under way, each in its own environment; `look` is called between two samples of any of them.

    `estimate` is their combined mean (base units per second). `settled` says whether the start had ended by then, the
    mean is possible, clients had time for many transactions, and enough frames were lost to bit errors.
    """

    curve: Mapping[int, Estimate] = {}  # only a series has one

    def __init__(self, scenario: Scenario, asked: Asked, runs: Sequence[StreamRun], look: Callable[[], None]) -> None:
        self.plan = plan_of(scenario, runs[0].duration, asked)
        self.precision, self._between = asked.precision, look
        self._alike, self._closed = scenario.alike, scenario.closed
        self._expected = scenario.bit_errors * self.plan.limit / PS_PER_S  # in a whole iteration, at most
        self.running = [Measurement(run, self.plan) for run in runs]
        self._until = self.plan.warm_up + max(_FEWEST_OF_EACH, -(-_FEWEST // len(runs))) * self.plan.sample
        self._look: _Look | None = None

    # --- as long as it takes -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Simulate the shortest length. Raises SimulationError if nothing more can be delivered."""
        self._go_on()

    def lengthen(self, excess: float) -> None:
        """Continue for the time that an interval `excess` times too wide seems to need."""
        self._until += round((self._until - self.plan.warm_up) * (min(_MOST, max(_LEAST, excess**2)) - 1))
        self._go_on()

    def add(self, *runs: StreamRun | SeriesRun) -> None:
        """Add iterations of the same length."""
        for run in runs:
            assert isinstance(run, StreamRun)
            self.running.append(Measurement(run, self.plan))
        self._go_on()

    def _go_on(self) -> None:
        while any(self._lags(one) for one in self.running):
            for one in self.running:
                self._round(one)
        self._look = self._seen(self._last(len(self.running[0].edges) - 1))

    def _lags(self, one: Measurement) -> bool:
        return one.next <= self._until and not one.over

    def _round(self, one: Measurement) -> None:
        for _ in range(_ROUND):
            if self._lags(one):
                one.sample()
                self._between()

    # --- what there is -----------------------------------------------------------------------------------------------

    def _last(self, likely: int) -> int:
        """The last edge that all iterations have: the likely one, if it is the last for all, or otherwise one with
        accounts."""
        step = max(one.step for one in self.running)
        for one in self.running:
            one.coarsen(step)
        if all(len(one.edges) - 1 == likely for one in self.running):
            return likely
        return max(set.intersection(*(set(one.accounts) for one in self.running)), default=0)

    def _seen(self, end: int) -> _Look:
        """The part up to an edge; only its second half, if it has not settled yet."""
        cut = self._cut(end)
        start = self._from_edge(end // 2 if cut is None else cut)
        runs = [one.estimate(start, end, self._degrees) for one in self.running]
        mean = replications(runs, self.plan.confidence, self._alike)
        return _Look(start, end, cut is not None, self._alike and differ(runs), mean)

    def _cut(self, end: int) -> int | None:
        rates = np.mean([one.rates()[:end] for one in self.running], axis=0)
        batch = min(_BATCH, max(1, end // _BATCH))
        cut = transient(rates[: end // batch * batch].reshape(-1, batch).mean(axis=1))
        return None if cut is None else cut * batch

    def _from_edge(self, start: int) -> int:
        """The first edge with accounts at or after this one."""
        return min(number for number in self.running[0].accounts if number >= start)

    @property
    def _degrees(self) -> int:
        return degrees_of_each(len(self.running))

    @property
    def number(self) -> int:
        """The number of iterations."""
        return len(self.running)

    @property
    def over(self) -> bool:
        """Whether they have reached the longest length allowed."""
        return all(one.over for one in self.running)

    @property
    def settled(self) -> bool:
        """See above."""
        look = self._look
        if look is None or not look.settled:
            return False
        return self._possible(look.estimate) and self._turned_over(look) and self._losses_known(look)

    def _losses_known(self, look: _Look) -> bool:
        if not self._expected or self.over:
            return True
        accounts = reduce(add, (one.window(look.start, look.end) for one in self.running))
        return losses_known(accounts, self._expected * len(self.running), self.share)

    def _possible(self, found: Estimate) -> bool:
        """Whether a mean is within the closed form's bound, to the precision requested or reached. One above it comes
        from what queues held when the samples began: such a queue may drain evenly through all of them, and then the
        samples alone look settled. Only tests that are the same in each iteration have one bound."""
        most = self.plan.most * (1 + max(self.precision, _ROUNDING))
        return not self._alike or found.mean - found.half_width <= most

    def _turned_over(self, look: _Look) -> bool:
        return not self._closed or all(turned_over(one.window(look.start, look.end)) for one in self.running)

    @property
    def differ(self) -> bool:
        """Whether only further iterations narrow the interval, because they differ by more than chance."""
        return self._look is not None and self._look.differ

    @property
    def estimate(self) -> Estimate:
        """See above."""
        assert self._look is not None
        return self._look.estimate

    @property
    def share(self) -> float:
        """The half-width, as a share (Estimate.share). It is unknown if nothing was delivered and no frame was sent for
        a while: a timer may be running."""
        assert self._look is not None
        estimate, most = self.estimate, self.plan.most
        if not estimate.mean:
            return estimate.share(most) if all(one.moved_since(self._look.start) for one in self.running) else math.inf
        # Only overload makes much work of few deliveries: a machine that mostly waits is simulated at little cost, and
        # closed clients offer no more than is completed.
        wasted = not self._closed and estimate.is_tiny(most) and estimate.is_tiny(most * self._busiest(self._look))
        return estimate.share(most) if wasted else estimate.relative

    def _busiest(self, look: _Look) -> float:
        """The busy share of the resource that was used most, in any of the iterations."""
        return max(max(one.window(look.start, look.end).utilisation().values()) for one in self.running)

    @property
    def excess(self) -> float:
        """How many times wider the interval is than requested. A precision of 0 requests the longest length."""
        return self.share / self.precision if self.precision else math.inf

    # --- the end -----------------------------------------------------------------------------------------------------

    def audit(self) -> None:
        """Raise ConservationError if something is missing."""
        for one in self.running:
            one.run.audit()

    def iterations(self) -> list[Iteration]:
        """The measurements of each iteration."""
        assert self._look is not None
        return [one.iteration(self._look.start, self._look.end, self._degrees) for one in self.running]

    def cut(self) -> bool:
        """The run ends within a sample: the result covers the time up to the last accounts that all iterations have.
        Returns whether there is any."""
        end = self._last(-1)
        if end < _KNOWN:
            return False
        self._look = self._seen(end)
        return self.share < math.inf

    def standing(self) -> Standing:
        """Their common progress, by the precision reached so far."""
        reached = self.share if self._look else math.nan
        times = max(1.0, (reached / self.precision) ** 2) if self._look and self.precision else 1.0
        goal = min(self.plan.limit, self.plan.warm_up + times * (self._until - self.plan.warm_up))
        if not self.precision:
            goal = self.plan.limit
        simulated = sum(one.env.now for one in self.running)
        done = min(1.0, simulated / (goal * len(self.running)))
        return Standing(simulated, sum(one.run.frames for one in self.running), reached, done)
