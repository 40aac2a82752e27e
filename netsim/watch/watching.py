"""A run that is watched: its environment builds parts that tell watchers what they do.

Each watched part is a subclass that does what its part does, in the same order, and then tells. So watchers see a run
as it would have been without them, event by event; and one that is not watched is built of the parts themselves.

Every frame has a number from when its protocol hands it down until nothing is left to do with it. What a processor does
is about the frames that come up meanwhile: a part that takes one up, or hands one down, says so (`about`), and the
processor's watched part gathers that (netsim.watch.watched_processor).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from netsim.engine import Environment
from netsim.engine.environment import Part
from netsim.ethernet import Frame
from netsim.machine.task import Task
from netsim.watch.track import Track
from netsim.watch.watched_bus import BUSES
from netsim.watch.watched_host import HOSTS, MACHINES
from netsim.watch.watched_moderation import MODERATORS
from netsim.watch.watched_nic import NICS
from netsim.watch.watched_processor import PROCESSORS, Errand
from netsim.watch.watched_stack import STACKS
from netsim.watch.watched_storage import DISKS
from netsim.watch.watched_wire import SWITCHES, WIRES

EVERYTHING: Mapping[type[Any], type[Any]] = {
    **MACHINES, **WIRES, **SWITCHES, **BUSES, **NICS, **MODERATORS, **PROCESSORS, **HOSTS, **STACKS, **DISKS
}  # fmt: skip
NEVER = 1 << 62  # ps

Piece = tuple[str, int, int]  # name, start and end (ps)


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


class Observer(Watcher):
    """Is told of everything. What is spent on one track is told in the order of time, and may reach into the future.
    Frames are known by their numbers."""

    def spent(
        self, track: Track, name: str, start: int, end: int, frames: Sequence[int] = (), parts: Sequence[Piece] = ()
    ) -> None:
        """A resource is busy with something, which consists of `parts`, one behind the other, and may be about some
        `frames`."""

    def happened(self, track: Track, name: str, time: int, frames: Sequence[int] = ()) -> None:
        """Something that takes no time, such as a drop."""

    def counted(self, track: Track, value: int, time: int) -> None:
        """There are `value` from now on."""

    def numbered(self, frame: int, size: int, port: str) -> None:
        """A new frame, of `size` bytes with FCS, for `port` at its receiver."""

    def reached(self, frame: int, stage: str, time: int) -> None:
        """A frame begins a stage of its journey, which ends the one before. Not told in the order of time."""

    def left(self, frame: int, how: str, time: int) -> None:
        """A frame's journey is over: it is "taken", or was dropped, and this says where."""


