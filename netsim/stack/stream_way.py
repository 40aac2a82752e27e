"""One direction of a stream: frames leave one host by its port, and arrive in a receive queue of the other."""

from __future__ import annotations

from typing import final

from netsim.engine import Fifo
from netsim.ethernet import BitErrors
from netsim.machine import StreamNapi
from netsim.nic import FrameTrains, Landing, QueueEngine, TransmitPort


@final
class StreamWay:
    """`napi` is the other host's poll loop, and is set when that is built. Frames leave by `ports[0]`, as fast as the
    queue's `engine` allows, and reach memory through `landings[0]`. The other port and landing belong to the return
    path; each frame occupies them for the times in `beside` (ps; at the sending host and at the other). `errors` (None:
    no bit errors) says which frames are lost on the wire."""

    def __init__(
        self, ports: tuple[TransmitPort, TransmitPort], engine: QueueEngine, landings: tuple[Landing, Landing],
        beside: tuple[int, int], errors: BitErrors | None,
    ) -> None:  # fmt: skip
        self._port, self._port_back = ports
        self._engine = engine
        self._landing, self._landing_back = landings
        self._requests, self._descriptors = beside
        self._errors = errors
        self.dropped = 0  # in the other adapter's FIFO
        self.trains = FrameTrains()
        self.napi: StreamNapi | None = None

    def put(self, doorbell: int, segment: int, frames: int) -> int:
        """Send `frames` frames, with the segments from `segment` on, at a doorbell that rings at `doorbell` (ps).
        Returns the time when they are out (ps)."""
        port = self._port
        self._landing_back.hold(doorbell, frames * self._requests)
        self._port_back.hold(doorbell, frames * self._descriptors)
        passed = port.put(doorbell, frames)
        arrival, step = self._engine.pace(passed, port.step, frames)
        if self._errors is None:
            self._land(arrival, step, frames, segment)
        else:
            for place, some in self._errors.intact(frames):
                self._land(arrival + place * step, step, some, segment + place)
        assert self.napi is not None
        self.napi.expect()
        return port.free + arrival - passed + (frames - 1) * (step - port.step)

    def _land(self, arrival: int, step: int, frames: int, segment: int) -> None:
        """Frames `step` apart arrive, the first one at `arrival` (ps)."""
        found, start, step = self._landing.take(arrival, step, frames)
        self.dropped += frames - found
        if found:
            self.trains.put(start, step, found, segment)


@final
class StreamAck:
    """An acknowledgement of everything before `rcv_nxt`, with a window up to `edge` (segments), and the blocks received
    beyond a hole (`sacked`). It may report a segment that had already arrived (`duplicate`; RFC 2883: D-SACK)."""

    __slots__ = ("duplicate", "edge", "rcv_nxt", "sacked")

    def __init__(self, rcv_nxt: int, edge: int, sacked: tuple[tuple[int, int], ...], duplicate: bool) -> None:
        self.rcv_nxt = rcv_nxt
        self.edge = edge
        self.sacked = sacked
        self.duplicate = duplicate


@final
class AckWay:
    """Acknowledgements on their way back, one per frame."""

    def __init__(self, way: StreamWay) -> None:
        self.way = way
        self._acks: Fifo[StreamAck] = Fifo()
        self.sent = 0
        self._gone = 0  # acknowledgements before the first of `_acks`

    def put(self, doorbell: int, ack: StreamAck) -> None:
        """Send an acknowledgement."""
        self._acks.append(ack)
        self.way.put(doorbell, self.sent, 1)
        self.sent += 1

    def take(self, number: int) -> StreamAck:
        """The acknowledgement of this number; any before it are lost."""
        while self._gone < number:
            self._acks.popleft()
            self._gone += 1
        self._gone += 1
        return self._acks.popleft()
