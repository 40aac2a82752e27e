"""Interrupts that go to all of a machine's processors in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

if TYPE_CHECKING:
    from netsim.machine.processor import Processor


class Rotation:
    """The I/O APIC's lowest-priority delivery to processors of equal priority: they take interrupts in turn. Linux 2.2
    never raises a processor's priority, and acknowledges an interrupt before it handles it."""

    __slots__ = ("_next", "_processors")

    def __init__(self, processors: list[Processor]) -> None:
        self._processors = processors
        self._next: i64 = 0

    def following(self) -> Processor:
        """The processor that takes the current interrupt."""
        processor = self._processors[self._next]
        self._next = (self._next + 1) % len(self._processors)
        return processor
