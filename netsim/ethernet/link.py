"""A full-duplex link between two stations (IEEE 802.3 clause 4); netsim.nic.paused_port has pause frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from mypy_extensions import i64, mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment, Idle
from netsim.ethernet.frame import Frame
from netsim.ethernet.link_spec import LinkSpec

# Causes of lost frames.
BIT_ERRORS: Final = "bit errors"
DOWN: Final = "link down"


class LinkEnd(Protocol):
    """The station that a link delivers to."""

    frames_arrived: int

    def receive_lead(self, size: int) -> int:
        """How long before a frame's last bit the station wants to be called (ps)."""

    def put(self, frame: Frame) -> None:
        """A frame arrives; its last bit comes in `receive_lead(frame.size)` from now."""


class Medium(Protocol):
    """Anything that carries frames, from an adapter's point of view."""

    def time(self, nbytes: int) -> int:
        """ps to send `nbytes` bytes."""

    def sending_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to its last bit."""

    def frame_time(self, size: int) -> int:
        """ps from the start of a frame of `size` bytes (with FCS) to the earliest start of the next one."""


class _Kind:
    """All frames of one size on a link: their times (ps) and their number."""

    __slots__ = ("last", "lead", "lost", "occupied", "sent", "size")

    def __init__(self, size: int, last: int, occupied: int, lead: int) -> None:
        self.size = size
        self.last: i64 = last  # from start to last bit
        self.occupied: i64 = occupied  # from start to the earliest next start
        self.lead: i64 = lead  # from last bit to the station's call
        self.sent: i64 = 0
        self.lost: i64 = 0


_NONE = _Kind(0, 0, 0, 0)


@mypyc_attr(allow_interpreted_subclasses=True)
class Link:
    """One direction of a cable: it serialises frames, loses those with bit errors, and all of them while it is down,
    and keeps its accounts.

    The sender asks for a start time and learns when its frame's last bit leaves. The start may be slightly in the past:
    an adapter that starts at a FIFO threshold reports it when its DMA is done. That makes no difference, because others
    only see the arrival.
    """

    def __init__(self, env: Environment, spec: LinkSpec, name: Resource) -> None:
        self.env = env
        self._calendar = env.calendar
        self.spec = spec.clocked(env.stream(f"{name} clock").uniform(-1, 1)) if spec.clock_tolerance else spec
        self.name = name
        self.station: LinkEnd | None = None
        self.deliver: Callable[[Frame], None]  # to the station
        self.free: i64 = 0  # earliest start of the next frame, ps
        self._before: i64 = 0  # when the wire was free for the last frame,
        self._start: i64 = 0  # and when that starts
        self.lost: Callable[[Frame], bool] | None = None  # a frame for which this is true is lost on the wire
        self.cut_off = 0  # of the lost frames, those that found the link down
        self._outages: list[tuple[int, int]] = []  # from, until (ps)
        self._kinds: dict[int, _Kind] = {}  # by frame size; the accounts are sums over them
        self._last = _NONE  # of the last frame
        self._idle = Idle()  # up to `free`, where frames are sent ahead of their time
        if spec.bit_error_rate:
            self.lost = self._bit_error
            self._random = env.stream(name)

    def attach(self, station: LinkEnd) -> None:
        """All frames arrive at `station`."""
        self.station = station
        self.deliver = station.put

    def _kind(self, size: int) -> _Kind:
        assert self.station is not None
        spec = self.spec
        lead = spec.delay - self.station.receive_lead(size)
        kind = self._kinds[size] = _Kind(size, spec.sending_time(size), spec.frame_time(size), lead)
        return kind

    def put(self, frame: Frame, earliest: i64) -> i64:
        """Send `frame` at `earliest` or as soon as the wire is free; returns when its last bit leaves (ps)."""
        kind = self._last
        if kind.size != frame.size:
            kind = self._last = self._kinds.get(frame.size) or self._kind(frame.size)
        start = self.free if self.free > earliest else earliest
        self._before, self._start = self.free, start
        self.free = start + kind.occupied
        kind.sent += 1
        end = start + kind.last
        if self.lost is not None or self._outages:
            what = self._lost_by(frame, start, end)
            if what:
                self.lose(frame, what)
                return end
        calendar = self._calendar
        due = end + kind.lead
        if due < calendar.now:
            due = calendar.now
        calendar.call_at(due, self.deliver, frame)
        return end

    def fail(self, at: int, until: int) -> None:
        """Carry nothing from `at` until `until` (ps); called in advance, as a frame's arrival is planned when it is
        handed over. Any frame with a bit on the cable in that time is lost, even if it was already on its way at the
        start or is still waiting for the cable. The sender does not notice, and its sending time passes as usual."""
        self._outages.append((at, until))

    def _lost_by(self, frame: Frame, start: int, end: int) -> str:
        """The cause that loses a frame whose first and last bits leave at these times (ps), as the accounts name it;
        "": none."""
        there, lost = end + self.spec.delay, self.lost
        if any(at < there and start < until for at, until in self._outages):
            return DOWN
        return BIT_ERRORS if lost is not None and lost(frame) else ""

    def lose(self, frame: Frame, what: str) -> None:
        """A frame is lost on the wire."""
        self._kinds[frame.size].lost += 1
        if what == DOWN:
            self.cut_off += 1

    def hold(self, until: int) -> None:
        """Send nothing more before `until` (ps), which may be far ahead: frames wait this way for a stage that they
        pass first."""
        if until > self.free:
            self._idle.add(self.free, until, self._calendar.now)
            self.free = until

    def _bit_error(self, frame: Frame) -> bool:
        good = (1.0 - self.spec.bit_error_rate) ** (8 * frame.size)
        return bool(self._random.random() >= good)

    # --- accounts -----------------------------------------------------------------------------------------------------

    @property
    def frames(self) -> int:
        """Frames handed over by the sender."""
        return sum(kind.sent for kind in self._kinds.values())

    @property
    def frames_lost(self) -> int:
        """Frames lost, whatever the cause."""
        return sum(kind.lost for kind in self._kinds.values())

    @property
    def drops(self) -> dict[str, int]:
        """Frames lost, by cause."""
        errors = {BIT_ERRORS: self.frames_lost - self.cut_off}
        return errors | ({DOWN: self.cut_off} if self._outages else {})

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
        """Frames on their way, according to the calendar."""
        return self._calendar.planned(self.deliver)

    def busy_until(self, now: int) -> int:
        """ps up to `now` for which the wire was occupied, gaps included; the current frame counts up to `now`."""
        busy = sum(kind.sent * kind.occupied for kind in self._kinds.values())
        idle = self._idle.ahead(now) + max(0, self._start - max(now, self._before))
        return busy - max(0, self.free - now) + idle
