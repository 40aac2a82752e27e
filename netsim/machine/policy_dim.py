"""Linux's dynamic interrupt moderation (DIM): it climbs among five settings to the one with the most data and the
fewest interrupts.

Source: Linux 5.17, lib/dim/net_dim.c and lib/dim/dim.c: a sample lasts 64 interrupts, and two consecutive samples are
compared. """

from __future__ import annotations

from typing import Final

from netsim.machine.interrupt_policy import InterruptPolicy, usecs
from netsim.units.constants import MS, US

_EVENTS: Final = 64  # of a sample
_SIGNIFICANT: Final = 10  # per cent
_WORSE, _SAME, _BETTER = 0, 1, 2
_RIGHT, _LEFT, _ON_TOP, _TIRED = 0, 1, 2, 3  # its state: moving in a direction, or parked

Rates = tuple[int, int, int]  # bytes, packets and interrupts per millisecond


def compare(now: Rates, before: Rates) -> int:
    """Whether a sample is better than the one before it: more bytes, else more packets, else fewer interrupts."""
    for place in range(3):
        one, other = now[place], before[place]
        if not other:
            return _BETTER if one and place < 2 else _SAME
        if 100 * abs(one - other) // other > _SIGNIFICANT:
            return _BETTER if (one < other if place == 2 else one > other) else _WORSE
    return _SAME


class DimRule(InterruptPolicy):
    """It continues in one direction while samples improve, and turns when they do not. Between two turns or at an end
    it parks until samples differ again. After ten steps it is tired, and parks for ten samples."""

    def __init__(self, profiles: list[tuple[int, int]], start: int) -> None:
        super().__init__(usecs(profiles[start][0]), profiles[start][1])
        self._profiles = profiles
        self.profile = start
        self._state = _ON_TOP
        self._steps_right = self._steps_left = self._tired = 0
        self._before: Rates = (0, 0, 0)
        self._events = self._bytes = self._packets = self._since = 0

    def handled(self, received: tuple[int, int], sent: tuple[int, int], now: int) -> None:
        """See InterruptPolicy."""
        if self._events:
            self._packets += received[0] + sent[0]
            self._bytes += received[1] + sent[1]
        else:
            self._since = now
        self._events += 1
        if self._events > _EVENTS and now - self._since >= US:
            self._sampled(now, (now - self._since) // US)

    def _sampled(self, now: int, time: int) -> None:
        """A sample of `time` us ends, and the next one begins; if the setting has changed, with the next interrupt."""
        per_ms = MS // US
        rates = (-(-self._bytes * per_ms // time), -(-self._packets * per_ms // time), -(-_EVENTS * per_ms // time))
        old = self.profile
        self._decide(rates)
        if self.profile != old:
            self.interval, self.frames = usecs(self._profiles[self.profile][0]), self._profiles[self.profile][1]
        self._events = 1 if self.profile == old else 0
        self._bytes = self._packets = 0
        self._since = now

    def _decide(self, rates: Rates) -> None:
        before = self._state
        if before == _ON_TOP:
            if compare(rates, self._before) != _SAME:
                self._leave()
        elif before == _TIRED:
            self._tired -= 1
            if not self._tired:
                self._leave()
        else:
            self._climb(compare(rates, self._before))
        if before != _ON_TOP or self._state != _ON_TOP:
            self._before = rates

    def _climb(self, found: int) -> None:
        if found != _BETTER:
            self._turn()
        if self._is_on_top():
            self._park()
        elif self._tired == 2 * len(self._profiles):
            self._steps_right = self._steps_left = 0
            self._state = _TIRED
        elif not self._step():
            self._park()

    def _turn(self) -> None:
        if self._state == _RIGHT:
            self._state, self._steps_left = _LEFT, 0
        else:
            self._state, self._steps_right = _RIGHT, 0

    def _is_on_top(self) -> bool:
        if self._state == _RIGHT:
            return self._steps_left > 1 and self._steps_right == 1
        return self._steps_right > 1 and self._steps_left == 1

    def _park(self) -> None:
        self._steps_right = self._steps_left = self._tired = 0
        self._state = _ON_TOP

    def _leave(self) -> None:
        self._state = _LEFT if self.profile else _RIGHT
        self._step()

    def _step(self) -> bool:
        """Move one setting on; whether another one exists."""
        if self._tired == 2 * len(self._profiles):
            return True
        if self._state == _RIGHT:
            if self.profile == len(self._profiles) - 1:
                return False
            self.profile += 1
            self._steps_right += 1
        else:
            if not self.profile:
                return False
            self.profile -= 1
            self._steps_left += 1
        self._tired += 1
        return True
