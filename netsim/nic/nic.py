"""A bus-master adapter: descriptor rings in host memory, a FIFO each way, an interrupt line.

Its transactions for a frame sent:
  1. the driver writes the doorbell (the processor's register accesses, in the driver's costs);
  2. memory read: descriptor (`tx_descriptor` bytes);
  3. memory read: the frame, in bursts of at most `max_burst`, into the transmit FIFO;
  4. the wire, from the moment `tx_threshold` bytes are in the FIFO;
  5. memory write: status (`tx_status` bytes), taken together with 2 and 3 as far as bus time goes;
  6. an interrupt, if the driver asked for one with this frame, or asked to be told when nothing is left.
For a frame received:
  1. the frame fills the receive FIFO; memory write in bursts once `rx_threshold` bytes are there;
  2. memory read and write: the descriptor (`rx_descriptor` bytes) and its status (`rx_status` bytes);
  3. an interrupt.
Reception moves as many short bursts while the frame comes in; here they are one train that ends when they would end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappush
from typing import Any

from simpy.events import NORMAL

from netsim.bus import PciBus, PciSpec, Transaction
from netsim.engine import Environment, Timer
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.spec import Spec
from netsim.units import BitRate, Bytes, Count, PositiveBytes, Time


class NicSpec(Spec):
    """An adapter's chip. Sizes in bytes; `tx_frames` is how many frames its transmit FIFO may hold, the one being
    sent included (1: the next frame is fetched only after the last one is gone), `tx_turnaround` the time the chip
    needs between a frame's last bit and that fetch. `hardware_checksum` says that it checks TCP and UDP sums of what
    it receives; whether that is used is the driver's choice.
    """

    rate: BitRate
    max_frame: PositiveBytes
    max_burst: PositiveBytes
    tx_threshold: Bytes
    tx_fifo: PositiveBytes
    tx_frames: Count
    tx_turnaround: Time
    tx_descriptor: Bytes
    tx_status: Bytes
    rx_threshold: Bytes
    rx_fifo: PositiveBytes
    rx_descriptor: Bytes
    rx_status: Bytes
    hardware_checksum: bool

    def tx_lead_time(self, pci: PciSpec, size: int) -> int:
        """ps of undisturbed bus from the start of the descriptor fetch until the wire may start with a frame of `size`
        bytes in memory."""
        there = min(size, self.tx_threshold)
        return pci.transfer_time(self.tx_descriptor, write=False) + pci.transfer_time(there, False, self.max_burst)

    def tx_bus_time(self, pci: PciSpec, size: int) -> int:
        """ps of bus that sending a frame of `size` bytes in memory takes."""
        return (
            pci.transfer_time(self.tx_descriptor, write=False)
            + pci.transfer_time(size, False, self.max_burst)
            + pci.transfer_time(self.tx_status, write=True)
        )

    def rx_bus_time(self, pci: PciSpec, size: int) -> int:
        """ps of bus that receiving a frame of `size` bytes in memory takes."""
        return (
            pci.transfer_time(self.rx_descriptor, write=False)
            + pci.transfer_time(size, True, self.max_burst)
            + pci.transfer_time(self.rx_status, write=True)
        )

    def rx_lead_time(self, pci: PciSpec, link: LinkSpec, size: int) -> int:
        """ps before a frame's last bit at which its train of bursts begins: so that at the last bit no more than
        `rx_threshold` bytes are left to move, and not before `rx_threshold` bytes have come in."""
        tail = pci.transfer_time(min(size, self.rx_threshold), True, self.max_burst)
        tail += pci.transfer_time(self.rx_status, write=True)
        return max(0, min(self.rx_bus_time(pci, size) - tail, link.time(size - self.rx_threshold)))

    def transmit_interval(self, pci: PciSpec, link: LinkSpec, frame: Frame) -> int:
        """ps between the starts of two frames like `frame` that the adapter and the wire alone impose."""
        wire = link.frame_time(frame.size)
        dma = self.tx_bus_time(pci, frame.buffer)
        if self.tx_frames > 1 and self.tx_fifo >= 2 * frame.buffer:
            return max(wire, dma)
        ahead = max(self.tx_lead_time(pci, frame.buffer), dma - link.time(frame.size))
        return max(wire, link.time(frame.size + 8) + self.tx_turnaround + ahead)


class Nic:
    """The adapter in a running simulation."""

    def __init__(self, env: Environment, spec: NicSpec, bus: PciBus, name: str) -> None:
        self.env = env
        self.spec = spec
        self.bus = bus
        self.name = name
        self.link: Link | None = None  # what it sends on
        self.interrupt: Callable[[], None] = lambda: None  # raised towards the host
        # sending
        self.tx_ring: deque[tuple[Frame, bool]] = deque()  # handed over by the driver, not fetched yet
        self.tx_sent: deque[tuple[int, Frame]] = deque()  # fetched, with the time of the last bit; not reclaimed yet
        self.interrupt_when_idle = False
        self.interrupt_after_pause = 0  # ps; 0: no such interrupt
        self._pause = Timer(env, lambda: self.interrupt())
        self._tx_fifo: deque[tuple[int, int]] = deque()  # time of the last bit, bytes
        self._tx_fifo_bytes = 0
        self._tx_planned = False  # a fetch is under way or on the heap
        self._tx = Transaction(bus.spec.clocks(bus.spec.overhead_clocks(write=False)), granted=self._tx_granted)
        self._tx_times: dict[int, tuple[int, int, int]] = {}
        self._idle_check = -1
        self.tx_busy = 0  # ps in which a frame was being fetched or sent
        self._tx_busy_to = 0
        self.frames_sent = 0
        # receiving
        self.rx_room = 0  # what the receive ring has free: frames, or bytes if it is a ring of bytes
        self.rx_ring_of_bytes = False
        self.rx_ready: deque[Frame] = deque()  # in host memory, not taken by the driver yet
        self._rx_fifo: deque[Frame] = deque()
        self._rx_fifo_bytes = 0
        self._rx = Transaction(bus.spec.clocks(bus.spec.overhead_clocks(write=True)), done=self._rx_done)
        self._rx_times: dict[int, int] = {}
        self.frames_arrived = 0
        self.frames_received = 0
        self.drops = {"receive ring": 0, "receive fifo": 0}

    # --- sending -----------------------------------------------------------------------------------------------------

    def transmit(self, frame: Frame, interrupt: bool) -> None:
        """Take a frame from the driver, which wants an `interrupt` when it is sent, or not."""
        self.tx_ring.append((frame, interrupt))
        if not self._tx_planned:
            self._plan_fetch()

    def _plan_fetch(self) -> None:
        """Fetch the next frame now, or when the DMA engine and the FIFO have room for it."""
        now: Any = self.env._now
        due = self._fetch_time(now)
        self._tx_planned = True
        if due <= now:
            self._fetch(None)
        else:
            env = self.env
            heappush(env._queue, (due, NORMAL, next(env._eid), self._fetch_due, None))  # type: ignore[misc]

    def _fetch_time(self, now: int) -> int:
        """When the next frame can be fetched: after the last fetch, and with room in the FIFO."""
        fifo = self._tx_fifo
        while fifo and fifo[0][0] <= now:
            self._tx_fifo_bytes -= fifo.popleft()[1]
        due = self._tx.end
        spec = self.spec
        if spec.tx_frames == 1:  # one frame at a time: nothing is fetched ahead
            return max(due, self._tx_busy_to + spec.tx_turnaround) if self.tx_sent else due
        room = spec.tx_fifo - self._tx_fifo_bytes - self.tx_ring[0][0].size
        frames = spec.tx_frames - len(fifo)
        for last_bit, nbytes in fifo:
            if room >= 0 and frames > 0:
                break
            due = max(due, last_bit)
            room += nbytes
            frames += 1
        return due

    def _fetch_due(self, _: None) -> None:
        if self._fetch_time(self.env._now) > self.env._now:  # type: ignore[arg-type, operator]
            self._plan_fetch()  # the last fetch was held up on the bus
        else:
            self._fetch(None)

    def _fetch(self, _: None) -> None:
        size = self.tx_ring[0][0].size
        times = self._tx_times.get(size) or self._tx_timing(self.tx_ring[0][0])
        self.bus.request(self._tx, times[0])

    def _tx_timing(self, frame: Frame) -> tuple[int, int, int]:
        """For frames of this size: ps of bus, ps from grant to start on the wire, ps of wire for the data."""
        assert self.link is not None
        pci = self.bus.spec
        bus = self.spec.tx_bus_time(pci, frame.buffer)
        lead = self.spec.tx_lead_time(pci, frame.buffer)
        times = self._tx_times[frame.size] = (bus, lead, self.link.spec.time(frame.size))
        return times

    def _tx_granted(self, transaction: Transaction) -> None:
        frame, interrupt = self.tx_ring.popleft()
        _, lead, wire = self._tx_times[frame.size]
        # A FIFO that runs dry in mid-frame costs the frame; drivers raise the threshold until it doesn't.
        earliest = max(transaction.start + lead, transaction.end - wire)
        last_bit = self.link.send(frame, earliest)  # type: ignore[union-attr]
        self.frames_sent += 1
        self.tx_busy += last_bit - max(transaction.start, self._tx_busy_to)
        self._tx_busy_to = last_bit
        self.tx_sent.append((last_bit, frame))
        self._tx_fifo.append((last_bit, frame.size))
        self._tx_fifo_bytes += frame.size
        if interrupt:
            self.env.call_at(max(last_bit, self.env.now), self._sent, None)
        self._tx_planned = False
        if self.interrupt_after_pause:
            self._pause.set(last_bit + self.interrupt_after_pause)
        if self.tx_ring:
            self._plan_fetch()
        elif self.interrupt_when_idle and not interrupt:
            self._watch_idle(last_bit)

    def _sent(self, _: None) -> None:
        self.interrupt()

    def _watch_idle(self, last_bit: int) -> None:
        """Look, when the last frame is sent, whether it still is the last."""
        if self._idle_check < 0:
            self._idle_check = max(last_bit, self.env.now)
            self.env.call_at(self._idle_check, self._look_idle, None)

    def _look_idle(self, _: None) -> None:
        self._idle_check = -1
        if self.tx_ring:
            return  # busy again: whoever empties the ring will watch
        if self._tx_busy_to > self.env.now:
            self._watch_idle(self._tx_busy_to)
        else:
            self.interrupt()

    def reclaim(self) -> list[Frame]:
        """The frames sent since the last call: the driver takes their buffers back."""
        sent = self.tx_sent
        now: Any = self.env._now
        frames = []
        while sent and sent[0][0] <= now:
            frames.append(sent.popleft()[1])
        return frames

    def completed(self) -> int:
        """How many frames `reclaim` would return."""
        now: Any = self.env._now
        count = 0
        for last_bit, _ in self.tx_sent:
            if last_bit > now:
                break
            count += 1
        return count

    @property
    def tx_queued(self) -> int:
        """Ring entries in use: frames handed over and not reclaimed."""
        return len(self.tx_ring) + len(self.tx_sent)

    # --- receiving ---------------------------------------------------------------------------------------------------

    def receive_lead(self, size: int) -> int:
        """See ethernet.link.Station."""
        assert self.link is not None
        return self.spec.rx_lead_time(self.bus.spec, self.link.spec, size - 4)

    def arrive(self, frame: Frame) -> None:
        """A frame comes in from the wire."""
        self.frames_arrived += 1
        room = self.rx_room - (frame.size if self.rx_ring_of_bytes else 1)
        if room < 0:
            self.drops["receive ring"] += 1
            return
        if self._rx_fifo and self._rx_fifo_bytes + frame.size > self.spec.rx_fifo:
            self.drops["receive fifo"] += 1
            return
        self.rx_room = room
        self._rx_fifo_bytes += frame.size
        self._rx_fifo.append(frame)
        if len(self._rx_fifo) == 1:
            self._store(frame)

    def _store(self, frame: Frame) -> None:
        size = frame.size
        time = self._rx_times.get(size)
        if time is None:
            time = self._rx_times[size] = self.spec.rx_bus_time(self.bus.spec, frame.buffer)
        self.bus.request(self._rx, time)

    def _rx_done(self, _: Transaction) -> None:
        frame = self._rx_fifo.popleft()
        self._rx_fifo_bytes -= frame.size
        self.rx_ready.append(frame)
        self.frames_received += 1
        if self._rx_fifo:
            self._store(self._rx_fifo[0])
        self.interrupt()

    def refill(self, frame: Frame) -> None:
        """The driver has emptied the ring entry of `frame`."""
        self.rx_room += frame.size if self.rx_ring_of_bytes else 1

    # --- books -------------------------------------------------------------------------------------------------------

    def tx_busy_until(self, now: int) -> int:
        """ps of `now` in which the transmitter had a frame to fetch or to send."""
        return self.tx_busy - max(0, self._tx_busy_to - now)

    @property
    def frames_inside(self) -> int:
        """Frames that arrived and are still in the receive FIFO."""
        return len(self._rx_fifo)
