"""Deferred work of a machine of which one processor at a time does any (Linux 2.2: bottom halves)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netsim.engine import Fifo
from netsim.machine.lock import Lock
from netsim.machine.task import Task

if TYPE_CHECKING:
    from netsim.machine.processor import Processor


class BottomHalves:
    """`marked` is the work that is to be done. A processor begins a pass where it leaves an interrupt's handler, a
    system call or a process that sleeps, and continues until no work is left. It does not wait for that: if a pass is
    going on elsewhere, or a call keeps bottom halves out, or another processor is in a handler, what is marked stays so
    for the next pass (do_bottom_half: softirq_trylock, hardirq_trylock).

    A pass takes the `token`, or a call while it keeps passes out (start_bh_atomic).
    """

    __slots__ = ("_processors", "_runner", "marked", "token")

    def __init__(self, token: Lock) -> None:
        self.token = token
        self.marked: Fifo[Task] = Fifo()
        self._processors: Sequence[Processor] = ()
        self._runner: Processor | None = None

    def connect(self, processors: Sequence[Processor]) -> None:
        """These are the machine's processors."""
        self._processors = processors

    def lets(self, processor: Processor, task: Task) -> bool:
        """Whether `processor` may do `task` now, in a pass that continues or that it begins."""
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
        """`processor` has no more work of this kind: True if that was the end of a pass. A waiting call continues."""
        if self._runner is not processor:
            return False
        self._runner = None
        self.token.release()
        return True

    def let_in(self, task: Task) -> bool:
        """The call that `task` makes keeps bottom halves out no longer, and starts none (end_bh_atomic). False if it
        did not."""
        if self.token.holder is not task:
            return False
        self.token.release()
        return True
