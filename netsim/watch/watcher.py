"""The observers of a watched run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame
from netsim.watch.activity import Activity
from netsim.watch.journeys import Journey
from netsim.watch.watched_track import WatchedTrack

NO_FRAMES: Final[list[int]] = []  # the numbers of no frames


@mypyc_attr(allow_interpreted_subclasses=True)
class Watcher:
    """Is told which frames the wires carry. Each method does nothing here. Times are in ps."""

    def built(self, part: object) -> None:
        """`part` has been added to the machine: a host, a tester, a link or a segment. Anything plugged into it, or
        opened on it, comes later.
        """

    def ready(self) -> None:
        """The whole machine is built, and nothing has happened yet."""

    def carried(self, wire: str, frame: Frame, start: int, end: int, lost: bool) -> None:
        """A link or a segment carries `frame`, from the first bit of its preamble at `start` to its last bit at `end`,
        both at the sender; it may be `lost` on the way. Called when that is certain, which may be before `start` or
        slightly after it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Observer(Watcher):
    """Is told of everything. Activities of one track are reported in the order of time, and may reach into the future.
    Frames are identified by their numbers, in lists that may change afterwards."""

    def spent(
        self, track: WatchedTrack, activity: Activity, start: int, end: int, frames: list[int] = NO_FRAMES
    ) -> None:
        """A resource is busy from `start` to `end`, perhaps for some `frames`."""

    def happened(self, track: WatchedTrack, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        """An event without duration, such as a drop."""

    def counted(self, track: WatchedTrack, value: int, time: int) -> None:
        """The counter is `value` from now on."""

    def over(self, journey: Journey) -> None:
        """A frame's journey is over."""

    def under_way(self, journeys: Sequence[Journey]) -> None:
        """The run is over, and these frames are still under way."""


class AllObservers(Observer):
    """Passes everything on to several observers."""

    def __init__(self, observers: list[Observer]) -> None:
        self._observers = observers

    def spent(
        self, track: WatchedTrack, activity: Activity, start: int, end: int, frames: list[int] = NO_FRAMES
    ) -> None:
        for one in self._observers:
            one.spent(track, activity, start, end, frames)

    def happened(self, track: WatchedTrack, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        for one in self._observers:
            one.happened(track, name, time, frames)

    def counted(self, track: WatchedTrack, value: int, time: int) -> None:
        for one in self._observers:
            one.counted(track, value, time)

    def over(self, journey: Journey) -> None:
        for one in self._observers:
            one.over(journey)

    def under_way(self, journeys: Sequence[Journey]) -> None:
        for one in self._observers:
            one.under_way(journeys)
