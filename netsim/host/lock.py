"""A lock between processors: only one of them at a time does work that needs it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from netsim.engine import Environment
from netsim.host.task import DEFERRED, Task
from netsim.host.work import Work

if TYPE_CHECKING:
    from netsim.host.processor import Processor

SPIN = Work((("spin", 10**24),), 0)  # what a processor does until it gets the lock: longer than any run


class Lock:
    """A lock that one task holds, from the beginning of a work to its end, whatever suspends it in between.

    Without `wake` whoever comes second spins: its processor is busy with nothing else but interrupts, and what these
    bring about, until the lock is handed to it. It goes to the first who is spinning just then, and not to one who is
    suspended: that one looks again when it is resumed. While it is held, no deferred work runs on its holder's
    processor, which might need it, and would never get it there (Linux 2.2: start_bh_atomic; later spin_lock_bh).
    With `wake`, whoever comes second leaves the processor, and is woken to try again when the lock is free.
    """

    __slots__ = ("_env", "_held", "_since", "_waiting", "_wake", "holder", "name")

    def __init__(self, env: Environment, name: str, wake: Callable[[Task], None] | None = None) -> None:
        self._env = env
        self.name = name
        self._wake = wake
        self.holder: Task | None = None
        self._since = 0  # when it got it
        self._held = 0  # ps, by those before
        self._waiting: deque[tuple[Processor, Task]] = deque()

    @property
    def spins(self) -> bool:
        """Whether those who wait for it do so on their processors."""
        return self._wake is None

    def take(self, processor: Processor, task: Task) -> bool:
        """Give the lock to `task`, which is to run on `processor`; False if it has to wait."""
        if self.holder is not None:
            self._waiting.append((processor, task))
            return False
        self._hold(task)
        return True

    def _hold(self, task: Task) -> None:
        self.holder = task
        self._since = self._env._now
        if self.spins:
            task.priority = min(task.level, DEFERRED)

    def release(self) -> None:
        """The holder's work is done: the next one has it, if somebody waits."""
        holder, self.holder = self.holder, None
        holder.priority = holder.level  # type: ignore[union-attr]
        self._held += self._env._now - self._since
        if self._waiting:
            self.hand_over()

    def hand_over(self) -> None:
        """Let somebody who waits have the lock, unless it is held."""
        if self.holder is not None:
            return
        if self._wake is not None:
            _, task = self._waiting.popleft()
            task.ready = False
            self._wake(task)
            return
        for place, (processor, task) in enumerate(self._waiting):
            if processor.task is task:
                del self._waiting[place]
                self._hold(task)
                processor.got_lock(task)
                return

    def held_until(self, now: int) -> int:
        """ps of `now` in which somebody had it."""
        return self._held + (0 if self.holder is None else now - self._since)
