"""Wires that tell of their frames: links, segments with their collisions, and the ports of switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.ethernet import Frame, Link, Mac, Segment
from netsim.ethernet.contention import Contention
from netsim.ethernet.deference import Signal
from netsim.ethernet.rounds import Rounds
from netsim.ethernet.switch import Ingress, Switch, SwitchPort

if TYPE_CHECKING:
    from netsim.watch.watching import Watching


class WatchedLink(Link):
    """Tells of each frame, and of the gap behind it."""

    env: Watching

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.env.built(self)

    def put(self, frame: Frame, earliest: int) -> int:
        """See Link."""
        env, before, cut_off = self.env, self.frames_lost, self.cut_off
        end = super().put(frame, earliest)
        start = self.free - self.spec.frame_time(frame.size)
        lost = self.frames_lost > before
        env.reached(frame, "wire", start)
        env.carried(self.name, frame, start, end, lost)
        env.spent(self.name, "frame", start, end, env.number(frame))
        env.spent(self.name, "gap", end, self.free)
        if lost:
            env.dropped(self.name, "link down" if self.cut_off > cut_off else "bit errors", frame, end)
        return end


class WatchedSegment(Segment):
    """Tells of each frame that gets through, and of collisions: what each station sends is on a track of its own."""

    env: Watching
    _further = False  # a frame follows another one in a burst

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.env.built(self)

    def _lay_out(self) -> None:
        super()._lay_out()
        if isinstance(self._contention, WatchedRounds | WatchedContention):
            self._contention.segment = self

    def _continue_burst(self, mac: Mac, frame: Frame) -> None:
        self._further = True
        super()._continue_burst(mac, frame)
        self._further = False

    def _deliver(self, mac: Mac, end: int) -> None:
        env, frame = self.env, mac.frame
        super()._deliver(mac, end)
        start = end - (self.spec.sending_time(frame.size, first=False) if self._further else mac.duration)
        env.reached(frame, "wire", start)
        env.carried(self.name, frame, start, end, False)
        env.spent(f"{self.name}, {mac.name}", "frame", start, end, env.number(frame))

    def _dropped(self, mac: Mac) -> None:
        env = self.env
        env.happened(self.name, "excess collisions", env.now, env.number(mac.frame))
        super()._dropped(mac)

    def collided(self, time: int) -> None:
        """Two or more signals meet, the first of which began at `time` (ps), or the one that met another."""
        self.env.happened(self.name, "collision", time)

    def met_others(self, mac: Mac, start: int, end: int) -> None:
        """A station sends a fragment."""
        self.env.spent(f"{self.name}, {mac.name}", "collision", start, end, self.env.number(mac.frame))


class WatchedRounds(Rounds):
    """Tells of collisions."""

    segment: WatchedSegment

    def _collide(self, starts: list[tuple[int, int]], behind: list[Mac]) -> None:
        self.segment.collided(min(starts)[0])
        for start, index in starts:
            self.segment.met_others(self._stations[index], start, start + self._shortest)
        super()._collide(starts, behind)


class WatchedContention(Contention):
    """Tells of collisions."""

    segment: WatchedSegment

    def _start(self, start: int, mac: Mac) -> None:
        before = self.collisions
        super()._start(start, mac)
        if self.collisions > before:
            self.segment.collided(start)

    def _collided(self, signal: Signal) -> None:
        self.segment.met_others(signal.mac, signal.start, signal.end)
        super()._collided(signal)


class WatchedIngress(Ingress):
    """Tells of what comes in."""

    _env: Watching

    def put(self, frame: Frame) -> None:
        """See Ingress."""
        self._env.reached(frame, "switch")
        super().put(frame)


class WatchedSwitchPort(SwitchPort):
    """Tells of what is in its buffer, and of what has no room there."""

    _env: Watching

    def __init__(self, switch: Switch, neighbour: str, out: Link) -> None:
        super().__init__(switch, neighbour, out)
        self._switch = switch.name

    def put(self, frame: Frame) -> None:
        """See SwitchPort."""
        before, place = self.dropped, f"port to {self.neighbour}"
        super().put(frame)
        if self.dropped > before:
            self._env.dropped(f"{self._switch} drops", place, frame)
        self._env.counted(f"{self._switch} {place} buffer (bytes)", self._held)


WIRES: Mapping[type[Any], type[Any]] = {
    Link: WatchedLink, Segment: WatchedSegment, Rounds: WatchedRounds, Contention: WatchedContention
}  # fmt: skip
SWITCHES: Mapping[type[Any], type[Any]] = {Ingress: WatchedIngress, SwitchPort: WatchedSwitchPort}
