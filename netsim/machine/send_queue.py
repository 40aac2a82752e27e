"""The sending half of a driver: the ring, and the queue of frames that found the ring full (Linux: the qdisc).

Its steps for a frame (`put`): a copy into a bounce buffer where the chip needs one, a ring entry, register accesses to
start the chip. They are part of a protocol's work for a frame. If the processor moves frames to the card, they are a
separate work, the same for frames of all protocols: only when its turn comes is it known whether the driver starts the
chip, and some of the work follows once the chip has begun. This work precedes the continuation of the sending process
(Linux 2.2: dev_queue_xmit, with bottom halves off).
"""

from __future__ import annotations

from typing import Final, Protocol

from mypy_extensions import mypyc_attr

from netsim.accounts.resource import TRANSMIT_QUEUE
from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.machine import tx_interrupt
from netsim.machine.bill import Bill
from netsim.machine.countdown import CountdownTimer
from netsim.machine.device import QUEUED, Device
from netsim.machine.port import Port
from netsim.machine.processor import Processor
from netsim.machine.rotation import Rotation
from netsim.machine.system import KernelSpec
from netsim.machine.task import DEFERRED, INTERRUPT, Task
from netsim.machine.work import Work
from netsim.nic import Nic, SlaveNic
from netsim.nic.half_duplex import HalfDuplexTransmitter
from netsim.nic.transmit_fifo import FifoTransmitter


class Kernel(Protocol):
    """The host functions that a driver calls."""

    rotation: Rotation | None

    def bill(self) -> Bill:
        """A new bill with this host's costs."""

    def defer(self, task: Task) -> None:
        """Run work that does not belong to a process, where it came up."""


_NESTED: Final = 4  # simultaneous works for frames: a process's and deferred work, on two processors


