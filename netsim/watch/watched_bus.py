"""Buses that report which master holds them: tenures of DMA, cut and resumed, and processors' accesses to registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from netsim.bus import Bus, Transaction
from netsim.watch.activity import Activity
from netsim.watch.teller import Teller
from netsim.watch.watched_track import WatchedTrack
from netsim.watch.watcher import NO_FRAMES

ACCESS: Final = Activity("registers")
_CYCLES: Final = Activity("data")


class Label:
    """A name for a transfer."""

    def __init__(self, name: str) -> None:
        self.activity = Activity(name)

    def frames(self) -> list[int]:
        """The frames of the transfer; read when the bus has been granted."""
        return NO_FRAMES


_DMA: Final = Label("DMA")


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedBus(Bus):
    """Reports a tenure when it is cut, or when another transaction gets the bus; an access immediately, or together
    with the tenure that it interrupts.

    Data that a processor moves in single cycles, between which others use the bus, have a separate track: one span that
    ends with the last cycle and lasts as long as the cycles take together.
    """

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self.labels: dict[Transaction, Label] = {}
        self._track, self._cycles = WatchedTrack.of(self.name), WatchedTrack.of(self.name, " single cycles")
        self._from = -1  # the start of the current tenure's unreported part (ps); -1: all of it is reported
        self._activity = ACCESS  # its activity,
        self._frames = NO_FRAMES  # and its frames
        self._accesses: list[tuple[int, int]] = []  # accesses that interrupt it: from, until (ps)
        self._moved_until = 0  # ps
        teller.closing.append(self.tell_rest)

    def grant(self, transaction: Transaction, duration: i64) -> None:
        """Report the previous tenure: this one may still be cut."""
        self._tell_all()
        self._from = self.calendar.now
        super().grant(transaction, duration)
        label = self.labels.get(transaction, _DMA)
        self._activity, self._frames = label.activity, label.frames()

    def cut(self, current: Transaction, now: i64) -> None:
        """Report the part of the tenure up to the cut."""
        self._tell(now)
        super().cut(current, now)

    def access(self, duration: i64) -> i64:
        """Report an access, or keep it with the tenure that continues after it."""
        wait = super().access(duration)
        at, current = self.calendar.now + wait, self._current
        if current is not None and at < current.end:  # between two of its bursts
            at = max(at, self._accesses[-1][1] if self._accesses else 0)
            self._accesses.append((at, at + duration))
        else:
            self._tell_all()
            self._teller.spent(self._track, ACCESS, at, at + duration)
        return wait

    def moved(self, duration: i64) -> None:
        """Report cycles as if they were back to back, up to now."""
        super().moved(duration)
        start = max(self.calendar.now - duration, self._moved_until)
        self._moved_until = start + duration
        self._teller.spent(self._cycles, _CYCLES, start, start + duration)

    def _tell_all(self) -> None:
        if self._from >= 0:
            assert self._current is not None
            self._tell(self._current.end)

    def _tell(self, until: int) -> None:
        """Report the current tenure up to `until` (ps), and the accesses that interrupted it."""
        start, self._from = self._from, -1
        if start < 0:
            return
        if self._accesses:
            for at, end in self._accesses:
                if at < until:
                    self._teller.spent(self._track, self._activity, start, at, self._frames)
                    start = min(end, until)
                    self._teller.spent(self._track, ACCESS, at, start)
            self._accesses.clear()
        self._teller.spent(self._track, self._activity, start, until, self._frames)

    def tell_rest(self) -> None:
        """The run is over: report the tenure that is under way."""
        if self._from >= 0 and self._current is not None:
            self._tell(min(self._current.end, self.calendar.now))


BUSES: Mapping[type[Any], type[Any]] = {Bus: WatchedBus}