class Watching(Environment):
    """An environment in which `watchers` are told what happens; those that take everything, only what
    happens from `since` until `until` (ps). Say when the machine is `ready`, and `close` it in the end."""

    def __init__(self, seed: int, watchers: Sequence[Watcher], since: int = 0, until: int = NEVER) -> None:
        super().__init__(seed)
        self.watchers = watchers
        self.observers = [one for one in watchers if isinstance(one, Observer)]
        self.since, self.until = since, until
        self.closing: list[Callable[[], None]] = []  # parts report what is under way at the end
        self.at_hand: Errand | None = None  # of the work that begins just now, or is finished
        self._errands: dict[Task, Errand] = {}
        self._journeys: dict[Frame, int] = {}  # the frames under way
        self._count = 0
        self._parts = EVERYTHING if self.observers else {**WIRES, **MACHINES}

    def part(self, kind: type[Part]) -> type[Part]:
        """The class that tells what one of `kind` does, if there is one."""
        return cast(type[Part], self._parts.get(kind, kind))

    def built(self, part: object) -> None:
        """A host, a link or a segment is in the machine now."""
        for one in self.watchers:
            one.built(part)

    def ready(self) -> None:
        """All of the machine is built."""
        for one in self.watchers:
            one.ready()

    def close(self) -> None:
        """The run is over: tell of what is under way."""
        for close in self.closing:
            close()

    # --- what parts tell ---------------------------------------------------------------------------------------------

    def carried(self, wire: str, frame: Frame, start: int, end: int, lost: bool) -> None:
        """Also of what was before the time, which a capture must know to continue from there."""
        if end <= self.until:
            for one in self.watchers:
                one.carried(wire, frame, start, end, lost)

    def spent(
        self, track: Track, name: str, start: int, end: int, frames: Sequence[int] = (), parts: Sequence[Piece] = ()
    ) -> None:
        """As far as it is within the time, and if it takes any."""
        since, until = self.since, self.until
        if start < since or end > until:
            start, end = max(start, since), min(end, until)
            parts = [(part, max(a, since), min(b, until)) for part, a, b in parts if a < until and b > since]
        if end > start:
            for one in self.observers:
                one.spent(track, name, start, end, frames, parts)

    def happened(self, track: Track, name: str, time: int, frames: Sequence[int] = ()) -> None:
        if self.since <= time <= self.until:
            for one in self.observers:
                one.happened(track, name, time, frames)

    def counted(self, track: Track, value: int) -> None:
        if self.since <= self.now <= self.until:
            for one in self.observers:
                one.counted(track, value, self.now)

    def errand(self, task: Task) -> Errand:
        """What a task is about."""
        errand = self._errands.get(task)
        if errand is None:
            errand = self._errands[task] = Errand(task)
        return errand

    # --- frames ------------------------------------------------------------------------------------------------------

    def number(self, frame: Frame) -> tuple[int, ...]:
        """The frame's number; none if it has none."""
        number = self._journeys.get(frame)
        return () if number is None else (number,)

    def handed(self, frame: Frame, stage: str = "send") -> None:
        """A frame, or each that a card is to make of it, is handed down by the current work, which is this stage of its
        journey, or if it is new its first one."""
        for one in frame.pieces or (frame,):
            if one not in self._journeys:
                self._enter(one)
                stage = "send"
            self.about(one, stage)

    def _enter(self, frame: Frame) -> None:
        self._count += 1
        self._journeys[frame] = self._count
        for one in self.observers:
            one.numbered(self._count, frame.size, str(frame.port))

    def about(self, frame: Frame, stage: str | None = None) -> None:
        """The work at hand is about `frame`, and begins a stage of its journey."""
        number, errand = self._journeys.get(frame), self.at_hand
        if number is None or errand is None or number in errand.subjects:
            return
        errand.subjects.append(number)
        if stage is not None:
            self.begins(number, stage, errand.began)

    def reached(self, frame: Frame, stage: str, time: int | None = None) -> None:
        """`frame`, or each of its pieces, begins a stage now, or at `time` (ps)."""
        for one in frame.pieces or (frame,):
            if one in self._journeys:
                self.begins(self._journeys[one], stage, self.now if time is None else time)

    def becomes(self, frame: Frame, twin: Frame) -> None:
        """The journey of `frame` continues as that of its `twin`."""
        number = self._journeys.pop(frame, None)
        if number is not None:
            self._journeys[twin] = number

    def begins(self, number: int, stage: str, time: int) -> None:
        """The frame of this number begins a stage at `time` (ps)."""
        for one in self.observers:
            one.reached(number, stage, min(max(time, self.since), self.until))

    def leave(self, frame: Frame, how: str = "taken", time: int | None = None) -> None:
        """The journey of `frame` is over, now or at `time` (ps)."""
        for one in frame.pieces or (frame,):
            if one in self._journeys:
                number, end = self._journeys.pop(one), self.now if time is None else time
                for observer in self.observers:
                    observer.left(number, how, min(max(end, self.since), self.until))

    def dropped(self, track: Track, place: str, frame: Frame, time: int | None = None) -> None:
        """`frame` is dropped, now or at `time` (ps): an instant for each that the accounts count."""
        pieces = frame.pieces or (frame,)
        numbers = [number for one in pieces for number in self.number(one)]
        self.happened(track, place, self.now if time is None else time, numbers)
        self.leave(frame, place, time)
