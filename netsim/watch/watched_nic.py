"""Adapters that report the frames they hold on the way to memory, and the work of their processors and crypto
engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.bus import Transaction
from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.nic.crypto import CryptoEngine
from netsim.nic.onboard import Onboard
from netsim.nic.receiver import Receiver
from netsim.nic.slave import SlaveReceiver
from netsim.watch.activity import FRAME
from netsim.watch.teller import Teller
from netsim.watch.watched_bus import Label, WatchedBus
from netsim.watch.watched_track import WatchedTrack


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedOnboard(Onboard):
    """Reports each frame."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)

    def put(self, frame: Frame, duration: int) -> int:
        """Report the frame: the time of its service is already certain."""
        done = super().put(frame, duration)
        self._teller.spent(self._track, FRAME, done - duration, done, self._teller.number(frame))
        return done


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedCryptoEngine(CryptoEngine):
    """Reports each frame."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._track = WatchedTrack.of(self.name)

    def put(self, frame: Frame, nbytes: int, there: int) -> int:
        """Report the frame: the time of its service is already certain."""
        done = super().put(frame, nbytes, there)
        self._teller.spent(self._track, FRAME, done - self.spec.time(nbytes), done, self._teller.number(frame))
        return done


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedReceiver(Receiver):
    """Reports a frame when it is in memory, or lost."""

    def watched_by(self, teller: Teller) -> None:
        bus = self.bus
        assert isinstance(bus, WatchedBus)
        self.teller = teller
        self._calendar = bus.calendar
        self._track, self._bytes = WatchedTrack.of(self.name), WatchedTrack.of(self.name, " FIFO (bytes)")
        self._drops = WatchedTrack.drops(self.name.host)
        self._first_bits: Fifo[int] = Fifo()  # of the frames in the FIFO: when they arrived (ps)
        self._last_stored = 0  # ps
        self._durations: dict[int, int] = {}  # ps from a frame's first bit to its last, by size
        bus.labels[self._dma] = _Store(self)

    def drop(self, frame: Frame, place: str) -> None:
        super().drop(frame, place)
        self.teller.dropped(self._drops, place, frame)

    def accept(self, frame: Frame) -> None:
        """Report that the frame is in the FIFO when its last bit is, and how full the FIFO is."""
        super().accept(frame)
        last_bit = self._calendar.now + self.receive_lead(frame.size)
        self._first_bits.append(last_bit - (self._durations.get(frame.size) or self._duration(frame.size)))
        self.teller.reached(frame, "receive FIFO", last_bit)
        self.teller.counted(self._bytes, self._fifo_bytes)

    def _duration(self, size: int) -> int:
        assert self.link_spec is not None
        duration = self._durations[size] = self.link_spec.time(size)
        return duration

    def first(self) -> list[int]:
        """The number of the first frame in the FIFO."""
        return self.teller.number(self._fifo[0])

    def stored(self, dma: Transaction) -> None:
        """Report the frame from its first bit on."""
        self._leaves()
        self.teller.reached(self._fifo[0], "receive ring")
        super().stored(dma)
        self.teller.counted(self._bytes, self._fifo_bytes)

    def overrun(self) -> None:
        """Report the part of the frame that found room."""
        self._leaves()
        super().overrun()
        self.teller.counted(self._bytes, self._fifo_bytes)

    def _leaves(self) -> None:
        """The first frame leaves the FIFO."""
        now = self._calendar.now
        start = max(self._first_bits.popleft(), self._last_stored)
        self._last_stored = now
        self.teller.spent(self._track, FRAME, start, now, self.first())


class _Store(Label):
    """A frame's transfer to memory."""

    def __init__(self, receiver: WatchedReceiver) -> None:
        super().__init__("store")
        self._receiver = receiver

    def frames(self) -> list[int]:
        return self._receiver.first()


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedSlaveReceiver(SlaveReceiver):
    """Reports frames that enter the card's buffer or find no room there."""

    def watched_by(self, teller: Teller) -> None:
        self._teller = teller
        self._drops = WatchedTrack.drops(self.name.host)

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self._teller.dropped(self._drops, "receive buffer", frame)

    def accept(self, frame: Frame) -> None:
        """Report that the frame arrives. The driver may be called, and begin, before the last bit."""
        self._teller.reached(frame, "receive buffer")
        super().accept(frame)


NICS: Mapping[type[Any], type[Any]] = {
    Onboard: WatchedOnboard, CryptoEngine: WatchedCryptoEngine, Receiver: WatchedReceiver,
    SlaveReceiver: WatchedSlaveReceiver,
}  # fmt: skip
