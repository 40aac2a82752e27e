"""Wires that report their frames: links, segments with their collisions, and the ports of switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from netsim.ethernet import Frame, Link, Mac, Segment
from netsim.ethernet.contention import Contention
from netsim.ethernet.deference import Signal
from netsim.ethernet.rounds import Rounds
from netsim.ethernet.switch import Ingress, SwitchPort
from netsim.watch.activity import FRAME, Activity
from netsim.watch.teller import Teller
from netsim.watch.track import Track
from netsim.watch.watched_track import WatchedTrack

_GAP: Final = Activity("gap")
_COLLISION: Final = Activity("collision")


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedLink(Link):
    """Reports each frame, and the gap after it."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)
        self._what = ""  # why the last frame is lost; "": it is not
        teller.built(self)

    def put(self, frame: Frame, earliest: i64) -> i64:
        """Report the frame, and whether it is lost."""
        teller, self._what = self._teller, ""
        end = super().put(frame, earliest)
        start = self._start
        teller.reached(frame, "wire", start)
        teller.carried(self.name, frame, start, end, bool(self._what))
        teller.spent(self._track, FRAME, start, end, teller.number(frame))
        teller.spent(self._track, _GAP, end, self.free)
        if self._what:
            teller.dropped(self._track, self._what, frame, end)
        return end

    def lose(self, frame: Frame, what: str) -> None:
        """Note why the frame is lost."""
        self._what = what
        super().lose(frame, what)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedSegment(Segment):
    """Reports each frame that gets through, and collisions: each station's signals have their own track."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)
        self._tracks: dict[Mac, WatchedTrack] = {}  # of stations
        teller.built(self)

    def mac(self, name: str, position: float) -> Mac:
        """Add a track for the station."""
        mac = super().mac(name, position)
        self._tracks[mac] = WatchedTrack.of(self.name, f", {name}")
        return mac

    def carried(self, mac: Mac, start: int, end: int) -> None:
        """Report a frame that gets through."""
        teller, frame = self._teller, mac.frame
        super().carried(mac, start, end)
        teller.reached(frame, "wire", start)
        teller.carried(self.name, frame, start, end, False)
        teller.spent(self._tracks[mac], FRAME, start, end, teller.number(frame))

    def drop(self, mac: Mac) -> None:
        """Report the dropped frame. Its adapter may send it once more."""
        now, numbers = self._calendar.now, self._teller.number(mac.frame)
        self._teller.happened(self._track, "excess collisions", now, numbers)
        super().drop(mac)

    def collide(self, time: int) -> None:
        """Report a collision at `time` (ps): when its first signal began, or the signal that met another."""
        self._teller.happened(self._track, "collision", time)

    def fragment(self, mac: Mac, start: int, end: int) -> None:
        """Report that a station sends a fragment."""
        self._teller.spent(self._tracks[mac], _COLLISION, start, end, self._teller.number(mac.frame))


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedRounds(Rounds):
    """Reports collisions."""

    def watched_by(self, teller: Teller) -> None:
        segment = self.segment
        assert isinstance(segment, WatchedSegment)
        self._watched = segment

    def collide(self, starts: list[tuple[int, int]], behind: list[Mac]) -> None:
        """Report a round that collides, and every fragment in it."""
        self._watched.collide(min(starts)[0])
        for start, index in starts:
            self._watched.fragment(self._stations[index], start, start + self._shortest)
        super().collide(starts, behind)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedContention(Contention):
    """Reports collisions."""

    def watched_by(self, teller: Teller) -> None:
        segment = self.segment
        assert isinstance(segment, WatchedSegment)
        self._watched = segment

    def collide(self, start: int) -> None:
        """Report a new collision: the signal that starts at `start` (ps) meets signals that have met no other."""
        super().collide(start)
        self._watched.collide(start)

    def collided(self, signal: Signal) -> None:
        """Report a fragment, whose end is certain now."""
        self._watched.fragment(signal.mac, signal.start, signal.end)
        super().collided(signal)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedIngress(Ingress):
    """Reports the frames that arrive."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller

    def put(self, frame: Frame) -> None:
        """Report that the switch has the frame."""
        self._teller.reached(frame, "switch")
        super().put(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedSwitchPort(SwitchPort):
    """Reports the content of its buffer, and frames that find no room there."""

    def watched_by(self, teller: Teller) -> None:
        switch, self._teller = self.switch, teller
        self._place = f"port to {self.neighbour}"
        self._drops = WatchedTrack.drops(switch.name)
        self._track = WatchedTrack(Track(switch.name, f"{switch.name} {self._place} buffer (bytes)"))

    def put(self, frame: Frame) -> None:
        """Report the content of the buffer afterwards."""
        super().put(frame)
        self._teller.counted(self._track, self._held)

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._teller.dropped(self._drops, self._place, frame)


WIRES: Mapping[type[Any], type[Any]] = {
    Link: WatchedLink, Segment: WatchedSegment, Rounds: WatchedRounds, Contention: WatchedContention
}  # fmt: skip
SWITCHES: Mapping[type[Any], type[Any]] = {Ingress: WatchedIngress, SwitchPort: WatchedSwitchPort}
