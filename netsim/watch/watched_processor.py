"""Processors that tell what they do, work by work and part by part, and for which frames; and the locks between them.

A work that is suspended is told in pieces, once it is done, as the frame that it makes is known then, and with it all
that has come between; but only a limited number of pieces is kept for that. It begins with its wait for the bus; what
holds it up later, so that it takes longer than it does alone, is told where it comes, behind all else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from netsim.accounts import Resource
from netsim.machine.lock import Lock
from netsim.machine.processor import Processor
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, STALL, Task
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watching import Piece, Watching

_MOST_KEPT = 256  # pieces
LEVELS = {INTERRUPT: "interrupt", DEFERRED: "deferred", PROCESS: "process"}  # what a task without a name is called


class Errand:
    """What the present work of a task is about."""

    __slots__ = ("_done", "_task", "began", "name", "plan", "subjects")

    def __init__(self, task: Task) -> None:
        self._task = task
        self.name = task.name or LEVELS[task.level]
        self.subjects: list[int] = []  # frames
        self.began = 0  # ps
        self.plan: list[Piece] = []  # parts of the work (name, and from and until how many of its ps); none: no work
        self._done = 0  # ps of it that have been told

    def lay_out(self) -> None:
        """The work has begun: what it consists of."""
        task, self._done, self.plan = self._task, 0, []
        wait = task.wait
        for name, ps in task.work.parts:
            self.prolong(name, ps + wait)
            wait = 0

    def prolong(self, name: str, ps: int) -> None:
        """The work continues with the part `name`, for `ps`."""
        if ps:
            done = self.plan[-1][2] if self.plan else 0
            self.plan.append((name, done, done + ps))

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """The parts that have been done from `start` until `end` (ps)."""
        done, self._done = self._done, self._done + end - start
        for name, first, last in self.plan:
            if last > done and first < self._done:
                yield name, start + max(first - done, 0), start + min(last, self._done) - done


class WatchedProcessor(Processor):
    """Reports each piece of work when it is done, or suspended."""

    def __init__(self, env: Watching, name: Resource, *more: Any) -> None:
        super().__init__(env, name, *more)
        self._env = env
        self._track = Track.of(name)
        self._since: int | None = None  # when the piece of work began that is under way (ps)
        self._kept: list[tuple[str, int, int, list[int], tuple[Piece, ...]]] = []  # not told yet, as in Observer.spent
        self._env.closing.append(self._close)

    def begin(self, task: Task) -> None:
        """A new work begins, if there is one; what it takes up says so meanwhile."""
        self._stop()
        env, errand = self._env, self._env.errand(task)
        errand.subjects, errand.began = [], env.now
        outer, env.at_hand = env.at_hand, errand
        super().begin(task)
        env.at_hand = outer
        self._start()

    def finished(self, task: Task) -> None:
        """A work has its effect; what it hands down says so meanwhile."""
        env = self._env
        outer, env.at_hand = env.at_hand, env.errand(task)
        super().finished(task)
        env.at_hand = outer

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
        self._since = self._env.now
        super().resume(task)

    def got_lock(self, task: Task) -> None:
        """It spins no more."""
        self._stop()
        super().got_lock(task)

    def stalled(self, task: Task, ps: int) -> None:
        self._env.errand(task).prolong(STALL, ps)
        super().stalled(task, ps)

    def held_up(self, task: Task, ps: int) -> None:
        self._env.errand(task).prolong(task.work.parts[0][0], ps)
        super().held_up(task, ps)

    def _start(self) -> None:
        """A task is at work from now on, if none is known to be."""
        if self._since is not None or self.task is None:
            return
        self._since = self._env.now
        errand = self._env.errand(self.task)
        if not errand.plan:
            errand.lay_out()

    def _stop(self, *, suspended: bool = False) -> None:
        """The piece of work that is under way is over, and with it the work, unless that is `suspended`."""
        start, self._since = self._since, None
        if start is None or self.task is None:
            return
        errand, now = self._env.errand(self.task), self._env.now
        self._kept.append((errand.name, start, now, errand.subjects, tuple(errand.pieces(start, now))))
        if not suspended:
            errand.plan = []
        if not (suspended or self._suspended) or len(self._kept) == _MOST_KEPT:
            self._tell()

    def _tell(self) -> None:
        for piece in self._kept:
            self._env.spent(self._track, *piece)
        self._kept.clear()

    def _close(self) -> None:
        self._stop()
        self._tell()


class WatchedLock(Lock):
    """Tells which task has held it."""

    def __init__(self, env: Watching, name: Resource) -> None:
        super().__init__(env, name)
        self._env = env
        self._track = Track.of(name)
        self._env.closing.append(self._tell)

    def release(self) -> None:
        """Report the holder."""
        self._tell()
        super().release()

    def _tell(self) -> None:
        if self.holder is not None:
            self._env.spent(self._track, self.holder.name or LEVELS[self.holder.level], self._since, self._env.now)


PROCESSORS: Mapping[type[Any], type[Any]] = {Processor: WatchedProcessor, Lock: WatchedLock}
