"""Adapters that tell what is in them: a frame from the doorbell to its last bit, from its first bit to the interrupt,
and what their processors and crypto engines do."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netsim.bus import Transaction
from netsim.ethernet import Frame
from netsim.nic.crypto import CryptoEngine
from netsim.nic.half_duplex import HalfDuplexTransmitter, MasterTransmitter
from netsim.nic.onboard import Onboard
from netsim.nic.receiver import Receiver
from netsim.nic.slave import SlaveReceiver
from netsim.nic.transmit_fifo import FifoTransmitter
from netsim.nic.transmitter import Transmitter
from netsim.watch.track import Track

if TYPE_CHECKING:
    from netsim.watch.watched_bus import Label, WatchedBus
    from netsim.watch.watching import Watching


class WatchedOnboard(Onboard):
    """Reports each frame."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = arguments[0]
        self._track = Track.of(self.name)

    def put(self, frame: Frame, duration: int) -> int:
        """Report the frame, as it is certain when its turn comes."""
        done = super().put(frame, duration)
        self._env.spent(self._track, "frame", done - duration, done, self._env.number(frame))
        return done


class WatchedCryptoEngine(CryptoEngine):
    """Reports each frame."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = arguments[0]
        self._track = Track.of(self.name)

    def put(self, frame: Frame, nbytes: int, there: int) -> int:
        """Report the frame, as it is certain when its turn comes."""
        done = super().put(frame, nbytes, there)
        self._env.spent(self._track, "frame", done - self.spec.time(nbytes), done, self._env.number(frame))
        return done


class WatchedTransmitter(Transmitter):
    """Reports a frame when its fetch begins, as all else is certain then."""

    env: Watching
    bus: WatchedBus

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._track, self._entries = Track.of(self.name), Track.of(self.name, " ring entries")
        self._fetched: tuple[int, ...] = ()  # the number of the last frame fetched
        self.bus.labels[self._dma] = self._label

    def put(self, frame: Frame, interrupt: bool) -> None:
        """Report the frame, and how many there are."""
        self.env.reached(frame, "transmit ring")
        super().put(frame, interrupt)
        self.env.counted(self._entries, self.queued)

    def reclaim(self) -> list[Frame]:
        """Tell how many are left."""
        frames = super().reclaim()
        self.env.counted(self._entries, self.queued)
        return frames

    def _label(self) -> Label:
        return "fetch", self._fetched

    def granted(self, dma: Transaction) -> None:
        """Report the frame's fetch, and all that it is in here."""
        frame, start = self.ring[0], max(dma.start, self._busy_to)
        numbers = self._fetched = self.env.number(frame)
        self.env.reached(frame, "fetch", dma.start)
        super().granted(dma)
        self.env.spent(self._track, "frame", start, self._busy_to, numbers)


class _HalfDuplex(HalfDuplexTransmitter):
    env: Watching

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._track, self._entries = Track.of(self.name), Track.of(self.name, " ring entries")
        self._since: deque[tuple[int, tuple[int, ...]]] = deque()  # when frames came (ps), and their numbers
        self._last_gone = 0  # ps
        self.env.closing.append(self._close)

    def put(self, frame: Frame, interrupt: bool) -> None:
        """Report the frame, and how many there are."""
        self.env.reached(frame, "transmit ring")
        self._since.append((self.env.now, self.env.number(frame)))
        super().put(frame, interrupt)
        self.env.counted(self._entries, self.queued)

    def reclaim(self) -> list[Frame]:
        """Tell how many are left."""
        frames = super().reclaim()
        self.env.counted(self._entries, self.queued)
        return frames

    def gone(self, frame: Frame, sent: bool) -> None:
        """Report a frame, from when it came or was the first."""
        self._tell(*self._since.popleft())
        self._last_gone = self.env.now
        super().gone(frame, sent)
        if self.forgets:
            self.env.counted(self._entries, self.queued)

    def _tell(self, since: int, numbers: tuple[int, ...]) -> None:
        self.env.spent(self._track, "frame", max(since, self._last_gone), self.env.now, numbers)

    def _close(self) -> None:
        if self._since:
            self._tell(*self._since[0])


