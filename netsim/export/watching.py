"""A run that is watched: its environment builds parts that tell watchers what they do.

Each watched part is a subclass that does what its part does, in the same order, and then tells. So watchers see a run
as it would have been without them, event by event; and one that nobody watches is built of the parts themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from netsim.engine import Environment, Part
from netsim.ethernet import Frame, Link, Mac, Segment


class Watcher:
    """Somebody who is told what happens. Each of these does nothing here. Times are in ps."""

    def carried(self, wire: str, frame: Frame, start: int, end: int, lost: bool) -> None:
        """A link or a segment carries `frame`, from the first bit of its preamble at `start` to its last bit at `end`,
        both where its sender is; it may be `lost` on the way. Told when that is certain, which may be before `start`,
        or a little after it."""


class Watching(Environment):
    """An environment in which `watchers` are told."""

    def __init__(self, seed: int, watchers: Sequence[Watcher]) -> None:
        super().__init__(seed)
        self.watchers = watchers

    def kind(self, part: type[Part]) -> type[Part]:
        """See Environment."""
        return cast(type[Part], WATCHED.get(part, part))


class WatchedLink(Link):
    """Tells of each frame."""

    env: Watching

    def send(self, frame: Frame, earliest: int) -> int:
        """See Link."""
        lost = self.frames_lost
        end = super().send(frame, earliest)
        start = self.free - self.spec.frame_time(frame.size)
        for one in self.env.watchers:
            one.carried(self.name, frame, start, end, self.frames_lost > lost)
        return end


class WatchedSegment(Segment):
    """Tells of each frame that gets through."""

    env: Watching

    def _deliver(self, mac: Mac, end: int) -> None:
        frame = mac.frame
        super()._deliver(mac, end)
        for one in self.env.watchers:
            one.carried(self.name, frame, end - mac.duration, end, False)


WATCHED: Mapping[type[Any], type[Any]] = {Link: WatchedLink, Segment: WatchedSegment}
