"""Protocols that tell which frames they take up, which wait for a process, and with which nothing is left to do."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.ethernet import Frame
from netsim.machine import Work
from netsim.stack import NcpFrame, NcpServer, NcpWorkstation, TcpSocket, UdpReceiver
from netsim.stack.forwarding import Forwarder
from netsim.stack.ip import Reassembly
from netsim.stack.ncp_ends import NcpEnd
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_calls import Read
from netsim.stack.tcp_receive import Reception
from netsim.stack.tunnel import Decapsulator, Encapsulator, TunnelFrame
from netsim.stack.udp import UdpFragment
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watching import Watching


class WatchedReception(Reception):
    """Knows the last segment that brought nothing new."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.refused: TcpSegment | None = None

    def duplicate(self, segment: TcpSegment) -> None:
        self.refused = segment
        super().duplicate(segment)

    def beyond(self, segment: TcpSegment) -> None:
        self.refused = segment
        super().beyond(segment)


class WatchedTcpSocket(TcpSocket):
    """A segment's journey ends when the process has copied its last byte, or at once if it has nothing new."""

    env: Watching
    input: WatchedReception

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        # first byte behind, first, number, of those not copied
        self._unread: list[tuple[int, int, int, TcpSegment]] = []

    def arriving(self, frame: TcpSegment) -> Work:
        self.env.about(frame, "protocol")
        return super().arriving(frame)

    def arrival(self, frame: TcpSegment, checked: bool = False) -> Work:
        self.env.about(frame, "protocol")
        return super().arrival(frame, checked)

    def put(self, frame: TcpSegment) -> None:
        if frame.waits:
            self.env.reached(frame, "socket backlog")
        super().put(frame)

    def take_in(self, frame: TcpSegment) -> None:
        number = self.env.number(frame)
        if not (frame.length and number):
            super().take_in(frame)
            self.env.leave(frame)
            return
        entry = (frame.seq + frame.length, frame.seq, number[0], frame)
        insort(self._unread, entry)
        self.env.reached(frame, "socket")
        super().take_in(frame)
        if self.input.refused is frame and entry in self._unread:
            self._unread.remove(entry)
            self.env.leave(frame, "not new, or beyond the window")

    def copies(self, nbytes: int) -> None:
        """The work at hand copies `nbytes` out."""
        read = self.read_bytes + nbytes
        for _, start, _, frame in self._unread:
            if start >= read:
                break
            self.env.about(frame, "copy")

    def has_read(self, nbytes: int) -> None:
        self.copies(nbytes)  # of deferred work, which copies to a process that waits
        super().has_read(nbytes)
        unread, read = self._unread, self.read_bytes
        while unread and unread[0][0] <= read:
            self.env.leave(unread.pop(0)[3])
        if unread and unread[0][1] < read:
            self.env.reached(unread[0][3], "socket")


class WatchedRead(Read):
    """Knows which segments it copies from, ahead of the copy, which may be suspended."""

    socket: WatchedTcpSocket

    def next_work(self) -> Work | None:
        work = super().next_work()
        if work is not None and not self._filled:
            self.socket.copies(self._piece)
        return work


