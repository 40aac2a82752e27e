"""The monitor of a run, called between two samples: for a waiting user, it keeps the time limit and shows a bar.

A run that is cut short ends with the result of its whole samples. Ctrl-C is raised between two events
(netsim.engine.interrupts) and leaves the environment unchanged.
"""

from __future__ import annotations

import math
import sys
from time import monotonic
from typing import NamedTuple, Protocol

from netsim.errors import SimulationError
from netsim.measure.run_bar import RunBar

_SHOWN_AFTER = 2.0  # s
_EVERY = 0.2  # s

INTERRUPTED, TIMED_OUT = "interrupted", "wall limit"


class Standing(NamedTuple):
    """The progress of a run or one of its iterations: ps simulated; frames on all wires; the half-width reached as a
    share of the mean, NaN if unknown; and an estimate of the finished share."""

    simulated: int
    frames: int
    reached: float
    done: float


class Measured(Protocol):
    """A run under way, with all of its iterations."""

    def standing(self) -> Standing:
        """The run's progress."""


class WallLimit(SimulationError):
    """The time limit of a run has expired; raised only if nothing was measured by then."""


class Monitor:
    """The monitor of a run among many, which is never cut short: an interruption ends more than this run."""

    cuts: tuple[type[BaseException], ...] = ()  # exceptions that end a run with the result so far

    def sample(self, measured: Measured) -> None:
        """Called between two samples. Raises WallLimit."""


class Attended(Monitor):
    """The monitor of a run for which a user waits: Ctrl-C and `wall_limit` (s) cut it short. After two seconds a bar
    shows its progress, on a terminal or if `progress` requests it."""

    cuts = (KeyboardInterrupt, WallLimit)

    def __init__(self, label: str, wall_limit: float | None, progress: bool | None) -> None:
        self._label, self._limit = label, wall_limit
        self._start = monotonic()
        self._end = math.inf if wall_limit is None else self._start + wall_limit
        self._look = self._start + _SHOWN_AFTER if _is_shown(progress) else math.inf
        self._bar: RunBar | None = None

    def sample(self, measured: Measured) -> None:
        """See Monitor."""
        now = monotonic()
        if now >= self._look:
            self._look = now + _EVERY
            self._show(measured.standing(), now)
        if self._limit is not None and now >= self._end:
            raise WallLimit(f"nothing could be measured within the wall_limit of {self._limit:g} s")

    def _show(self, standing: Standing, now: float) -> None:
        if self._bar is None:
            self._bar = RunBar(self._label, now - self._start)
        self._bar.show(standing.done, standing.simulated, standing.frames, standing.reached)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


def reason(cut: BaseException) -> str:
    """The reason why a run was cut short, in words."""
    return INTERRUPTED if isinstance(cut, KeyboardInterrupt) else TIMED_OUT


def _is_shown(progress: bool | None) -> bool:
    return sys.stderr is not None and sys.stderr.isatty() if progress is None else progress
