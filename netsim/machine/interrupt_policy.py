"""How a driver sets the interval of an adapter's interrupts: the base of every policy, and the policy that never
changes it.

A policy is notified of each interrupt once its work is done, with the numbers of packets and bytes received and sent.
Its decision holds from the next interrupt on. The rules are those of Linux's drivers, in their integer arithmetic.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.units.constants import US


@mypyc_attr(allow_interpreted_subclasses=True)
class InterruptPolicy:
    """Holds interrupts back for `interval` (ps), or until `frames` frames are there, if that is sooner (0: no such
    limit)."""

    def __init__(self, interval: int, frames: int) -> None:
        self.interval = interval
        self.frames = frames

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """An interrupt's work is done: the packets and bytes received, and those reported as sent."""


def usecs(value: int) -> int:
    """Whole microseconds in ps."""
    return value * US
