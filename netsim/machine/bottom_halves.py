"""Deferred work of a machine, done by only one processor at a time (Linux 2.2: bottom halves)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netsim.engine import Fifo
from netsim.machine.lock import Lock
from netsim.machine.task import Task

if TYPE_CHECKING:
    from netsim.machine.processor import Processor


class BottomHalves:
    """`marked` is the work to be done. A processor begins a pass when it leaves an interrupt handler, a system call or
    a process that sleeps, and continues until no work is left. It never waits to begin one: if another processor runs a
    pass or is in a handler, or a call keeps bottom halves out, marked work stays marked for the next pass
    (do_bottom_half: softirq_trylock, hardirq_trylock).

    A pass holds the `token`, as does a call while it keeps passes out (start_bh_atomic).
    """

    __slots__ = ("_processors", "_runner", "marked", "token")

    def __init__(self, token: Lock) -> None:
        self.token = token
        self.marked: Fifo[Task] = Fifo()
        self._processors: Sequence[Processor] = ()
        self._runner: Processor | None = None

    def connect(self, processors: Sequence[Processor]) -> None:
        """Set the machine's processors."""
        self._processors = processors

    def try_begin(self, processor: Processor, task: Task) -> bool:
        """Begin `task` on `processor`, in its current pass or a new one; False if it has to wait."""
        if self._runner is processor:
            return True
        if self.token.holder is not None:
            return False
        for other in self._processors:
            if other is not processor and other.is_handling():
                return False
        self._runner = processor
        return self.token.take(processor, task)

    def end(self, processor: Processor) -> bool:
        """`processor` has no more work of this kind: True if this ended a pass. A waiting call continues."""
        if self._runner is not processor:
            return False
        self._runner = None
        self.token.release()
        return True

    def let_in(self, task: Task) -> bool:
        """The call of `task` no longer keeps bottom halves out, and starts none (end_bh_atomic). False if it did not
        keep them out."""
        if self.token.holder is not task:
            return False
        self.token.release()
        return True
