"""A lock between processors: only one at a time does work that needs it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Literal

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import FOREVER, Environment
from netsim.machine.task import Task
from netsim.machine.work import Work

if TYPE_CHECKING:
    from netsim.machine.processor import Processor

SPIN: Final = Work((("spin", FOREVER),), 0)  # a processor's work until it gets the lock
Contention = Literal["spin", "leave"]  # the reaction of a task that finds the lock taken


class _Waiter:
    """A task that has waited on `processor` since the time `since` (ps)."""

    __slots__ = ("processor", "since", "task")

    def __init__(self, processor: Processor, task: Task, since: int) -> None:
        self.processor = processor
        self.task = task
        self.since = since


@mypyc_attr(allow_interpreted_subclasses=True)
class Lock:
    """A lock that one task holds from the beginning of a work to its end, whatever suspends it in between.

    A task that finds it held spins or leaves. One that spins keeps its processor from everything but interrupts and
    their consequences until it gets the lock; it does not get the lock while suspended, but looks again when resumed.
    Therefore tasks of different levels can't spin for one lock: a higher one that suspends the holder would spin
    forever. A task that leaves frees its processor for other work, and tries again there when the lock is free (a
    serialised NDIS driver queues the request).
    """

    __slots__ = ("_calendar", "_held", "_since", "_waited", "_waiting", "holder", "name")

    def __init__(self, env: Environment, name: Resource) -> None:
        self._calendar = env.calendar
        self.name = name
        self.holder: Task | None = None
        self._since = 0  # when the holder got it
        self._held = 0  # ps, by earlier holders
        self._waiting: list[_Waiter] = []  # in order of arrival
        self._waited: Counter[str] = Counter()  # ps, by the name of each task that holds or has held it

    def take(self, processor: Processor, task: Task) -> bool:
        """Give the lock to `task`, which is to run on `processor`; False if it has to wait."""
        if self.holder is not None:
            self._waiting.append(_Waiter(processor, task, self._calendar.now))
            task.awaited = self
            return False
        self._hold(task)
        return True

    def _hold(self, task: Task) -> None:
        self.holder = task
        self._since = self._calendar.now

    def release(self) -> None:
        """The holder's work is done: the next waiting task gets the lock."""
        self.holder = None
        self._held += self._calendar.now - self._since
        if self._waiting:
            self.hand_over()

    def hand_over(self) -> None:
        """Give the lock, unless it is held, to the first waiting task that is spinning, or that left and can run at
        once."""
        for waiter in tuple(self._waiting):
            if self.holder is not None:
                return
            if waiter in self._waiting:  # a task called before it has not already taken it out
                self._call(waiter)

    def _call(self, waiter: _Waiter) -> None:
        processor, task = waiter.processor, waiter.task
        if task.spins and processor.task is not task:
            return
        self._waiting.remove(waiter)
        self._waited[task.name] += self._calendar.now - waiter.since
        task.awaited = None
        if task.spins:
            self._hold(task)
            processor.got_lock(task)
        else:
            task.ready = False
            processor.kick(task)

    def held_until(self, now: int) -> int:
        """ps up to `now` during which a task held it."""
        return self._held + (0 if self.holder is None else now - self._since)

    def waited_until(self, now: int) -> dict[str, int]:
        """ps up to `now` for which tasks have waited, by their names; each of several simultaneous waits counts."""
        waited = self._waited.copy()
        for waiter in self._waiting:
            waited[waiter.task.name] += now - waiter.since
        return dict(waited)
