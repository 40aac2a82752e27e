"""Adapters that tell what is in them: a frame from the doorbell to its last bit, from its first bit to the interrupt,
what their processors and crypto engines do, and how long interrupts are held back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from netsim.bus import Transaction
from netsim.ethernet import Frame
from netsim.nic import Nic, SlaveNic
from netsim.nic.crypto import CryptoEngine
from netsim.nic.half_duplex import HalfDuplexTransmitter, MasterTransmitter
from netsim.nic.moderation import NONE, Moderation
from netsim.nic.onboard import Onboard
from netsim.nic.receiver import Receiver
from netsim.nic.slave import SlaveReceiver
from netsim.nic.transmitter import Transmitter
from netsim.watch.watched_moderation import Moderated

if TYPE_CHECKING:
    from netsim.watch.watched_bus import Label, WatchedBus
    from netsim.watch.watching import Watching


class WatchedOnboard(Onboard):
    """Tells of each frame, which whoever hands it over notes before."""

    _env: Watching
    name = ""
    frame = Frame(0)

    def serve(self, duration: int) -> int:
        """See Onboard."""
        done = super().serve(duration)
        self._env.spent(self.name, "frame", done - duration, done, self._env.number(self.frame))
        return done


class WatchedCryptoEngine(CryptoEngine):
    """Tells of each frame, which whoever hands it over notes before."""

    _env: Watching
    name = ""
    frame = Frame(0)

    def serve(self, nbytes: int, there: int) -> int:
        """See CryptoEngine."""
        done = super().serve(nbytes, there)
        self._env.spent(self.name, "frame", done - self.spec.time(nbytes), done, self._env.number(self.frame))
        return done


class WatchedTransmitter(Transmitter):
    """Tells of a frame when its fetch begins, as all else is certain then."""

    env: Watching
    bus: WatchedBus
    name = ""
    _fetched: tuple[int, ...] = ()

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.bus.labels[self._dma] = self._label

    def put(self, frame: Frame, interrupt: bool) -> None:
        """See Transmitter."""
        if not (self._cuts and frame.pieces):
            self.env.reached(frame, "transmit ring")
            if self._onboard is not None:
                self._onboard.frame = frame  # type: ignore[attr-defined]
        super().put(frame, interrupt)
        self.env.counted(f"{self.name} ring entries", self.queued)

    def reclaim(self) -> list[Frame]:
        """See Transmitter."""
        frames = super().reclaim()
        self.env.counted(f"{self.name} ring entries", self.queued)
        return frames

    def _label(self) -> Label:
        return "fetch", self._fetched

    def _granted(self, dma: Transaction) -> None:
        if dma.cut:
            super()._granted(dma)
            return
        frame, start = self.ring[0], max(dma.start, self._busy_to)
        numbers = self._fetched = self.env.number(frame)
        self.env.reached(frame, "fetch", dma.start)
        if self._crypto is not None:
            self._crypto.frame = frame  # type: ignore[attr-defined]
        super()._granted(dma)
        self.env.spent(self.name, "frame", start, self._busy_to, numbers)


class _HalfDuplex(HalfDuplexTransmitter):
    """Tells of a frame when it is gone."""

    env: Watching
    name = ""
    _early = False  # a frame that is given up is lost
    _last_gone = 0  # ps

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._since: deque[tuple[int, tuple[int, ...]]] = deque()  # when frames came (ps), and their numbers
        self.env.closing.append(self._close)

    def put(self, frame: Frame, interrupt: bool) -> None:
        """See HalfDuplexTransmitter."""
        self.env.reached(frame, "transmit ring")
        self._since.append((self.env._now, self.env.number(frame)))
        super().put(frame, interrupt)
        self.env.counted(f"{self.name} ring entries", self.queued)

    def reclaim(self) -> list[Frame]:
        """See HalfDuplexTransmitter."""
        frames = super().reclaim()
        self.env.counted(f"{self.name} ring entries", self.queued)
        return frames

    def _gone(self, frame: Frame, sent: bool) -> None:
        self._tell(*self._since.popleft())
        self._last_gone = self.env._now
        if not sent and self._early:
            self.env.leave(frame, "excess collisions")
        super()._gone(frame, sent)

    def _tell(self, since: int, numbers: tuple[int, ...]) -> None:
        self.env.spent(self.name, "frame", max(since, self._last_gone), self.env._now, numbers)

    def _close(self) -> None:
        if self._since:
            self._tell(*self._since[0])


class WatchedHalfDuplexTransmitter(_HalfDuplex):
    """Of a card whose data the processor moves."""


class WatchedMasterTransmitter(_HalfDuplex, MasterTransmitter):
    """Of a bus master."""

    bus: WatchedBus

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.bus.labels[self._dma] = self._label

    def put(self, frame: Frame, interrupt: bool) -> None:
        """See HalfDuplexTransmitter."""
        if self._onboard is not None:
            self._onboard.frame = frame  # type: ignore[attr-defined]
        super().put(frame, interrupt)

    def _label(self) -> Label:
        return "fetch", self.env.number(self._fetching) if self._fetching is not None else ()

    def _granted(self, dma: Transaction) -> None:
        if not dma.cut and self._fetching is not None:
            self.env.reached(self._fetching, "fetch", dma.start)
        super()._granted(dma)


class WatchedReceiver(Receiver):
    """Tells of a frame when it is in memory."""

    bus: WatchedBus
    name = drops_track = ""
    _last_stored = 0  # ps

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._first_bits: deque[int] = deque()  # of the frames in the FIFO: when they came (ps)
        self.bus.labels[self._dma] = self._label

    def put(self, frame: Frame) -> None:
        """See Receiver."""
        env, ring, fifo = self.bus.env, self.drops["receive ring"], self.drops["receive fifo"]
        if self._onboard is not None:
            self._onboard.frame = frame  # type: ignore[attr-defined]
        super().put(frame)
        last_bit = env._now + self.receive_lead(frame.size)
        if self.drops["receive ring"] > ring:
            env.dropped(self.drops_track, "receive ring", frame)
        elif self.drops["receive fifo"] > fifo:
            env.dropped(self.drops_track, "receive fifo", frame)
        else:
            assert self.link_spec is not None
            self._first_bits.append(last_bit - self.link_spec.time(frame.size))
            env.reached(frame, "receive FIFO", last_bit)
            env.counted(f"{self.name} FIFO (bytes)", self._fifo_bytes)

    def _label(self) -> Label:
        return "store", self.bus.env.number(self._fifo[0])

    def _decipher(self, frame: Frame) -> None:
        if self._crypto is not None:
            self._crypto.frame = frame  # type: ignore[attr-defined]
        super()._decipher(frame)

    def _stored(self, dma: Transaction) -> None:
        env, frame = self.bus.env, self._fifo[0]
        start = max(self._first_bits.popleft(), self._last_stored)
        self._last_stored = env._now
        env.spent(self.name, "frame", start, env._now, env.number(frame))
        env.reached(frame, "receive ring")
        super()._stored(dma)
        env.counted(f"{self.name} FIFO (bytes)", self._fifo_bytes)


class WatchedSlaveReceiver(SlaveReceiver):
    """Tells of what comes into the card's buffer, or finds no room there."""

    env: Watching
    name = drops_track = ""

    def put(self, frame: Frame) -> None:
        """See SlaveReceiver. The driver may be called, and begin, before the last bit."""
        before = self.drops["receive buffer"]
        if self.room >= self._need(frame):
            self.env.reached(frame, "receive buffer")
        super().put(frame)
        if self.drops["receive buffer"] > before:
            self.env.dropped(self.drops_track, "receive buffer", frame)


