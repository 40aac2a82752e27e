"""A processor on the adapter, whose firmware handles each frame that is sent or received.

It handles a sent frame between the doorbell and the fetch (it finds the descriptor, which is often in the card's own
memory, and sets up the DMA engine), and a received frame between its last bit and the store. Frames of both directions
are processed in order of arrival, while the DMA engines and the wire keep working.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.nic.onboard_spec import OnboardSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Onboard:
    """The processor in a running simulation."""

    __slots__ = ("_busy", "_calendar", "_free", "name", "rx_time", "tx_time")

    def __init__(self, env: Environment, spec: OnboardSpec, name: Resource) -> None:
        self.name = name
        self.tx_time = spec.tx_time
        self.rx_time = spec.rx_time
        self._calendar = env.calendar
        self._free = 0  # when it will have finished all its frames
        self._busy = 0  # ps of work so far, up to `_free`

    def put(self, frame: Frame, duration: int) -> int:
        """Take a frame with `duration` (ps) of work. Returns when that is finished (ps)."""
        now = self._calendar.now
        self._free = (self._free if self._free > now else now) + duration
        self._busy += duration
        return self._free

    def busy_until(self, now: int) -> int:
        """The time (ps) up to `now` in which it had work."""
        return self._busy - max(0, self._free - now)
