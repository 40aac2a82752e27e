"""Buses that tell who has them: tenures of DMA, cut and resumed, and processors' accesses to registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from netsim.accounts import Resource
from netsim.bus import Bus, BusSpec, Transaction

if TYPE_CHECKING:
    from netsim.watch.watching import Watching

Label = tuple[str, tuple[int, ...]]  # what a transfer is, and the frames that it is about
DMA: Label = ("DMA", ())
ACCESS = "registers"


class WatchedBus(Bus):
    """Tells of a tenure when it is over, of an access when it can't be cut any more.

    What a processor moves in single cycles, between which others have the bus, is on a track of its own: as one span up
    to its end, as long as its cycles take together.
    """

    env: Watching

    def __init__(self, env: Watching, spec: BusSpec, name: Resource) -> None:
        super().__init__(env, spec, name)
        self.labels: dict[Transaction, Callable[[], Label]] = {}  # asked when a tenure is over
        self._from: int | None = None  # since when (ps) the current tenure has not been told
        self._accesses: list[tuple[int, int]] = []  # that interrupt it: from, until (ps)
        self._moved_until = 0  # ps
        env.closing.append(self._close)

    def _grant(self, transaction: Transaction, duration: int) -> None:
        self._tell_all()
        self._from = self.env._now
        super()._grant(transaction, duration)

    def _end(self, transaction: Transaction) -> None:
        now = self.env._now
        if transaction is self._current and transaction.planned == now >= transaction.end and not transaction.waiting:
            self._tell_all()
        super()._end(transaction)

    def _cut(self, current: Transaction, now: int) -> None:
        self._tell(now)
        super()._cut(current, now)

    def access(self, duration: int) -> int:
        """See Bus."""
        current = self._current
        before = 0 if current is None else current.end
        wait = super().access(duration)
        if current is not None and current.end > before:  # between two of its bursts
            at = max(self.env._now + wait, self._accesses[-1][1] if self._accesses else 0)
            self._accesses.append((at, at + duration))
            return wait
        self._tell_all()
        self.env.spent(self.name, ACCESS, self.free - duration, self.free)
        return wait

    def moved(self, duration: int) -> None:
        """See Bus."""
        super().moved(duration)
        start = max(self.env._now - duration, self._moved_until)
        self._moved_until = start + duration
        self.env.spent(f"{self.name} single cycles", "data", start, start + duration)

    def _tell_all(self) -> None:
        if self._from is not None:
            assert self._current is not None
            self._tell(self._current.end)

    def _tell(self, until: int) -> None:
        """Of the current tenure up to `until` (ps), and of the accesses that interrupted it."""
        start, self._from = self._from, None
        if start is None:
            return
        assert self._current is not None
        label = self.labels.get(self._current, _unknown)()
        for at, end in self._accesses:
            if at < until:
                self._spend(label, start, at)
                start = min(end, until)
                self.env.spent(self.name, ACCESS, at, start)
        self._accesses.clear()
        self._spend(label, start, until)

    def _spend(self, label: Label, start: int, end: int) -> None:
        name, frames = label
        self.env.spent(self.name, name, start, end, frames)

    def _close(self) -> None:
        if self._from is not None and self._current is not None:
            self._tell(min(self._current.end, self.env._now))


def _unknown() -> Label:
    return DMA


BUSES: Mapping[type[Any], type[Any]] = {Bus: WatchedBus}
