"""A bus in a running simulation: the master that has it, those that wait, and when a transfer is cut."""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import i64, mypyc_attr

from netsim.accounts import Resource
from netsim.bus.clocked_slot import ClockedSlot
from netsim.bus.list_polls import ListPolls
from netsim.bus.memory_queue import MemoryQueue
from netsim.bus.memory_stream import MemoryStream
from netsim.bus.refresh import Refresh
from netsim.bus.slot import Slot
from netsim.bus.tenure import Tenure
from netsim.engine import Environment, Fifo, Serving


class Transaction:
    """A DMA engine's current transfer, which may be cut and resumed.

    `granted` is called when the bus is granted, `resumed` when it is granted again after a cut: `start` and the planned
    `end` are then known. `done` is called at the actual end. Each may be None. An engine reuses its transaction for
    successive transfers, but never while it is `waiting`.
    """

    __slots__ = (
        "cut", "done", "end", "granted", "least", "left", "nbytes", "planned", "restart", "resumed", "room_at",
        "stall", "start", "tenure", "waiting", "written",
    )

    def __init__(
        self,
        tenure: Tenure,
        granted: Callable[[Transaction], None] | None = None,
        resumed: Callable[[Transaction], None] | None = None,
        done: Callable[[Transaction], None] | None = None,
    ) -> None:
        self.restart: i64 = tenure.restart
        self.least: i64 = tenure.least
        more = tenure.notice or tenure.burst or tenure.step
        self.tenure = tenure if more else None  # None: `least` alone decides, which is faster
        self.granted = granted
        self.resumed = resumed
        self.done = done
        self.start: i64 = 0  # of the current tenure
        self.end: i64 = 0
        self.left: i64 = 0  # ps left when next granted
        self.nbytes: i64 = 0  # to or from memory, of a transfer not granted yet,
        self.written: i64 = 0  # and those of them that are to be posted
        self.room_at: i64 = 0  # when the bridge will have room for the last of these (ps)
        self.stall: i64 = 0  # ps of the current tenure in which it only waits for that
        self.planned: i64 = -1  # the end for which a call is planned
        self.waiting = False
        self.cut = False  # the next tenure continues a transfer already begun

    def lengthened(self, now: i64, duration: i64) -> i64:
        """ps of a tenure that begins `now` and needs `duration`, or until there is room for what is written."""
        stall = self.room_at - now - duration
        self.stall = stall if stall > 0 else 0
        return duration + self.stall

    def shortened(self, rest: i64) -> i64:
        """The part of the `rest` of the current tenure (ps) for which it needs the bus, if it is cut."""
        return rest - self.stall if rest > self.stall else 0


