"""The frames and the parts of a processor's current work."""

from __future__ import annotations

from typing import Final

from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task
from netsim.machine.work import Work
from netsim.watch.activity import Activity, Parts
from netsim.watch.journeys import Journey
from netsim.watch.watcher import NO_FRAMES

LEVELS: Final = {INTERRUPT: "interrupt", DEFERRED: "deferred", PROCESS: "process"}  # for tasks without a name


class Errand:
    """The current work of a task: the frames that it concerns, and the parts not reported yet."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.name = task.name or LEVELS[task.level]
        self.subjects = NO_FRAMES  # frames
        self._collects = False  # whether these are in a separate list, which may grow
        self.began = 0  # ps
        self.activity: Activity | None = None  # the work; None: none
        self._whole: dict[Work, Activity] = {}  # the activity of each work
        self._total = 0  # ps of the parts
        self._done = 0  # ps of them that have been reported

    def begins(self, now: int) -> None:
        """Work may begin now; it concerns no frame yet."""
        self.subjects, self._collects, self.began = NO_FRAMES, False, now

    def adds(self, journey: Journey) -> bool:
        """Add a frame to the work; returns False if it is already known."""
        subjects = self.subjects
        if not subjects and not self._collects:
            self.subjects = journey.numbers
            return True
        if journey.frame in subjects:
            return False
        self.collected().append(journey.frame)
        return True

    def collected(self) -> list[int]:
        """The frames, in a list that grows with later ones."""
        if not self._collects:
            self.subjects, self._collects = self.subjects.copy(), True
        return self.subjects

    def lay_out(self) -> None:
        """The work has begun: determine its parts."""
        work, wait = self.task.work, self.task.wait
        if wait:
            name, ps = work.parts[0]
            self.activity = Activity(self.name, _lasting(((name, ps + wait), *work.parts[1:])))
        else:
            activity = self._whole.get(work)
            if activity is None:
                activity = self._whole[work] = Activity(self.name, _lasting(work.parts))
            self.activity = activity
        self._total, self._done = work.total + wait, 0

    @property
    def is_laid_out(self) -> bool:
        """Whether the parts of the work are known."""
        return self.activity is not None and bool(self.activity.parts)

    def prolong(self, name: str, ps: int) -> None:
        """Extend the work by the part `name`, for `ps`."""
        if ps:
            parts = () if self.activity is None else self.activity.parts
            self.activity = Activity(self.name, (*parts, (name, ps)))
            self._total += ps

    def take(self, ps: int) -> Activity:
        """The activity of the next `ps` of the work."""
        done = self._done
        self._done = until = done + ps
        activity = self.activity
        if activity is None:
            return Activity(self.name)
        if not done and until == self._total:
            return activity
        found, first = [], 0
        for name, length in activity.parts:
            last = first + length
            if last > done and first < until:
                found.append((name, min(last, until) - max(first, done)))
            first = last
        return Activity(self.name, tuple(found))


def _lasting(parts: Parts) -> Parts:
    """The parts with a duration."""
    for _, ps in parts:
        if not ps:
            return tuple([part for part in parts if part[1]])
    return parts
