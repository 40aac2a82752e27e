"""A host's memory as its adapters and processors share it. Arithmetic only: no event, unless a work is prolonged."""

from __future__ import annotations

from typing import Final

from netsim.engine import Environment
from netsim.machine.task import Task
from netsim.units import PS_PER_S

_GRAIN: Final = 128  # bytes: four cache lines; no work waits for less, which would be an event


class Memory:
    """Memory that moves `bandwidth` bytes per second, for adapters and processors alike.

    While an adapter has it, a processor that copies or sums waits. It gets `read` bytes per second by itself, and uses
    memory for read / bandwidth of its time with it: lines come faster than it asks for them. They take turns: adapters
    hold up a work by as long as it uses memory itself, at most. So a work that uses memory for a share u of its
    time takes 1 + u r / (1 - r) times as long while adapters have it for a share r, up to r = 1/2. What holds it up for
    less than a few lines' time counts for the next one of its task. That processors hold up adapters, or each other, is
    not modelled.
    """

    __slots__ = ("_bandwidth", "_calendar", "_env", "_grain", "_read", "_streams")

    def __init__(self, env: Environment, bandwidth: int, read: int) -> None:
        self._env = env
        self._calendar = env.calendar
        self._bandwidth = bandwidth
        self._read = min(read, bandwidth)
        self._grain = _GRAIN * PS_PER_S // bandwidth
        self._streams: list[MemoryStream] = []

    def stream(self) -> MemoryStream:
        """The transfers of the adapters on one more bus."""
        self._streams.append(MemoryStream(self._env, self._bandwidth))
        return self._streams[-1]

    def taken(self) -> int:
        """ps for which adapters have had it, up to now."""
        now = self._calendar.now
        taken = 0
        for stream in self._streams:
            taken += stream.taken(now)
        return taken

    def stall(self, task: Task) -> int:
        """ps by which adapters have held up the work of `task`, which uses memory, since it began, or since this was
        last asked for.

        In the work's own time that is as much of what they took as it used memory for; behind that, when it does
        nothing but wait, all of it."""
        work = task.work
        taken = self.taken()
        growth, task.memory_mark = taken - task.memory_mark, taken
        used = work.memory * self._read // self._bandwidth
        task.owed += growth if task.stall else growth * used // (work.total + task.wait)
        if task.owed < self._grain:
            return 0
        stall = min(task.owed, used - task.stall)
        task.owed = 0
        task.stall += stall
        return stall


class MemoryStream:
    """Successive transfers, each spread evenly over its time; what is left of one when the next begins (it was cut) is
    counted then."""

    __slots__ = ("_bandwidth", "_calendar", "_end", "_last", "_start", "_total")

    def __init__(self, env: Environment, bandwidth: int) -> None:
        self._calendar = env.calendar
        self._bandwidth = bandwidth
        self._start = self._end = 0  # of the last transfer
        self._last = self._total = 0  # ps of memory for it, and for all

    def move(self, nbytes: int, end: int) -> None:
        """A transfer of `nbytes` begins, and ends at `end` (ps)."""
        self._start, self._end = self._calendar.now, end
        self._last = nbytes * PS_PER_S // self._bandwidth
        self._total += self._last

    def taken(self, now: int) -> int:
        """ps of memory, up to now."""
        rest = self._end - now
        return self._total - (self._last * rest // (self._end - self._start) if rest > 0 else 0)
