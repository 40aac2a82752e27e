"""Processors: interrupts precede deferred work, which precedes processes, with preemption and resumption, and exact
accounts."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import i64, mypyc_attr

from netsim.accounts import Resource
from netsim.bus import Bus
from netsim.engine import Environment, Fifo, Serving
from netsim.machine.bottom_halves import BottomHalves
from netsim.machine.lock import SPIN, Lock
from netsim.machine.memory import Memory
from netsim.machine.task import BESIDE, DECIDING, DEFERRED, EXCLUDES, IDLE, INTERRUPT, POLL, PROCESS, STALL, Task
from netsim.machine.work import Tally, Work


class Here:
    """The host's processor that is working, or was last: work that comes up there is done there."""

    __slots__ = ("processor",)

    processor: Processor


@mypyc_attr(allow_interpreted_subclasses=True)
class Processor(Serving):
    """One processor. `kick` makes a task run as soon as its level allows.

    A task continues as long as it has work and no other task of its level or a higher one waits; then it goes to the
    end of its level's queue. The call at the end of a work is cancelled when the work is suspended, and planned again
    when it continues. With `halves` deferred work belongs to the whole machine, and is done where they allow it.
    """

    __slots__ = (
        "_access", "_buses", "_calendar", "_halves", "_handling", "_held", "_here", "_high", "_idle_since", "_level",
        "_low", "_memory", "_middle", "_put_off", "_queues", "_suspended", "_tallies", "idle", "name", "task", "waits",
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
        halves: BottomHalves | None = None,
    ) -> None:
        self._calendar = env.calendar
        self.name = name
        self._access = access  # for each bus: occupies it for n ps, returns the wait
        self._buses: list[Bus] = buses or []  # the same buses, for works that move data
        self._memory = memory  # None: adapters don't slow the processor's accesses down
        self._held = memory is not None and not memory.concurrent  # they hold up all of its work
        self._here = here or Here()  # shared by all of the host's processors
        self._here.processor = self
        self._halves = halves
        self._put_off: Task | None = None
        # Ready tasks, by level. Processes and deferred work may be shared with the host's other processors.
        deferred: Fifo[Task] = Fifo() if halves is None else halves.marked
        self._queues: list[Fifo[Task]] = [Fifo(), deferred, Fifo() if processes is None else processes]
        self._high, self._middle, self._low = self._queues
        self._suspended: list[Task] = []
        self.task: Task | None = None  # running, or deciding whether it has work
        self._level: i64 = IDLE  # a task that is kicked runs at once if its level is above this one
        self._handling: i64 = INTERRUPT + nested_interrupts  # `_level` while an interrupt is handled
        self._tallies: dict[Work, Tally] = {}  # of works it has done
        # ps waited for the bus, by the name of the work's first part, and ps of all other time not part of a work
        self.waits: dict[str, int] = {}
        self.idle: i64 = 0
        self._idle_since: i64 = 0

    def kick(self, task: Task) -> None:
        """Let `task` look for work."""
        if task.ready:
            return
        task.ready = True
        if task.level >= self._level:
            self._queues[task.level].append(task)
            return
        if self._halves is not None and task.level == DEFERRED and not self._halves.try_begin(self, task):
            self._middle.append(task)
            return
        self._level = DECIDING
        running = self.task
        if running is None:
            self.idle += self._calendar.now - self._idle_since
        else:
            self.suspend(running)
        here = self._here  # perhaps in the middle of another processor's work
        before, here.processor = here.processor, self
        self.begin(task)
        here.processor = before

    def suspend(self, task: Task) -> None:
        """Work of a higher level interrupts `task`."""
        task.left = task.finish - self._calendar.now
        if task.call is not None:
            self._calendar.cancel(task.call)
        if task.work.moved:
            task.bus_since = self._buses[task.work.slot].busy_until(self._calendar.now) - task.bus_mark
        if self._memory is not None and (task.work.memory or self._held):
            task.memory_since = self._memory.taken() - task.memory_mark
        self._suspended.append(task)

    def kick_first(self, task: Task) -> None:
        """As `kick`, but ahead of all tasks that wait on its level."""
        if not task.ready and task.level >= self._level:
            task.ready = True
            self._queues[task.level].appendleft(task)
        else:
            self.kick(task)

    def begin(self, task: Task) -> None:
        """Run `task` if it has work, which is known once it has its lock; otherwise run the next one."""
        self.task = task
        if task.lock is not None and not self._may_begin(task, task.lock):
            self._wait(task)
            return
        work = task.worker.begin()
        if work is None:
            self._finds_nothing(task)
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
        if self._memory is not None and (work.memory or self._held):
            task.memory_mark = self._memory.taken() + (task.wait if self._held else 0)
        task.call = calendar.finish_at(finish, self, task)

    def _may_begin(self, task: Task, lock: Lock) -> bool:
        """Whether `task` has its lock, and bottom halves are in the state that it requires."""
        if lock.holder is not task and not lock.take(self, task):
            return False
        task.last = self
        window, halves = task.window, self._halves
        if window == BESIDE or halves is None:
            return True
        if halves.token.holder is not task and not halves.token.take(self, task):
            return False
        task.window = BESIDE
        if window != EXCLUDES:
            halves.let_in(task)
        return True

    def _finds_nothing(self, task: Task) -> None:
        """`task` has nothing to do, or nothing while bottom halves run."""
        lock = task.lock
        if lock is not None:
            if self._halves is not None and not self._halves.let_in(task) and task.window == EXCLUDES:
                self.begin(task)
                return
            lock.release()
        task.ready = task is self._put_off
        self.go_on()

    def finished(self, task: Task) -> None:
        """The work of `task`, unless it was delayed, is done and takes effect."""
        work, task.call = task.work, None
        if (work.exposed or self._held) and self._prolong(task):
            return
        tally = work.tally
        if tally is None or tally.owner is not self:
            tally = self._tallied(work)
        tally.times += 1
        if task.wait:
            name = work.parts[0][0]
            self.waits[name] = self.waits.get(name, 0) + task.wait
            task.wait = task.held = 0
        self._level = DECIDING
        self._here.processor = self
        lock = task.lock
        if lock is not None and task.keeps and task.level == PROCESS:
            self._did_in_call(task, lock)
            return
        more = task.ready = task.worker.end()
        if not more:
            if lock is not None:
                lock.release()
            self.go_on()
            return
        level, goes_on = task.level, task.goes_on
        if self._high:
            yields = True
        elif level > DEFERRED:
            yields = bool(self._middle or self._low)
        else:
            yields = level == DEFERRED and not goes_on and bool(self._middle)
        if lock is not None and (not task.keeps or (yields and not goes_on)):
            lock.release()
        if not yields:
            self.begin(task)
            return
        if goes_on:
            self._queues[level].appendleft(task)
        else:
            self._queues[level].append(task)  # after the others
        self.go_on()

    def _did_in_call(self, task: Task, lock: Lock) -> None:
        """The work of `task` takes effect. Bottom halves have their turn when the call returns or sleeps."""
        more = task.ready = task.worker.end()
        if self._halves is not None:
            self._halves.let_in(task)
        if more and not task.returns:
            self.begin(task)
            if self._high and self.task is not None:
                self.suspend(self.task)
                self._level = DECIDING
                self.go_on()
            return
        task.returns = False
        lock.release()
        if more:
            self._low.append(task)
        self.go_on()

    def _tallied(self, work: Work) -> Tally:
        """The tally of `work`, which another processor was the last to do, or none has done yet."""
        tally, work.before = work.before, work.tally
        if tally is None or tally.owner is not self:
            tally = self._tallies.get(work)
            if tally is None:
                tally = self._tallies[work] = Tally(self)
        work.tally = tally
        return tally

    def _waited(self, name: str, ps: int) -> None:
        self.waits[name] = self.waits.get(name, 0) + ps

    def _prolong(self, task: Task) -> bool:
        """Prolong the work of `task` by the time for which others have delayed it; False if none had."""
        work, memory = task.work, self._memory
        if work.moved and self._hold_up(task, self._buses[work.slot]):
            return True
        if memory is not None and (work.memory or self._held):
            stall = memory.stall(task)
            if stall:
                self.stalled(task, stall)
                return True
            if task.stall:
                self._waited(STALL, task.stall)
                task.stall = 0
        if work.moved:
            self._buses[work.slot].moved(work.moved)
        return False

    def _hold_up(self, task: Task, bus: Bus) -> bool:
        """Prolong the work of `task` by the time for which others had the bus between its accesses; False if none had.
        """
        now = self._calendar.now
        taken = bus.busy_until(now)
        wait = taken - task.bus_mark
        if wait > 0:
            task.bus_mark = taken
            self.held_up(task, wait)
        return wait > 0

    def stalled(self, task: Task, ps: int) -> None:
        """Adapters have used memory for `ps` in which the work of `task` needed it."""
        task.finish += ps
        task.call = self._calendar.finish_at(task.finish, self, task)

    def held_up(self, task: Task, ps: int) -> None:
        """Others have had the bus for `ps` in which the work of `task` needed it."""
        task.wait += ps
        task.held += ps
        task.finish += ps
        task.call = self._calendar.finish_at(task.finish, self, task)

    def _wait(self, task: Task) -> None:
        """Another task holds the lock that `task` needs."""
        if not task.spins:
            self.go_on()
            return
        task.work = SPIN
        task.finish = self._calendar.now + SPIN.total
        self._level = task.level

    def got_lock(self, task: Task) -> None:
        """`task`, which is spinning here, has been handed its lock."""
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
        elif (
            self._middle
            and (not suspended or suspended[-1].priority > DEFERRED)
            and (self._halves is None or self._halves.try_begin(self, self._middle[0]))
        ):
            self.begin(self._middle.popleft())
        elif self._halves is not None and self._ends_pass(self._halves):
            self.go_on()
        elif self._put_off is not None and (not suspended or suspended[-1].priority > DEFERRED):
            self._go_on_below(self._put_off)
        elif suspended:
            self.resume(suspended.pop())
        elif self._low:
            self.begin(self._low.popleft())
        else:
            self.task = None
            self._level = IDLE
            self._idle_since = self._calendar.now

    def put_off(self, task: Task) -> None:
        """Current deferred work breaks off: tasks that it has suspended have a turn before it continues."""
        self._put_off = task

    def _go_on_below(self, task: Task) -> None:
        self._put_off = None
        self.go_on()
        self._middle.append(task)

    def _ends_pass(self, halves: BottomHalves) -> bool:
        """Whether a pass over the bottom halves on this processor has just ended."""
        suspended = self._suspended
        return (not suspended or suspended[-1].priority > DEFERRED) and halves.end(self)

    def has_below(self) -> bool:
        """Whether deferred work keeps any other work waiting."""
        return bool(self._suspended or self._low)

    def processes_wait(self) -> bool:
        """Whether processes other than pollers wait for it."""
        return any(task.name != POLL for task in self._low)

    def has_process(self) -> bool:
        """Whether it has a process, perhaps suspended by other work."""
        task = self._suspended[0] if self._suspended else self.task
        return task is not None and task.level == PROCESS

    def is_handling(self) -> bool:
        """Whether it is in an interrupt handler."""
        return self.task is not None and self.task.level == INTERRUPT

    def resume(self, task: Task) -> None:
        """Continue a suspended work."""
        self.task = task
        self._level = task.priority or self._handling
        task.finish = self._calendar.now + task.left
        if task.work.moved:
            task.bus_mark = self._buses[task.work.slot].busy_until(self._calendar.now) - task.bus_since
        if self._memory is not None and (task.work.memory or self._held):
            task.memory_mark = self._memory.taken() - task.memory_since
        if task.awaited is not None:
            task.awaited.hand_over()
        else:
            task.call = self._calendar.finish_at(task.finish, self, task)

    def busy(self) -> dict[str, int]:
        """ps of busy time by name, up to now; the parts of a work count in order, up to its progress."""
        accounts = self.waits.copy()
        for work, tally in self._tallies.items():
            for name, ps in work.parts:
                accounts[name] = accounts.get(name, 0) + tally.times * ps
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
