"""What a process does with a TCP socket: the system calls that copy into it and out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from netsim.machine import Place, Work
from netsim.stack.socket import CALLED, WITHIN
from netsim.stack.tcp import TcpSegment

if TYPE_CHECKING:
    from netsim.stack.tcp_socket import TcpSocket

_NOWHERE = Place("memory", aligned=True)  # of no bytes


@mypyc_attr(allow_interpreted_subclasses=True)
class Call:
    """A process's calls of one kind. `active` while one is under way; `entry` is what the process's next work in it
    begins with.

    With `TcpSpec.backlog` segments that come in while the process is inside the call wait in the socket's backlog, and
    are taken in in the process's own time, before it sleeps and before it returns.
    """

    def __init__(self, socket: TcpSocket) -> None:
        self.socket = socket
        self.task = socket.host.caller(self._begin, self._end)
        self.active = False
        self.entry = WITHIN
        self._releasing = False  # the backlog is to be emptied,
        self._leaving = False  # and then the call returns
        self._segment: TcpSegment | None = None  # out of the backlog
        self._locks = socket.spec.backlog

    def _enter(self) -> None:
        self.active = True
        self.entry = CALLED
        self.socket.host.wake(self.task)

    def _begin(self) -> Work | None:
        if not self.active:
            return None
        socket = self.socket
        if not self._releasing:
            work = self.next_work()
            if work is not None:
                return self._inside(work)
            self._releasing = True
        if socket.backlog:
            self._segment = segment = socket.backlog.popleft()
            return socket.arrival(segment)
        return self._released()

    def _inside(self, work: Work) -> Work:
        self.socket.locked = self._locks
        self.entry = WITHIN
        return work

    def _released(self) -> Work | None:
        """The backlog is empty: return, or go on if that has brought something, or sleep."""
        self._releasing = self.socket.locked = False
        if self._leaving:
            self._leaving = False
            self._return()
            return self._begin()
        work = self.next_work()
        if work is not None:
            return self._inside(work)
        self.entry = self.entry.asleep
        return None

    def _end(self) -> bool:
        segment = self._segment
        if segment is not None:
            self._segment = None
            self.socket.put(segment)
            return True
        if not self._done():
            return True
        if self.socket.backlog:
            self._releasing = self._leaving = True
            return True
        self.socket.locked = False
        self._return()
        return self.active

    def next_work(self) -> Work | None:
        """What to copy next, as a piece of work; None: nothing can be."""
        raise NotImplementedError

    def _done(self) -> bool:
        """The piece is copied; True if the call is over."""
        raise NotImplementedError

    def _return(self) -> None:
        """The call returns to the process, which may make another."""
        raise NotImplementedError


class Write(Call):
    """A call copies a message into the socket segment by segment, and each goes out at once if the windows allow; where
    a card cuts segments (large send), several at a time."""

    def __init__(self, socket: TcpSocket) -> None:
        super().__init__(socket)
        self._takes_whole = socket.host.spec.system.socket.takes_whole
        self._left = 0  # bytes that are not copied yet
        self._chunk = self._straight = 0
        self._then: Callable[[], None] = lambda: None

    def call(self, nbytes: int, then: Callable[[], None]) -> None:
        """Begin a call with `nbytes`; `then` is called when it returns."""
        self._left = nbytes
        self._then = then
        self.socket.output.begin_call(nbytes)
        self._enter()

    def next_work(self) -> Work | None:
        socket, left = self.socket, self._left
        if socket.is_full() and not (left and self._takes_whole):
            return None
        chunk = left if left < socket.mss else socket.mss
        if left > chunk and socket.output.largest > chunk:
            chunk = socket.chunk(left)
        self._chunk = chunk
        # Only what is next in line goes straight out; anything else is for deferred work.
        straight = self._straight = socket.output.sendable(chunk) if chunk else 0
        if straight:
            return socket.works.write_and_send(chunk, straight, socket.device.straight(), self.entry)
        return socket.works.write(chunk, self.entry)

    def _done(self) -> bool:
        self._left -= self._chunk
        if self._chunk:
            self.socket.written(self._chunk, self._straight > 0)
        return not self._left and not (self._takes_whole and self.socket.is_full())

    def _return(self) -> None:
        self.active = False
        self._then()


@mypyc_attr(allow_interpreted_subclasses=True)
class Read(Call):
    """A call waits for data and copies out what is there, at most as much as was asked for. If deferred work has copied
    while it waited (TcpSpec.receive_copy), it returns with that when it is woken."""

    def __init__(self, socket: TcpSocket) -> None:
        super().__init__(socket)
        self._count = self._limit = self._piece = 0
        self._filled = False  # by deferred work, as far as it will be
        self._then: Callable[[int], None] = lambda nbytes: None

    def call(self, limit: int, then: Callable[[int], None]) -> None:
        """Begin a call for up to `limit` bytes; `then` is called with their number when it returns."""
        self._count, self._limit = 0, limit
        self._filled = False
        self._then = then
        self._enter()

    @property
    def room(self) -> int:
        """How many bytes deferred work may bring to a process that waits."""
        return self._limit - self._count if self.entry.slept and not self._filled else 0

    def fill(self, segment: TcpSegment) -> bool:
        """Deferred work has copied data of `segment`, the first in the queue; True if the process need not wait on."""
        self._count += segment.copied
        self.socket.has_read(segment.copied)
        self._filled = segment.push or self._count == self._limit or bool(self.socket.input.queue)
        return self._filled

    def next_work(self) -> Work | None:
        socket = self.socket
        if self._filled:
            return socket.works.read(0, _NOWHERE, self.entry)
        if not socket.input.queue:
            return None
        nbytes, place, _ = socket.input.queue[0]
        room = self._limit - self._count
        piece = self._piece = nbytes if nbytes < room else room  # the rest stays for the next call
        return socket.works.read(piece, place, self.entry)

    def _done(self) -> bool:
        if not self._filled:
            self._count += self._piece
            self.socket.has_read(self._piece)
            if self.socket.input.queue and self._count < self._limit:
                return False
        self.socket.offer_window(self._count)
        return True

    def _return(self) -> None:
        self.active = False
        self._then(self._count)
