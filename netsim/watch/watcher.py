"""Who is told of a run that is watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame
from netsim.watch.journeys import Journey
from netsim.watch.track import Track

Parts = tuple[tuple[str, int], ...]  # consecutive parts of something: names, and their lengths (ps)
NO_FRAMES: Final[list[int]] = []  # the numbers of no frames


@mypyc_attr(allow_interpreted_subclasses=True)
class Watcher:
    """Is told which frames wires carry. Each of these does nothing here. Times are in ps."""

    def built(self, part: object) -> None:
        """`part` is in the machine: a host, a link or a segment. What is plugged into it, or opened on it, comes later.
        """

    def ready(self) -> None:
        """All of the machine is built, and nothing has happened yet."""

    def carried(self, wire: str, frame: Frame, start: int, end: int, lost: bool) -> None:
        """A link or a segment carries `frame`, from the first bit of its preamble at `start` to its last bit at `end`,
        both where its sender is; it may be `lost` on the way. Told when that is certain, which may be before `start`,
        or a little after it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Observer(Watcher):
    """Is told of everything. What is spent on one track is told in the order of time, and may reach into the future.
    Frames are known by their numbers, in lists that may change afterwards."""

    def spent(
        self, track: Track, name: str, start: int, end: int, frames: list[int] = NO_FRAMES, parts: Parts = ()
    ) -> None:
        """A resource is busy with something from `start` to `end`, all of which consists of `parts`, unless there are
        none, and which may be about some `frames`."""

    def happened(self, track: Track, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        """Something that takes no time, such as a drop."""

    def counted(self, track: Track, value: int, time: int) -> None:
        """There are `value` from now on."""

    def over(self, journey: Journey) -> None:
        """A frame's journey is over."""

    def under_way(self, journeys: Sequence[Journey]) -> None:
        """The run is over, and these frames are under way."""


class AllObservers(Observer):
    """Tells several observers all that it is told."""

    def __init__(self, observers: list[Observer]) -> None:
        self._observers = observers

    def spent(
        self, track: Track, name: str, start: int, end: int, frames: list[int] = NO_FRAMES, parts: Parts = ()
    ) -> None:
        for one in self._observers:
            one.spent(track, name, start, end, frames, parts)

    def happened(self, track: Track, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        for one in self._observers:
            one.happened(track, name, time, frames)

    def counted(self, track: Track, value: int, time: int) -> None:
        for one in self._observers:
            one.counted(track, value, time)

    def over(self, journey: Journey) -> None:
        for one in self._observers:
            one.over(journey)

    def under_way(self, journeys: Sequence[Journey]) -> None:
        for one in self._observers:
            one.under_way(journeys)
