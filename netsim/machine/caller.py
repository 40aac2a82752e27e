"""A process inside system calls, which only one processor at a time may execute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from netsim.machine.lock import Lock
from netsim.machine.task import EXCLUDES, PROCESS, Task, Worker, worker
from netsim.machine.work import Work

if TYPE_CHECKING:
    from netsim.machine.processor import Processor

_WHOLE: Final = 0
_OUTSIDE: Final = 1
_INSIDE: Final = 2


class Caller(Task, Worker):
    """A work that hands a frame to a device is done in two parts, and the second part keeps bottom halves out (Linux
    2.2: dev_queue_xmit). The whole work takes effect at the end of that part."""

    __slots__ = ("_caller", "_part", "_whole")

    def __init__(self, begin: Callable[[], Work | None], end: Callable[[], bool], lock: Lock) -> None:
        super().__init__(PROCESS, self.begin, self.end, lock, keeps=True, name="calls")
        self._caller = worker(begin, end)
        self._whole: Work | None = None
        self._part = _WHOLE

    def choose(self, processors: Sequence[Processor]) -> Processor:
        """The processor on which it runs when woken: the one it last ran on, if no process is there (an interrupt may
        be); otherwise another processor without a process; otherwise the one it last ran on, where it waits its turn
        (Linux 2.2: reschedule_idle)."""
        last = processors[0] if self.last is None else self.last
        if last.has_process():
            for other in processors:
                if not other.has_process():
                    return other
        return last

    def begin(self) -> Work | None:
        if self._part == _OUTSIDE and self._whole is not None:
            self._part = _INSIDE
            return self._whole.inside
        self._whole = work = self._caller.begin()
        if work is None or work.outside is None:
            self._part = _WHOLE
            return work
        self._part = _OUTSIDE
        return work.outside

    def end(self) -> bool:
        if self._part == _OUTSIDE:
            self.window = EXCLUDES
            return True
        self._part = _WHOLE
        return self._caller.end()
