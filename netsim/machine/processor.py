"""Processors: interrupt before deferred work before processes, with preemption and resumption, and exact accounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.bus import Bus
from netsim.engine import Environment, Fifo
from netsim.machine.lock import SPIN, Lock
from netsim.machine.memory import Memory
from netsim.machine.task import DECIDING, DEFERRED, IDLE, INTERRUPT, STALL, Task
from netsim.machine.work import Tally, Work


class Here:
    """Which of a host's processors is at work, or was last: work that comes up there is done there."""

    __slots__ = ("processor",)

    processor: Processor


@mypyc_attr(allow_interpreted_subclasses=True)
class Processor:
    """One processor. `kick` makes a task run as soon as its level allows.

    A task goes on as long as it has work and no other task of its level or a higher one waits; then it goes to the end
    of its level's queue. The call at the end of a work is cancelled when that is suspended, and planned anew when it
    goes on.
    """

    __slots__ = (
        "_access", "_buses", "_calendar", "_finished", "_handling", "_held", "_held_up", "_here", "_high",
        "_idle_since", "_level", "_low", "_memory", "_middle", "_queues", "_suspended", "_tallies", "idle",
        "lock", "name", "task", "waits",
    )

    def __init__(
        self,
        env: Environment,
        name: Resource,
        access: list[Callable[[int], int]],
        processes: Fifo[Task] | None = None,
        nested_interrupts: bool = False,
        memory: Memory | None = None,
        here: Here | None = None,
        buses: list[Bus] | None = None,
    ) -> None:
        self._calendar = env.calendar
        self.name = name
        self._access = access  # of each bus: takes it for n ps, returns the wait
        self._buses: list[Bus] = buses or []  # what works take that move data: the same ones
        self._memory = memory  # None: adapters don't slow the processor down there
        self._here = here or Here()  # of all of the host's processors
        self._here.processor = self
        # Ready tasks, by level. Processes may be shared with the host's other processors.
        self._queues: tuple[Fifo[Task], ...] = (Fifo(), Fifo(), Fifo() if processes is None else processes)
        self._high, self._middle, self._low = self._queues
        self._suspended: list[Task] = []
        self.task: Task | None = None  # running, or deciding whether it has work
        self._level = IDLE  # a task that is kicked runs at once if its level is above this one
        self._handling = INTERRUPT + nested_interrupts  # `_level` while an interrupt is handled
        self._finished = self.finished  # bound once
        self._tallies: dict[Work, Tally] = {}  # of the works that it has done
        # ps waited for the bus, by the name of the work's first part, and ps of anything else that is no work's own
        self.waits: dict[str, int] = {}
        self.idle = 0
        self.lock: Lock | None = None  # of the host
        self._held = 0  # Lock.held_until() when the processor became idle
        self._held_up = 0  # ps of the idle time before, in which another processor had the lock
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
            self.idle += self._calendar.now - self._idle_since
            if self.lock is not None:
                self._held_up += self.lock.held_until(self._calendar.now) - self._held
        else:
            self.suspend(running)
        here = self._here  # in the middle of what another processor is doing, perhaps
        before, here.processor = here.processor, self
        self.begin(task)
        here.processor = before

    def suspend(self, task: Task) -> None:
        """Something of a higher level comes in the middle of what `task` is doing."""
        task.left = task.finish - self._calendar.now
        if task.call is not None:
            self._calendar.cancel(task.call)
        if task.work.moved:
            task.bus_since = self._buses[task.work.slot].busy_until(self._calendar.now) - task.bus_mark
        if self._memory is not None:
            task.memory_since = self._memory.taken() - task.memory_mark
        self._suspended.append(task)

    def kick_first(self, task: Task) -> None:
        """As `kick`, but ahead of all that wait on its level."""
        if not task.ready and task.level >= self._level:
            task.ready = True
            self._queues[task.level].appendleft(task)
        else:
            self.kick(task)

    def begin(self, task: Task) -> None:
        """Run `task` if it has work, else the next one. Whether it has is known once it has its lock."""
        self.task = task
        lock = task.lock
        if lock is not None and lock.holder is not task and not lock.take(self, task):
            self._wait(task, lock)
            return
        begin = task.begin
        work = begin()
        if work is None:
            task.ready = False
            if lock is not None:
                lock.release()
            self.go_on()
            return
        calendar = self._calendar
        task.work = work
        finish = calendar.now + work.total
        if work.bus:
            access = self._access[work.slot]
            if work.accesses:
                task.wait = wait = access(work.accesses)
                finish += wait
            if work.posted:
                access(work.posted)
            if work.moved:
                taken = self._buses[work.slot].busy_until(calendar.now)
                task.bus_mark = taken + task.wait + work.accesses + work.posted
        task.finish = finish
        self._level = task.priority or self._handling
        if self._memory is not None:
            task.memory_mark = self._memory.taken()
        task.call = calendar.call_at(finish, self._finished, task)

    def finished(self, task: Task) -> None:
        """The work of `task` is done, if it was not suspended or held up, and has its effect."""
        work = task.work
        if (work.moved or self._memory is not None) and self._is_prolonged(task):
            return
        tally = work.tally
        if tally is None or tally.owner is not self:
            tally = self._tallied(work)
        tally.times += 1
        if task.wait:
            name = work.parts[0][0]
            self.waits[name] = self.waits.get(name, 0) + task.wait
            task.wait = 0
        self._level = DECIDING
        self._here.processor = self
        end = task.end
        more = task.ready = end()
        level, yields = task.level, False
        if more and (self._high or (level and (self._middle or (self._low and level > DEFERRED)))):
            yields = True
        if task.lock is not None and (yields or not more or not task.keeps):
            task.lock.release()
        if not more:
            self.go_on()
        elif yields:
            queue = self._queues[task.level]
            if task.goes_on:
                queue.appendleft(task)
            else:
                queue.append(task)  # behind the others
            self.go_on()
        else:
            self.begin(task)

    def _tallied(self, work: Work) -> Tally:
        """Another processor was the last to do `work`, or none has done it."""
        tally = self._tallies.get(work)
        if tally is None:
            tally = self._tallies[work] = Tally(self)
        work.tally = tally
        return tally

    def _waited(self, name: str, ps: int) -> None:
        self.waits[name] = self.waits.get(name, 0) + ps

    def _is_prolonged(self, task: Task) -> bool:
        """Whether the work of `task` has been held up, so that it takes longer than alone."""
        work = task.work
        if work.moved and self._is_held_up(task, self._buses[work.slot]):
            return True
        if self._memory is not None and self._is_stalled(task, self._memory):
            return True
        if work.moved:
            self._buses[work.slot].moved(work.moved)
        return False

    def _is_stalled(self, task: Task, memory: Memory) -> bool:
        """Prolong the work of `task` by what adapters have held it up; False if they have not."""
        stall = memory.stall(task)
        if stall:
            self.stalled(task, stall)
        elif task.stall:
            self._waited(STALL, task.stall)
            task.stall = 0
        return stall > 0

    def _is_held_up(self, task: Task, bus: Bus) -> bool:
        """Prolong the work of `task` by what others have had of the bus between its accesses; False if they have not.
        """
        now = self._calendar.now
        taken = bus.busy_until(now)
        wait = taken - task.bus_mark
        if wait > 0:
            task.bus_mark = taken
            self.held_up(task, wait)
        return wait > 0

    def stalled(self, task: Task, ps: int) -> None:
        """Adapters have had the memory for `ps` in which the work of `task` needed it."""
        task.finish += ps
        task.call = self._calendar.call_at(task.finish, self._finished, task)

    def held_up(self, task: Task, ps: int) -> None:
        """Others have had the bus for `ps` in which the work of `task` needed it."""
        task.wait += ps
        task.finish += ps
        task.call = self._calendar.call_at(task.finish, self._finished, task)

    def _wait(self, task: Task, lock: Lock) -> None:
        """Another task has the lock of `task`."""
        if not task.spins:
            self.go_on()
            return
        task.work = SPIN
        task.finish = self._calendar.now + SPIN.total
        self._level = task.level

    def got_lock(self, task: Task) -> None:
        """The lock that `task` spins for, here and now, has been handed to it."""
        self._level = DECIDING
        self._waited("spin", SPIN.total - (task.finish - self._calendar.now))
        before, self._here.processor = self._here.processor, self
        self.begin(task)
        self._here.processor = before

    def go_on(self) -> None:
        """Begin with the next task from the queues, or resume a suspended one, or become idle."""
        suspended = self._suspended
        if self._high:
            self.begin(self._high.popleft())
        elif self._middle and (not suspended or suspended[-1].priority > DEFERRED):
            self.begin(self._middle.popleft())
        elif suspended:
            self.resume(suspended.pop())
        elif self._low:
            self.begin(self._low.popleft())
        else:
            self.task = None
            self._level = IDLE
            self._idle_since = self._calendar.now
            if self.lock is not None:
                self._held = self.lock.held_until(self._calendar.now)

    def resume(self, task: Task) -> None:
        """Go on with a work that was suspended."""
        self.task = task
        self._level = task.priority or self._handling
        task.finish = self._calendar.now + task.left
        if task.work.moved:
            task.bus_mark = self._buses[task.work.slot].busy_until(self._calendar.now) - task.bus_since
        if self._memory is not None:
            task.memory_mark = self._memory.taken() - task.memory_since
        if task.work is SPIN:
            task.lock.hand_over()  # type: ignore[union-attr]
        else:
            task.call = self._calendar.call_at(task.finish, self._finished, task)

    def busy(self) -> dict[str, int]:
        """ps of busy time by name, up to now; parts of a work count in their order as far as it has come."""
        accounts: Counter[str] = Counter(self.waits)
        for work, tally in self._tallies.items():
            for name, ps in work.parts:
                accounts[name] += tally.times * ps
        for task in self._suspended:
            task.book(accounts, task.left)
        if self.task is not None:
            self.task.book(accounts, self.task.finish - self._calendar.now)
        return {name: ps for name, ps in accounts.items() if ps}

    @property
    def tally(self) -> dict[Work, int]:
        """How often it has done each work."""
        return {work: tally.times for work, tally in self._tallies.items()}

    def idle_until_now(self) -> int:
        """ps without work, up to now."""
        return self.idle + (self._calendar.now - self._idle_since if self.task is None else 0)

    def held_up_until_now(self) -> int:
        """ps of those in which another processor had the lock."""
        if self.task is not None or self.lock is None:
            return self._held_up
        return self._held_up + self.lock.held_until(self._calendar.now) - self._held
