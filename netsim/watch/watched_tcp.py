"""TCP sockets that report the segments that they take up, that wait for a process, and that need no further work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.machine import Work
from netsim.stack import TcpSocket
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_calls import Read
from netsim.stack.tcp_receive import Reception
from netsim.watch.teller import Teller


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedReception(Reception):
    """Keeps the last segment that brought nothing new."""

    def watched_by(self, teller: Teller) -> None:
        self.refused: TcpSegment | None = None

    def duplicate(self, segment: TcpSegment) -> None:
        self.refused = segment
        super().duplicate(segment)

    def beyond(self, segment: TcpSegment) -> None:
        self.refused = segment
        super().beyond(segment)


class UnreadSegment:
    """A segment that has not been copied: its first byte, and the first one after it."""

    def __init__(self, frame: TcpSegment, number: int) -> None:
        self.frame = frame
        self.number = number
        self.start = frame.seq
        self.end = frame.seq + frame.length

    def is_before(self, other: UnreadSegment) -> bool:
        """Whether it is copied first: the one that ends first, else the one that starts first, else the one handed down
        first."""
        if self.end != other.end:
            return self.end < other.end
        return self.start < other.start or (self.start == other.start and self.number < other.number)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedTcpSocket(TcpSocket):
    """A segment's journey ends when the process has copied its last byte, or at once if the segment brings nothing
    new."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        reception = self.input
        assert isinstance(reception, WatchedReception)
        self._reception = reception
        self._unread: list[UnreadSegment] = []  # in the order of their ends

    def arriving(self, frame: TcpSegment) -> Work:
        self._teller.about(frame, "protocol")
        return super().arriving(frame)

    def arrival(self, frame: TcpSegment, checked: bool = False) -> Work:
        self._teller.about(frame, "protocol")
        return super().arrival(frame, checked)

    def put(self, frame: TcpSegment) -> None:
        if frame.waits:
            self._teller.reached(frame, "socket backlog")
        super().put(frame)

    def take_in(self, frame: TcpSegment) -> None:
        numbers = self._teller.number(frame)
        if not (frame.length and numbers):
            super().take_in(frame)
            self._teller.leave(frame)
            return
        entry = UnreadSegment(frame, numbers[0])
        place = len(self._unread)
        while place and entry.is_before(self._unread[place - 1]):
            place -= 1
        self._unread.insert(place, entry)
        self._teller.reached(frame, "socket")
        super().take_in(frame)
        if self._reception.refused is frame and entry in self._unread:
            self._unread.remove(entry)
            self._teller.leave(frame, "not new, or beyond the window")

    def copies(self, nbytes: int) -> None:
        """The current work copies `nbytes` out."""
        read = self.read_bytes + nbytes
        for one in self._unread:
            if one.start >= read:
                break
            self._teller.about(one.frame, "copy")

    def has_read(self, nbytes: int) -> None:
        self.copies(nbytes)  # deferred work, which copies to a waiting process
        super().has_read(nbytes)
        unread, read = self._unread, self.read_bytes
        while unread and unread[0].end <= read:
            self._teller.leave(unread.pop(0).frame)
        if unread and unread[0].start < read:
            self._teller.reached(unread[0].frame, "socket")


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedRead(Read):
    """Reports the segments that it copies from before the copy, which may be suspended."""

    def watched_by(self, teller: Teller) -> None:
        socket = self.socket
        assert isinstance(socket, WatchedTcpSocket)
        self._watched = socket

    def next_work(self) -> Work | None:
        work = super().next_work()
        if work is not None and not self._filled:
            self._watched.copies(self._piece)
        return work


SOCKETS: Mapping[type[Any], type[Any]] = {
    TcpSocket: WatchedTcpSocket, Reception: WatchedReception, Read: WatchedRead
}  # fmt: skip
