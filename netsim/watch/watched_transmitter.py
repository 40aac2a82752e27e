"""The sending halves of adapters, which tell what is in them: a frame from the doorbell to its last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.bus import Transaction
from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.nic.half_duplex import HalfDuplexTransmitter, MasterTransmitter
from netsim.nic.transmit_fifo import FifoTransmitter
from netsim.nic.transmitter import Transmitter
from netsim.watch.activity import FRAME
from netsim.watch.teller import Teller
from netsim.watch.watched_bus import Label, WatchedBus
from netsim.watch.watched_track import WatchedTrack
from netsim.watch.watcher import NO_FRAMES


class _Transfer(Label):
    """One of a sender's, about the frames of this number."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.numbers = NO_FRAMES

    def frames(self) -> list[int]:
        return self.numbers


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedTransmitter(Transmitter):
    """Reports a frame when its fetch begins, as all else is certain then."""

    def watched_by(self, teller: Teller) -> None:
        bus = self.bus
        assert isinstance(bus, WatchedBus)
        self._teller = teller
        self._track, self._entries = WatchedTrack.of(self.name), WatchedTrack.of(self.name, " ring entries")
        self._fetch = bus.labels[self._dma] = _Transfer("fetch")

    def put(self, frame: Frame, interrupt: bool) -> None:
        """Report the frame, and how many there are."""
        self._teller.reached(frame, "transmit ring")
        super().put(frame, interrupt)
        self._teller.counted(self._entries, self.queued)

    def reclaim(self) -> list[Frame]:
        """Tell how many are left."""
        frames = super().reclaim()
        self._teller.counted(self._entries, self.queued)
        return frames

    def granted(self, dma: Transaction) -> None:
        """Report the frame's fetch, and of all that it is in here."""
        frame, start, teller = self.ring[0], max(dma.start, self._busy_to), self._teller
        numbers = self._fetch.numbers = teller.number(frame)
        teller.reached(frame, "fetch", dma.start)
        super().granted(dma)
        teller.spent(self._track, FRAME, start, self._busy_to, numbers)


class Sending:
    """Reports the frames of a card whose MAC says when one is gone."""

    def __init__(self, transmitter: HalfDuplexTransmitter, teller: Teller) -> None:
        self._calendar = transmitter.calendar
        self._teller = teller
        name = transmitter.name
        self._track, self._entries = WatchedTrack.of(name), WatchedTrack.of(name, " ring entries")
        self._since: Fifo[tuple[int, list[int]]] = Fifo()  # when frames came (ps), and their numbers
        self._last_gone = 0  # ps
        teller.closing.append(self.tell_rest)

    def put(self, frame: Frame) -> None:
        """A frame comes."""
        self._teller.reached(frame, "transmit ring")
        self._since.append((self._calendar.now, self._teller.number(frame)))

    def count(self, entries: int) -> None:
        """This many are there."""
        self._teller.counted(self._entries, entries)

    def gone(self) -> None:
        """Report a frame, from when it came or was the first."""
        self.tell_rest()
        self._since.popleft()
        self._last_gone = self._calendar.now

    def lost(self, frame: Frame) -> None:
        """A frame is given up after the driver has taken its buffer back."""
        self._teller.leave(frame, "excess collisions")

    def tell_rest(self) -> None:
        """Of the first frame, as far as it has come."""
        if self._since:
            since, numbers = self._since[0]
            self._teller.spent(self._track, FRAME, max(since, self._last_gone), self._calendar.now, numbers)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedHalfDuplexTransmitter(HalfDuplexTransmitter):
    """Reports a frame when it is gone from a card whose data the processor moves."""

    def watched_by(self, teller: Teller) -> None:
        self._told = Sending(self, teller)

    def put(self, frame: Frame, interrupt: bool) -> None:
        self._told.put(frame)
        super().put(frame, interrupt)
        self._told.count(self.queued)

    def reclaim(self) -> list[Frame]:
        frames = super().reclaim()
        self._told.count(self.queued)
        return frames

    def gone(self, frame: Frame, sent: bool) -> None:
        self._told.gone()
        super().gone(frame, sent)
        if self.forgets:
            self._told.count(self.queued)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedFifoTransmitter(FifoTransmitter):
    """Tells the same of one with a FIFO of bytes."""

    def watched_by(self, teller: Teller) -> None:
        self._told = Sending(self, teller)

    def put(self, frame: Frame, interrupt: bool) -> None:
        self._told.put(frame)
        super().put(frame, interrupt)
        self._told.count(self.queued)

    def reclaim(self) -> list[Frame]:
        frames = super().reclaim()
        self._told.count(self.queued)
        return frames

    def gone(self, frame: Frame, sent: bool) -> None:
        self._told.gone()
        super().gone(frame, sent)
        if self.forgets:
            self._told.count(self.queued)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedMasterTransmitter(MasterTransmitter):
    """Reports a frame when its fetch begins, and when it is gone."""

    def watched_by(self, teller: Teller) -> None:
        bus = self.bus
        assert isinstance(bus, WatchedBus)
        self._teller = teller
        self._told = Sending(self, teller)
        self._head.granted = self._granted
        bus.labels[self._head] = bus.labels[self._dma] = _Fetch(self)
        bus.labels[self._status], bus.labels[self._link] = _Ending("status", self), _Ending("link", self)

    def put(self, frame: Frame, interrupt: bool) -> None:
        self._told.put(frame)
        super().put(frame, interrupt)
        self._told.count(self.queued)

    def reclaim(self) -> list[Frame]:
        frames = super().reclaim()
        self._told.count(self.queued)
        return frames

    def _granted(self, head: Transaction) -> None:
        """Report the frame's fetch."""
        if self._fetching is not None:
            self._teller.reached(self._fetching, "fetch", head.start)

    def gone(self, frame: Frame, sent: bool) -> None:
        """Report a frame that is given up after the driver has taken its buffer back, too: it is lost."""
        if not sent and self._early:
            self._told.lost(frame)
        self._told.gone()
        super().gone(frame, sent)
        if self.forgets:
            self._told.count(self.queued)

    def fetching(self) -> list[int]:
        """The number of the frame that is fetched."""
        return NO_FRAMES if self._fetching is None else self._teller.number(self._fetching)

    def ending(self) -> list[int]:
        """The number of the frame whose status is written."""
        return NO_FRAMES if self._going is None else self._teller.number(self._going[0])


class _Fetch(Label):
    """A frame's way to the card."""

    def __init__(self, transmitter: WatchedMasterTransmitter) -> None:
        super().__init__("fetch")
        self._transmitter = transmitter

    def frames(self) -> list[int]:
        return self._transmitter.fetching()


class _Ending(Label):
    """What the card does for a frame that is gone."""

    def __init__(self, name: str, transmitter: WatchedMasterTransmitter) -> None:
        super().__init__(name)
        self._transmitter = transmitter

    def frames(self) -> list[int]:
        return self._transmitter.ending()


TRANSMITTERS: Mapping[type[Any], type[Any]] = {
    Transmitter: WatchedTransmitter, HalfDuplexTransmitter: WatchedHalfDuplexTransmitter,
    FifoTransmitter: WatchedFifoTransmitter, MasterTransmitter: WatchedMasterTransmitter,
}  # fmt: skip
