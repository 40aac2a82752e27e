"""A countdown on the card that its driver sets, instead of asking for an interrupt with the frames that it sends."""

from __future__ import annotations

from collections.abc import Callable

from netsim.engine import Environment, Timer
from netsim.units import PS_PER_S


class CountdownTimer:
    """Expires when the wire, of `rate` (bit/s), has had time for all bytes that the driver has not taken back, or for
    `least` bytes, since it was last set. It keeps running when all have been taken back."""

    def __init__(self, env: Environment, expired: Callable[[], None], least: int, rate: int) -> None:
        self._calendar = env.calendar
        self._timer = Timer(env, expired)
        self._least = least
        self._rate = rate
        self._bytes = 0

    def queued(self, nbytes: int) -> None:
        """The driver hands over a frame."""
        self._bytes += nbytes
        self._set()

    def freed(self, nbytes: int) -> None:
        """It has taken back frames, and sets the countdown again if others are left."""
        self._bytes -= nbytes
        if self._bytes:
            self._set()

    def _set(self) -> None:
        bits = 8 * max(self._bytes, self._least)
        self._timer.set(self._calendar.now + bits * PS_PER_S // self._rate)
