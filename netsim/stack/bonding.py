"""Link aggregation: several ports as one device, by a driver between protocols and adapters (Linux: bonding; Windows:
an intermediate NDIS driver). The other end does not restore the order of frames.

The bond holds no lock of its own: NDIS 4 and 5.0 treat an intermediate driver's virtual miniport as full duplex, and
from 5.1 on it must be deserialised (Microsoft ff565939, ff545488). Processors exclude each other by each port's lock
(netsim.machine.serialised). The bond gives each packet a new descriptor, in both directions, and copies no data
(ff564091).
"""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from netsim.ethernet import Frame
from netsim.machine import Device, Driver
from netsim.stack.bonding_spec import BondSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Bond(Device):
    """The bond in a running simulation. Some of its ports may be down. If all are down, it still sends to them as if
    they were up, and the frames are lost there."""

    def __init__(self, spec: BondSpec, drivers: Sequence[Driver]) -> None:
        self.spec = spec
        self.drivers = drivers
        self._down: set[int] = set()
        self._up = drivers  # ports that are up
        self._next = 0

    def towards(self, number: int) -> Device:
        """The device that sends frames to the peer of this number."""
        return Lane(self, number) if self.spec.policy == "address" else self

    def down(self, port: int) -> None:
        """The port has lost its link: the others take its frames."""
        self._down.add(port)
        self._share()

    def up(self, port: int) -> None:
        """The port has a link again."""
        self._down.discard(port)
        self._share()

    def _share(self) -> None:
        self._up = [driver for driver in self.drivers if driver.number not in self._down] or self.drivers

    def choose(self, number: int) -> Driver:
        """The port for the peer, or the frame, of this number. Peers of a port that is down are spread over the ports
        that are up; all others keep their port."""
        own = number % len(self.drivers)
        if own not in self._down:
            return self.drivers[own]
        return self._up[number // len(self.drivers) % len(self._up)]

    def straight(self) -> int:
        """See Device. Frames take the ports in turn."""
        return self.choose(self._next).straight()

    def put(self, frame: Frame) -> None:
        """Send `frame` on the next port in turn."""
        number, self._next = self._next, self._next + 1
        self.put_for(number, frame)

    def put_for(self, number: int, frame: Frame) -> None:
        """Send `frame` on the port for the peer, or the frame, of this number."""
        self.choose(number).put(frame)


class Lane(Device):
    """A bond's frames to one peer."""

    def __init__(self, bond: Bond, number: int) -> None:
        self._bond = bond
        self._number = number
        self.drivers = bond.drivers

    def straight(self) -> int:
        return self._bond.choose(self._number).straight()

    def put(self, frame: Frame) -> None:
        """Send `frame` to the peer."""
        self._bond.put_for(self._number, frame)
