"""One iteration of a tool that measures a stream: its deliveries, sample by sample, and the measurement of a part.

A sample begins and ends with a delivery, so deliveries are never split at its edges: the mean is the number of bytes or
transactions between two deliveries, divided by the time between them, however large the pieces are. In a long run
samples are merged in pairs, so that there are never more than MOST: the swings of interest are slower than a sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from netsim.accounts.accounts import Accounts
from netsim.errors import ScenarioError, SimulationError
from netsim.measure.sampling import SamplingPlan
from netsim.results.iteration import Iteration
from netsim.results.latencies import Responses
from netsim.results.means import Trace
from netsim.results.samples import Samples
from netsim.scenario import Run, StreamRun
from netsim.statistics import Array, Estimate
from netsim.units import PS_PER_S, format_time

MOST = 512  # samples
_STILL = 0.75  # of the time of a run: a timer that doubles its interval expires once in half of it
_AMPLE = 10  # times as long as the wait for a first frame: other iterations may wait longer
_PATIENT = 2  # samples to wait for a delivery
_ACCOUNTS = 8  # edges from the first on that all have accounts; then every second one does, every fourth ...
_TOLD = 500  # characters: all pairs of a test may have a message, and all hosts may drop frames


def standstill(run: Run, problem: str) -> SimulationError:
    """The error of a run that can't continue: when, why, what it waits for, and what was dropped where."""
    found = [run.waiting_for()]
    if dropped := [f"{place} {count}" for place, count in run.accounts().drops.items() if count]:
        found.append(f"dropped: {', '.join(dropped)}")
    told = "; ".join(text if len(text) <= _TOLD else f"{text[:_TOLD]} ..." for text in found)
    return SimulationError(f"after {format_time(run.env.now)}: {problem}; {told}")


def counted(run: StreamRun, before: int) -> int:
    """What a run has delivered. Raises SimulationError if that is no count, or less than `before`."""
    delivered = run.delivered
    if not isinstance(delivered, Integral):
        raise SimulationError(f"delivered is {delivered!r}; allowed: a whole number")
    if delivered < before:
        raise SimulationError(f"delivered has fallen from {before} to {delivered}; allowed: a count from the start on")
    return delivered


@dataclass(frozen=True)
class _Edge:
    """An edge of a sample: its time (ps), and the sums until then."""

    time: int
    delivered: int
    busy: tuple[int, ...]  # ps, by host
    parts: tuple[int, ...]  # of the deliveries


