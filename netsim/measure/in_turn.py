"""The iterations of a test without a steady state, in succession: each is simulated to its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from netsim.measure.monitor import Standing
from netsim.measure.phased import PhasedMeasurement
from netsim.measure.sampling import Asked, plan_of
from netsim.measure.series import SeriesMeasurement
from netsim.results.iteration import Iteration
from netsim.scenario import Scenario, SeriesRun, StreamRun
from netsim.statistics import Estimate, differences, replications


class InTurn:
    """Finished iterations, and possibly one under way; `look` is called between two samples.

    `estimate` combines them (base units per second).
    """

    over = settled = differ = True  # nothing can be lengthened

    def __init__(
        self, scenario: Scenario, asked: Asked, runs: Sequence[StreamRun | SeriesRun], look: Callable[[], None]
    ) -> None:
        self.scenario = scenario
        self.asked = asked
        self._runs = runs
        self._look = look
        self._most = scenario.bounds().limit
        self._measurements: list[PhasedMeasurement | SeriesMeasurement] = []
        self._done: list[Iteration] = []

    def begin(self) -> None:
        """Simulate the fewest iterations that the tool makes. Raises SimulationError if nothing more is delivered."""
        self.add(*self._runs)

    def lengthen(self, excess: float) -> None:
        """Nothing to do."""

    def add(self, *runs: StreamRun | SeriesRun) -> None:
        """Add iterations."""
        for run in runs:
            self._measurements.append(self._measurement(run))
            self._done.append(self._measurements[-1].iterate())

    def _measurement(self, run: StreamRun | SeriesRun) -> PhasedMeasurement | SeriesMeasurement:
        asked = self.asked
        if isinstance(run, SeriesRun):
            return SeriesMeasurement(run, asked.precision, self.scenario.confidence, asked.limit, self._look)
        return PhasedMeasurement(run, plan_of(self.scenario, run.duration, asked), self._look)

    # --- what there is -----------------------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The number of iterations."""
        return len(self._done)

    @property
    def estimate(self) -> Estimate:
        """The tool's result over all iterations; of a series, each reports its best point."""
        runs, confidence = [one.estimate for one in self._done], self.scenario.confidence
        # A best point varies less than its round trips say, because any size or trial can be the best.
        return differences(runs, confidence) if self.curve and len(runs) > 1 else replications(runs, confidence)

    @property
    def share(self) -> float:
        """The half-width, as a share (Estimate.share)."""
        return self.estimate.share(self._most)

    @property
    def curve(self) -> dict[int, Estimate]:
        """Each point of a series over all iterations."""
        return {
            size: replications([one.curve[size] for one in self._done], self.scenario.confidence)
            for size in self._done[0].curve
        }

    @property
    def precision(self) -> float:
        """The precision requested for a series."""
        return self.asked.precision if self.curve else 0.0

    @property
    def excess(self) -> float:
        """1 if each point of a series is known as precisely as requested."""
        return 1.0 if all(one.reached for one in self._done) else math.inf

    # --- the end -----------------------------------------------------------------------------------------------------

    def audit(self) -> None:
        """Raise ConservationError if something is missing. Finished iterations have been audited already."""
        if len(self._measurements) > len(self._done):
            self._measurements[-1].run.audit()

    def iterations(self) -> list[Iteration]:
        """The measurements of each iteration."""
        return list(self._done)

    def cut(self) -> bool:
        """The run ends within a sample. The partial iteration counts only if there is no whole one. Returns whether
        there is any result."""
        if not self._done and self._measurements:
            so_far = self._measurements[0].so_far()
            self._done += [so_far] if so_far is not None else []
        return bool(self._done)

    def standing(self) -> Standing:
        """The progress of the finished iterations and the one under way."""
        each = [one.standing() for one in self._measurements]
        done = (len(each) - 1 + each[-1].done) / max(len(each), len(self._runs))
        return Standing(sum(one.simulated for one in each), sum(one.frames for one in each), each[-1].reached, done)
