"""A station that always has a frame to send."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.ethernet import Frame, Mac


class SaturatedStation:
    """Hands frames of `size` bytes for the address `peer` to its MAC, the next one as soon as the last has been sent or
    given up. A frame's stay (ps) lasts from then until its last bit has left or it is given up."""

    def __init__(self, env: Environment, mac: Mac, size: int, peer: str) -> None:
        self._calendar = env.calendar
        self._again = self._done  # bound once
        self.mac = mac
        self._size = size
        self._peer = peer
        self._handed = 0  # when the current frame was handed over (ps)
        self.frames_sent = 0
        self.stayed = 0  # total ps of all frames sent
        self.given_up = 0  # total ps of all others
        self.frames_arrived = 0
        mac.attach(self)

    def begin(self, _: object = None) -> None:
        """Hand over the first frame, or the next one."""
        self._handed = self._calendar.now
        self.mac.put(Frame(self._size, self._peer), self._again)

    def _done(self, frame: Frame, sent: bool) -> None:
        stay = self._calendar.now - self._handed
        if sent:
            self.frames_sent += 1
            self.stayed += stay
        else:
            self.given_up += stay
        self.begin()

    @property
    def age(self) -> int:
        """The time (ps) since the current frame was handed over."""
        return self._calendar.now - self._handed

    def receive_lead(self, size: int) -> int:
        """Zero (ps): the station is notified of complete frames."""
        return 0

    def put(self, frame: Frame) -> None:
        """A frame has arrived."""
        self.frames_arrived += 1
