"""The driver of a port in a running simulation, and its part in the host.

Its steps for a frame sent (`put`): a copy into a bounce buffer where the chip needs one, a ring entry, register
accesses to start the chip. For an interrupt: entry and status; for each frame in the ring its costs, a copy where the
driver makes one, the frame up to the backlog; for each frame sent its buffer freed; again, until nothing is left. Where
the kernel has ring work deferred, the interrupt ends with its entry and status, the chip's interrupts are held off, and
the rest follows as deferred work, which lets them through again when it has found nothing left.
"""

from __future__ import annotations

from typing import Final, Protocol

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.ethernet import Frame
from netsim.machine import tx_interrupt
from netsim.machine.backlog import Backlog
from netsim.machine.bill import Bill
from netsim.machine.device import QUEUED, Device
from netsim.machine.port import Port
from netsim.machine.system import KernelSpec
from netsim.machine.task import DEFERRED, INTERRUPT, Task
from netsim.machine.tx_interrupt import QueueDrain
from netsim.machine.work import Work
from netsim.nic import Nic, SlaveNic


class Kernel(Protocol):
    """What a driver calls in its host."""

    def bill(self) -> Bill:
        """A new bill in this host's prices."""


_FRAME_BITS: Final = 20  # for the size of a frame, and whether it has been deciphered


