"""Wires that report their frames: links, segments with their collisions, and the ports of switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.ethernet import Frame, Link, Mac, Segment
from netsim.ethernet.contention import Contention
from netsim.ethernet.deference import Signal
from netsim.ethernet.rounds import Rounds
from netsim.ethernet.switch import Ingress, Switch, SwitchPort
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watching import Watching


class WatchedLink(Link):
    """Reports each frame, and the gap behind it."""

    env: Watching

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._track = Track.of(self.name)
        self._what = ""  # by what the last frame is lost; "": it is not
        self.env.built(self)

    def put(self, frame: Frame, earliest: int) -> int:
        """Report the frame, which is lost or not by then."""
        env, self._what = self.env, ""
        end = super().put(frame, earliest)
        start = self.free - self.spec.frame_time(frame.size)
        env.reached(frame, "wire", start)
        env.carried(self.name, frame, start, end, bool(self._what))
        env.spent(self._track, "frame", start, end, env.number(frame))
        env.spent(self._track, "gap", end, self.free)
        if self._what:
            env.dropped(self._track, self._what, frame, end)
        return end

    def lose(self, frame: Frame, what: str) -> None:
        """Note what the frame is lost by."""
        self._what = what
        super().lose(frame, what)


class WatchedSegment(Segment):
    """Reports each frame that gets through, and collisions: what each station sends is on a track of its own."""

    env: Watching

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._track = Track.of(self.name)
        self._tracks: dict[Mac, Track] = {}  # of stations
        self.env.built(self)

    def mac(self, name: str, position: float) -> Mac:
        """One more station has a track."""
        mac = super().mac(name, position)
        self._tracks[mac] = Track.of(self.name, f", {name}")
        return mac

    def deliver(self, mac: Mac, start: int, end: int) -> None:
        """Report a frame that gets through."""
        env, frame = self.env, mac.frame
        super().deliver(mac, start, end)
        env.reached(frame, "wire", start)
        env.carried(self.name, frame, start, end, False)
        env.spent(self._tracks[mac], "frame", start, end, env.number(frame))

    def drop(self, mac: Mac) -> None:
        """Report it. Its adapter may send the frame once more."""
        env = self.env
        env.happened(self._track, "excess collisions", env.now, env.number(mac.frame))
        super().drop(mac)

    def collide(self, time: int) -> None:
        """Tell that two or more signals meet, the first of which began at `time` (ps), or the one that met another."""
        self.env.happened(self._track, "collision", time)

    def fragment(self, mac: Mac, start: int, end: int) -> None:
        """Tell that a station sends a fragment."""
        self.env.spent(self._tracks[mac], "collision", start, end, self.env.number(mac.frame))


class WatchedRounds(Rounds):
    """Reports collisions."""

    segment: WatchedSegment

    def collide(self, starts: list[tuple[int, int]], behind: list[Mac]) -> None:
        """Report a round that collides, and every fragment in it."""
        self.segment.collide(min(starts)[0])
        for start, index in starts:
            self.segment.fragment(self._stations[index], start, start + self._shortest)
        super().collide(starts, behind)


class WatchedContention(Contention):
    """Reports collisions."""

    segment: WatchedSegment

    def collide(self, start: int) -> None:
        """Report a collision that no other signal has met yet."""
        super().collide(start)
        self.segment.collide(start)

    def collided(self, signal: Signal) -> None:
        """Report a fragment, whose end is certain now."""
        self.segment.fragment(signal.mac, signal.start, signal.end)
        super().collided(signal)


class WatchedIngress(Ingress):
    """Reports what comes in."""

    def __init__(self, switch: Switch) -> None:
        super().__init__(switch)
        self._env: Watching = switch.env  # type: ignore[assignment]

    def put(self, frame: Frame) -> None:
        """Tell that the switch has the frame."""
        self._env.reached(frame, "switch")
        super().put(frame)


class WatchedSwitchPort(SwitchPort):
    """Reports what is in its buffer, and what has no room there."""

    def __init__(self, switch: Switch, neighbour: str, out: Link) -> None:
        super().__init__(switch, neighbour, out)
        self._env: Watching = switch.env  # type: ignore[assignment]
        self._place = f"port to {neighbour}"
        self._drops = Track.drops(switch.name)
        self._track = Track(switch.name, f"{switch.name} {self._place} buffer (bytes)")

    def put(self, frame: Frame) -> None:
        """Tell how much is in the buffer then."""
        super().put(frame)
        self._env.counted(self._track, self._held)

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._env.dropped(self._drops, self._place, frame)


WIRES: Mapping[type[Any], type[Any]] = {
    Link: WatchedLink, Segment: WatchedSegment, Rounds: WatchedRounds, Contention: WatchedContention
}  # fmt: skip
SWITCHES: Mapping[type[Any], type[Any]] = {Ingress: WatchedIngress, SwitchPort: WatchedSwitchPort}
