"""The sending half of a bus-master adapter: descriptor ring, DMA engine, transmit FIFO, interrupts.

Its transactions for a frame:
  1. the driver writes the doorbell (the processor's register accesses, in the driver's costs);
  2. memory read: descriptor (`tx_descriptor` bytes);
  3. memory read: the frame, in bursts of at most `max_burst`, into the transmit FIFO;
  4. the wire, from the moment `tx_threshold` bytes are in the FIFO;
  5. memory write: status (`tx_status` bytes), taken together with 2 and 3 as far as bus time goes;
  6. an interrupt, if the driver asked for one with this frame, or asked to be told when nothing is left.

The chip is done with a frame when its last bit has left (`tx_done` "sent"), or when it has fetched it ("fetched").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappush
from typing import Literal

from simpy.events import NORMAL

from netsim.bus import PciBus, PciSpec, Transaction
from netsim.engine import Environment, Timer
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.spec import Spec
from netsim.units import Bytes, Count, PositiveBytes, Time


class TransmitterSpec(Spec):
    """Sizes in bytes; `tx_frames` is how many frames the transmit FIFO may hold, the one being sent included (1: the
    next frame is fetched only after the last one is gone), `tx_turnaround` the time the chip needs between a frame's
    last bit and that fetch, `tx_wake_up` the time it needs from the doorbell to a fetch when it has nothing to do.
    """

    max_burst: PositiveBytes
    tx_threshold: Bytes
    tx_fifo: PositiveBytes
    tx_frames: Count
    tx_turnaround: Time
    tx_wake_up: Time = 0
    tx_descriptor: Bytes
    tx_status: Bytes
    tx_done: Literal["sent", "fetched"]

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

    def transmit_interval(self, pci: PciSpec, link: LinkSpec, frame: Frame) -> int:
        """ps between the starts of two frames like `frame` that the adapter and the wire alone impose."""
        wire = link.frame_time(frame.size)
        dma = self.tx_bus_time(pci, frame.buffer)
        if self.tx_frames > 1 and self.tx_fifo >= 2 * frame.buffer:
            return max(wire, dma)
        ahead = max(self.tx_lead_time(pci, frame.buffer), dma - link.time(frame.size))
        return max(wire, link.time(frame.size + 8) + self.tx_turnaround + ahead)


class Transmitter:
    """The sending half in a running simulation. The driver reads `queued` and takes the frames sent back."""

    __slots__ = (
        "_busy", "_busy_to", "_dma", "_done", "_done_early", "_fetching", "_fifo", "_frames", "_held_up",
        "_idle_check", "_last_bit", "_loaded", "_pause", "_times", "_turnaround", "_wake_up", "bus", "env", "interrupt",
        "interrupt_after_pause", "interrupt_when_idle", "link", "pci", "queued", "ring", "sent", "spec",
    )

    def __init__(self, env: Environment, spec: TransmitterSpec, bus: PciBus, pci: PciSpec) -> None:
        self.env = env
        self.spec = spec
        self.bus = bus
        self.pci = pci
        self.link: Link | None = None  # what it sends on
        self.interrupt: Callable[[], None] = lambda: None  # raised towards the host
        self.interrupt_when_idle = False
        self.interrupt_after_pause = 0  # ps; 0: no such interrupt
        self._pause = Timer(env, lambda: self.interrupt())
        self.ring: deque[Frame] = deque()  # handed over by the driver, not fetched yet
        self.sent: deque[Frame] = deque()  # fetched, each with the time when it is done; not reclaimed yet
        self._loaded: deque[Frame] = deque(maxlen=spec.tx_frames)  # the last ones fetched: the FIFO holds no others
        self.queued = 0  # ring entries in use: frames handed over and not reclaimed
        self._dma = Transaction(pci.clocks(pci.overhead_clocks(write=False)), granted=self._granted)
        self._fetching = False  # a fetch is planned, or waits for the bus
        self._held_up = False  # it can't be planned: the one before it was cut, and waits for the bus
        self._idle_check = -1  # when the next look for an idle transmitter is due; -1: none is
        self._last_bit = 0  # when the last frame's leaves
        self._done = 0  # when the chip is done with the last frame
        self._done_early = spec.tx_done == "fetched"
        self._busy_to = 0  # when the chip is done with the last frame: its last bit and the turnaround
        self._busy = 0  # ps up to then in which it had a frame to fetch or to send, or turned around
        self._times: dict[int, tuple[int, int]] = {}
        self._frames, self._fifo, self._turnaround = spec.tx_frames, spec.tx_fifo, spec.tx_turnaround
        self._wake_up = spec.tx_wake_up

    def transmit(self, frame: Frame, interrupt: bool) -> None:
        """Take a frame from the driver, which wants an `interrupt` when it is sent, or not."""
        frame.wants_interrupt = interrupt
        self.ring.append(frame)
        self.queued += 1
        if not self._fetching:
            self._plan_fetch(self.env._now + self._wake_up)

    def reclaim(self) -> list[Frame]:
        """The frames sent since the last call: the driver takes their buffers back."""
        sent = self.sent
        now = self.env._now
        frames = []
        while sent and sent[0].done <= now:
            frames.append(sent.popleft())
        self.queued -= len(frames)
        return frames

    # --- fetching ----------------------------------------------------------------------------------------------------

    def _plan_fetch(self, earliest: int = 0) -> None:
        """Fetch the next frame now, or when the DMA engine and the FIFO have room for it."""
        env = self.env
        due = self._dma.end
        if earliest > due:
            due = earliest
        if self._last_bit > due or self._frames == 1:  # else the FIFO is empty by then
            due = self._room_from(due)
        self._fetching = True
        if due > env._now:
            heappush(env.queue, (due, NORMAL, next(env.numbers), self._fetch_due, None))
        else:
            self._fetch_due(None)

    def _fetch(self) -> None:
        frame = self.ring[0]
        times = self._times.get(frame.size) or self._timing(frame)
        self.bus.request(self._dma, times[0])

    def _room_from(self, earliest: int) -> int:
        """When the FIFO has room for the next frame, not before `earliest`."""
        if self._frames == 1:  # one frame at a time: nothing is fetched ahead
            return max(earliest, self._busy_to)
        room = self._fifo - self.ring[0].size
        places = self._frames
        for ahead in reversed(self._loaded):
            last_bit = ahead.last_bit
            if last_bit <= earliest:
                break  # it has left the FIFO by then, as have those before it
            room -= ahead.size
            places -= 1
            if room < 0 or not places:
                return last_bit
        return earliest

    def _fetch_due(self, _: object) -> None:
        if self._dma.waiting:
            self._held_up = True
        elif self._dma.end > self.env._now:
            self._plan_fetch()  # a processor's access has delayed the last fetch
        else:
            self._fetch()

    def _timing(self, frame: Frame) -> tuple[int, int]:
        """For frames of this size: ps of bus, and ps from the grant to the earliest start on the wire.

        A FIFO that runs dry in mid-frame costs the frame; drivers raise the threshold until it doesn't.
        """
        assert self.link is not None
        bus = self.spec.tx_bus_time(self.pci, frame.buffer)
        lead = self.spec.tx_lead_time(self.pci, frame.buffer)
        times = self._times[frame.size] = (bus, max(lead, bus - self.link.spec.time(frame.size)))
        return times

    def _granted(self, dma: Transaction) -> None:
        if dma.cut:  # the frame is on its way already
            self._resumed()
            return
        frame = self.ring.popleft()
        start = dma.start
        last_bit = frame.last_bit = self.link.send(frame, start + self._times[frame.size][1])  # type: ignore[union-attr]
        free = last_bit + self._turnaround
        self._busy += free - (start if start > self._busy_to else self._busy_to)
        self._last_bit, self._busy_to = last_bit, free
        self._loaded.append(frame)
        self.sent.append(frame)
        frame.done = self._done = done = dma.end if self._done_early else last_bit
        if frame.wants_interrupt:
            self.env.call_at(max(done, self.env._now), self._frame_sent)
        if self.interrupt_after_pause:
            self._pause.set(done + self.interrupt_after_pause)
        if self.ring:
            self._plan_fetch()
            return
        self._fetching = False
        if self.interrupt_when_idle and not frame.wants_interrupt and self._idle_check < 0:
            self._watch_idle()

    def _resumed(self) -> None:
        self._dma.cut = False
        if self._done_early and self.sent:
            self.sent[-1].done = self._done = self._dma.end
        if self._held_up:
            self._held_up = False
            self._plan_fetch()

    # --- interrupts --------------------------------------------------------------------------------------------------

    def _frame_sent(self, _: object) -> None:
        interrupt = self.interrupt
        interrupt()

    def _watch_idle(self) -> None:
        """Look, when the last frame is done, whether it still is the last."""
        env = self.env
        self._idle_check = due = self._done if self._done > env._now else env._now
        heappush(env.queue, (due, NORMAL, next(env.numbers), self._look_idle, None))

    def _look_idle(self, _: object) -> None:
        self._idle_check = -1
        if self.ring:
            return  # busy again: whoever empties the ring will watch
        if self._done > self.env._now:
            self._watch_idle()
        else:
            interrupt = self.interrupt
            interrupt()

    # --- books -------------------------------------------------------------------------------------------------------

    def busy_until(self, now: int) -> int:
        """ps of `now` in which the transmitter had a frame to fetch or to send, or turned around after one."""
        return self._busy - max(0, self._busy_to - now)
