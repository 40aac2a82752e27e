"""What looks at a run between two samples: for a user who waits for it, the clock and a bar.

A run that is cut short ends with what its whole samples say. Ctrl-C is raised between two events
(netsim.engine.interrupts), and the environment is unchanged.
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
    """How far a run is, or one of its iterations: ps simulated; frames on all wires; the half-width reached as a share
    of the mean, NaN if it is not known; and the share that is done, as far as that can be told."""

    simulated: int
    frames: int
    reached: float
    done: float


class Measured(Protocol):
    """A run under way, with all of its iterations."""

    def standing(self) -> Standing:
        """How far it is."""


class WallLimit(SimulationError):
    """The time that a user had for a run is over; only seen where nothing was measured by then."""


class Monitor:
    """That of a run among many, which is cut by nothing: what interrupts it ends more than this run."""

    cuts: tuple[type[BaseException], ...] = ()  # what ends a run with the result so far

    def sample(self, measured: Measured) -> None:
        """The run is between two samples. Raises WallLimit."""


class Attended(Monitor):
    """That of a run which a user waits for: Ctrl-C cuts it, and so does `wall_limit` (s). After two seconds a bar shows
    how far it is, on a terminal or if `progress` asks for it."""

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
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()


def reason(cut: BaseException) -> str:
    """What cut a run short, in words."""
    return INTERRUPTED if isinstance(cut, KeyboardInterrupt) else TIMED_OUT


def _is_shown(progress: bool | None) -> bool:
    return sys.stderr is not None and sys.stderr.isatty() if progress is None else progress
