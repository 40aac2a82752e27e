"""The system calls by which a process writes to a TCP socket and reads from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mypy_extensions import mypyc_attr

from netsim.engine import Timer
from netsim.machine import Place, Work
from netsim.machine.bill import WORD
from netsim.machine.task import EXCLUDES, WAITS, Worker
from netsim.machine.work import NOTHING
from netsim.stack.socket import CALLED, WITHIN
from netsim.stack.tcp import TcpSegment

if TYPE_CHECKING:
    from netsim.stack.tcp_socket import TcpSocket

_NOWHERE: Final = Place("memory", aligned=True)  # for a read of no bytes


@mypyc_attr(allow_interpreted_subclasses=True)
class Call(Worker):
    """A process's calls of one type. `active` while a call is under way; `entry` describes how the process's next work
    in it begins.

    With `TcpSpec.backlog`, segments that arrive while the process is inside the call are checked, and then wait in the
    socket's backlog. The process receives them in its own time, before it sleeps and before it returns. A process that
    is woken and finds nothing to do still costs a context switch. Where processors exclude each other, the call waits
    for bottom halves when it begins and when it continues (lock_sock), and keeps them out while it takes up the
    backlog, even if that is empty (release_sock).
    """

    def __init__(self, socket: TcpSocket) -> None:
        self.socket = socket
        self.task = socket.host.caller(self.begin, self.end)
        self.active = False
        self.entry = WITHIN
        self._in_vain = False  # the process was woken without need
        self._releasing = False  # the backlog has to be emptied
        self._leaving = False  # the call returns once the backlog is empty
        self._segment: TcpSegment | None = None  # taken out of the backlog
        self._locks = socket.spec.backlog
        self._excludes = self._locks and self.task.lock is not None
        self._released_all = False  # the backlog was emptied, and the process may sleep

    def _enter(self) -> None:
        self.active = True
        self.entry = CALLED
        self.task.window = WAITS
        self.socket.host.wake(self.task)

    def begin(self) -> Work | None:
        if not self.active:
            return None
        socket = self.socket
        if not self._releasing:
            work = self.next_work()
            if work is not None:
                return self._inside(work)
            if self.entry.slept:
                self.entry = self.entry.awake
                self._in_vain = True
                return socket.works.wake_up
            if self._excludes:
                self._sleep_or_release()
                return None
            self._releasing = True
        if socket.backlog:
            self._segment = segment = socket.backlog.popleft()
            return socket.handler.arrival(segment, checked=True)
        return NOTHING if self._excludes else self._released()

    def _inside(self, work: Work) -> Work:
        self.socket.locked = self._locks
        self.entry = WITHIN
        self._released_all = False
        return work

    def _sleep_or_release(self) -> None:
        """Nothing to copy: keep bottom halves out and empty the backlog or, after that, sleep until woken."""
        task = self.task
        if self._released_all:
            self.entry = self.entry.asleep
            task.window = WAITS
        else:
            self._releasing = True
            task.window = EXCLUDES
        self._released_all = not self._released_all

    def _released(self) -> Work | None:
        """The backlog is empty: return, continue if it brought something to copy, or sleep."""
        self._releasing = self.socket.locked = False
        if self._leaving:
            self._leaving = False
            self._return()
            return self.begin()
        work = self.next_work()
        if work is not None:
            return self._inside(work)
        self.entry = self.entry.asleep
        return None

    def wake(self) -> None:
        """Let the process check again, if it sleeps."""
        if self.active and self.entry.slept:
            self.socket.host.wake(self.task)

    def end(self) -> bool:
        if self._in_vain:
            self._in_vain = False
            return True
        segment = self._segment
        if segment is not None:
            self._segment = None
            self.socket.handler.take_in(segment)
            if self._excludes:
                self.task.window = EXCLUDES
            return True
        if self._releasing:
            return self._all_released()
        if not self._done():
            return True
        if self._excludes or self.socket.backlog:
            self._releasing = self._leaving = True
            if self._excludes:
                self.task.window = EXCLUDES
            return True
        self.socket.locked = False
        return self._returned()

    def _all_released(self) -> bool:
        """The backlog is empty, and bottom halves no longer have to be kept out."""
        self._releasing = self.socket.locked = False
        if not self._leaving:
            self.task.window = WAITS
            return True
        self._leaving = False
        return self._returned()

    def _returned(self) -> bool:
        self.task.returns = True
        self._return()
        return self.active

    def next_work(self) -> Work | None:
        """The work of copying the next piece; None: nothing can be copied."""
        raise NotImplementedError

    def _done(self) -> bool:
        """The piece is copied; True if the call has finished."""
        raise NotImplementedError

    def _return(self) -> None:
        """The call returns to the process, which may make another call."""
        raise NotImplementedError


class Write(Call):
    """A call copies a message into the socket segment by segment, and each is sent at once if the windows allow; where
    a card cuts segments (large send), several segments at a time.

    It first fills the last segment of the call before, unless that has been sent. The rest is then copied from an
    address off a word boundary, if the message's first byte is on one. If the checksum is computed with the copy,
    that of a segment that ended off a word boundary is computed again, in a separate pass (Linux 2.2: tcp_do_sendmsg).
    """

    def __init__(self, socket: TcpSocket) -> None:
        super().__init__(socket)
        system = socket.host.spec.system.socket
        self._takes_whole, self._sums = system.takes_whole, system.checksum_with_copy
        self._count = self._left = 0  # bytes of the message, and those not copied yet
        self._chunk = self._straight = 0
        self._then: Callable[[], None] = lambda: None

    def call(self, nbytes: int, then: Callable[[], None]) -> None:
        """Begin a call with `nbytes`; `then` is called when it returns."""
        self._count = self._left = nbytes
        self._then = then
        self.socket.output.begin_call(nbytes)
        self._enter()

    def next_work(self) -> Work | None:
        socket, left = self.socket, self._left
        tail = 0 if self._takes_whole else socket.output.tail
        if socket.is_full() and not (left and (tail or self._takes_whole)):
            return None
        room = socket.mss - tail
        chunk = left if left < room else room
        if left > chunk and socket.output.largest > chunk and not tail:
            chunk = socket.chunk(left)
        self._chunk = chunk
        # Only the next bytes in line are sent straight away; all others are left to deferred work.
        straight = self._straight = socket.output.sendable(chunk) if chunk and not socket.sending else 0
        aligned = (self._count - left) % WORD == 0
        anew = tail + chunk if tail % WORD and self._sums else 0
        if straight:
            socket.sending = True
            port, alone = socket.device.straight(), socket.output.is_idle
            return socket.works.write_and_send(chunk, straight, port, self.entry, aligned, anew, alone)
        return socket.works.write(chunk, self.entry, aligned, anew)

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
    """A call waits for data and copies out those available, at most as many bytes as it asked for. If deferred work
    copied data while it waited (TcpSpec.receive_copy), it returns with these when woken."""

    def __init__(self, socket: TcpSocket) -> None:
        super().__init__(socket)
        self._count = self._limit = self._piece = 0
        self._filled = False  # by deferred work, as far as possible
        self._wait = socket.spec.receive_wait
        self._waited = Timer(socket.env, self._nothing_more)
        self._then: Callable[[int], None] = lambda nbytes: None

    def call(self, limit: int, then: Callable[[int], None]) -> None:
        """Begin a call for up to `limit` bytes; `then` is called with their number when it returns."""
        self._count, self._limit = 0, limit
        self._filled = False
        self._then = then
        self._enter()

    @property
    def room(self) -> int:
        """How many bytes deferred work may copy to a waiting process."""
        return self._limit - self._count if self.entry.slept and not self._filled else 0

    def fill(self, segment: TcpSegment) -> bool:
        """Deferred work has copied data of `segment`, the first in the queue; True if the process need not wait any
        longer. If another processor has taken in a part of it meanwhile, the process already has that."""
        new = self.socket.input.queue[0][0]
        copied = segment.copied if segment.copied < new else new
        self._count += copied
        self.socket.has_read(copied)
        self._filled = segment.push or self._count == self._limit or bool(self.socket.input.queue)
        if self._filled:
            self._waited.cancel()
        elif self._wait:
            self._waited.set(self.socket.host.calendar.now + self._wait)
        return self._filled

    def _nothing_more(self) -> None:
        """Nothing more has arrived for some time: the call returns with the data that it has."""
        self._filled = True
        self.socket.host.wake(self.task)

    def next_work(self) -> Work | None:
        socket = self.socket
        if self._filled:
            return socket.works.read(0, _NOWHERE, self.entry)
        if not socket.input.queue:
            return None
        nbytes, place, _ = socket.input.queue[0]
        room = self._limit - self._count
        piece = self._piece = nbytes if nbytes < room else room  # the next call reads the rest
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
        self._waited.cancel()
        self._then(self._count)
