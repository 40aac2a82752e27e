"""Interrupt moderation: how long a chip holds an interrupt back after an event, with a class for each policy.

An event is the arrival of a received frame in the host's memory, or the end of a sent frame that the chip was asked to
report. Each direction has its own policy. An interrupt covers all events up to then, and so does the driver's read of
the chip's cause register: events seen there are not reported again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment, Timer

if TYPE_CHECKING:
    from netsim.nic.moderation_spec import AbsoluteDelay, Adaptive, CountOrTick, CountOrTime, MinimumGap, PacketDelay

Interrupt = Callable[[], None]


@mypyc_attr(allow_interpreted_subclasses=True)
class Moderator:
    """A policy in a running simulation: its `event` is called for each event, and raises the interrupt."""

    def __init__(self, env: Environment, interrupt: Interrupt, name: Resource) -> None:
        self._calendar = env.calendar
        self._interrupt = interrupt
        self.name = name
        self._timer = Timer(env, self._report)  # runs while events wait to be reported

    def event(self) -> None:
        """An event has occurred."""
        raise NotImplementedError

    def clear(self) -> None:
        """The driver has seen all events."""
        self._timer.cancel()

    def _report(self) -> None:
        self.clear()
        self._interrupt()


@mypyc_attr(allow_interpreted_subclasses=True)
class AbsoluteDelayModerator(Moderator):
    """An interrupt some time after the first event."""

    def __init__(self, env: Environment, interrupt: Interrupt, name: Resource, spec: AbsoluteDelay) -> None:
        super().__init__(env, interrupt, name)
        self._delay = spec.delay

    def event(self) -> None:
        if not self._timer.runs:
            self._timer.set(self._calendar.now + self._delay)


@mypyc_attr(allow_interpreted_subclasses=True)
class PacketDelayModerator(Moderator):
    """An interrupt after a pause between events."""

    def __init__(self, env: Environment, interrupt: Interrupt, name: Resource, spec: PacketDelay) -> None:
        super().__init__(env, interrupt, name)
        self._delay, self._limit = spec.delay, spec.limit
        self._runs_on = spec.runs_on
        self._latest = 0  # when waiting events must be reported, if there is a limit

    def event(self) -> None:
        timer, now = self._timer, self._calendar.now
        if not timer.runs:
            self._latest = now + self._limit
        deadline = now + self._delay
        timer.set(min(deadline, self._latest) if self._limit else deadline)

    def clear(self) -> None:
        if not self._runs_on:
            super().clear()


@mypyc_attr(allow_interpreted_subclasses=True)
class MinimumGapModerator(Moderator):
    """No interrupt soon after another."""

    def __init__(
        self, env: Environment, interrupt: Interrupt, name: Resource, spec: MinimumGap | Adaptive
    ) -> None:
        super().__init__(env, interrupt, name)
        self._gap = spec.gap
        self._earliest = 0  # when the next interrupt may occur

    def event(self) -> None:
        if self._calendar.now >= self._earliest:
            self._report()
        elif not self._timer.runs:
            self._timer.set(self._earliest)

    def _report(self) -> None:
        self._earliest = self._calendar.now + self._gap
        super()._report()


@mypyc_attr(allow_interpreted_subclasses=True)
class CountingModerator(Moderator):
    """An interrupt after a number of events, or at a time that the first of them determines."""

    def __init__(
        self, env: Environment, interrupt: Interrupt, name: Resource, spec: CountOrTime | CountOrTick
    ) -> None:
        super().__init__(env, interrupt, name)
        self._frames = spec.frames
        self._count = 0  # of events that wait to be reported

    def event(self) -> None:
        self._count += 1
        if self._count >= self._frames:
            self._report()
        elif not self._timer.runs:
            self._timer.set(self._deadline(self._calendar.now))

    def _deadline(self, now: int) -> int:
        """When an event at `now` is to be reported."""
        raise NotImplementedError

    def clear(self) -> None:
        super().clear()
        self._count = 0


@mypyc_attr(allow_interpreted_subclasses=True)
class CountOrTimeModerator(CountingModerator):
    """An interrupt after a number of events, or some time after the first."""

    def __init__(self, env: Environment, interrupt: Interrupt, name: Resource, spec: CountOrTime) -> None:
        super().__init__(env, interrupt, name, spec)
        self._time = spec.time

    def _deadline(self, now: int) -> int:
        return now + self._time


@mypyc_attr(allow_interpreted_subclasses=True)
class CountOrTickModerator(CountingModerator):
    """An interrupt after a number of events, or at the next tick of a clock."""

    def __init__(self, env: Environment, interrupt: Interrupt, name: Resource, spec: CountOrTick) -> None:
        super().__init__(env, interrupt, name, spec)
        self._period = spec.period

    def _deadline(self, now: int) -> int:
        return (now // self._period + 1) * self._period


@mypyc_attr(allow_interpreted_subclasses=True)
class AdaptiveModerator(MinimumGapModerator):
    """A minimum gap in busy periods."""

    def __init__(self, env: Environment, interrupt: Interrupt, name: Resource, spec: Adaptive) -> None:
        super().__init__(env, interrupt, name, spec)
        self._frames, self._period = spec.frames, spec.period
        self._busy = False  # the previous period had many events
        self._began = 0  # when the current period did
        self._count = 0  # of events in the current period

    def event(self) -> None:
        periods = (self._calendar.now - self._began) // self._period
        if periods:
            self._busy = periods == 1 and self._count > self._frames
            self._began += periods * self._period
            self._count = 0
        self._count += 1
        if self._busy:
            super().event()
        else:
            self._report()
