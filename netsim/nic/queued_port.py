"""One queue of an adapter on PCI Express in a running simulation, frame by frame.

A frame to be sent is a doorbell, a read of its descriptor, a read of its data, and a write of its completion. A
received frame is a write of its data, an entry after them, and possibly an interrupt, which is also a write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from netsim.accounts import Resource
from netsim.accounts.resource import PCIE_DOWNSTREAM, PCIE_UPSTREAM
from netsim.bus import PcieDirection, PcieSpec, RootComplex
from netsim.bus.root_complex import ReadRequest, Requester
from netsim.engine import Environment
from netsim.ethernet import Frame, Link
from netsim.nic.frame_engine import FrameEngine

Pieces = list[tuple[int, int]]  # bytes of payload, and on the wire
_DESCRIPTOR: Final = 0  # the first read for a frame; data are the next


class PortTimes:
    """Times (ps) of the adapter itself (`latency`), of the root complex to `answer` a read and to complete a write
    (`written`), and of an arriving frame: its `sending`, the `cable` with the rest of the path, and a `switch`. Also
    the least times from one frame to the next, sent (`tx_packet`) and received (`rx_packet`); and the packets of frames
    on the link to the host: bytes of a read's `request` and of a `register`; for a sent frame the `reads` of its
    descriptor and of its data, and the entry then written (`told`); for an arriving frame the writes of its data and
    entry (`stored`)."""

    def __init__(self, latency: int, answer: int, written: int, wire: tuple[int, int, int]) -> None:
        self.latency = latency
        self.answer = answer
        self.written = written
        self.sending, self.cable, self.switch = wire
        self.tx_packet = self.rx_packet = 0
        self.request = self.register = 0
        self.reads: list[list[Pieces]] = []
        self.told: Pieces = []
        self.stored: Pieces = []


class Fetch:
    """A read for a frame, of its descriptor or its data, with `left` unanswered requests."""

    __slots__ = ("frame", "left", "what")

    def __init__(self, frame: Frame, what: int, left: int) -> None:
        self.frame = frame
        self.what = what
        self.left = left


class QueuedPort(Requester):
    """Sends on `wire`, and hands frames that are in memory to `deliver`."""

    def __init__(self, env: Environment, host: str, pcie: PcieSpec, times: PortTimes, wire: Link) -> None:
        self._calendar = env.calendar
        self.times = times
        self._wire = wire
        self._lead = wire.spec.delay - times.cable - times.switch
        self.up = PcieDirection(env, pcie, Resource(host, PCIE_UPSTREAM))
        self.down = PcieDirection(env, pcie, Resource(host, PCIE_DOWNSTREAM))
        self.transmitter, self.receiver = FrameEngine(times.tx_packet), FrameEngine(times.rx_packet)
        self._memory = RootComplex(env, self.down, times.answer, times.written)
        self.deliver: Callable[[Any], None]  # takes a frame in memory
        self._rings, self._transmits, self._tells = self._ring, self._transmit, self._tell  # bound once
        self._leaves = self._leave
        self._sent, self._stores, self._there = self._is_sent, self._store, self._is_there
        self.frames_arrived = 0
        self.handed = self.reported = 0  # frames to be sent, and frames reported as sent in memory
        self.stored = 0

    # --- sending ------------------------------------------------------------------------------------------------------

    def send(self, frame: Frame) -> None:
        """The driver writes to the doorbell."""
        self.handed += 1
        self._calendar.call_at(self.down.put(self.times.register) + self.times.written, self._rings, frame)

    def _ring(self, frame: Frame) -> None:
        self._read(frame, _DESCRIPTOR)

    def _read(self, frame: Frame, what: int) -> None:
        requests = self.times.reads[what]
        fetch = Fetch(frame, what, len(requests))
        for completions in requests:
            self._memory.read(ReadRequest(self, fetch, completions), self.up.put(self.times.request))

    def coming(self, request: ReadRequest, nbytes: int, at: int) -> None:
        """See Requester. The frame waits for all completions."""

    def answered(self, request: ReadRequest) -> None:
        """See Requester."""
        fetch = request.transfer
        assert isinstance(fetch, Fetch)
        fetch.left -= 1
        if fetch.left:
            return
        if fetch.what == _DESCRIPTOR:
            self._read(fetch.frame, _DESCRIPTOR + 1)
        else:
            self._calendar.call_at(self._calendar.now + self.times.latency, self._transmits, fetch.frame)

    def _transmit(self, frame: Frame) -> None:
        begins = self.transmitter.begin(self._calendar.now)
        if begins > self._calendar.now:
            self._calendar.call_at(begins, self._leaves, frame)
        else:
            self._leave(frame)

    def _leave(self, frame: Frame) -> None:
        frame.last_bit = self._wire.put(frame, self._calendar.now)
        self._calendar.call_at(frame.last_bit, self._tells, frame)

    def _tell(self, frame: Frame) -> None:
        self._calendar.call_at(self._write(self.times.told), self._sent, frame)

    def _is_sent(self, frame: Frame) -> None:
        self.reported += 1

    def _write(self, pieces: Pieces) -> int:
        """Write now. Returns when the data can be read (ps)."""
        arrival = 0
        for nbytes, wire in pieces:
            arrival = self.up.put(wire)
            self._memory.write(nbytes, arrival)
        return arrival + self.times.written

    # --- receiving ----------------------------------------------------------------------------------------------------

    def receive_lead(self, size: int) -> int:
        """It is notified of a frame when its last bit has arrived, after everything on the path."""
        return self._lead

    def put(self, frame: Frame) -> None:
        """A frame has arrived."""
        self.frames_arrived += 1
        begins = self.receiver.begin(self._calendar.now)
        self._calendar.call_at(begins + self.times.latency, self._stores, frame)

    def _store(self, frame: Frame) -> None:
        self._calendar.call_at(self._write(self.times.stored), self._there, frame)

    def _is_there(self, frame: Frame) -> None:
        self.stored += 1
        self.deliver(frame)

    def way(self, frame: Frame) -> list[int]:
        """For a received frame: when it began on the wire, when it would have arrived without the switch, and when it
        did (ps)."""
        times = self.times
        there = frame.last_bit + times.cable
        return [frame.last_bit - times.sending, there, there + times.switch]

    def interrupt(self, handler: Callable[[object], None]) -> None:
        """Call `handler` when the message of an interrupt reaches the processor."""
        self._calendar.call_at(self.up.put(self.times.register) + self.times.written, handler, None)

