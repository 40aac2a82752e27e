"""The receiving half of a bus-master adapter: receive FIFO, DMA engine, descriptor ring, interrupts.

Its transactions for a frame:
  1. the frame fills the receive FIFO; memory write in bursts of at most `rx_burst`, each once `rx_threshold` bytes
     have arrived; frames to be deciphered first pass the crypto engine, as a whole;
  2. memory read and write: the descriptor (`rx_descriptor` bytes) and its status (`rx_status` bytes);
  3. an interrupt.
A frame that finds no free descriptor waits in the FIFO, as do those after it; when the FIFO is full, frames are lost. A
frame larger than the FIFO is also lost when the bus doesn't empty it in time. A real card moves short bursts while the
frame arrives; here they are one train that ends at the same time, followed by the time for which the card waits for the
descriptor away from the bus.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import i64, mypyc_attr

from netsim.accounts import Resource
from netsim.bus import Bus, Slot, Transaction
from netsim.engine import Fifo
from netsim.ethernet import Frame, Medium
from netsim.ethernet.frame import FCS
from netsim.nic.crypto import CryptoEngine
from netsim.nic.onboard import Onboard
from netsim.nic.overruns import Overruns
from netsim.nic.receiver_spec import ReceiverSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Receiver:
    """The receiving half in a running simulation. The driver takes frames from `ready` and gives back their `room`. A
    frame stays in the FIFO until the `onboard` processor and then the `crypto` engine have finished with it, if the
    card has these."""

    __slots__ = (
        "_crypto",
        "_deciphered",
        "_dma",
        "_fifo",
        "_fifo_bytes",
        "_fifo_size",
        "_gaps",
        "_held",
        "_last_size",
        "_last_time",
        "_lead_times",
        "_onboard",
        "_overruns",
        "_passes",
        "_stored",
        "_storing",
        "_times",
        "_unread",
        "_unseen",
        "bus",
        "drops",
        "frames_arrived",
        "holds_reports",
        "interrupt",
        "link_spec",
        "name",
        "ready",
        "ring_of_bytes",
        "room",
        "seen",
        "spec",
    )

    def __init__(
        self,
        spec: ReceiverSpec,
        bus: Bus,
        seen: Slot,
        name: Resource,
        onboard: Onboard | None = None,
        crypto: CryptoEngine | None = None,
    ) -> None:
        self.spec = spec
        self.bus = bus
        self.seen = seen
        self.name = name
        self.link_spec: Medium | None = None  # the wire that it receives from
        self.interrupt: Callable[[], None] = lambda: None  # called when it has an event to report to the host
        self.room: i64 = 0  # free room in the receive ring: frames, or bytes if it is a ring of bytes
        self.ring_of_bytes = False
        self.holds_reports = False  # what is reported is ready only when the driver has read the index
        self.ready: Fifo[Frame] = Fifo()  # in host memory, not taken by the driver yet
        self._unread: Fifo[Frame] = Fifo()  # reported, but not read
        self._unseen = self.ready if spec.rx_seen == "stored" else Fifo()  # in host memory
        self.frames_arrived: i64 = 0
        self.drops = {"receive ring": 0, "receive fifo": 0}
        self._onboard = onboard
        self._crypto = crypto
        self._deciphered: i64 = 0  # when the crypto engine will have finished its last frame
        self._fifo: Fifo[Frame] = Fifo()
        self._held: i64 = 0  # frames at the end of the FIFO that must not be stored yet
        self._fifo_bytes: i64 = 0
        self._storing = False  # the DMA engine is storing the first frame in the FIFO
        self._fifo_size: i64 = spec.rx_fifo
        self._gaps: i64 = spec.rx_gaps(seen)
        self._overruns: Overruns | None = None  # from the first frame on that is larger than the FIFO
        self._stored, self._passes = self.stored, self._decipher  # bound once
        done = self._written if self._gaps else self._stored
        self._dma = Transaction(seen.tenure(True, spec.rx_piece), done=done)
        self._times: dict[int, int] = {}  # ps of bus, by bytes with FCS
        self._last_size: i64 = 0  # of the frame that was last stored,
        self._last_time: i64 = 0  # and its ps of bus
        self._lead_times: dict[int, int] = {}  # ps, by bytes with FCS

    def receive_lead(self, size: int) -> int:
        """The time (ps) before a frame's last bit at which the train of its bursts begins."""
        lead = self._lead_times.get(size)
        if lead is None:
            assert self.link_spec is not None
            lead = self._lead_times[size] = self.spec.rx_lead_time(self.seen, self.link_spec, size - FCS)
        return lead

    def put(self, frame: Frame) -> None:
        """A frame arrives from the wire."""
        self.frames_arrived += 1
        if self._fifo_bytes + frame.size > self._fifo_size and not self._passes_through(frame):
            self.drop(frame, "receive ring" if self._lacks_entry(frame) else "receive fifo")
        else:
            self.accept(frame)

    def _lacks_entry(self, frame: Frame) -> bool:
        """Whether the first frame in the FIFO, or else this one, waits for an entry of the ring."""
        first = self._fifo[0] if self._fifo else frame
        return not self._storing and self.room < (first.size if self.ring_of_bytes else 1)

    def _passes_through(self, frame: Frame) -> bool:
        """The FIFO has no room for all of a frame: whether it is stored while it arrives, which may end in an overrun.
        """
        if self._fifo or self._lacks_entry(frame):
            return False
        overruns = self._overruns or self._beyond_the_fifo()
        now, lead = self.bus.calendar.now, self.receive_lead(frame.size)
        overruns.begin(frame.size, now, now + lead)
        return True

    def _beyond_the_fifo(self) -> Overruns:
        """The first frame larger than the FIFO has come: from now on the end of a transfer asks for overruns."""
        assert self.link_spec is not None
        overruns = self._overruns = Overruns(self.spec, self.seen, self.link_spec)
        self._stored, dma = self._ended, self._dma
        dma.granted = dma.resumed = overruns.granted
        dma.done = self._written if self._gaps else self._stored
        return overruns

    def drop(self, frame: Frame, place: str) -> None:
        """The given `place` has no room for `frame`."""
        self.drops[place] += 1

    def accept(self, frame: Frame) -> None:
        """There is room for `frame`: it enters the FIFO, and the DMA engine may begin."""
        self._fifo_bytes += frame.size
        self._fifo.append(frame)
        if self._onboard is not None:
            self._held += 1
            self.bus.calendar.call_at(self._onboard.put(frame, self._onboard.rx_time), self._passes, frame)
        elif self._crypto is not None and (frame.decipher or self._held):
            self._held += 1
            self._decipher(frame)
        else:
            self._store()

    def _store(self) -> None:
        """Store the first frame of the FIFO if it is not held and the ring has an entry for it; else it waits."""
        fifo = self._fifo
        if self._storing or len(fifo) <= self._held:
            return
        frame = fifo[0]
        entry: i64 = frame.size if self.ring_of_bytes else 1
        if self.room < entry:
            return
        self.room -= entry
        self._storing = True
        if frame.size != self._last_size:
            self._last_size, self._last_time = frame.size, self._times.get(frame.size) or self._time(frame)
        self._dma.written = frame.buffer
        self.bus.request(self._dma, self._last_time, frame.size)

    def _decipher(self, frame: Frame) -> None:
        """A frame passes the crypto engine once its last bit has arrived and the onboard processor has finished with
        it. Frames with nothing to decipher only keep their place behind earlier ones."""
        calendar = self.bus.calendar
        if frame.decipher:
            last_bit = calendar.now + self.receive_lead(frame.size)
            self._deciphered = self._crypto.put(frame, frame.decipher, last_bit)  # type: ignore[union-attr]
        if self._deciphered > calendar.now:
            calendar.call_at(self._deciphered, self._may_be_stored)
        else:
            self._may_be_stored(None)

    def _may_be_stored(self, _: object) -> None:
        """The next frame may be stored."""
        self._held -= 1
        self._store()

    def _time(self, frame: Frame) -> int:
        """The ps of bus for a frame; if it overruns the FIFO in any case, until then."""
        size, overruns = frame.size, self._overruns
        time = self.spec.rx_bus_time(self.seen, frame.buffer)
        over = overruns.alone(size, self.receive_lead(size)) if overruns is not None and size > self._fifo_size else 0
        self._times[size] = time = over or time
        return time

    def _written(self, dma: Transaction) -> None:
        """The transfer on the bus is over; the wait for the descriptor follows."""
        calendar = self.bus.calendar
        calendar.call_at(calendar.now + self._gaps, self._stored, dma)

    def _ended(self, dma: Transaction) -> None:
        """The transfer of the first frame of the FIFO is over: all of it is in memory, or it has overrun the FIFO."""
        assert self._overruns is not None
        if self._overruns.over(self.bus.calendar.now):
            self.overrun()
        else:
            self.stored(dma)

    def overrun(self) -> None:
        """The frame is lost, and its entry in the ring is free."""
        frame = self._fifo.popleft()
        self._fifo_bytes -= frame.size
        self._storing = False
        self.drop(frame, "receive fifo")
        self.refill(frame)

    def stored(self, dma: Transaction) -> None:
        """The first frame of the FIFO is in host memory."""
        frame = self._fifo.popleft()
        self._fifo_bytes -= frame.size
        self._unseen.append(frame)
        self._storing = False
        if self._fifo:
            self._store()
        interrupt = self.interrupt
        interrupt()

    def report(self) -> None:
        """The driver is notified of everything that is in host memory."""
        (self._unread if self.holds_reports else self.ready).extend(self._unseen)
        self._unseen.clear()

    def read_index(self) -> None:
        """The driver reads how far frames have been reported."""
        self.ready.extend(self._unread)
        self._unread.clear()

    def refill(self, frame: Frame) -> None:
        """The driver has emptied the ring entry of `frame`: a frame that waits for an entry may be stored."""
        self.room += frame.size if self.ring_of_bytes else 1
        if self._fifo:
            self._store()

    @property
    def frames_inside(self) -> int:
        """Frames that arrived and are not with the driver yet."""
        unseen = 0 if self._unseen is self.ready else len(self._unseen)
        return len(self._fifo) + unseen + len(self._unread) + len(self.ready)
