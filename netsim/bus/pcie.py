"""One direction of a PCI Express link: packets leave it in sequence."""

from __future__ import annotations

from netsim.accounts import Resource
from netsim.bus.pcie_spec import PcieSpec
from netsim.engine import Environment


class PcieDirection:
    """Sends packets in the order in which they come, and computes at once when each will have arrived: serving in order
    is arithmetic, and costs no event."""

    def __init__(self, env: Environment, spec: PcieSpec, name: Resource) -> None:
        self._calendar = env.calendar
        self._spec = spec
        self.name = name
        self.packets = 0
        self._busy = 0  # ps, including packets still to be sent
        self._free = 0  # when the last bit of all packets so far leaves
        self._times: dict[int, int] = {}  # ps, by bytes on the wire

    def put(self, wire: int, data: int = 0) -> int:
        """Send a packet of `wire` bytes, with `data` bytes to be written. Returns when its last bit arrives (ps)."""
        time = self._times.get(wire, 0)
        if not time:
            time = self._times[wire] = self._spec.time(wire)
        now = self._calendar.now
        self._free = (self._free if self._free > now else now) + time
        self._busy += time
        self.packets += 1
        return self._free

    def time(self, wire: int) -> int:
        """ps that a packet takes."""
        found = self._times.get(wire, 0)
        if not found:
            found = self._times[wire] = self._spec.time(wire)
        return found

    def busy_until(self, now: int) -> int:
        """ps up to `now` in which packets were sent."""
        return self._busy - max(0, self._free - now)
