"""Reports of watched parts, on their way to the watchers.

Every frame has a number from the moment its protocol hands it down until it needs no further work. The work of a
processor concerns the frames that occur meanwhile: a part that takes up a frame, or hands one down, reports it
(`about`), and the processor's watched part collects these reports (netsim.watch.watched_processor).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from netsim.engine.queues import Calendar
from netsim.ethernet import Frame
from netsim.machine.task import Task
from netsim.watch.activity import Activity, Parts
from netsim.watch.errand import Errand
from netsim.watch.journeys import Journey
from netsim.watch.watched_track import WatchedTrack
from netsim.watch.watcher import NO_FRAMES, AllObservers, Observer, Watcher

NOW: Final = -1  # for a time


class Teller:
    """Tells `watchers` what happens. Observers learn only what happens from `since` until `until` (ps)."""

    def __init__(self, calendar: Calendar, watchers: Sequence[Watcher], since: int, until: int) -> None:
        self._calendar = calendar
        self.watchers = list(watchers)
        observers = [one for one in watchers if isinstance(one, Observer)]
        self.tells_all = bool(observers)
        self._observer = observers[0] if len(observers) == 1 else AllObservers(observers)
        self.since = since
        self.until = until
        self.closing: list[Callable[[], None]] = []  # parts report their unfinished work at the end
        self.at_hand: Errand | None = None  # of the work that is beginning or ending
        self.journeys: dict[Frame, Journey] = {}  # of the frames under way
        self._frame: Frame | None = None  # the one last looked up
        self._journey: Journey | None = None  # its journey
        self._errands: dict[Task, Errand] = {}
        self._count = 0  # of frames so far

    def close(self) -> None:
        """The run is over: report everything that is under way."""
        for close in self.closing:
            close()
        self._observer.under_way(sorted(self.journeys.values(), key=_number))

    # --- reports of parts --------------------------------------------------------------------------------------------

    def built(self, part: object) -> None:
        """A host, a tester, a link or a segment has been added to the machine."""
        for one in self.watchers:
            one.built(part)

    def carried(self, wire: str, frame: Frame, start: int, end: int, lost: bool) -> None:
        """Also called for frames before `since`, which a capture needs to continue from."""
        if end <= self.until:
            for one in self.watchers:
                one.carried(wire, frame, start, end, lost)

    def spent(
        self, track: WatchedTrack, activity: Activity, start: int, end: int, frames: list[int] = NO_FRAMES
    ) -> None:
        """Report the part from `since` until `until`, if it has a duration."""
        since, until = self.since, self.until
        if start < since or end > until:
            activity = Activity(activity.name, _within(activity.parts, start, since, until))
            start, end = max(start, since), min(end, until)
        if end > start:
            self._observer.spent(track, activity, start, end, frames)

    def happened(self, track: WatchedTrack, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        if self.since <= time <= self.until:
            self._observer.happened(track, name, time, frames)

    def counted(self, track: WatchedTrack, value: int) -> None:
        now = self._calendar.now
        if self.since <= now <= self.until:
            self._observer.counted(track, value, now)

    def errand(self, task: Task) -> Errand:
        """A task's current work."""
        errand = self._errands.get(task)
        if errand is None:
            errand = self._errands[task] = Errand(task)
        return errand

    # --- frames ------------------------------------------------------------------------------------------------------

    def _journey_of(self, frame: Frame) -> Journey | None:
        """The frame's journey; None if it is not under way."""
        if frame is not self._frame:
            self._frame, self._journey = frame, self.journeys.get(frame)
        return self._journey

    def _leaves(self, frame: Frame) -> Journey | None:
        """Remove the frame: its journey continues under another frame, or is over."""
        journey = self._journey_of(frame)
        if journey is not None:
            del self.journeys[frame]
        self._frame = None
        return journey

    def number(self, frame: Frame) -> list[int]:
        """The frame's number, in a list; empty if it has none."""
        journey = self._journey_of(frame)
        return NO_FRAMES if journey is None else journey.numbers

    def handed(self, frame: Frame, stage: str = "send") -> None:
        """The current work hands down a frame, or each frame that a card will make of it. This begins a `stage` of its
        journey; a new frame begins with the first stage."""
        if frame.pieces:
            for one in frame.pieces:
                stage = self._handed(one, stage)
        else:
            self._handed(frame, stage)

    def _handed(self, frame: Frame, stage: str) -> str:
        """Returns the stage."""
        if self._journey_of(frame) is None:
            self._count += 1
            self.journeys[frame] = self._journey = Journey(self._count, frame.size, str(frame.port))
            stage = "send"
        self.about(frame, stage)
        return stage

    def about(self, frame: Frame, stage: str = "") -> None:
        """The current work concerns `frame`, and begins a stage of its journey."""
        journey, errand = self._journey_of(frame), self.at_hand
        if journey is not None and errand is not None and errand.adds(journey) and stage:
            self._begins(journey, stage, errand.began)

    def reached(self, frame: Frame, stage: str, time: int = NOW) -> None:
        """`frame`, or each of its pieces, begins a stage now, or at `time` (ps)."""
        if time == NOW:
            time = self._calendar.now
        if frame.pieces:
            for one in frame.pieces:
                self.reached(one, stage, time)
            return
        journey = self._journey_of(frame)
        if journey is not None:
            self._begins(journey, stage, time)

    def becomes(self, frame: Frame, twin: Frame) -> None:
        """The journey of `frame` continues as that of its `twin`."""
        journey = self._leaves(frame)
        if journey is not None:
            self.journeys[twin] = journey
            self._frame = None

    def _begins(self, journey: Journey, stage: str, time: int) -> None:
        if time < self.since:
            time, journey.is_cut = self.since, True
        elif time > self.until:
            time = self.until
        journey.begins(stage, time)

    def leave(self, frame: Frame, how: str = "taken", time: int = NOW) -> None:
        """The journey of `frame` is over, now or at `time` (ps)."""
        if time == NOW:
            time = self._calendar.now
        if frame.pieces:
            for one in frame.pieces:
                self.leave(one, how, time)
            return
        journey = self._leaves(frame)
        if journey is not None:
            journey.ends(how, min(max(time, self.since), self.until))
            self._observer.over(journey)

    def dropped(self, track: WatchedTrack, place: str, frame: Frame, time: int = NOW) -> None:
        """`frame` is dropped, now or at `time` (ps): one instant per frame that the accounts count."""
        if time == NOW:
            time = self._calendar.now
        numbers = [number for one in frame.pieces or (frame,) for number in self.number(one)]
        self.happened(track, place, time, numbers)
        self.leave(frame, place, time)


def _number(journey: Journey) -> int:
    return journey.frame


def _within(parts: Parts, start: int, since: int, until: int) -> Parts:
    """The parts of an activity that begins at `start`, cut to the time (ps)."""
    found = []
    for name, ps in parts:
        end = start + ps
        if start < until and end > since:
            found.append((name, min(end, until) - max(start, since)))
        start = end
    return tuple(found)