class Measurement:
    """A run under way, with the edges of its samples from the plan's warm-up on, and some accounts.

    Runs of the same plan and length have edges with the same numbers, and accounts at the same edges.
    """

    def __init__(self, run: StreamRun, plan: SamplingPlan) -> None:
        self.env = run.env
        self.run = run
        self.plan = plan
        self.step = plan.sample
        self.edges: list[_Edge] = []
        self.accounts: dict[int, Accounts] = {}  # by the number of an edge
        self._hosts: tuple[str, ...] = ()
        self._parts: tuple[str, ...] = ()
        self._delivered = self._frames = 0  # bytes or transactions, and frames on all wires, at the last look
        self._since = self._still = 0  # ps: the last look that found progress, and the last one that did not
        run.start()

    @property
    def over(self) -> bool:
        """Whether no time is left for another sample and a delivery at its end."""
        return max(self.next, self.env.now) + _PATIENT * self.step > self.plan.limit

    @property
    def next(self) -> int:
        """When the next edge is due (ps)."""
        return self.plan.warm_up + len(self.edges) * self.step

    def sample(self) -> None:
        """Simulate up to the next edge: the first delivery after it is due, or at most a few samples later if
        deliveries are rare. Raises SimulationError if nothing more can be delivered."""
        due = self.next
        if self.env.now < due:
            self.env.run(due)
        self._next_delivery(self.env.now + _PATIENT * self.step)
        delivered = counted(self.run, self._delivered)
        number, busy, parts = len(self.edges), self.run.busy(), self.run.parts()
        self._hosts, self._parts = tuple(busy), tuple(parts)
        self.edges.append(_Edge(self.env.now, delivered, tuple(busy.values()), tuple(parts.values())))
        if number % _spacing(number) == 0:
            self.accounts[number] = self.run.accounts()
        self._check_alive()
        if len(self.edges) > MOST:
            self.coarsen(2 * self.step)

    def coarsen(self, step: int) -> None:
        """Merge samples until they are `step` (ps) long."""
        while self.step < step:
            self.step *= 2
            self.edges = self.edges[::2]
            self.accounts = {number // 2: one for number, one in self.accounts.items() if number % 2 == 0}

    def _next_delivery(self, latest: int) -> None:
        """Run to the next delivery after the last edge, or up to `latest` (ps) if there is none."""
        last = self.edges[-1].time if self.edges else -1
        self.env.run_until(self.run.meter, latest, after=last)
        if self.env.now == last:
            self.env.run(latest)

    def _check_alive(self) -> None:
        """Check whether anything may still be delivered. A run that delivers nothing but moves frames is alive: zero is
        its result."""
        now, delivered = self.env.now, self.edges[-1].delivered
        if delivered != self._delivered or self._has_moved():
            self._delivered, self._since = delivered, now
        else:
            self._still = now
        if self.env.peek() == float("inf"):
            raise standstill(self.run, "nothing can happen any more")
        if self.over and now - self._since >= _STILL * now:
            if not self._since and self.plan.limit < self.run.duration:
                self._check_limit()
            raise standstill(self.run, f"{self.run.still} for {format_time(now - self._since)}")

    def _check_limit(self) -> None:
        """Check whether a run in which nothing has moved was only too short. Raises ScenarioError if so."""
        end, duration = self.plan.limit, self.run.duration
        while self.env.now < duration:
            self.env.run(min(2 * self.env.now, duration))
            if self.run.delivered or self._has_moved():
                problem = f"{format_time(end)} is too short: nothing is sent or delivered in it"
                ample = format_time(min(_AMPLE * self.env.now, duration))
                raise ScenarioError(f"{problem}; allowed: longer, such as {ample}", address="limit")

    def _has_moved(self) -> bool:
        before, self._frames = self._frames, self.run.frames
        return self._frames != before

    def moved_since(self, start: int) -> bool:
        """Whether each look since an edge has found progress."""
        return self._still <= self.edges[start].time

    # --- what was measured -------------------------------------------------------------------------------------------

    def rates(self) -> Array:
        """The deliveries per second, sample by sample."""
        delivered, times = (np.diff([getattr(one, name) for one in self.edges]) for name in ("delivered", "time"))
        rates: Array = delivered * PS_PER_S / times
        return rates

    def trace(self, start: int, end: int) -> Trace:
        """The trace of deliveries from one edge to another."""
        return Trace.of(self._samples(start, end))

    def estimate(self, start: int, end: int, degrees: int) -> Estimate:
        """The mean from one edge with accounts to another (base units per second)."""
        plan, trace = self.plan, self.trace(start, end)
        if trace.mean:
            return trace.estimate(plan.confidence, degrees, plan.unit.each)
        return plan.nothing(self.window(start, end))

    def _samples(self, start: int, end: int) -> Samples:
        edges = self.edges[start : end + 1]
        columns, parts = (zip(*sums, strict=True) for sums in ((e.busy for e in edges), (e.parts for e in edges)))
        return Samples(
            self.plan.warm_up,
            self.step,
            start,
            tuple(one.time for one in edges),
            tuple(one.delivered for one in edges),
            dict(zip(self._hosts, columns, strict=True)),
            dict(zip(self._parts, parts, strict=True)),
        )

    def iteration(self, start: int, end: int, degrees: int) -> Iteration:
        """The measurements between two edges with accounts."""
        first, last = self._accounts(start), self._accounts(end)
        estimate, window = self.estimate(start, end, degrees), last - first
        return Iteration(
            estimate,
            window,
            self.env.now,
            self.env.events,
            samples=self._samples(start, end),
            responses=self._responses(start, end),
            of_flows=Responses.within(self.run.response_logs, first, last),
        )

    def window(self, start: int, end: int) -> Accounts:
        """The accounts of the time between two edges with accounts."""
        return self._accounts(end) - self._accounts(start)

    def _accounts(self, edge: int) -> Accounts:
        """The accounts at an edge that has them; the last edge does if nothing has happened since."""
        return self.accounts[edge] if edge in self.accounts else self.run.accounts()

    def _responses(self, start: int, end: int) -> Responses | None:
        """The transactions that ended between two edges, if the run delivers nothing else."""
        log, edges = self.run.response_log, self.edges
        return None if log is None else Responses.of(log, edges[start].delivered, edges[end].delivered)


def _spacing(number: int) -> int:
    """The spacing of edges with accounts around this one: a power of two, so that enough remain when samples are
    merged."""
    return 1 << (number // _ACCOUNTS).bit_length()
