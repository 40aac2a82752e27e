"""Processors that tell what they do, work by work and part by part, and for which frames; and the locks between them.

A work that is suspended is told in pieces, once it is done, as the frame that it makes is known then, and with it all
that has come between; but only a limited number of pieces is kept for that. It begins with its wait for the bus; what
holds it up later, so that it takes longer than it does alone, is told where it comes, behind all else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mypy_extensions import mypyc_attr

from netsim.machine.lock import Lock
from netsim.machine.processor import Processor
from netsim.machine.task import PROCESS, STALL, Task
from netsim.watch.activity import Activity
from netsim.watch.errand import LEVELS, Errand
from netsim.watch.teller import Teller
from netsim.watch.watched_track import WatchedTrack

_MOST_KEPT: Final = 256  # pieces


class _KeptPiece:
    """Of a work, not told yet."""

    def __init__(self, activity: Activity, start: int, end: int, frames: list[int]) -> None:
        self.activity = activity
        self.start = start
        self.end = end
        self.frames = frames


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedProcessor(Processor):
    """Reports each piece of work when it is done, or suspended."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)
        self._since = -1  # when the piece of work began that is under way (ps); -1: none is
        self._kept: list[_KeptPiece] = []
        self._errand = Errand(Task(PROCESS, _nothing, _nothing_more))  # of the task that was last asked for
        teller.closing.append(self.tell_rest)

    def _errand_of(self, task: Task) -> Errand:
        errand = self._errand
        if errand.task is not task:
            errand = self._errand = self._teller.errand(task)
        return errand

    def begin(self, task: Task) -> None:
        """A new work begins, if there is one; what it takes up says so meanwhile."""
        self._stop()
        teller, errand = self._teller, self._errand_of(task)
        errand.begins(self._calendar.now)
        outer, teller.at_hand = teller.at_hand, errand
        super().begin(task)
        teller.at_hand = outer
        self._start()

    def finished(self, task: Task) -> None:
        """A work has its effect; what it hands down says so meanwhile."""
        teller = self._teller
        outer, teller.at_hand = teller.at_hand, self._errand_of(task)
        super().finished(task)
        teller.at_hand = outer

    def go_on(self) -> None:
        """The work before is over."""
        self._stop()
        super().go_on()

    def suspend(self, task: Task) -> None:
        """A piece of the work is over."""
        self._stop(suspended=True)
        super().suspend(task)

    def resume(self, task: Task) -> None:
        """A piece of the work begins."""
        self._since = self._calendar.now
        super().resume(task)

    def got_lock(self, task: Task) -> None:
        """It spins no more."""
        self._stop()
        super().got_lock(task)

    def stalled(self, task: Task, ps: int) -> None:
        self._errand_of(task).prolong(STALL, ps)
        super().stalled(task, ps)

    def held_up(self, task: Task, ps: int) -> None:
        self._errand_of(task).prolong(task.work.parts[0][0], ps)
        super().held_up(task, ps)

    def _start(self) -> None:
        """A task is at work from now on, if none is known to be."""
        task = self.task
        if self._since >= 0 or task is None:
            return
        self._since = self._calendar.now
        errand = self._errand_of(task)
        if not errand.is_laid_out:
            errand.lay_out()

    def _stop(self, *, suspended: bool = False) -> None:
        """The piece of work that is under way is over, and with it the work, unless that is `suspended`."""
        start, task, now = self._since, self.task, self._calendar.now
        self._since = -1
        if start < 0 or task is None:
            return
        errand = self._errand_of(task)
        activity = errand.take(now - start)
        if not suspended:
            errand.activity = None
        waits = suspended or bool(self._suspended)
        if not (waits or self._kept):
            self._teller.spent(self._track, activity, start, now, errand.subjects)
            return
        self._kept.append(_KeptPiece(activity, start, now, errand.collected()))
        if not waits or len(self._kept) == _MOST_KEPT:
            self._tell()

    def _tell(self) -> None:
        for one in self._kept:
            self._teller.spent(self._track, one.activity, one.start, one.end, one.frames)
        self._kept.clear()

    def tell_rest(self) -> None:
        """The run is over: report the piece that is under way."""
        self._stop()
        self._tell()


def _nothing() -> None:
    return None


def _nothing_more() -> bool:
    return False


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedLock(Lock):
    """Tells which task has held it."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)
        teller.closing.append(self.tell_holder)

    def release(self) -> None:
        """Report the holder."""
        self.tell_holder()
        super().release()

    def tell_holder(self) -> None:
        """Tell since when it is that."""
        holder = self.holder
        if holder is not None:
            name = holder.name or LEVELS[holder.level]
            self._teller.spent(self._track, Activity(name), self._since, self._calendar.now)


PROCESSORS: Mapping[type[Any], type[Any]] = {Processor: WatchedProcessor, Lock: WatchedLock}
