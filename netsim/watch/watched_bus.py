"""Buses that tell which master has them: tenures of DMA, cut and resumed, and processors' accesses to registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from netsim.accounts import Resource
from netsim.bus import Bus, Slot, Transaction
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watching import Watching

Label = tuple[str, tuple[int, ...]]  # what a transfer is, and the frames that it is about
DMA: Label = ("DMA", ())
ACCESS = "registers"


class WatchedBus(Bus):
    """Reports a tenure when it is cut, or something else has the bus, and an access when it can't be cut any more.

    What a processor moves in single cycles, between which others have the bus, is on a track of its own: as one span up
    to its end, as long as its cycles take together.
    """

    env: Watching

    def __init__(self, env: Watching, spec: Slot, name: Resource) -> None:
        super().__init__(env, spec, name)
        self.labels: dict[Transaction, Callable[[], Label]] = {}  # asked when the bus has been given
        self._track, self._cycles = Track.of(name), Track.of(name, " single cycles")
        self._from: int | None = None  # since when (ps) the current tenure has not been told
        self._label = DMA  # what it is
        self._accesses: list[tuple[int, int]] = []  # that interrupt it: from, until (ps)
        self._moved_until = 0  # ps
        env.closing.append(self._close)

    def grant(self, transaction: Transaction, duration: int) -> None:
        """Report the tenure before: this one may be cut yet."""
        self._tell_all()
        self._from = self.env.now
        super().grant(transaction, duration)
        self._label = self.labels.get(transaction, _unknown)()

    def cut(self, current: Transaction, now: int) -> None:
        """Report what was not cut off."""
        self._tell(now)
        super().cut(current, now)

    def access(self, duration: int) -> int:
        """Report an access, or keep it with the tenure that continues behind it."""
        wait = super().access(duration)
        at, current = self.env.now + wait, self._current
        if current is not None and at < current.end:  # between two of its bursts
            at = max(at, self._accesses[-1][1] if self._accesses else 0)
            self._accesses.append((at, at + duration))
        else:
            self._tell_all()
            self.env.spent(self._track, ACCESS, at, at + duration)
        return wait

    def moved(self, duration: int) -> None:
        """Report cycles as if they came one behind the other, up to now."""
        super().moved(duration)
        start = max(self.env.now - duration, self._moved_until)
        self._moved_until = start + duration
        self.env.spent(self._cycles, "data", start, start + duration)

    def _tell_all(self) -> None:
        if self._from is not None:
            assert self._current is not None
            self._tell(self._current.end)

    def _tell(self, until: int) -> None:
        """Of the current tenure up to `until` (ps), and of the accesses that interrupted it."""
        start, self._from = self._from, None
        if start is None:
            return
        for at, end in self._accesses:
            if at < until:
                self._spend(start, at)
                start = min(end, until)
                self.env.spent(self._track, ACCESS, at, start)
        self._accesses.clear()
        self._spend(start, until)

    def _spend(self, start: int, end: int) -> None:
        name, frames = self._label
        self.env.spent(self._track, name, start, end, frames)

    def _close(self) -> None:
        if self._from is not None and self._current is not None:
            self._tell(min(self._current.end, self.env.now))


def _unknown() -> Label:
    return DMA


BUSES: Mapping[type[Any], type[Any]] = {Bus: WatchedBus}
