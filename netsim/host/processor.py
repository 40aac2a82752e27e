"""Processors: interrupt before deferred work before processes, with preemption and resumption, and exact books."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from heapq import heappush

from simpy.events import NORMAL

from netsim.engine import Environment
from netsim.host.work import Work

INTERRUPT, DEFERRED, PROCESS = range(3)  # levels; a lower one goes first


class Task:
    """Something that runs on a processor whenever it is kicked and has work.

    `begin` says what to do next (None: nothing, until kicked again); when that time is spent, `end` has the effect.
    A task is never run twice at once: kicking it while it is `ready` (queued, running or suspended) does nothing, as
    it looks for work again by itself.
    """

    __slots__ = ("begin", "end", "level", "ready")

    def __init__(self, level: int, begin: Callable[[], Work | None], end: Callable[[], None]) -> None:
        self.level = level
        self.begin = begin
        self.end = end
        self.ready = False


class Processor:
    """One processor. `kick` makes a task run as soon as its level allows.

    A task goes on as long as it has work and nobody of a higher level, or of its own, is waiting; then it goes to the
    end of its level's queue.
    """

    def __init__(
        self, env: Environment, name: str, access: Callable[[int], int], processes: deque[Task] | None = None
    ) -> None:
        self._env = env
        self.name = name
        self._access = access  # takes the bus for so many ps, returns the wait
        # Processes that are ready may be shared with the host's other processors.
        self._queues: tuple[deque[Task], ...] = (deque(), deque(), deque() if processes is None else processes)
        self._suspended: list[tuple[Task, Work, int, int]] = []  # task, work, ps left, ps waited
        self._task: Task | None = None  # running, or deciding whether it has work
        self._deciding = False  # in `begin` or `end`: whoever is kicked has to queue
        self._work: Work | None = None
        self._wait = 0  # ps that the work waits for the bus, before anything else
        self._finish = 0
        self._turn = 0  # tells the entry of the running work from those of suspended ones
        self._completed = self._complete
        self.tally: Counter[Work] = Counter()  # works done
        self.waits: Counter[str] = Counter()  # ps waited for the bus, by the name of the work's first part
        self.idle = 0
        self._idle_since = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs."""
        return self._task is None

    def kick(self, task: Task) -> None:
        """Let `task` look for work."""
        if task.ready:
            return
        task.ready = True
        running = self._task
        if running is None:
            self.idle += self._env.now - self._idle_since
            self._begin(task)
        elif task.level < running.level and not self._deciding:
            self._suspended.append((running, self._work, self._finish - self._env.now, self._wait))  # type: ignore[arg-type]
            self._begin(task)
        else:
            self._queues[task.level].append(task)

    def _begin(self, task: Task | None) -> None:
        """Run `task` if it has work, else whoever is next."""
        self._deciding = True
        while task is not None:
            self._task = task
            work = task.begin()
            if work is not None:
                self._wait = wait = self._access(work.accesses) if work.accesses else 0
                self._run(work, work.total + wait)
                return
            task.ready = False
            task = self._next()
        self._deciding = False

    def _run(self, work: Work, duration: int) -> None:
        self._work = work
        self._deciding = False
        self._turn = turn = self._turn + 1
        env = self._env
        self._finish = finish = env._now + duration  # type: ignore[assignment]
        heappush(env.queue, (finish, NORMAL, env.number(), self._completed, turn))  # type: ignore[arg-type]

    def _complete(self, turn: int) -> None:
        if turn != self._turn:
            return  # the work was suspended in between
        self.tally[self._work] += 1  # type: ignore[index]
        if self._wait:
            self.waits[self._work.parts[0][0]] += self._wait  # type: ignore[union-attr]
        self._deciding = True
        task: Task = self._task  # type: ignore[assignment]
        task.end()
        high, middle, low = self._queues
        level = task.level
        if high or (level and middle) or (level > DEFERRED and low):
            self._queues[level].append(task)  # behind the others
            self._begin(self._next())
        else:
            self._begin(task)

    def _next(self) -> Task | None:
        """The next task from the queues; or a suspended one is resumed, or the processor becomes idle (None)."""
        suspended = self._suspended
        level = suspended[-1][0].level if suspended else PROCESS + 1
        for queue in self._queues[:level]:
            if queue:
                return queue.popleft()
        if suspended:
            self._task, work, left, self._wait = suspended.pop()
            self._run(work, left)
        else:
            self._task = self._work = None
            self._idle_since = self._env.now
        return None

    def busy(self) -> dict[str, int]:
        """ps of busy time by name, up to now; parts of a work count in their order as far as it has come."""
        books: Counter[str] = Counter(self.waits)
        for work, times in self.tally.items():
            for name, ps in work.parts:
                books[name] += times * ps
        started = [(work, left, wait) for _, work, left, wait in self._suspended]
        if self._work is not None:
            started.append((self._work, self._finish - self._env.now, self._wait))
        for work, left, wait in started:
            _book_part(books, work, wait, work.total + wait - left)
        return {name: ps for name, ps in books.items() if ps}

    def idle_until_now(self) -> int:
        """ps without work, up to now."""
        return self.idle + (self._env.now - self._idle_since if self._task is None else 0)


def _book_part(books: Counter[str], work: Work, wait: int, done: int) -> None:
    """Book the first `done` ps of a work that waits first and then goes through its parts."""
    waited = min(done, wait)
    books[work.parts[0][0]] += waited
    done -= waited
    for name, ps in work.parts:
        books[name] += min(done, ps)
        done -= min(done, ps)
