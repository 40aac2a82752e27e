"""Processors: interrupt before deferred work before processes, with preemption and resumption, and exact books."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from heapq import heappush

from simpy.events import NORMAL

from netsim.engine import Environment
from netsim.host.work import NOTHING, Work

DECIDING, INTERRUPT, DEFERRED, PROCESS, IDLE = range(-1, 4)  # levels; a lower one goes first


class Task:
    """Something that runs on a processor whenever it is kicked and has work.

    `begin` says what to do next (None: nothing, until kicked again); when that time is spent, `end` has the effect and
    says whether there may be more to do. A task is never run twice at once: kicking it while it is `ready` (queued,
    running or suspended) does nothing, as it looks for work again by itself.
    """

    __slots__ = ("begin", "end", "finish", "left", "level", "on_heap", "ready", "wait", "work")

    def __init__(self, level: int, begin: Callable[[], Work | None], end: Callable[[], bool]) -> None:
        self.level = level
        self.begin = begin
        self.end = end
        self.ready = False
        self.work: Work = NOTHING
        self.wait = 0  # ps that the work waits for the bus, before anything else
        self.finish = 0  # when the work is done, if nothing comes between
        self.left = 0  # ps of it that are left, while it is suspended
        self.on_heap = False  # an entry will look whether the work is done


class Processor:
    """One processor. `kick` makes a task run as soon as its level allows.

    A task goes on as long as it has work and nobody of a higher level, or of its own, is waiting; then it goes to the
    end of its level's queue. A work that is suspended keeps its entry on the heap: when that fires, it looks whether
    the work is done by now.
    """

    __slots__ = (
        "_access", "_env", "_handling", "_high", "_idle_since", "_level", "_look", "_low", "_middle", "_queues",
        "_suspended", "idle", "name", "tally", "task", "waits",
    )

    def __init__(
        self,
        env: Environment,
        name: str,
        access: Callable[[int], int],
        processes: deque[Task] | None = None,
        nested_interrupts: bool = False,
    ) -> None:
        self._env = env
        self.name = name
        self._access = access  # takes the bus for so many ps, returns the wait
        # Who is ready, by level. Processes may be shared with the host's other processors.
        self._queues: tuple[deque[Task], ...] = (deque(), deque(), deque() if processes is None else processes)
        self._high, self._middle, self._low = self._queues
        self._suspended: list[Task] = []
        self.task: Task | None = None  # running, or deciding whether it has work
        self._level = IDLE  # who is kicked runs at once if its level is above this one
        self._handling = INTERRUPT + nested_interrupts  # `_level` while an interrupt is handled
        self._look = self._finished  # bound once
        self.tally: defaultdict[Work, int] = defaultdict(int)  # works done
        self.waits: Counter[str] = Counter()  # ps waited for the bus, by the name of the work's first part
        self.idle = 0
        self._idle_since = 0

    def kick(self, task: Task) -> None:
        """Let `task` look for work."""
        if task.ready:
            return
        task.ready = True
        if task.level >= self._level:
            self._queues[task.level].append(task)
            return
        self._level = DECIDING
        running = self.task
        if running is None:
            self.idle += self._env._now - self._idle_since
        else:
            running.left = running.finish - self._env._now
            self._suspended.append(running)
        self._begin(task)

    def _begin(self, task: Task) -> None:
        """Run `task` if it has work, else whoever is next."""
        self.task = task
        begin = task.begin
        work = begin()
        if work is None:
            task.ready = False
            self._go_on()
            return
        env = self._env
        task.work = work
        finish = env._now + work.total
        if work.accesses:
            access = self._access
            task.wait = wait = access(work.accesses)
            finish += wait
        task.finish = finish
        task.on_heap = True
        self._level = task.level or self._handling
        heappush(env.queue, (finish, NORMAL, next(env.numbers), self._look, task))

    def _finished(self, task: Task) -> None:
        if task is not self.task or task.finish > self._env._now:
            self._look_later(task)
            return
        self.tally[task.work] += 1
        if task.wait:
            self.waits[task.work.parts[0][0]] += task.wait
            task.wait = 0
        self._level = DECIDING
        end = task.end
        if not end():
            task.ready = False
            self._go_on()
        elif self._high or (task.level and (self._middle or (self._low and task.level > DEFERRED))):
            self._queues[task.level].append(task)  # behind the others
            self._go_on()
        else:
            self._begin(task)

    def _look_later(self, task: Task) -> None:
        """The work of `task` was suspended in between: it is not done yet."""
        if task is self.task:
            self._env.call_at(task.finish, self._look, task)
        else:
            task.on_heap = False

    def _go_on(self) -> None:
        """Begin with the next task from the queues, or resume a suspended one, or become idle."""
        suspended = self._suspended
        if self._high:
            self._begin(self._high.popleft())
        elif self._middle and (not suspended or suspended[-1].level > DEFERRED):
            self._begin(self._middle.popleft())
        elif suspended:
            self._resume(suspended.pop())
        elif self._low:
            self._begin(self._low.popleft())
        else:
            self.task = None
            self._level = IDLE
            self._idle_since = self._env._now

    def _resume(self, task: Task) -> None:
        self.task = task
        self._level = task.level or self._handling
        task.finish = self._env._now + task.left
        if not task.on_heap:
            task.on_heap = True
            self._env.call_at(task.finish, self._look, task)

    def busy(self) -> dict[str, int]:
        """ps of busy time by name, up to now; parts of a work count in their order as far as it has come."""
        books: Counter[str] = Counter(self.waits)
        for work, times in self.tally.items():
            for name, ps in work.parts:
                books[name] += times * ps
        for task in self._suspended:
            _book_part(books, task, task.left)
        if self.task is not None:
            _book_part(books, self.task, self.task.finish - self._env._now)
        return {name: ps for name, ps in books.items() if ps}

    def idle_until_now(self) -> int:
        """ps without work, up to now."""
        return self.idle + (self._env._now - self._idle_since if self.task is None else 0)


def _book_part(books: Counter[str], task: Task, left: int) -> None:
    """Book what is done of a task's work, which waits first and then goes through its parts."""
    work = task.work
    done = work.total + task.wait - left
    waited = ((work.parts[0][0], task.wait),) if task.wait else ()
    for name, ps in (*waited, *work.parts):
        books[name] += min(done, ps)
        done -= min(done, ps)