class WatchedReassembly(Reassembly):
    """Knows which datagrams it has given up."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.given_up: list[int] = []

    def give_up(self, datagram: int) -> None:
        self.given_up.append(datagram)
        super().give_up(datagram)


class WatchedUdpReceiver(UdpReceiver):
    """A fragment's journey ends with its datagram's."""

    reassembly: WatchedReassembly

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._env: Watching = self.host.env  # type: ignore[assignment]
        self._incomplete: dict[int, list[UdpFragment]] = {}  # by datagram
        self._complete: deque[list[UdpFragment]] = deque()  # in the queue

    def arriving(self, frame: UdpFragment) -> Work:
        self._env.about(frame, "protocol")
        return super().arriving(frame)

    def put(self, frame: UdpFragment) -> None:
        fragments = self._incomplete.setdefault(frame.datagram, [])
        fragments.append(frame)
        if self.reassembly.completes(frame.datagram, frame.nbytes, frame.total):
            for one in fragments:
                self._env.reached(one, "socket")
            self._complete.append(self._incomplete.pop(frame.datagram))  # the process may begin to copy it at once
        else:
            self._env.reached(frame, "reassembly")
        super().put(frame)
        for datagram in self.reassembly.given_up:
            self._lose("reassembly", self._incomplete.pop(datagram))
        self.reassembly.given_up.clear()

    def drop(self, frame: UdpFragment) -> None:
        super().drop(frame)
        self._lose("socket buffer", self._complete.pop())

    def _lose(self, place: str, fragments: list[UdpFragment]) -> None:
        """All of a datagram, which counts as one."""
        env = self._env
        numbers = [number for one in fragments for number in env.number(one)]
        env.happened(Track.drops(self.host.name), place, env.now, numbers)
        for one in fragments:
            env.leave(one, place)

    def begin_copy(self) -> Work | None:
        work = super().begin_copy()
        if work is not None:
            for one in self._complete[0]:
                self._env.about(one, "copy")
        return work

    def end_copy(self) -> bool:
        for one in self._complete.popleft():
            self._env.leave(one)
        return super().end_copy()


class WatchedForwarder(Forwarder):
    """A frame's journey continues with what is sent on."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = self.driver.nic.env  # type: ignore[assignment]

    def arriving(self, frame: Frame) -> Work:
        self._env.about(frame, "forwarding")
        return super().arriving(frame)

    def sent_on(self, frame: Frame, twin: Frame) -> None:
        self._env.becomes(frame, twin)


class WatchedEncapsulator(WatchedForwarder, Encapsulator):
    """A frame's journey continues with what encloses it, or with the first fragment of that; others are new."""


class WatchedDecapsulator(Decapsulator):
    """The journey continues with what was enclosed; other fragments' are over."""

    reassembly: WatchedReassembly

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = self.host.env  # type: ignore[assignment]
        self._fragments: dict[int, list[TunnelFrame]] = {}  # by the packet's number

    def arriving(self, frame: TunnelFrame) -> Work:
        self._env.about(frame, "protocol")
        return super().arriving(frame)

    def put(self, frame: TunnelFrame) -> None:
        self._fragments.setdefault(frame.number, []).append(frame)
        if frame.nbytes < frame.total:
            self._env.reached(frame, "reassembly")
        super().put(frame)
        for number in self.reassembly.given_up:
            for one in self._fragments.pop(number):
                self._env.dropped(Track.drops(self.host.name), "reassembly", one)
        self.reassembly.given_up.clear()

    def opened(self, frame: TunnelFrame, inner: Frame) -> None:
        for one in self._fragments.pop(frame.number):
            if one.offset:
                self._env.leave(one)
            else:
                self._env.becomes(one, inner)


class _WatchedNcpEnd(NcpEnd):
    """A frame's journey ends when its data are taken: what is done then is about the whole message."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._env: Watching = self.host.env  # type: ignore[assignment]

    def arriving(self, frame: NcpFrame) -> Work | None:
        work = super().arriving(frame)
        if work is not None:
            self._env.about(frame, "protocol")
        return work

    def put(self, frame: NcpFrame) -> None:
        super().put(frame)
        self._env.leave(frame)


class WatchedNcpServer(_WatchedNcpEnd, NcpServer):
    """A server that tells."""


class WatchedNcpWorkstation(_WatchedNcpEnd, NcpWorkstation):
    """A workstation that tells."""


STACKS: Mapping[type[Any], type[Any]] = {
    TcpSocket: WatchedTcpSocket, Reception: WatchedReception, Read: WatchedRead, UdpReceiver: WatchedUdpReceiver,
    Reassembly: WatchedReassembly, Forwarder: WatchedForwarder, Encapsulator: WatchedEncapsulator,
    Decapsulator: WatchedDecapsulator, NcpServer: WatchedNcpServer,
    NcpWorkstation: WatchedNcpWorkstation,
}  # fmt: skip
