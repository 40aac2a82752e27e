"""A full-duplex link between two stations (IEEE 802.3 clause 4, annex 31 not modelled: no pause frames)."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from typing import Protocol

from simpy.events import NORMAL

from netsim.engine import Environment
from netsim.ethernet.frame import FCS, HEADER, MAX_PAYLOAD, PREAMBLE, Frame, wire_size
from netsim.spec import Spec
from netsim.units import PS_PER_S, BitRate, Bytes, Fraction, Time


class Station(Protocol):
    """What a link delivers to."""

    frames_arrived: int  # `arrive` was called so often

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


class _Kind:
    """All frames of one size on a link: their times (ps), and how many there were."""

    __slots__ = ("last", "lead", "lost", "occupied", "sent", "size")

    def __init__(self, size: int, last: int, occupied: int, lead: int) -> None:
        self.size = size
        self.last = last  # from start to last bit
        self.occupied = occupied  # from start to the earliest next start
        self.lead = lead  # from last bit to the station's call
        self.sent = self.lost = 0


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
        self.lost: Callable[[Frame], bool] | None = None  # a frame for which this is true is lost on the wire
        self._kinds: dict[int, _Kind] = {}  # by frame size; the books are sums over them
        if spec.bit_error_rate:
            self.lost = self._bit_error
            self._random = env.stream(name)

    def attach(self, station: Station) -> None:
        """Everything arrives at `station`."""
        self.station = station
        self.arrive = station.arrive

    def _kind(self, size: int) -> _Kind:
        assert self.station is not None
        spec = self.spec
        lead = spec.propagation - self.station.receive_lead(size)
        kind = self._kinds[size] = _Kind(size, spec.time(PREAMBLE + size), spec.frame_time(size), lead)
        return kind

    def send(self, frame: Frame, earliest: int) -> int:
        """Send `frame` at `earliest` or as soon as the wire is free; returns when its last bit leaves (ps)."""
        kind = self._kinds.get(frame.size) or self._kind(frame.size)
        start = self.free if self.free > earliest else earliest
        self.free = start + kind.occupied
        kind.sent += 1
        end = start + kind.last
        lost = self.lost
        if lost is not None and lost(frame):
            kind.lost += 1
            return end
        env = self.env
        due = end + kind.lead
        if due < env._now:
            due = env._now
        heappush(env.queue, (due, NORMAL, next(env.numbers), self.arrive, frame))
        return end

    def _bit_error(self, frame: Frame) -> bool:
        good = (1.0 - self.spec.bit_error_rate) ** (8 * frame.size)
        return bool(self._random.random() >= good)

    # --- books -------------------------------------------------------------------------------------------------------

    @property
    def frames(self) -> int:
        """Frames handed over by the sender."""
        return sum(kind.sent for kind in self._kinds.values())

    @property
    def frames_lost(self) -> int:
        """Frames lost by bit errors."""
        return sum(kind.lost for kind in self._kinds.values())

    @property
    def frames_arrived(self) -> int:
        """Frames that the station was called for."""
        return self.station.frames_arrived if self.station is not None else 0

    @property
    def bytes(self) -> int:
        """Bytes of the frames handed over by the sender."""
        return sum(kind.sent * kind.size for kind in self._kinds.values())

    @property
    def in_flight(self) -> int:
        """Frames on their way, as the heap has them."""
        return sum(entry[3] == self.arrive for entry in self.env.queue)

    def busy_until(self, now: int) -> int:
        """ps of `now` that the wire was occupied, gaps included, the current frame counted as far as it has come."""
        busy = sum(kind.sent * kind.occupied for kind in self._kinds.values())
        return busy - max(0, self.free - now)
