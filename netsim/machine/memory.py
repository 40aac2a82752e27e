"""A host's memory, shared by its adapters and processors. Arithmetic only: no event, unless a work is prolonged."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from netsim.bus import ListPolls, MemoryStream
from netsim.engine import Environment
from netsim.machine.task import Task
from netsim.machine.work import Work
from netsim.units import PS_PER_S

_GRAIN: Final = 128  # bytes: four cache lines; a shorter wait is deferred, as each wait is an event


class Memory:
    """Memory that moves `bandwidth` bytes per second, for adapters and processors alike.

    While an adapter uses it, a processor that copies or computes checksums waits. Alone, the processor gets `read`
    bytes per second, and occupies memory for read / bandwidth of that time: lines come faster than it requests them.
    Adapter and processor take turns, so adapters delay a work by at most the time for which it uses memory itself. So a
    work that uses memory for a share u of its time takes 1 + u r / (1 - r) times as long while adapters use memory for
    a share r, up to r = 1/2. Under a chipset that is not `concurrent`, processors can't use their own bus while
    adapters occupy PCI, and all works need that bus, except during accesses to registers. A delay shorter than a few
    lines' time is carried over to the task's next one. Delays of adapters by processors, and of processors by each
    other, are not modelled.
    """

    __slots__ = ("_bandwidth", "_calendar", "_env", "_grain", "_read", "_streams", "concurrent")

    def __init__(self, env: Environment, bandwidth: int, read: int, concurrent: bool = True) -> None:
        self._env = env
        self._calendar = env.calendar
        self._bandwidth = bandwidth
        self.concurrent = concurrent
        self._read = min(read, bandwidth)
        self._grain = _GRAIN * PS_PER_S // bandwidth
        self._streams: list[MemoryStream] = []

    def stream(self, polls: list[ListPolls]) -> MemoryStream:
        """Add the transfers of the adapters on one more bus, including the `polls` of lists on that bus."""
        self._streams.append(MemoryStream(self._env, self._bandwidth, self.concurrent, polls))
        return self._streams[-1]

    def taken(self) -> i64:
        """ps for which adapters have used it, up to now."""
        now = self._calendar.now
        taken: i64 = 0
        for stream in self._streams:
            taken += stream.total if stream.end <= now and not stream.polls else stream.taken(now)
        return taken

    def stall(self, task: Task) -> int:
        """ps by which adapters have delayed the work of `task`, which uses memory, since it began or since the last
        call.

        During the work's own time, this is the adapters' time multiplied by the share of its time in which the work
        uses memory; afterwards, while it only waits, it is all of the adapters' time. Under a chipset that is not
        concurrent, all of the adapters' time counts from the beginning, except the work's wait for the bus."""
        work, taken = task.work, self.taken()
        growth: int = taken - task.memory_mark  # not i64, and neither are the products below
        if not growth:
            return 0
        task.memory_mark = taken
        used = self._used(work)
        if self.concurrent and not task.stall:
            growth = growth * used // int(work.total + task.wait)
        owed = task.owed + growth if growth > 0 else task.owed
        if owed < self._grain:
            task.owed = owed
            return 0
        stall: int = used - task.stall
        if owed < stall:
            stall = owed
        task.owed = 0
        task.stall += stall
        return stall

    def _used(self, work: Work) -> int:
        """ps of the work in which it needs memory, or the processor's bus under a chipset that is not concurrent. In
        the second case this is 0 for a work that moves data over the bus itself: it already waits for each cycle."""
        if self.concurrent:
            return work.memory * self._read // self._bandwidth
        return 0 if work.moved else int(work.total - work.accesses)
