"""The driver of an adapter: what it costs, when it wants an interrupt, and its part in the host.

Its steps for a frame sent (`transmit`): a copy into a bounce buffer where the chip needs one, a ring entry, register
accesses to start the chip. For an interrupt: entry and status; for each frame in the ring its costs, a copy where the
driver makes one, the frame up to the backlog; for each frame sent its buffer freed; again, until nothing is left.
"""

from __future__ import annotations

from collections import deque
from typing import Annotated, Literal, Protocol

from pydantic import Field

from netsim.ethernet import Frame
from netsim.host.processor import DEFERRED, INTERRUPT, Processor, Task
from netsim.host.work import Bill, Source, Work
from netsim.nic import Nic
from netsim.spec import Spec
from netsim.units import Bytes, Count, Cycles, PositiveTime

Number = Annotated[int, Field(ge=0)]


class EveryFrame(Spec):
    """A transmit interrupt for each frame."""

    policy: Literal["every-frame"] = "every-frame"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        """Whether the frame that enters the ring at `entry`, behind `queued` others, is to cause an interrupt."""
        return True


class EveryNth(Spec):
    """A transmit interrupt for each n-th frame."""

    policy: Literal["every-nth"] = "every-nth"
    n: Count

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        """See EveryFrame.wants."""
        return entry % self.n == 0


class HalfRing(Spec):
    """A transmit interrupt when just half the ring is waiting, at the ring's last entry, and when it is nearly full."""

    policy: Literal["half-ring"] = "half-ring"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        """See EveryFrame.wants."""
        return queued == ring // 2 or queued >= ring - 2 or entry == ring - 1


class QueueDrain(Spec):
    """The transmit interrupt asked for with a frame is called off when the next one follows, unless that one fills the
    ring: so it comes when the queue is empty, or one frame before the end of a full ring."""

    policy: Literal["queue-drain"] = "queue-drain"

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        """See EveryFrame.wants."""
        return queued == ring - 2


class AfterPause(Spec):
    """A transmit interrupt once no frame has been sent for `delay`: a timer in the chip that each frame restarts."""

    policy: Literal["after-pause"] = "after-pause"
    delay: PositiveTime

    def wants(self, queued: int, entry: int, ring: int) -> bool:
        """See EveryFrame.wants."""
        return False


TxInterrupt = Annotated[EveryFrame | EveryNth | HalfRing | QueueDrain | AfterPause, Field(discriminator="policy")]


class DriverSpec(Spec):
    """A driver. Rings in frames (`rx_ring_bytes` instead, where frames lie one behind the other); costs in processor
    cycles per frame sent, per frame received, per buffer freed, per interrupt; register accesses (`_reads`, `_writes`)
    likewise. `tx_copy` and `rx_copy` are full copies of each frame, `rx_copybreak` the size below which a received
    frame is copied anyway; `rx_aligned` says that the IP header of one that is not lies on a word boundary.
    `interrupt_when_idle` is the chip's own interrupt when it finds nothing more to send.
    """

    catalogue = "drivers"

    tx_ring: Count
    rx_ring: Count
    rx_ring_bytes: Bytes = 0
    tx_queue: Number = 100
    tx_cycles: Cycles
    rx_cycles: Cycles
    free_cycles: Cycles
    interrupt_cycles: Cycles
    tx_reads: Number
    tx_writes: Number
    rx_reads: Number
    rx_writes: Number
    free_reads: Number
    interrupt_reads: Number
    interrupt_writes: Number
    tx_copy: bool
    rx_copy: bool
    rx_copybreak: Bytes
    rx_aligned: bool
    rx_checksum: Literal["nic", "host"]
    tx_interrupt: TxInterrupt
    interrupt_when_idle: bool

    def bill_transmit(self, bill: Bill, size: int) -> Bill:
        """The processor's costs of handing a frame of `size` bytes to the adapter."""
        if self.tx_copy:
            # The protocol has just written it, behind an Ethernet header of 14 bytes: off the word boundary.
            bill.copy(size, "cache", aligned=False)
        return bill.cycles("driver", self.tx_cycles).accesses("driver", self.tx_reads, self.tx_writes)

    def bill_interrupt(self, bill: Bill, kernel_cycles: float) -> Bill:
        """The processor's costs of an interrupt, whatever it finds."""
        bill.interrupt(kernel_cycles).cycles("interrupt", self.interrupt_cycles)
        return bill.accesses("interrupt", self.interrupt_reads, self.interrupt_writes)

    def bill_receive(self, bill: Bill, size: int) -> Bill:
        """The processor's costs of taking a frame of `size` bytes from the adapter."""
        if self.copies(size):
            # To where the IP header will be aligned, two bytes off from where it came in.
            bill.copy(size, "memory", aligned=False)
        return bill.cycles("driver", self.rx_cycles).accesses("driver", self.rx_reads, self.rx_writes)

    def bill_free(self, bill: Bill, frames: int) -> Bill:
        """The processor's costs of taking back the buffers of `frames` frames sent."""
        return bill.cycles("driver", frames * self.free_cycles).accesses("driver", frames * self.free_reads, 0)

    def copies(self, size: int) -> bool:
        """Whether a received frame of `size` bytes is copied."""
        return self.rx_copy or size < self.rx_copybreak

    def aligned(self, size: int) -> bool:
        """Whether the protocols find a received frame's headers and data on word boundaries; copies always are."""
        return self.rx_aligned or self.copies(size)

    def leaves_in(self, size: int) -> Source:
        """Where the protocols find the bytes of a received frame."""
        return "cache" if self.copies(size) else "memory"


