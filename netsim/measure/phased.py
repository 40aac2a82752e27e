"""One iteration of a test to which something happens at given times, such as the failure of a cable. It has no steady
state, so it runs to its end, and beside the mean of all there is a mean of each phase, from one moment to the next.

The accounts are cut at the moments themselves. What it takes to settle after one is in the phase that it begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from netsim.measure.steady_state import SamplingPlan, standstill
from netsim.results.iteration import Iteration
from netsim.results.phases import Stretch
from netsim.scenario import StreamRun
from netsim.statistics import Estimate, estimate

_FEWEST = 2  # samples of a phase, without which nothing is known of its spread


class PhasedMeasurement:
    """A run under way, measured from the end of the plan's warm-up to its limit, in samples of about its length."""

    def __init__(self, run: StreamRun, plan: SamplingPlan) -> None:
        self.env = run.env
        self.run = run
        self.plan = plan

    def iterate(self) -> Iteration:
        """Simulate all of it.

        Raises SimulationError if nothing was delivered, ConservationError if something went missing.
        """
        self.run.start()
        self.env.run(self.plan.warm_up)
        before = self.run.accounts()
        stretches = tuple(self._stretch(*phase) for phase in self._phases())
        window = self.run.accounts() - before
        if not window.delivered:
            raise standstill(self.run, "nothing was delivered")
        self.run.audit()
        return Iteration(self._mean(stretches), window, True, self.env.now, self.env.events, stretches=stretches)

    def _phases(self) -> Iterator[tuple[str, int, int]]:
        """What each begins with, from when until when (ps)."""
        first, last = self.plan.warm_up, self.plan.limit
        before = [what for time, what in self.run.moments.items() if time <= first]
        later = {time: what for time, what in self.run.moments.items() if first < time < last}
        causes = {first: ", ".join(before) or "start"} | later
        for start, end in pairwise([*causes, last]):
            yield causes[start], start, end

    def _stretch(self, cause: str, start: int, end: int) -> Stretch:
        number = max(_FEWEST, round((end - start) / self.plan.sample))
        edges = tuple(start + (end - start) * sample // number for sample in range(number + 1))
        return Stretch(cause, edges, tuple(map(self._delivered, edges)), self.plan.unit)

    def _delivered(self, time: int) -> int:
        self.env.run(time)
        return self.run.delivered

    def _mean(self, stretches: Sequence[Stretch]) -> Estimate:
        """Of all the time. Each phase varies about a mean of its own, so their variances are what counts."""
        each = [(one.edges[-1] - one.edges[0], one.estimate(self.plan.confidence)) for one in stretches]
        whole = sum(time for time, _ in each)
        mean = math.fsum(time / whole * one.mean for time, one in each)
        variance = math.fsum((time / whole) ** 2 * one.variance for time, one in each)
        return estimate(mean, variance, sum(one.degrees for _, one in each), self.plan.confidence)
