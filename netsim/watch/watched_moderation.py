"""Interrupt moderation that reports how long it has held interrupts back: from the first event until the driver learns
of it, by the interrupt or when it looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.engine.queues import Calendar
from netsim.nic.moderation import (
    AbsoluteDelayModerator,
    AdaptiveModerator,
    CountOrTickModerator,
    CountOrTimeModerator,
    Interrupt,
    MinimumGapModerator,
    Moderator,
    PacketDelayModerator,
)
from netsim.nic.moderation_spec import Moderation
from netsim.watch.activity import Activity
from netsim.watch.teller import Teller
from netsim.watch.watched_track import WatchedTrack

_HELD_BACK: Final = Activity("held back")


class HeldBack:
    """Reports how long a moderator holds interrupts back."""

    def __init__(self, calendar: Calendar, teller: Teller, name: Resource) -> None:
        self._calendar = calendar
        self._teller = teller
        self._track = WatchedTrack.of(name)
        self._since = -1  # the first unreported event (ps); -1: none

    def event(self) -> None:
        """From now on an interrupt may be held back."""
        if self._since < 0:
            self._since = self._calendar.now

    def clear(self) -> None:
        """Report how long the interrupt was held back."""
        since, self._since = self._since, -1
        if since >= 0:
            self._teller.spent(self._track, _HELD_BACK, since, self._calendar.now)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedModerator(Moderator):
    """Passes everything on to a moderator of this `kind`, and reports how long it holds interrupts back."""

    def __init__(
        self, kind: Callable[..., Moderator], env: Environment, interrupt: Interrupt, name: Resource, spec: Moderation
    ) -> None:
        super().__init__(env, interrupt, name)
        self._policy = kind(env, self._raised, name, spec)

    def watched_by(self, teller: Teller) -> None:
        self._held = HeldBack(self._calendar, teller, self.name)

    def event(self) -> None:
        self._held.event()
        self._policy.event()

    def clear(self) -> None:
        self._held.clear()
        self._policy.clear()

    def _raised(self) -> None:
        self._held.clear()
        self._interrupt()


MODERATORS: Mapping[type[Any], Callable[..., Any]] = {
    kind: partial(WatchedModerator, kind)
    for kind in (
        AbsoluteDelayModerator, PacketDelayModerator, MinimumGapModerator, CountOrTimeModerator, CountOrTickModerator,
        AdaptiveModerator,
    )
}  # fmt: skip