@mypyc_attr(allow_interpreted_subclasses=True)
class SendQueue(Device):
    """The sending half of the driver of one port, number `number` of its host, on `processor`."""

    __slots__ = (
        "_countdown", "_entry", "_fifo", "_frees_moved", "_go_on", "_interrupts_at", "_interrupts_behind", "_masks",
        "_moved", "_moves", "_paid", "_rest", "_restart", "_restart_works", "_rests", "_ring", "_started", "_stop",
        "_stopped", "_transmitter", "costs", "drops", "kernel", "masked", "nic", "number", "port", "processor", "queue",
        "spec",
    )

    def __init__(
        self, port: Port, number: int, nic: Nic | SlaveNic, kernel: Kernel, costs: KernelSpec, processor: Processor
    ) -> None:
        self.port = port
        self.spec = spec = port.driver
        self.number = number
        self.nic = nic
        self.kernel = kernel
        self.costs = costs
        self.processor = processor
        self.queue: Fifo[Frame] = Fifo()  # frames that found the ring full
        self.drops = {TRANSMIT_QUEUE: 0}
        self._transmitter = transmitter = nic.transmitter
        self._started: HalfDuplexTransmitter | None = None  # the chip, if the driver has to start each frame
        if isinstance(transmitter, HalfDuplexTransmitter) and not transmitter.chained:
            self._started = transmitter
        self._moves = isinstance(nic, SlaveNic)  # frames to the card
        self._frees_moved = spec.frees_when_moved
        self._moved: HalfDuplexTransmitter | None = None  # the chip, if it announces only room
        if isinstance(transmitter, HalfDuplexTransmitter) and spec.told_of_room:
            self._moved = transmitter
            transmitter.forgets = True
        self._fifo = transmitter if isinstance(transmitter, FifoTransmitter) else None
        self._stop, self._go_on = spec.marks
        self._stopped = False  # the ring counts as full
        self._paid = 0  # frames that may go directly to the ring: the processor's work for them includes the driver's
        self._ring = spec.tx_ring
        self._interrupts_at, self._interrupts_behind = tx_interrupt.tables(spec.tx_interrupt, spec.tx_ring)
        self._countdown: CountdownTimer | None = None
        self._entry = 0  # the next ring entry to be used
        masked = costs.send_masked
        level = INTERRUPT if masked else DEFERRED
        self._restart = Task(level, self._restart_begin, self._restart_end, masked=masked)
        self._rest: Work | None = None  # of the last restarted frame
        self._masks = spec.tx_masked
        self.masked = False  # the card's interrupts wait until the current frame is handed over
        self._rests: dict[int, Work | None] = {}  # by bytes of memory
        # By frame size, whether the card enciphers the frame, and whether it is started at once, encoded in one number.
        self._restart_works: dict[int, Work] = {}

    def straight(self) -> int:
        if self._moves or self.queue or self._stopped:
            return QUEUED
        if self._paid < _NESTED:
            self._paid += 1
        return self.number

    def starts(self) -> bool:
        """Whether the driver starts the next frame when it hands it over: the chip is idle, as far as the driver
        knows."""
        return self._started is None or self._started.idle

    def put(self, frame: Frame) -> None:
        """Hand `frame` to the adapter, or to the queue if the ring is full or was full when the processor began its
        work for the frame, which then includes nothing for the driver."""
        paid = self._paid > 0
        if paid:
            self._paid -= 1
        if self.queue or self._stopped:
            self.enqueue(frame)
        elif paid:
            self._fill(frame)
        else:
            self.enqueue(frame)
            if self._moves:
                self.kernel.defer(self._restart)
            else:
                self.restart()

    def _fill(self, frame: Frame) -> None:
        """`frame` takes the next entry of the ring."""
        entry, queued = self._entry, self._transmitter.queued
        self._entry = entry + 1 if entry + 1 < self._ring else 0
        self._stopped = queued + 1 >= self._stop
        self._transmitter.put(frame, self._interrupts_at[entry] or self._interrupts_behind[queued])
        if self._countdown is not None:
            self._countdown.queued(frame.buffer)
        if self._moved is not None:
            self._stopped = self._moved.full(self._stopped)
        if self._frees_moved and frame.owner is not None:
            frame.owner.freed(frame)

    def enqueue(self, frame: Frame) -> None:
        """`frame` waits behind others or until the ring has room, if the queue has room; without a reason to wait it
        only passes through."""
        waits = bool(self.queue) or self._stopped
        if not waits or len(self.queue) < self.spec.tx_queue:
            self.queue.append(frame)
        else:
            self.drop(frame)

    def drop(self, frame: Frame) -> None:
        """The queue has no room."""
        self.drops[TRANSMIT_QUEUE] += 1
        if frame.owner is not None:
            frame.owner.freed(frame)

    @property
    def held_back(self) -> int:
        """Bytes of memory of the first frame that waits although the ring has room, as the queue has not been restarted
        yet; 0: none does."""
        return 0 if self._moves or self._stopped or not self.queue else self.queue[0].buffer

    @property
    def waiting(self) -> int:
        """Frames handed down whose buffers are not yet free again."""
        return len(self.queue) + (0 if self._frees_moved else self._transmitter.queued)

    def rest(self, frame: Frame) -> Work | None:
        """The processor's remaining work for a frame that the adapter has begun to send."""
        size = frame.buffer
        if size not in self._rests:
            work = self.port.bill_rest(self.kernel.bill(), size).work()
            self._rests[size] = work if work.total else None
        return self._rests[size]

    def _restart_begin(self) -> Work | None:
        """Restart the queue if frames wait and the ring has room, in deferred work unless sending is masked."""
        if self._rest is not None:
            return self._rest
        if not self.queue or self._stopped:
            return None
        frame = self.queue[0]
        enciphers, starts = frame.encipher > 0, self.starts()
        key = (frame.size << 1 | enciphers) << 1 | starts
        work = self._restart_works.get(key)
        if work is None:
            bill = self.port.bill_transmit(self.kernel.bill(), frame.buffer, enciphers, starts, waited=True)
            work = self._restart_works[key] = bill.work()
        self.masked = self._masks
        return work

    def _restart_end(self) -> bool:
        if self._rest is not None:
            self.moved_rest()
            return bool(self.queue)
        self.dequeue()
        if self.masked:
            self.unmask()
        return bool(self.queue) or self._restart_begin() is not None

    def dequeue(self) -> None:
        """The first waiting frame goes to the adapter."""
        frame = self.queue.popleft()
        self._fill(frame)
        self._rest = self.rest(frame) if self._moves else None

    def unmask(self) -> None:
        """The card may interrupt again."""
        self.masked = False

    def moved_rest(self) -> None:
        """The rest of the frame that the adapter has begun to send has been moved to the card."""
        self._rest = None

    def look_for_room(self) -> None:
        """Buffers have been freed: if the ring has room again, waiting frames continue."""
        if self._stopped:
            fifo = self._fifo
            self._stopped = self._transmitter.queued > self._go_on if fifo is None else fifo.wants_room
        if self.queue and not self._stopped:
            self.restart()

    def restart(self) -> None:
        """Waiting frames continue, in deferred work."""
        self.processor.kick(self._restart)