@mypyc_attr(allow_interpreted_subclasses=True)
class Bus(Serving):
    """The bus in a running simulation: a queue of transactions served in turn, and cut when they have to leave it."""

    __slots__ = (
        "_accessed", "_accessed_from", "_asked", "_current", "_queue", "_refresh", "_release_at", "_released", "busy",
        "calendar", "env", "fetched", "free", "memory", "name", "polls", "posted", "spec",
    )

    def __init__(self, env: Environment, spec: Slot, name: Resource) -> None:
        self.env = env
        self.calendar = env.calendar
        self.spec = spec
        self.name = name
        self.free: i64 = 0  # ps: the time until which the bus is taken
        self.busy: i64 = 0  # ps taken so far, up to `free`, without memory refresh
        interval, cycle = spec.refresh
        phase = int(env.stream(f"{name} refresh").integers(interval)) if interval else 0
        self._refresh = Refresh(interval, cycle, phase) if interval else None
        self._current: Transaction | None = None
        self._queue: Fifo[Transaction] = Fifo()
        self._asked: i64 = 0  # since when a master has waited for the current tenure to end
        self._release_at: i64 = -1  # when the current tenure ends; -1: no master waits for it
        self._released = self._release  # bound once
        self._accessed_from: i64 = -1  # when processors' accesses interrupt the current tenure, and until when (ps)
        self._accessed: i64 = -1
        self.memory: MemoryStream | None = None  # its masters' transfers, if they delay processors
        self.posted: MemoryQueue | None = None  # what its masters write, if memory is slower than it,
        self.fetched: MemoryQueue | None = None  # and what they read, unless they hold the bus meanwhile
        if isinstance(spec, ClockedSlot) and spec.outruns_memory:
            self.posted = MemoryQueue(spec.chipset, spec.chipset.posted_time)
            self.fetched = MemoryQueue(spec.chipset) if spec.overlaps_reads else None
        self.polls: list[ListPolls] = []  # its masters' polls at the ends of their lists

    def request(self, transaction: Transaction, duration: i64, nbytes: i64 = 0) -> None:
        """Start `transaction` now or when its turn comes; it takes `duration` ps if uninterrupted. It moves `nbytes` to
        or from memory."""
        transaction.nbytes = nbytes
        if self.free <= self.calendar.now and not self._queue:
            self.grant(transaction, duration)
            return
        transaction.left = duration
        transaction.waiting = True
        self._queue.append(transaction)
        if self._release_at < 0:
            self._asked = self.calendar.now
            self._plan_release()

    def access(self, duration: i64) -> i64:
        """A processor takes the bus for `duration` ps of register accesses; returns how long it waits first (ps). A
        transfer has to leave for it as for another master. Accesses that come before the bus is theirs go together."""
        now, refresh = self.calendar.now, self._refresh
        self.busy += duration
        if self.free <= now:
            if refresh is None:
                self.free = now + duration
                return 0
            self.free = end = refresh.end(now, duration)
            return end - duration - now
        current = self._current
        cut = self.free
        if current is not None and current.end == self.free:  # else it is behind another processor's accesses
            cut = self._cut_time(current, now) if self._release_at < 0 else self._release_at
            if cut < now:
                cut = now
            restart = current.restart
            if now < self._accessed_from or cut <= self._accessed:  # others interrupt it, and it has yet to restart
                cut, restart = self._accessed, 0
            else:
                self._accessed_from = cut
            if cut < current.end:
                rest = self._net(cut, current.end)
                self.busy -= rest
                end = cut + duration if refresh is None else refresh.end(cut, duration)
                self._accessed = current.start = end
                rest = current.lengthened(end, current.shortened(rest) + restart)
                self.busy += rest
                self.free = current.end = end + rest if refresh is None else refresh.end(end, rest)
                return end - duration - now
            cut = current.end
        self.free = end = cut + duration if refresh is None else refresh.end(cut, duration)
        return end - duration - now

    def _net(self, start: i64, end: i64) -> i64:
        """ps from `start` to `end` without refresh."""
        refresh = self._refresh
        return end - start if refresh is None else end - start - refresh.taken(end) + refresh.taken(start)

    def moved(self, duration: i64) -> None:
        """A processor has taken the bus for `duration` ps up to now, one cycle at a time: no master had to wait."""
        self.busy += duration

    def grant(self, transaction: Transaction, duration: i64) -> None:
        """Give the bus to `transaction` for `duration` (ps), unless it is interrupted."""
        calendar = self.calendar
        self._current = transaction
        self._accessed = self._accessed_from = -1
        transaction.start = calendar.now
        if self.posted is not None:
            if transaction.written:
                transaction.room_at = self.posted.put(transaction.written, calendar.now)
                transaction.written = 0
            duration = transaction.lengthened(calendar.now, duration)
        end = calendar.now + duration if self._refresh is None else self._refresh.end(calendar.now, duration)
        transaction.end = self.free = end
        self.busy += duration
        if self.memory is not None:
            self.memory.move(transaction.nbytes, end)
            transaction.nbytes = 0
        if transaction.done is not None:
            transaction.planned = end
            calendar.finish_at(end, self, transaction)
        given = transaction.granted
        if transaction.cut:
            transaction.cut = False
            given = transaction.resumed
        if given is not None:
            given(transaction)

    def finished(self, transaction: Transaction) -> None:
        """A transfer ends as planned."""
        now = self.calendar.now
        if transaction.waiting or transaction.planned != now:
            return  # it was cut: another call is, or will be, planned
        if transaction.end > now:  # a processor's access delayed it
            transaction.planned = transaction.end
            self.calendar.finish_at(transaction.end, self, transaction)
        else:
            transaction.planned = -1  # a transfer that was cut may end at the same time as planned before
            done = transaction.done
            done(transaction)  # type: ignore[misc]

    def _plan_release(self) -> None:
        """A master waits: the current tenure ends with its data or when it has to, whichever is first."""
        now = self.calendar.now
        release = self.free
        current = self._current
        if current is not None and current.end == release:
            cut = self._accessed if now < self._accessed_from else self._cut_time(current, self._asked)
            if cut < release:
                release = cut
            if release < now:
                release = now
        self._release_at = release
        self.calendar.call_at(release, self._released)

    def _release(self, _: object) -> None:
        now = self.calendar.now
        current = self._current
        if now < self._accessed:  # accesses interrupt the tenure: the next master follows them
            self._release_at = self._accessed
            self.calendar.call_at(self._accessed, self._released)
            return
        if self.free > now:
            stays = now != self._accessed and current is not None and now < self._cut_time(current, self._asked)
            if current is None or current.end != self.free or stays:
                self._plan_release()  # an access intervened, and the bus is still taken
                return
            self.cut(current, now)
        self._release_at = -1
        following = self._queue.popleft()
        following.waiting = False
        self.grant(following, following.left)
        if self._queue and self._release_at < 0:
            self._asked = now
            self._plan_release()

    def _cut_time(self, current: Transaction, asked: i64) -> i64:
        """When a transfer stops that was `asked` to stop at that time (ps); this may be before now."""
        tenure = current.tenure
        if tenure is None:  # not one expression: compiled, it would be an object, as Tenure computes with int
            return current.start + current.least
        return tenure.cut(current.start, asked)

    def cut(self, current: Transaction, now: i64) -> None:
        """Take the bus away `now` (ps) from a transfer, which continues when its turn comes again. If accesses have
        interrupted it up to now, it has yet to restart."""
        rest = self._net(now, current.end)
        self.busy -= rest
        current.left = current.shortened(rest) + (0 if now == self._accessed else current.restart)
        current.waiting = current.cut = True
        current.planned = -1
        self._queue.append(current)

    def occupied_until(self, now: i64) -> i64:
        """ps up to `now` for which the bus was taken, or the slower memory or link behind it."""
        busy = self.busy_until(now)
        for queue in (self.posted, self.fetched):
            if queue is not None and queue.busy_until(now) > busy:
                busy = queue.busy_until(now)
        return busy

    def busy_until(self, now: i64) -> i64:
        """ps up to `now` for which the bus was taken."""
        busy = self.busy - (self._net(now, self.free) if self.free > now else 0)
        for poll in self.polls:
            busy += poll.taken(now)
        return busy if self._refresh is None else busy + self._refresh.taken(now) - self._refresh.taken(0)