@mypyc_attr(allow_interpreted_subclasses=True)
class Driver(Device):
    """The driver of one port, with the queue above it (Linux: the qdisc). `number` is the port's on its host; its
    processor is that of its `backlog`.

    A frame is handed up when its handler's work for it is done. If another port's handler suspends this one before
    that, that port's frame goes first.
    """

    def __init__(
        self,
        port: Port,
        number: int,
        nic: Nic | SlaveNic,
        kernel: Kernel,
        costs: KernelSpec,
        backlog: Backlog,
    ) -> None:
        self.port = port
        self.spec = spec = port.driver
        self.number = number
        self.drivers = (self,)  # one port is a device, too
        self.nic = nic
        self._given_up = nic.given_up
        self._resume = nic.resume
        self._first_look = [port.bill_look(kernel.bill(), costs, entering).work().total for entering in (False, True)]
        self.kernel = kernel
        self._backlog = backlog
        self.costs = costs
        self.processor = backlog.processor
        self._calendar = nic.env.calendar
        self.queue: Fifo[Frame] = Fifo()  # frames that found the ring full
        self.drops = {"transmit queue": 0}
        self.interrupts = 0
        self._transmitter = nic.transmitter
        self._ring = spec.tx_ring
        self._wants_interrupt = tx_interrupt.table(spec.tx_interrupt, spec.tx_ring)
        self._entry = 0  # of the ring, the next to be used
        masked = costs.send_masked
        level = INTERRUPT if masked else DEFERRED
        self._restart = Task(level, self._restart_begin, self._restart_end, masked=masked)
        self._rest: Work | None = None  # of the frame that was last restarted
        self._rests: dict[int, Work | None] = {}  # by bytes of memory
        self._restart_works: dict[tuple[int, bool], Work] = {}  # by frame size, and whether the card enciphers it
        self._receiver = receiver = nic.receiver
        deferred = costs.ring_work == "deferred"
        interrupt = self.interrupt_deferred if deferred else self.interrupt
        nic.connect(interrupt, spec.rx_moderation, spec.tx_moderation)
        self._moderators = nic.moderators
        begin, end = (self._look, self._looked) if nic.moderators else (self.handle, self._handled)
        self._handler = Task(DEFERRED if deferred else INTERRUPT, begin, end)
        work = port.bill_interrupt(kernel.bill(), costs.interrupt_cycles).work()
        self._interruption = Task(INTERRUPT, lambda: work, self._handed_over)  # before a handler that is deferred
        self._entering = False  # an interrupt that the handler has not been entered for yet
        self._frame: Frame | None = None  # that the handler is working on
        self._freed: list[Frame] = []
        self._handler_works: dict[int, Work] = {}  # by what the handler does, in one number
        receiver.ring_of_bytes = spec.rx_ring_bytes > 0
        receiver.room = spec.rx_ring_bytes or spec.rx_ring
        nic.transmitter.interrupt_when_idle = spec.interrupt_when_idle or isinstance(spec.tx_interrupt, QueueDrain)

    # --- sending -----------------------------------------------------------------------------------------------------

    def straight(self) -> int:
        return self.number if not self.queue and self._transmitter.queued < self._ring else QUEUED

    def put(self, frame: Frame) -> None:
        """Hand `frame` to the adapter, or to the queue if the ring is full."""
        queued = self._transmitter.queued
        if queued < self._ring and not self.queue:
            entry = self._entry
            self._entry = entry + 1 if entry + 1 < self._ring else 0
            self._transmitter.put(frame, self._wants_interrupt[entry][queued])
        else:
            self.enqueue(frame)

    def enqueue(self, frame: Frame) -> None:
        """The ring is full, or others wait: `frame` waits behind them, if there is room."""
        if len(self.queue) < self.spec.tx_queue:
            self.queue.append(frame)
        else:
            self.drop(frame)

    def drop(self, frame: Frame) -> None:
        """There is no room."""
        self.drops["transmit queue"] += 1
        if frame.owner is not None:
            frame.owner.freed(frame)

    def rest(self, frame: Frame) -> Work | None:
        """What the processor has left to do for a frame that the adapter has begun with."""
        size = frame.buffer
        if size not in self._rests:
            work = self.port.bill_rest(self.kernel.bill(), size).work()
            self._rests[size] = work if work.total else None
        return self._rests[size]

    def _restart_begin(self) -> Work | None:
        """Frames wait and the ring has room: the queue is restarted, in deferred work unless sending is masked."""
        if self._rest is not None:
            return self._rest
        if not self.queue or self._transmitter.queued >= self._ring:
            return None
        frame = self.queue[0]
        key = (frame.size, frame.encipher > 0)
        work = self._restart_works.get(key)
        if work is None:
            bill = self.port.bill_transmit(self.kernel.bill(), frame.buffer, frame.encipher > 0)
            work = self._restart_works[key] = bill.work()
        return work

    def _restart_end(self) -> bool:
        if self._rest is not None:
            self._rest = None
            return bool(self.queue)
        self.dequeue()
        return bool(self.queue) or self._restart_begin() is not None

    def dequeue(self) -> None:
        """The first frame that waits goes to the adapter."""
        frame = self.queue.popleft()
        entry = self._entry
        self._entry = entry + 1 if entry + 1 < self._ring else 0
        self._transmitter.put(frame, self._wants_interrupt[entry][self._transmitter.queued])
        self._rest = self.rest(frame)

    # --- interrupts --------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """The adapter has something to report."""
        handler = self._handler
        if not handler.ready:
            self._entering = True
            self.processor.kick(handler)

    def handle(self) -> Work | None:
        """One pass of the handler: the entry, a frame received if there is one, all buffers that can be freed."""
        ready, sent = self._receiver.ready, self._transmitter.sent
        frame = self._frame = ready.popleft() if ready else None
        freed = 0
        if sent and sent[0].done <= self._calendar.now:
            self._freed = self._transmitter.reclaim()
            freed = len(self._freed)
        entering = self._entering
        if freed and self._resume is not None:
            # First of all the next frame is started.
            self._calendar.call_at(self._calendar.now + self._first_look[entering], self._resume)
        if entering:
            self._entering = False
            self.interrupts += 1
        elif frame is None and not freed:
            return None
        key = (freed << 1 | entering) << _FRAME_BITS
        if frame is not None:
            key |= frame.size << 1 | (frame.decipher > 0)
        return self._handler_works.get(key) or self._handler_work(key, frame, entering, freed)

    def _handler_work(self, key: int, frame: Frame | None, entering: bool, freed: int) -> Work:
        bill = self.kernel.bill()
        if entering:
            self.port.bill_entry(bill, self.costs)
        if frame is not None:
            self.port.bill_receive(bill, frame.buffer, frame.decipher > 0)
        work = self._handler_works[key] = self.port.bill_free(bill, freed).work()
        return work

    def _handled(self) -> bool:
        frame = self._frame
        if frame is not None:
            self._frame = None
            self._receiver.refill(frame)
            frame.received_by = self.number
            self._backlog.put(frame)
        if self._freed:
            self._free()
        if self._receiver.ready:
            return True
        sent = self._transmitter.sent
        return bool(sent) and sent[0].done <= self._calendar.now

    def _free(self) -> None:
        for frame in self._freed:
            if self._given_up and self._sends_again(frame):
                continue
            if frame.owner is not None:
                frame.owner.freed(frame)
        self._freed = []
        if self.queue:
            self.processor.kick(self._restart)

    def _sends_again(self, frame: Frame) -> bool:
        """Whether a frame that the card has given up goes to it once more: it is there still."""
        times = self._given_up.get(frame, 0)
        if 0 < times <= self.spec.tx_retries:
            self._transmitter.put(frame, interrupt=True)
            return True
        if times:
            self.give_up(frame)
        return False

    def give_up(self, frame: Frame) -> None:
        """A frame has been given up too often, and is lost."""
        del self._given_up[frame]

    # --- moderated by the chip ---------------------------------------------------------------------------------------

    def _look(self) -> Work | None:
        """As `handle`; each pass reads what the chip has to report, and so clears it."""
        self._clear()
        return self.handle()

    def _looked(self) -> bool:
        """As `_handled`; what came during the last pass has been seen too."""
        more = self._handled()
        if not more:
            self._clear()
        return more

    def _clear(self) -> None:
        for moderator in self._moderators:
            moderator.clear()

    # --- deferred by the kernel --------------------------------------------------------------------------------------

    def interrupt_deferred(self) -> None:
        """As `interrupt`, for a handler that is deferred; until that has found nothing left, there are no more."""
        if not (self._interruption.ready or self._handler.ready):
            self.processor.kick(self._interruption)

    def _handed_over(self) -> bool:
        self._entering = True
        self.processor.kick(self._handler)
        return False

    @property
    def frames_inside(self) -> int:
        """Received frames that the handler is working on."""
        return int(self._frame is not None)