class WatchedHalfDuplexTransmitter(_HalfDuplex):
    """Reports a frame when it is gone from a card whose data the processor moves."""


class WatchedFifoTransmitter(_HalfDuplex, FifoTransmitter):
    """Tells the same of one with a FIFO of bytes."""


class WatchedMasterTransmitter(_HalfDuplex, MasterTransmitter):
    """Reports a frame when its fetch begins, and when it is gone."""

    bus: WatchedBus

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._head.granted = self._granted
        self.bus.labels |= {self._head: self._label, self._dma: self._label}
        self.bus.labels[self._status] = lambda: self._done_with("status")
        self.bus.labels[self._link] = lambda: self._done_with("link")

    def _label(self) -> Label:
        return "fetch", self.env.number(self._fetching) if self._fetching is not None else ()

    def _done_with(self, what: str) -> Label:
        return what, self.env.number(self._going[0]) if self._going is not None else ()

    def _granted(self, head: Transaction) -> None:
        """Report the frame's fetch."""
        if self._fetching is not None:
            self.env.reached(self._fetching, "fetch", head.start)

    def gone(self, frame: Frame, sent: bool) -> None:
        """Report a frame that is given up after the driver has taken its buffer back: it is lost."""
        if not sent and self._early:
            self.env.leave(frame, "excess collisions")
        super().gone(frame, sent)


class WatchedReceiver(Receiver):
    """Reports a frame when it is in memory."""

    bus: WatchedBus

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._env: Watching = self.bus.env
        self._track, self._bytes = Track.of(self.name), Track.of(self.name, " FIFO (bytes)")
        self._drops = Track.drops(self.name.host)
        self._first_bits: deque[int] = deque()  # of the frames in the FIFO: when they came (ps)
        self._last_stored = 0  # ps
        self._leads: dict[int, tuple[int, int]] = {}  # by size
        self.bus.labels[self._dma] = self._label

    def drop(self, frame: Frame, place: str) -> None:
        super().drop(frame, place)
        self._env.dropped(self._drops, place, frame)

    def accept(self, frame: Frame) -> None:
        """Tell that the frame is in the FIFO with its last bit, and how much is."""
        env = self._env
        super().accept(frame)
        lead, duration = self._leads.get(frame.size) or self._lead(frame.size)
        last_bit = env.now + lead
        self._first_bits.append(last_bit - duration)
        env.reached(frame, "receive FIFO", last_bit)
        env.counted(self._bytes, self._fifo_bytes)

    def _lead(self, size: int) -> tuple[int, int]:
        """ps from now until the last bit of a frame, and from its first bit until then."""
        assert self.link_spec is not None
        self._leads[size] = found = self.receive_lead(size), self.link_spec.time(size)
        return found

    def _label(self) -> Label:
        return "store", self._env.number(self._fifo[0])

    def stored(self, dma: Transaction) -> None:
        """Report the frame, from its first bit on."""
        env, frame = self._env, self._fifo[0]
        start = max(self._first_bits.popleft(), self._last_stored)
        self._last_stored = env.now
        env.spent(self._track, "frame", start, env.now, env.number(frame))
        env.reached(frame, "receive ring")
        super().stored(dma)
        env.counted(self._bytes, self._fifo_bytes)


class WatchedSlaveReceiver(SlaveReceiver):
    """Reports what comes into the card's buffer, or finds no room there."""

    env: Watching

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._drops = Track.drops(self.name.host)

    def drop(self, frame: Frame) -> None:
        super().drop(frame)
        self.env.dropped(self._drops, "receive buffer", frame)

    def accept(self, frame: Frame) -> None:
        """Tell that it comes in. The driver may be called, and begin, before the last bit."""
        self.env.reached(frame, "receive buffer")
        super().accept(frame)


NICS: Mapping[type[Any], type[Any]] = {
    Onboard: WatchedOnboard, CryptoEngine: WatchedCryptoEngine, Transmitter: WatchedTransmitter,
    Receiver: WatchedReceiver, SlaveReceiver: WatchedSlaveReceiver,
    HalfDuplexTransmitter: WatchedHalfDuplexTransmitter, FifoTransmitter: WatchedFifoTransmitter,
    MasterTransmitter: WatchedMasterTransmitter,
}  # fmt: skip
