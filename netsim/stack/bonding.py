"""Link aggregation as Linux 2.2's bonding driver does it: strict round robin, frame by frame, and nothing put back in
order at the other end (drivers/net/bonding.c 2.2.17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from netsim.ethernet import Frame
from netsim.host import Driver
from netsim.spec import Spec
from netsim.units import Cycles


class BondingSpec(Spec):
    """`tx_cycles` per frame sent, from the bond's own entry to that of the port's driver."""

    tx_cycles: Cycles


class Device(Protocol):
    """What protocols send on: the driver of one port, or a bond."""

    def straight(self) -> int | None:
        """The number of the port that the next frame goes straight to; None if it has to wait in a queue."""

    def transmit(self, frame: Frame) -> None:
        """Send a frame."""


class Bond:
    """Several ports as one device."""

    def __init__(self, drivers: Sequence[Driver]) -> None:
        self._drivers = drivers
        self._next = 0

    def straight(self) -> int | None:
        """See Device."""
        return self._drivers[self._next].straight()

    def transmit(self, frame: Frame) -> None:
        """See Device."""
        driver = self._drivers[self._next]
        self._next = (self._next + 1) % len(self._drivers)
        driver.transmit(frame)
