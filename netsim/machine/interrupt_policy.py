"""How a driver sets the interval of an adapter's interrupts: what every policy is, and the one that never changes it.

A policy is notified of each interrupt once its work is done: how many packets and bytes that was, received and sent.
What it says then holds from the next interrupt on. Rules are those of Linux' drivers, in their own integer arithmetic.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.units.constants import US


@mypyc_attr(allow_interpreted_subclasses=True)
class InterruptPolicy:
    """`interval` (ps) holds interrupts back, or `frames` of them if those are there sooner (0: no such limit)."""

    def __init__(self, interval: int, frames: int) -> None:
        self.interval = interval
        self.frames = frames

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """An interrupt's work is done: packets and bytes that were received, and those whose sending was reported."""


def usecs(value: int) -> int:
    """ps of whole microseconds."""
    return value * US
