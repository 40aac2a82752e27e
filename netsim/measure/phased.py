"""One iteration of a test to which something happens at given times, such as the failure of a cable. It has no steady
state, so it runs to its end, and has a mean of each phase, from one moment to the next, in addition to the mean of all.

The accounts are cut at exactly these moments. The time to settle after one belongs to the phase that it begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from netsim.accounts.accounts import Accounts
from netsim.measure.monitor import Standing
from netsim.measure.sampling import SamplingPlan
from netsim.measure.steady_state import counted, standstill
from netsim.results.iteration import Iteration
from netsim.results.latencies import Responses
from netsim.results.phases import Stretch
from netsim.scenario import StreamRun
from netsim.statistics import Estimate, estimate

_LONGER = 5  # times as long as a sample of a steady state, as each sample is examined
_FEWEST_OF_ALL = 40  # samples of a test
_FEWEST = 2  # samples of a phase, the minimum for an estimate of its spread


class PhasedMeasurement:
    """A run under way, measured from the end of the plan's warm-up to its limit, in samples a few times as long as its
    own. `look` is called after each."""

    def __init__(self, run: StreamRun, plan: SamplingPlan, look: Callable[[], None]) -> None:
        self.env = run.env
        self.run = run
        self.plan = plan
        self._look = look
        self._before = self._latest = Accounts()  # at the first and at the last edge of a sample
        self._samples: list[tuple[str, list[int], list[int]]] = []  # by phase: cause, edges, deliveries up to each

    def iterate(self) -> Iteration:
        """Simulate the whole iteration.

        Raises SimulationError if no frame was sent, ConservationError if something is missing.
        """
        self.run.start()
        self.env.run(self.plan.warm_up)
        counted(self.run, 0)
        self._before = self.run.accounts()
        for phase in self._phases():
            self._measure(*phase)
        if not self._window.delivered and not sum(self._window.frames.values()):
            raise standstill(self.run, self.run.still)
        self.run.audit()
        return self._iteration()

    def so_far(self) -> Iteration | None:
        """The result of the whole samples of a run that is cut short, unaudited; None if there is none."""
        known = any(len(edges) > _FEWEST for _, edges, _ in self._samples) and self._window.delivered
        return replace(self._iteration(), reached=False) if known else None

    def standing(self) -> Standing:
        """The progress towards its limit."""
        now = self.env.now
        return Standing(now, sum(self._latest.frames.values()), math.nan, now / self.plan.limit)

    def _iteration(self) -> Iteration:
        unit, enough = self.plan.unit, [one for one in self._samples if len(one[1]) > _FEWEST]
        stretches = tuple(Stretch(cause, tuple(edges), tuple(delivered), unit) for cause, edges, delivered in enough)
        mean = self._mean(stretches)
        of_flows = Responses.within(self.run.response_logs, self._before, self._latest)
        now, events = self.env.now, self.env.events
        return Iteration(mean, self._window, now, events, of_flows=of_flows, stretches=stretches)

    @property
    def _window(self) -> Accounts:
        return self._latest - self._before

    def _phases(self) -> Iterator[tuple[str, int, int]]:
        """Each phase: the event that it begins with, its start and its end (ps)."""
        first, last = self.plan.warm_up, self.plan.limit
        before = [what for time, what in self.run.moments.items() if time <= first]
        causes, start = {first: before or ["start"]}, first
        for time, what in self.run.moments.items():
            if start < time < start + _FEWEST:  # too short for samples, so one phase begins with both
                causes[start].append(what)
            elif start < time <= last - _FEWEST:
                causes[time], start = [what], time
        for start, end in pairwise([*causes, last]):
            yield ", ".join(causes[start]), start, end

    def _measure(self, cause: str, start: int, end: int) -> None:
        """Measure a phase, sample by sample."""
        number = max(_FEWEST, round((end - start) / min(_LONGER * self.plan.sample, self.plan.limit // _FEWEST_OF_ALL)))
        self._samples.append((cause, [], []))
        for sample in range(number + 1):
            self._sample(start + (end - start) * sample // number)

    def _sample(self, time: int) -> None:
        self.env.run(time)
        counted(self.run, self._latest.delivered)
        self._latest = self.run.accounts()
        _, edges, delivered = self._samples[-1]
        edges.append(time)
        delivered.append(self._latest.delivered)
        self._look()

    def _mean(self, stretches: Sequence[Stretch]) -> Estimate:
        """The mean over the whole time. Each phase varies about its own mean, so the interval comes from the variances
        within phases."""
        window, plan = self._window, self.plan
        if not window.delivered:
            return plan.nothing(window)
        each = [(one.edges[-1] - one.edges[0], one.estimate(self.plan.confidence)) for one in stretches]
        whole = sum(time for time, _ in each)
        mean = math.fsum(time / whole * one.mean for time, one in each)
        variance = math.fsum((time / whole) ** 2 * one.variance for time, one in each)
        return estimate(mean, variance, sum(one.degrees for _, one in each), self.plan.confidence)