def _name(nic: Any, host: str) -> None:
    """The halves of an adapter, and what is on it, learn what they are called."""
    nic.transmitter.name, nic.receiver.name = f"{nic.name} transmitter", f"{nic.name} receiver"
    nic.receiver.drops_track = f"{host} drops"
    for part, title in ((nic.onboard, "onboard"), (nic.crypto, "crypto engine")):
        if part is not None:
            part.name = f"{nic.name} {title}"


class WatchedNic(Nic):
    """Its parts are watched, and its moderation."""

    env: Watching

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        _name(self, self.name.partition(" ")[0])

    def connect(self, interrupt: Callable[[], None], rx: Moderation = NONE, tx: Moderation = NONE) -> None:
        """See Nic."""
        received, sent = Moderated(rx, f"{self.name} rx moderation"), Moderated(tx, f"{self.name} tx moderation")
        super().connect(interrupt, received, sent)  # type: ignore[arg-type]


class WatchedSlaveNic(SlaveNic):
    """Its parts are watched."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        _name(self, self.name.partition(" ")[0])


NICS: Mapping[type[Any], type[Any]] = {
    Nic: WatchedNic, SlaveNic: WatchedSlaveNic, Onboard: WatchedOnboard, CryptoEngine: WatchedCryptoEngine,
    Transmitter: WatchedTransmitter, Receiver: WatchedReceiver, SlaveReceiver: WatchedSlaveReceiver,
    HalfDuplexTransmitter: WatchedHalfDuplexTransmitter, MasterTransmitter: WatchedMasterTransmitter,
}  # fmt: skip
