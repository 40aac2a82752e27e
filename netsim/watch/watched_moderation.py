"""Interrupt moderation that tells how long it has held interrupts back: from the first event to its report, by the
interrupt or by the driver's look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.nic.moderation import (
    AbsoluteDelayModerator,
    AdaptiveModerator,
    CountOrTimeModerator,
    MinimumGapModerator,
    Moderator,
    PacketDelayModerator,
)
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watching import Watching


class _Watched(Moderator):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = arguments[0]
        self._track = Track.of(self.name)
        self._since: int | None = None  # the first event that is not reported (ps)

    def event(self) -> None:
        """Something may be held back from now on."""
        if self._since is None:
            self._since = self._env.now
        super().event()

    def clear(self) -> None:
        """Tell for how long it was."""
        since, self._since = self._since, None
        if since is not None:
            self._env.spent(self._track, "held back", since, self._env.now)
        super().clear()


class WatchedAbsoluteDelay(_Watched, AbsoluteDelayModerator):
    """Tells what it holds back."""


class WatchedPacketDelay(_Watched, PacketDelayModerator):
    """Tells what it holds back."""


class WatchedMinimumGap(_Watched, MinimumGapModerator):
    """Tells what it holds back."""


class WatchedCountOrTime(_Watched, CountOrTimeModerator):
    """Tells what it holds back."""


class WatchedAdaptive(_Watched, AdaptiveModerator):
    """Tells what it holds back."""


MODERATORS: Mapping[type[Any], type[Any]] = {
    AbsoluteDelayModerator: WatchedAbsoluteDelay, PacketDelayModerator: WatchedPacketDelay,
    MinimumGapModerator: WatchedMinimumGap, CountOrTimeModerator: WatchedCountOrTime,
    AdaptiveModerator: WatchedAdaptive,
}  # fmt: skip
