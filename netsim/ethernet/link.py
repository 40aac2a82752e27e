"""A full-duplex link between two stations (IEEE 802.3 clause 4, annex 31 not modelled: no pause frames)."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from typing import Any, Protocol

from simpy.events import NORMAL

from netsim.engine import Environment
from netsim.ethernet.frame import FCS, HEADER, INTERFRAME_GAP, MAX_PAYLOAD, PREAMBLE, Frame, wire_size
from netsim.spec import Spec
from netsim.units import PS_PER_S, BitRate, Bytes, Fraction, Time


class Station(Protocol):
    """What a link delivers to."""

    def receive_lead(self, size: int) -> int:
        """How long before a frame's last bit the station wants to be called (ps)."""

    def arrive(self, frame: Frame) -> None:
        """A frame comes in; its last bit arrives in `receive_lead(frame.size)` from now."""


class LinkSpec(Spec):
    """A full-duplex cable: `rate` in bit/s, `propagation` one way, `mtu` the largest payload it may carry (bytes),
    `bit_error_rate` the probability that a bit is received wrongly, which costs the frame (its FCS fails).
    """

    catalogue = "links"

    rate: BitRate
    propagation: Time
    mtu: Bytes = MAX_PAYLOAD
    bit_error_rate: Fraction = 0.0

    def time(self, nbytes: int) -> int:
        """ps to send `nbytes` bytes, exact for 10, 100 and 1000 Mbit/s."""
        return round(nbytes * 8 * PS_PER_S / self.rate)

    def frame_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to the earliest start of the next one."""
        return self.time(wire_size(size))

    @property
    def max_frame(self) -> int:
        """The largest frame in bytes, with FCS."""
        return HEADER + self.mtu + FCS


class Link:
    """One direction of a cable: serialises frames, loses those with bit errors, keeps its own books.

    The sender asks for a start time and learns when its frame's last bit leaves. The start may lie a little in the
    past: an adapter that starts at a FIFO threshold says so when its DMA is done. Nobody can see the difference, as
    what others see is the arrival.
    """

    def __init__(self, env: Environment, spec: LinkSpec, name: str) -> None:
        self.env = env
        self.spec = spec
        self.name = name
        self.station: Station | None = None
        self.free = 0  # earliest start of the next frame, ps
        self.busy = 0  # ps spent on frames whose sending has begun, gap included
        self.frames = self.bytes = 0  # handed over by the sender
        self.lost: Callable[[Frame], bool] | None = None  # a frame for which this is true is lost on the wire
        self.frames_lost = self.bytes_lost = 0
        self.frames_delivered = self.bytes_delivered = 0
        self._times: dict[int, tuple[int, int, int]] = {}
        if spec.bit_error_rate:
            self.lost = self._bit_error
            self._random = env.stream(name)

    def attach(self, station: Station) -> None:
        """Everything arrives at `station`."""
        self.station = station

    def _timing(self, size: int) -> tuple[int, int, int]:
        """For a frame size: ps from start to last bit, ps to the next start, ps from last bit to the station's call."""
        assert self.station is not None
        spec = self.spec
        timing = (
            spec.time(PREAMBLE + size),
            spec.frame_time(size),
            spec.propagation - self.station.receive_lead(size),
        )
        self._times[size] = timing
        return timing

    def send(self, frame: Frame, earliest: int) -> int:
        """Send `frame` at `earliest` or as soon as the wire is free; returns when its last bit leaves (ps)."""
        size = frame.size
        last, occupied, lead = self._times.get(size) or self._timing(size)
        start = self.free if self.free > earliest else earliest
        self.free = start + occupied
        self.busy += occupied
        self.frames += 1
        self.bytes += size
        end = start + last
        if self.lost is not None and self.lost(frame):
            self.frames_lost += 1
            self.bytes_lost += size
            return end
        env = self.env
        due = end + lead
        now: Any = env._now
        heappush(env._queue, (due if due > now else now, NORMAL, next(env._eid), self._deliver, frame))  # type: ignore[misc]
        return end

    def _deliver(self, frame: Frame) -> None:
        self.frames_delivered += 1
        self.bytes_delivered += frame.size
        self.station.arrive(frame)  # type: ignore[union-attr]

    def _bit_error(self, frame: Frame) -> bool:
        good = (1.0 - self.spec.bit_error_rate) ** (8 * frame.size)
        return bool(self._random.random() >= good)

    @property
    def in_flight(self) -> int:
        """Frames sent, and neither delivered nor lost yet."""
        return self.frames - self.frames_delivered - self.frames_lost

    def busy_until(self, now: int) -> int:
        """ps of `now` that the wire was occupied, the current frame counted as far as it has come."""
        ahead = max(0, self.free - now)
        return self.busy - ahead

    @property
    def gap(self) -> int:
        """The inter-frame gap (ps)."""
        return self.spec.time(INTERFRAME_GAP)