class Kernel(Protocol):
    """What a driver needs of its host."""

    def bill(self) -> Bill:
        """A new bill in this host's prices."""

    def netif_rx(self, frame: Frame) -> None:
        """Take a received frame up."""

    @property
    def interrupt_cycles(self) -> float:
        """The kernel's cycles for an interrupt."""


class Driver:
    """The driver in a running simulation, with the queue above it (Linux: the qdisc)."""

    def __init__(self, spec: DriverSpec, nic: Nic, kernel: Kernel, processor: Processor) -> None:
        self.spec = spec
        self.nic = nic
        self.kernel = kernel
        self.processor = processor
        self.queue: deque[Frame] = deque()  # frames that found the ring full
        self.drops = {"transmit queue": 0}
        self.interrupts = 0
        self._entry = 0
        self._handler = Task(INTERRUPT, self._handle, self._handled)
        self._entering = self._handling = False
        self._frame: Frame | None = None
        self._freed: list[Frame] = []
        self._restart = Task(DEFERRED, self._restart_begin, self._restart_end)
        self._works: dict[tuple[bool, int, int], Work] = {}
        self._transmit_works: dict[int, Work] = {}
        nic.rx_ring_of_bytes = spec.rx_ring_bytes > 0
        nic.rx_room = spec.rx_ring_bytes or spec.rx_ring
        nic.interrupt = self._interrupt
        if isinstance(spec.tx_interrupt, AfterPause):
            nic.interrupt_after_pause = spec.tx_interrupt.delay
        nic.interrupt_when_idle = spec.interrupt_when_idle or isinstance(spec.tx_interrupt, QueueDrain)

    # --- sending -----------------------------------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether the next frame goes straight to the adapter; else it waits, and costs the driver nothing yet."""
        return not self.queue and self.nic.tx_queued < self.spec.tx_ring

    def transmit(self, frame: Frame) -> None:
        """Hand `frame` to the adapter, or to the queue if the ring is full."""
        if self.open:
            self._post(frame)
        elif len(self.queue) < self.spec.tx_queue:
            self.queue.append(frame)
        else:
            self.drops["transmit queue"] += 1
            _free(frame)

    def _post(self, frame: Frame) -> None:
        spec = self.spec
        entry = self._entry
        self._entry = (entry + 1) % spec.tx_ring
        self.nic.transmit(frame, spec.tx_interrupt.wants(self.nic.tx_queued, entry, spec.tx_ring))

    def _restart_begin(self) -> Work | None:
        """Frames wait and the ring has room: the queue is restarted, in deferred work."""
        if not self.queue or self.nic.tx_queued >= self.spec.tx_ring:
            return None
        size = self.queue[0].size
        work = self._transmit_works.get(size)
        if work is None:
            work = self.spec.bill_transmit(self.kernel.bill(), self.queue[0].buffer).work()
            self._transmit_works[size] = work
        return work

    def _restart_end(self) -> None:
        self._post(self.queue.popleft())

    # --- interrupts --------------------------------------------------------------------------------------------------

    def _interrupt(self) -> None:
        if not self._handling:
            self._handling = self._entering = True
            self.processor.kick(self._handler)

    def _handle(self) -> Work | None:
        """One pass of the handler: the entry, a frame received if there is one, all buffers that can be freed."""
        nic = self.nic
        entering, self._entering = self._entering, False
        frame = self._frame = nic.rx_ready.popleft() if nic.rx_ready else None
        freed = self._freed = nic.reclaim() if nic.tx_sent else []
        if frame is None and not freed and not entering:
            self._handling = False
            return None
        self.interrupts += entering
        key = (entering, 0 if frame is None else frame.size, len(freed))
        return self._works.get(key) or self._handler_work(key, frame)

    def _handler_work(self, key: tuple[bool, int, int], frame: Frame | None) -> Work:
        bill = self.kernel.bill()
        if key[0]:
            self.spec.bill_interrupt(bill, self.kernel.interrupt_cycles)
        if frame is not None:
            self.spec.bill_receive(bill, frame.buffer)
        work = self._works[key] = self.spec.bill_free(bill, key[2]).work()
        return work

    def _handled(self) -> None:
        frame, self._frame = self._frame, None
        if frame is not None:
            self.nic.refill(frame)
            self.kernel.netif_rx(frame)
        if self._freed:
            for sent in self._freed:
                _free(sent)
            if self.queue:
                self.processor.kick(self._restart)

    @property
    def frames_inside(self) -> int:
        """Received frames that the handler is working on."""
        return int(self._frame is not None)


def _free(frame: Frame) -> None:
    if frame.owner is not None:
        frame.owner.freed(frame)
