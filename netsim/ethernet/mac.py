"""One station's connection to a half-duplex segment (IEEE 802.3 clause 4: TransmitFrame and what it needs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.errors import SimulationError
from netsim.ethernet.access import Access
from netsim.ethernet.backoff import Backoff
from netsim.ethernet.frame import Frame
from netsim.ethernet.segment_spec import ATTEMPT_LIMIT

if TYPE_CHECKING:
    from netsim.ethernet.link import LinkEnd
    from netsim.ethernet.segment import Segment

NO_FRAME: Final = Frame(0)


@mypyc_attr(allow_interpreted_subclasses=True)
class Mac(Access):
    """Sends one frame at a time, in up to 16 attempts; the attached station gets the frames sent to it."""

    __slots__ = (
        "_segment", "attempts", "backoff", "bytes", "collisions", "deferrals", "deliver", "distance", "done",
        "duration", "excess_collisions", "frame", "frames", "index", "leads", "name", "position", "ready", "sent",
        "station", "target", "undecided",
    )

    def __init__(self, segment: Segment, name: str, position: float, index: int) -> None:
        super().__init__()
        self._segment = segment
        self.name = name
        self.position = position  # metres: along the coaxial cable, or of cable to the hub
        self.index = index  # its number on the segment
        self.distance: list[int] = []  # ps to each station, 0 to itself
        self.backoff = Backoff(segment.env, f"{segment.name} {name}")
        self.station: LinkEnd | None = None
        self.deliver: Callable[[Frame], None]  # to the station
        self.leads: dict[int, int] = {}  # the leads it has asked for, by frame size
        # of the frame that is being sent
        self.frame = NO_FRAME
        self.done: Callable[[Frame, bool], None] = _nothing
        self.target = self
        self.ready = 0  # when it was handed over (ps)
        self.duration = 0  # from its preamble to its last bit (ps)
        self.attempts = 0  # that ended in a collision
        self.undecided = False  # it is not known yet whether the frame will get through
        # accounts
        self.frames = self.bytes = 0  # handed over
        self.collisions = 0  # that its signals have met
        self.excess_collisions = 0  # frames given up
        self.deferrals = 0  # frames that only had to wait (30.3.1.1.9, aFramesWithDeferredXmissions)
        self.sent = [0] * (ATTEMPT_LIMIT + 1)  # frames that got through, by number of attempts

    @property
    def wire(self) -> Resource:
        return self._segment.name

    def attach(self, station: LinkEnd) -> None:
        self.station = station
        self.deliver = station.put

    def put(self, frame: Frame, done: Callable[[Frame, bool], None]) -> None:
        """`done(frame, True)` is called when the last bit has left, extension included; `done(frame, False)` at the end
        of the 16th collision. The next frame may be sent immediately after either."""
        if self.frame is not NO_FRAME:
            raise SimulationError(f"{self._segment.name}: {self.name} is given a frame while it sends another one")
        self.frame = frame
        self.done = done
        self.undecided = True
        self.frames += 1
        self.bytes += frame.size
        self._segment.put(frame, self)

    def lead(self, size: int) -> int:
        """ps before the last bit of a frame of `size` bytes at which its station wants to be called."""
        if self.station is None:
            raise SimulationError(f"{self._segment.name}: nothing is attached to {self.name}")
        self.leads[size] = lead = self.station.receive_lead(size)
        return lead


def _nothing(_: Frame, __: bool) -> None:
    """Nothing has been sent yet."""
