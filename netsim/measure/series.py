"""One iteration of a tool that sends messages back and forth, size by size, and its measurement.

The tool makes several trials of a size, each with as many round trips as fit its time, and the best trial counts. In a
ping-pong nothing else is under way with the message, so most round trips are alike, and simulating more would only
repeat them. A trial therefore ends as soon as the interval of its mean is narrow enough (`precision`), and another is
made only if that was not reached, because round trips differ. A trial makes at least two round trips, because one says
nothing about the next; the tool may make only one. The spread of round trips is estimated from all trials of a size.
This misses events that are rarer than every few round trips, if the first ones are alike (`precision=0` simulates every
trial to its end).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from netsim.accounts.accounts import Accounts
from netsim.engine import CountMeter
from netsim.measure.monitor import Standing
from netsim.measure.steady_state import standstill
from netsim.results.iteration import Iteration
from netsim.scenario import SeriesRun
from netsim.statistics import Estimate, estimate, mean_rate
from netsim.units import KIB, PS_PER_S, S, format_time, total

_STILL = 240 * S  # without a frame: no retransmission timer is longer (RFC 1122, 4.2.3.1: 240 s at most)
_GIVEN_UP = 1800 * S  # without a byte received: after 15 retransmissions Linux ends a connection, within half an hour
_FEWEST = 2  # round trips of a trial
_HEADERS = 1 * KIB  # rough cost of a message in addition to its bytes, for the time left
_FIRST_LOOK = 64 * KIB  # each way, in 4 to 16 round trips: longer than transmit rings, whose interrupts recur


@dataclass(frozen=True)
class _Trial:
    estimate: Estimate  # bit/s
    trips: int
    window: Accounts


class SeriesMeasurement:
    """A series under way. `limit` (ps) caps the time of a trial; `look` is called between two round trips."""

    def __init__(
        self, run: SeriesRun, precision: float, confidence: float, limit: int | None, look: Callable[[], None]
    ) -> None:
        self.env = run.env
        self.run = run
        self._look = look
        self.precision = precision
        self.confidence = confidence
        self._time = run.trial_time if limit is None else min(limit, run.trial_time)
        self._ended = CountMeter()  # round trips
        self._points: dict[int, _Trial] = {}  # the best trial of each size
        self._reached = math.nan  # half-width as a share of the mean, of the last trial

    def iterate(self) -> Iteration:
        """Measure all sizes in succession; the estimate and the window are those of the fastest.

        Raises SimulationError if a message does not arrive, ConservationError if something is missing.
        """
        for size in self.run.sizes:
            self._points[size] = self._best_trial(size)
        self.run.audit()
        return self._iteration()

    def so_far(self) -> Iteration | None:
        """The sizes measured before the run was cut short, unaudited; None if there are none."""
        return replace(self._iteration(), reached=False) if self._points else None

    def standing(self) -> Standing:
        """The progress, by the remaining sizes."""
        done = sum(map(self._effort, self._points)) / sum(map(self._effort, self.run.sizes))
        return Standing(self.env.now, self.run.frames, self._reached, done)

    def _effort(self, size: int) -> int:
        """The rough effort of simulating a size: in bytes one way, or the same for all sizes if trials take all of
        their time."""
        return _first_look(size) * (size + _HEADERS) if self.precision else 1

    def _iteration(self) -> Iteration:
        points = self._points
        top = max(points.values(), key=lambda trial: trial.estimate.mean)
        known = all(self._is_known(trial) for trial in points.values())
        curve = {size: trial.estimate for size, trial in points.items()}
        return Iteration(top.estimate, top.window, self.env.now, self.env.events, reached=known, curve=curve)

    def _best_trial(self, size: int) -> _Trial:
        trials: list[_Trial] = []
        while True:
            trials.append(self._trial(size))
            best = self._best(trials)
            if len(trials) == self.run.trials or self._is_known(trials[-1]) or self._is_known(best):
                return best

    def _best(self, trials: Sequence[_Trial]) -> _Trial:
        """The fastest trial, with the spread of round trips estimated from all trials."""
        best = max(trials, key=lambda trial: trial.estimate.mean)
        degrees = sum(trial.estimate.degrees for trial in trials)
        spread = total(trial.estimate.degrees * trial.trips * trial.estimate.variance for trial in trials) / degrees
        pooled = estimate(best.estimate.mean, spread / best.trips, degrees, self.confidence)
        return best if self._is_known(best) else replace(best, estimate=pooled)

    def _is_known(self, trial: _Trial) -> bool:
        return trial.estimate.relative < self.precision

    def _trial(self, size: int) -> _Trial:
        """Make round trips until their mean is known, or no other fits in the time."""
        before, end = self.run.accounts(), self.env.now + self._time
        trips: list[int] = []
        look = _first_look(size)
        while True:
            trips.append(self._round_trip(size))
            over = len(trips) >= _FEWEST and self.env.now + trips[-1] > end
            if over or len(trips) == look:
                trial = _Trial(self._estimate(size, trips), len(trips), self.run.accounts() - before)
                self._reached = trial.estimate.relative
                if over or self._is_known(trial):
                    return trial
                look *= 2

    def _estimate(self, size: int, trips: list[int]) -> Estimate:
        """The throughput (bit/s) of a message in half a round trip."""
        seconds = np.array(trips) / 2 / PS_PER_S
        return mean_rate(np.full(len(trips), size * 8.0), seconds, self.confidence)

    # --- a round trip ------------------------------------------------------------------------------------------------

    def _round_trip(self, size: int) -> int:
        """Make one round trip. Returns its time (ps)."""
        start, before = self.env.now, self._ended.value
        self.run.round_trip(size, self._end)
        while self._ended.value == before:
            self._go_on(before)
        self._look()
        return self.env.now - start

    def _end(self) -> None:
        self._ended.value += 1

    def _go_on(self, before: int) -> None:
        """Run to the end of the round trip, after as many as had ended `before`, or for a while in which something has
        to arrive."""
        env, run, end = self.env, self.run, self.env.now + _GIVEN_UP
        delivered = run.delivered
        while run.delivered == delivered:
            frames, latest = run.frames, env.now + _STILL
            env.run_until(self._ended, latest)
            if self._ended.value != before:
                return
            if env.peek() == float("inf"):
                raise standstill(self.run, "nothing can happen any more")
            env.run(latest)
            if run.frames == frames or env.now >= end:
                raise standstill(self.run, f"nothing was delivered for {format_time(env.now - end + _GIVEN_UP)}")


def _first_look(size: int) -> int:
    """The number of round trips of a size after which their mean is first examined."""
    return max(4, min(16, _FIRST_LOOK // size))
