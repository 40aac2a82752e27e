"""The sending half of an adapter that keeps frames to be sent back to back in a FIFO of bytes (3C509: TX_FREE).

Bytes that have left make room at once, and the driver may put a frame behind one that is still being sent. No byte
counts as gone before the station owns the medium for good: until then the frame may have to be sent again.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.ethernet.frame import FCS
from netsim.nic.half_duplex import HalfDuplexTransmitter

_WORD = 4  # bytes: frames begin on multiples of this


@mypyc_attr(allow_interpreted_subclasses=True)
class FifoTransmitter(HalfDuplexTransmitter):
    """A FIFO of `size` bytes, in which each frame takes `header` additional bytes. A driver that leaves no more than
    `enough` bytes free puts no other frame there before it is notified that `enough` are free."""

    def __init__(
        self, env: Environment, name: Resource, size: int, header: int, enough: int, *, turnaround: int = 0
    ) -> None:
        super().__init__(env, name, turnaround=turnaround)
        self._size, self._header, self._enough = size, header, enough
        self._held = 0  # bytes of frames that are not gone
        self._end = 0  # when the last bit of the first of them leaves (ps); 0: not known
        self._room = self._look_for_room  # bound once

    def stored(self, frame: Frame) -> int:
        """Bytes that `frame` takes."""
        return self._header + -(-(frame.size - FCS) // _WORD) * _WORD

    def put(self, frame: Frame, interrupt: bool) -> None:
        self._held += self.stored(frame)
        super().put(frame, interrupt)

    def free(self) -> int:
        """Bytes that are free now."""
        free = self._size - self._held
        if not self._end:
            return free
        assert self.medium is not None
        whole, left = self.stored(self._waiting[0]), self._end - self.calendar.now
        return free + max(0, whole - -(-left // self.medium.time(1)))

    def full(self, ring_full: bool) -> bool:
        self.wants_room = ring_full or self.free() <= self._enough
        self._plan()
        return self.wants_room

    def certain(self, frame: Frame) -> None:
        """The frame being sent gets through: the time of its last bit is known."""
        self._end = frame.last_bit
        self._plan()

    def _plan(self) -> None:
        """Plan to notify the driver of room while the first frame leaves, if that frees enough."""
        if not (self.wants_room and self._end):
            return
        assert self.medium is not None
        need, whole = self._enough - (self._size - self._held), self.stored(self._waiting[0])
        if need <= whole:
            due = self._end - self.medium.time(whole - max(need, 0))
            self.calendar.call_at(max(due, self.calendar.now), self._room, None)

    def _look_for_room(self, _: object) -> None:
        if self.wants_room and self.free() >= self._enough:
            self.wants_room = False
            interrupt = self.interrupt
            interrupt()

    def gone(self, frame: Frame, sent: bool) -> None:
        self._held -= self.stored(frame)
        self._end = 0
        super().gone(frame, sent)

    def _done(self, frame: Frame) -> None:
        """Report a frame that is given up, and otherwise only room."""
        frame.done = self.calendar.now
        if frame in self.given_up:
            self.sent.append(frame)
            interrupt = self.interrupt
            interrupt()
        else:
            self.queued -= 1
        self._look_for_room(None)
