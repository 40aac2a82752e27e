"""UDP sockets, forwarders and the ends of NetWare's core protocol, which report the frames that they take up, that wait
for a process, and that need no further work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.machine import Work
from netsim.stack import NcpFrame, NcpServer, NcpWorkstation, UdpReceiver
from netsim.stack.forwarding import Forwarder
from netsim.stack.ip import Reassembly
from netsim.stack.tunnel import Decapsulator, Encapsulator, TunnelFrame
from netsim.stack.udp import UdpFragment
from netsim.watch.teller import Teller
from netsim.watch.watched_track import WatchedTrack


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedReassembly(Reassembly):
    """Reports the datagrams that it gives up, also for fragments of another flow."""

    def watched_by(self, teller: Teller) -> None:
        self.lose: Callable[[int], None] = lambda datagram: None

    def give_up(self, datagram: int) -> None:
        super().give_up(datagram)
        self.lose(datagram)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedUdpReceiver(UdpReceiver):
    """A fragment's journey ends with its datagram's."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._lost = WatchedTrack.drops(self.host.name)
        reassembly = self.reassembly
        assert isinstance(reassembly, WatchedReassembly)
        reassembly.lose = self._give_up
        self._incomplete: dict[int, list[UdpFragment]] = {}  # by datagram
        self._complete: Fifo[list[UdpFragment]] = Fifo()  # in the queue

    def arriving(self, frame: UdpFragment) -> Work:
        self._teller.about(frame, "protocol")
        return super().arriving(frame)

    def put(self, frame: UdpFragment) -> None:
        fragments = self._incomplete.setdefault(frame.datagram, [])
        fragments.append(frame)
        if self.reassembly.completes(frame.datagram, frame.nbytes, frame.total):
            for one in fragments:
                self._teller.reached(one, "socket")
            self._complete.append(self._incomplete.pop(frame.datagram))  # the process may begin to copy it immediately
        else:
            self._teller.reached(frame, "reassembly")
        super().put(frame)

    def _give_up(self, datagram: int) -> None:
        self._lose("reassembly", self._incomplete.pop(datagram))

    def drop(self, frame: UdpFragment) -> None:
        super().drop(frame)
        self._lose("socket buffer", self._complete.pop())

    def _lose(self, place: str, fragments: list[UdpFragment]) -> None:
        """Lose all fragments of a datagram, which counts as one drop."""
        teller = self._teller
        numbers = [number for one in fragments for number in teller.number(one)]
        teller.happened(self._lost, place, self.host.calendar.now, numbers)
        for one in fragments:
            teller.leave(one, place)

    def begin(self) -> Work | None:
        work = super().begin()
        if work is not None:
            for one in self._complete[0]:
                self._teller.about(one, "copy")
        return work

    def end(self) -> bool:
        for one in self._complete.popleft():
            self._teller.leave(one)
        return super().end()


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedForwarder(Forwarder):
    """A frame's journey continues with the forwarded frame."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller

    def arriving(self, frame: Frame) -> Work:
        self._teller.about(frame, "forwarding")
        return super().arriving(frame)

    def sent_on(self, frame: Frame, twin: Frame) -> None:
        self._teller.becomes(frame, twin)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedEncapsulator(Encapsulator):
    """A frame's journey continues with the frame that encloses it, or with the first fragment of that; other fragments
    are new."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller

    def arriving(self, frame: Frame) -> Work:
        self._teller.about(frame, "forwarding")
        return super().arriving(frame)

    def sent_on(self, frame: Frame, twin: Frame) -> None:
        self._teller.becomes(frame, twin)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedDecapsulator(Decapsulator):
    """The journey continues with the enclosed frame; those of other fragments are over."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._lost = WatchedTrack.drops(self.host.name)
        reassembly = self.reassembly
        assert isinstance(reassembly, WatchedReassembly)
        reassembly.lose = self._give_up
        self._fragments: dict[int, list[TunnelFrame]] = {}  # by the packet's number

    def arriving(self, frame: TunnelFrame) -> Work:
        self._teller.about(frame, "protocol")
        return super().arriving(frame)

    def put(self, frame: TunnelFrame) -> None:
        self._fragments.setdefault(frame.number, []).append(frame)
        if frame.nbytes < frame.total:
            self._teller.reached(frame, "reassembly")
        super().put(frame)

    def _give_up(self, number: int) -> None:
        for one in self._fragments.pop(number):
            self._teller.dropped(self._lost, "reassembly", one)

    def opened(self, frame: TunnelFrame, inner: Frame) -> None:
        for one in self._fragments.pop(frame.number):
            if one.offset:
                self._teller.leave(one)
            else:
                self._teller.becomes(one, inner)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedNcpServer(NcpServer):
    """A frame's journey ends when its data are taken: later work concerns the whole message."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller

    def arriving(self, frame: NcpFrame) -> Work | None:
        work = super().arriving(frame)
        if work is not None:
            self._teller.about(frame, "protocol")
        return work

    def put(self, frame: NcpFrame) -> None:
        super().put(frame)
        self._teller.leave(frame)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedNcpWorkstation(NcpWorkstation):
    """The same at the other end."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller

    def arriving(self, frame: NcpFrame) -> Work | None:
        work = super().arriving(frame)
        if work is not None:
            self._teller.about(frame, "protocol")
        return work

    def put(self, frame: NcpFrame) -> None:
        super().put(frame)
        self._teller.leave(frame)


STACKS: Mapping[type[Any], type[Any]] = {
    UdpReceiver: WatchedUdpReceiver, Reassembly: WatchedReassembly, Forwarder: WatchedForwarder,
    Encapsulator: WatchedEncapsulator, Decapsulator: WatchedDecapsulator, NcpServer: WatchedNcpServer,
    NcpWorkstation: WatchedNcpWorkstation,
}  # fmt: skip
