"""The sending halves of adapters, which report the frames that they hold, from the doorbell to the last bit."""

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
    """A sender's transfer; `numbers` are those of its frames."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.numbers = NO_FRAMES

    def frames(self) -> list[int]:
        return self.numbers


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedTransmitter(Transmitter):
    """Reports a frame when its fetch begins, as everything else is certain then."""

    def watched_by(self, teller: Teller) -> None:
        bus = self.bus
        assert isinstance(bus, WatchedBus)
        self._teller = teller
        self._track, self._entries = WatchedTrack.of(self.name), WatchedTrack.of(self.name, " ring entries")
        self._fetch = bus.labels[self._dma] = _Transfer("fetch")

    def put(self, frame: Frame, interrupt: bool) -> None:
        """Report the frame, and the number of frames."""
        self._teller.reached(frame, "transmit ring")
        super().put(frame, interrupt)
        self._teller.counted(self._entries, self.queued)

    def reclaim(self) -> list[Frame]:
        """Report the number of frames left."""
        frames = super().reclaim()
        self._teller.counted(self._entries, self.queued)
        return frames

    def granted(self, dma: Transaction) -> None:
        """Report the frame's fetch, and its whole stay in the card."""
        frame, start, teller = self.ring[0], max(dma.start, self._busy_to), self._teller
        numbers = self._fetch.numbers = teller.number(frame)
        teller.reached(frame, "fetch", dma.start)
        super().granted(dma)
        teller.spent(self._track, FRAME, start, self._busy_to, numbers)


class Sending:
    """Reports the frames of a card whose MAC reports when a frame is gone."""

    def __init__(self, transmitter: HalfDuplexTransmitter, teller: Teller) -> None:
        self._calendar = transmitter.calendar
        self._teller = teller
        name = transmitter.name
        self._track, self._entries = WatchedTrack.of(name), WatchedTrack.of(name, " ring entries")
        self._since: Fifo[tuple[int, list[int]]] = Fifo()  # when frames arrived (ps), and their numbers
        self._last_gone = 0  # ps
        teller.closing.append(self.tell_rest)

    def put(self, frame: Frame) -> None:
        """A frame arrives."""
        self._teller.reached(frame, "transmit ring")
        self._since.append((self._calendar.now, self._teller.number(frame)))

    def count(self, entries: int) -> None:
        """Report the number of entries."""
        self._teller.counted(self._entries, entries)

    def gone(self) -> None:
        """Report a frame, from when it arrived or became the first one."""
        self.tell_rest()
        self._since.popleft()
        self._last_gone = self._calendar.now

    def lost(self, frame: Frame) -> None:
        """A frame is given up after the driver has taken its buffer back."""
        self._teller.leave(frame, "excess collisions")

    def tell_rest(self) -> None:
        """Report the first frame up to now."""
        if self._since:
            since, numbers = self._since[0]
            self._teller.spent(self._track, FRAME, max(since, self._last_gone), self._calendar.now, numbers)


@mypyc_attr(allow_interpreted_subclasses=True)
class WatchedHalfDuplexTransmitter(HalfDuplexTransmitter):
    """Reports a frame when it has left a card whose data the processor moves."""

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
    """Reports the same for a card with a FIFO of bytes."""

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
        """Also report as lost a frame that is given up after the driver has taken its buffer back."""
        if not sent and self._early:
            self._told.lost(frame)
        self._told.gone()
        super().gone(frame, sent)
        if self.forgets:
            self._told.count(self.queued)

    def fetching(self) -> list[int]:
        """The number of the frame being fetched."""
        return NO_FRAMES if self._fetching is None else self._teller.number(self._fetching)

    def ending(self) -> list[int]:
        """The number of the frame whose status is being written."""
        return NO_FRAMES if self._going is None else self._teller.number(self._going[0])


class _Fetch(Label):
    """A frame's transfer to the card."""

    def __init__(self, transmitter: WatchedMasterTransmitter) -> None:
        super().__init__("fetch")
        self._transmitter = transmitter

    def frames(self) -> list[int]:
        return self._transmitter.fetching()


class _Ending(Label):
    """The transfer with which the card completes a frame that is gone."""

    def __init__(self, name: str, transmitter: WatchedMasterTransmitter) -> None:
        super().__init__(name)
        self._transmitter = transmitter

    def frames(self) -> list[int]:
        return self._transmitter.ending()


TRANSMITTERS: Mapping[type[Any], type[Any]] = {
    Transmitter: WatchedTransmitter, HalfDuplexTransmitter: WatchedHalfDuplexTransmitter,
    FifoTransmitter: WatchedFifoTransmitter, MasterTransmitter: WatchedMasterTransmitter,
}  # fmt: skip
