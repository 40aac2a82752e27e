"""Processors that report their work, piece by piece and part by part, and its frames; and the locks between them.

Suspended work is reported in pieces once it is done, because the frame that it makes is known only then; everything
that ran in between is reported with it. The number of pieces kept for this is limited. Work begins with its wait for
the bus; later delays, which prolong it, are reported where they take effect, after all its other parts.
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
    """A piece of work, not reported yet."""

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
        self._since = -1  # when the current piece of work began (ps); -1: none
        self._kept: list[_KeptPiece] = []
        self._errand = Errand(Task(PROCESS, _nothing, _nothing_more))  # of the task last looked up
        teller.closing.append(self.tell_rest)

    def _errand_of(self, task: Task) -> Errand:
        errand = self._errand
        if errand.task is not task:
            errand = self._errand = self._teller.errand(task)
        return errand

    def begin(self, task: Task) -> None:
        """New work begins, if the task has any; the parts that take up frames report them meanwhile."""
        self._stop()
        teller, errand = self._teller, self._errand_of(task)
        errand.begins(self._calendar.now)
        outer, teller.at_hand = teller.at_hand, errand
        super().begin(task)
        teller.at_hand = outer
        self._start()

    def finished(self, task: Task) -> None:
        """The work takes effect; the parts that hand down frames report them meanwhile."""
        teller = self._teller
        outer, teller.at_hand = teller.at_hand, self._errand_of(task)
        super().finished(task)
        teller.at_hand = outer

    def go_on(self) -> None:
        """The previous work is over."""
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
        """The task stops spinning."""
        self._stop()
        super().got_lock(task)

    def stalled(self, task: Task, ps: int) -> None:
        self._errand_of(task).prolong(STALL, ps)
        super().stalled(task, ps)

    def held_up(self, task: Task, ps: int) -> None:
        self._errand_of(task).prolong(task.work.parts[0][0], ps)
        super().held_up(task, ps)

    def _start(self) -> None:
        """A task is at work from now on, unless one is already known to be."""
        task = self.task
        if self._since >= 0 or task is None:
            return
        self._since = self._calendar.now
        errand = self._errand_of(task)
        if not errand.is_laid_out:
            errand.lay_out()

    def _stop(self, *, suspended: bool = False) -> None:
        """The current piece of work is over, and with it the work, unless that is `suspended`."""
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
        """The run is over: report the current piece."""
        self._stop()
        self._tell()


def _nothing() -> None:
    return None


def _nothing_more() -> bool:
    return False


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedLock(Lock):
    """Reports which task has held it."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)
        teller.closing.append(self.tell_holder)

    def release(self) -> None:
        """Report the holder."""
        self.tell_holder()
        super().release()

    def tell_holder(self) -> None:
        """Report how long the holder has held it."""
        holder = self.holder
        if holder is not None:
            name = holder.name or LEVELS[holder.level]
            self._teller.spent(self._track, Activity(name), self._since, self._calendar.now)


PROCESSORS: Mapping[type[Any], type[Any]] = {Processor: WatchedProcessor, Lock: WatchedLock}
