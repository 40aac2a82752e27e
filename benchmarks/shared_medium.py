"""Stations on a coaxial cable that always have a frame to send: nothing but the shared medium."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.ethernet import Frame, Mac, Segment, SegmentSpec

SIZE = 1024  # bytes with FCS
SPACING = 3.0  # m, so that 60 stations fit on 185 m


class SharedMedium:
    """Stations on 10BASE2, each of which sends to the next; the frames that arrive are counted."""

    def __init__(self, stations: int, env: Environment) -> None:
        self._env = env
        self._segment = Segment(env, SegmentSpec.from_name("10base2"), "cable")
        self._stations = [Saturated(self._segment.mac(f"{one}", one * SPACING)) for one in range(stations)]
        for number, station in enumerate(self._stations):
            self._segment.learn(number, station.mac)
            station.peer = (number + 1) % stations

    def start(self) -> None:
        """See cases.Run. The stations start one after the other, each before it hears the previous one."""
        for number, station in enumerate(self._stations):
            self._env.call_at(number, station.send)

    def frames(self) -> int:
        """See cases.Run."""
        return self._segment.frames_arrived

    def audit(self) -> None:
        """See cases.Run."""
        segment = self._segment
        if segment.frames != segment.frames_arrived + segment.frames_lost + segment.in_flight:
            raise ConservationError("frames on the shared medium are missing")


class Saturated:
    """A station that hands over its next frame as soon as it may."""

    def __init__(self, mac: Mac) -> None:
        self.mac = mac
        self._send, self._again = mac.put, self._done
        self.peer = 0
        self.frames_arrived = 0
        mac.attach(self)

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        self.frames_arrived += 1

    def send(self, _: object = None) -> None:
        """Hand over the first frame."""
        self._send(Frame(SIZE, self.peer), self._again)

    def _done(self, frame: Frame, sent: bool) -> None:
        self._send(Frame(SIZE, self.peer), self._again)
