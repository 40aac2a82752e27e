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
    A task is never run twice at once, and kicking it while it runs only makes it look for work again.
    """

    __slots__ = ("begin", "end", "level", "ready")

    def __init__(self, level: int, begin: Callable[[], Work | None], end: Callable[[], None]) -> None:
        self.level = level
        self.begin = begin
        self.end = end
        self.ready = False  # queued, running or suspended


class Processor:
    """One processor. `kick` makes a task run as soon as its level allows."""

    __slots__ = (
        "_access",
        "_ending",
        "_env",
        "_finish",
        "_idle_since",
        "_ready",
        "_running",
        "_suspended",
        "_token",
        "_wait",
        "_work",
        "idle",
        "name",
        "tally",
        "waits",
    )

    def __init__(
        self, env: Environment, name: str, access: Callable[[int], int], processes: deque[Task] | None = None
    ) -> None:
        self._env = env
        self.name = name
        self._access = access  # takes the bus for so many ps, returns the wait
        # Processes that are ready may be shared with the host's other processors.
        self._ready: tuple[deque[Task], ...] = (deque(), deque(), deque() if processes is None else processes)
        self._running: Task | None = None
        self._ending = False
        self._work: Work | None = None
        self._wait = 0  # ps that the running work waits for the bus, first of all
        self._finish = 0
        self._token = 0  # tells the entry of the running work from those of suspended ones
        self._suspended: list[tuple[Task, Work, int, int]] = []  # task, work, ps left, wait
        self.tally: Counter[Work] = Counter()  # works done
        self.waits: Counter[str] = Counter()  # ps waited for the bus, by the name of the work's first part
        self.idle = 0
        self._idle_since = 0

    @property
    def level(self) -> int:
        """The level that runs now; PROCESS + 1 when idle."""
        return PROCESS + 1 if self._running is None else self._running.level

    def kick(self, task: Task) -> None:
        """Let `task` look for work."""
        if task.ready:
            return
        task.ready = True
        running = self._running
        if running is None:
            self.idle += self._env._now - self._idle_since  # type: ignore[assignment, operator]
            self._start(task)
        elif task.level < running.level and not self._ending:
            self._suspend()
            self._start(task)
        else:
            self._ready[task.level].append(task)

    def _start(self, task: Task | None) -> None:
        """Run `task` if it has work, else whoever is next."""
        while task is not None:
            self._running = task  # whoever is kicked by `begin` waits for its turn
            self._ending = True
            work = task.begin()
            self._ending = False
            if work is not None:
                self._work = work
                self._wait = self._access(work.accesses) if work.accesses else 0
                self._run(work.total + self._wait)
                return
            task.ready = False
            self._running = None
            task = self._next(PROCESS)
            if self._running is not None:
                return  # a suspended one was resumed
        self._running = None
        self._work = None
        self._idle_since = self._env._now  # type: ignore[assignment]

    def _run(self, duration: int) -> None:
        env = self._env
        self._finish = finish = env._now + duration  # type: ignore[assignment]
        self._token = token = self._token + 1
        heappush(env._queue, (finish, NORMAL, next(env._eid), self._complete, token))  # type: ignore[misc]

    def _complete(self, token: int) -> None:
        if token != self._token:
            return  # was suspended in between
        work, task = self._work, self._running
        self.tally[work] += 1  # type: ignore[index]
        if self._wait:
            self.waits[work.parts[0][0]] += self._wait  # type: ignore[union-attr]
        self._ending = True
        task.end()  # type: ignore[union-attr]
        self._ending = False
        level = task.level  # type: ignore[union-attr]
        if self._ready[0] or (level and self._ready[1]) or self._ready[level]:
            # Somebody of a higher level, or of its own, goes first: take a place behind them.
            self._ready[level].append(task)  # type: ignore[arg-type]
            self._running = None
            task = self._next(PROCESS)
            if self._running is not None:
                return
        self._running = None
        self._start(task)

    def _suspend(self) -> None:
        assert self._running is not None
        assert self._work is not None
        left = self._finish - self._env._now
        self._suspended.append((self._running, self._work, left, self._wait))  # type: ignore[arg-type]
        self._token += 1

    def _next(self, lowest: int) -> Task | None:
        """Take the next task off its queue, or resume a suspended one (then it runs, and None is returned)."""
        suspended = self._suspended
        resumable = suspended[-1][0].level if suspended else lowest + 1
        for level, queue in enumerate(self._ready):
            if level == resumable:
                break
            if queue:
                return queue.popleft()
        if suspended:
            self._running, self._work, left, self._wait = suspended.pop()
            self._run(left)
        return None

    def busy(self) -> dict[str, int]:
        """ps of busy time by name, up to now; parts of a work count in their order as far as it has come."""
        books: Counter[str] = Counter(self.waits)
        for work, times in self.tally.items():
            for name, ps in work.parts:
                books[name] += times * ps
        started = [(work, left, wait) for _, work, left, wait in self._suspended]
        if self._running is not None:
            started.append((self._work, self._finish - self._env.now, self._wait))  # type: ignore[arg-type]
        for work, left, wait in started:
            done = work.total + wait - left
            waited = min(done, wait)
            books[work.parts[0][0]] += waited
            done -= waited
            for name, ps in work.parts:
                books[name] += min(done, ps)
                done -= min(done, ps)
        return {name: ps for name, ps in books.items() if ps}

    def idle_until_now(self) -> int:
        """ps without work, up to now."""
        return self.idle + (self._env.now - self._idle_since if self._running is None else 0)
