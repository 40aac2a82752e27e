"""The driver of a port in a running simulation: sending (netsim.machine.send_queue) and its interrupts.

It handles an interrupt in steps. First, it enters and reads the status. Each frame in the receive ring, copied if the
driver makes a copy, goes up to the backlog, and the ring gets a new buffer, entry by entry or for all entries together.
The driver then frees the buffers of sent frames, either always or only if the status reports some, and starts the next
frame if the chip does not continue by itself. Some drivers handle sent frames first. The status is read once more, and
shows events that came meanwhile: one further pass over the rings handles all that came during the last pass. Then the
handler exits. Where the kernel defers ring work, the interrupt ends after entry and status, the chip's interrupts are
held off, and the rest follows as deferred work, which unmasks them once it finds nothing left.

The last frame of a ring and all steps that follow it are one work. The frame could go up as soon as its own part of
that work is done. It does so if another handler interrupts at that point; otherwise it goes up at the end of the work,
since nothing would notice the difference.
"""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from netsim.engine import FOREVER
from netsim.ethernet import Frame
from netsim.ethernet.frame import FCS
from netsim.machine.backlog import Backlog
from netsim.machine.countdown import CountdownTimer
from netsim.machine.handler_steps import AGAIN, BEHIND, ENDING, ENTERING, LEAVING, STARTS, HandlerSteps
from netsim.machine.port import Port
from netsim.machine.send_queue import Kernel, SendQueue
from netsim.machine.system import KernelSpec
from netsim.machine.task import DEFERRED, INTERRUPT, Task, Worker
from netsim.machine.tx_interrupt import Countdown, EndOfList, QueueDrain
from netsim.machine.work import Work
from netsim.nic import Nic, Receiver, SlaveNic
from netsim.nic.half_duplex import HalfDuplexTransmitter
from netsim.nic.transmitter import Transmitter
from netsim.nic.underruns import Rise


@mypyc_attr(allow_interpreted_subclasses=True)
class Driver(SendQueue, Worker):
    """The driver of one port. `number` is the port's number on its host; its processor is that of its `backlog`, or
    with a rotation that of its last interrupt."""

    __slots__ = (
        "_again", "_ahead", "_backlog", "_batch", "_buffers", "_calendar", "_copied_below", "_ended", "_entering",
        "_frame", "_freed", "_frees_any", "_given_up", "_handler", "_held", "_index", "_interrupt", "_interruption",
        "_last", "_left", "_moderators", "_others", "_passes", "_received_first", "_receiver", "_recovering",
        "_rotation", "_sees_done", "_sent", "_since", "_steps", "_stops", "_tail", "_taken", "_through", "_unread",
        "drivers", "interrupts",
    )

    def __init__(
        self,
        port: Port,
        number: int,
        nic: Nic | SlaveNic,
        kernel: Kernel,
        costs: KernelSpec,
        backlog: Backlog,
    ) -> None:
        super().__init__(port, number, nic, kernel, costs, backlog.processor)
        spec = self.spec
        self.drivers = (self,)  # one port is also a device
        self._given_up = nic.given_up
        self._steps = HandlerSteps(port, kernel, costs)
        self._received_first = spec.handles_first == "received"
        self._backlog = backlog
        self._rotation = kernel.rotation
        self._calendar = nic.env.calendar
        self.interrupts: i64 = 0
        self._receiver = receiver = nic.receiver
        deferred = costs.ring_work == "deferred"
        self._interrupt = interrupt = self.interrupt_deferred if deferred else self.interrupt
        nic.connect(interrupt, spec.rx_moderation, spec.tx_moderation, self._frames_sent)
        # The receiver whose index is read only once for each interrupt, and whether that is still to be done.
        self._index: Receiver | None = None
        self._unread = False
        if spec.reads_index == "once" and isinstance(receiver, Receiver):
            self._index = receiver
            receiver.holds_reports = True
        if isinstance(spec.tx_interrupt, Countdown):
            least, part = spec.tx_interrupt.least, nic.env.part(CountdownTimer)
            self._countdown = part(nic.env, self._frames_sent, least, nic.spec.rate)
        self._moderators = nic.moderators
        begin, end = (self._look, self._looked) if spec.is_moderated else (self.begin, self.end)
        self._handler = Task(DEFERRED if deferred else INTERRUPT, begin, end)
        work = port.bill_interrupt(kernel.bill()).work()
        self._interruption = Task(INTERRUPT, lambda: work, self._handed_over)  # precedes a deferred handler
        self._entering = False  # an interrupt for which the handler has not been entered yet
        self._held = False  # an interrupt waits until the card's are unmasked
        self._stops = nic.receiver if isinstance(nic, SlaveNic) and spec.overrun else None  # once it has no room
        self._recovering = False
        self._frame: Frame | None = None  # being handled, and not handed up yet
        self._taken: list[Frame] = []  # frames whose ring entries are not free yet
        self._buffers = 0  # new buffers that these frames need
        self._copied_below = FOREVER if spec.rx_copy else spec.rx_copybreak + FCS  # bytes of a frame
        self._batch = spec.refill == "ring"
        self._freed: list[Frame] = []
        self._sees_done = isinstance(nic, SlaveNic) or nic.spec.tx_seen == "done"
        self._frees_any = spec.frees == "any" and self._sees_done
        self._sent = False  # the chip has announced sent frames since buffers were last freed
        # Further passes: whether the status will show an event that came since it was last read, and when it came.
        self._passes = not deferred and spec.pass_reads + spec.pass_writes > 0
        self._again = False
        self._since: i64 = 0
        self._through: i64 = 0  # when the handler had emptied the receive ring
        self._ahead = False  # a pass has been paid for before the ring was empty
        self._ended = False  # the look that finds no further frame has been paid for
        self._left = False  # the exit has been paid for
        self._last = True  # the current work follows or contains the last frame of the receive ring
        self._tail: i64 = 0  # ps of the current work after its frame has gone up
        self._others = backlog.interrupted if costs.nested_interrupts else []
        backlog.interrupted.append(self._interrupted)
        receiver.ring_of_bytes = spec.rx_ring_bytes > 0
        receiver.room = spec.ring(mtu=0)
        if self._stops is not None:
            self._stops.stops = True
        idle = isinstance(spec.tx_interrupt, QueueDrain | EndOfList)
        if spec.underrun_most and isinstance(nic.transmitter, Transmitter):
            nic.transmitter.rise = Rise(spec.underrun_factor, spec.underrun_step, spec.underrun_most)
        if spec.tx_poll and isinstance(nic.transmitter, Transmitter):
            nic.transmitter.poll(spec.tx_poll)
        nic.transmitter.interrupt_when_idle = spec.interrupt_when_idle or idle

    def set_up(self, mtu: int) -> None:
        """Fill the receive ring, and set the chip's moderation, for this `mtu` (bytes)."""
        spec = self.spec
        self._receiver.room = spec.ring(mtu)
        rx, tx = spec.moderation(mtu)
        if (rx, tx) != (spec.rx_moderation, spec.tx_moderation):
            self.nic.connect(self._interrupt, rx, tx, self._frames_sent)

    def restart(self) -> None:
        if self.costs.queues_first:
            self._backlog.restart(self._restart)
        else:
            super().restart()

    def interrupt(self) -> None:
        """The adapter has something to report."""
        handler = self._handler
        if self.masked:
            self._held = True
        elif not handler.ready:
            self._entering = True
            if self._rotation is not None:
                self.processor = self._rotation.following()
            self.processor.kick(handler)
        elif self._passes and not self._again:
            self._again = True
            self._since = self._calendar.now

    def unmask(self) -> None:
        super().unmask()
        if self._held:
            self._held = False
            self.interrupt()

    def _frames_sent(self) -> None:
        """The adapter reports sent frames."""
        self._sent = True
        interrupt = self._interrupt
        interrupt()

    # --- the steps of the handler ------------------------------------------------------------------------------------

    def begin(self) -> Work | None:
        """One step: the entry; a received frame, if any; after the last one all buffers that can be freed, and the
        exit. If the card has stopped for lack of room, the driver first makes it continue."""
        if self._stops is not None and self._stops.stopped:
            return self._recover()
        if self._index is not None:
            if self._entering:
                return self._enter_alone()
            if self._unread:
                self._unread = False
                self._index.read_index()
        ready = self._receiver.ready
        entering = self._entering
        frame = ready.popleft() if ready else None
        last = self._last = not ready
        reclaims = self._sent or self._frees_any  # the status reports sent frames, or the driver looks anyway
        freed = self._reclaim() if reclaims and (last or not self._received_first) else 0
        starts = freed > 0 and self._started is not None and self._goes_on(self._started, frame, entering)
        contents = 0
        if entering:
            self._enter()
            contents = ENTERING
        if self._again and self._looks_again(last):
            contents |= AGAIN
        if frame is None and not (freed or contents) and (self._left or self._index is None):
            return None
        if starts:
            contents |= STARTS
        if last and not self._left:
            self._left = True
            contents |= LEAVING
        if frame is not None:
            if last and not self._ended:
                self._ended = True
                contents |= ENDING
            self._frame = frame
            self._taken.append(frame)
            if frame.size >= self._copied_below:
                self._buffers += 1
        if freed and self._transmitter.queued:
            contents |= BEHIND
        return self._step(contents, freed, frame)

    def _enter_alone(self) -> Work:
        """The entry as a step of its own: the index is read after it."""
        self._enter()
        self._unread, self._last = True, False
        return self._steps.step(ENTERING, 0, None, 0, 0).work

    def _recover(self) -> Work:
        entering, self._recovering = self._entering, True
        if entering:
            self._enter()
        return self._steps.recovery(entering)

    def _enter(self) -> None:
        """A new interrupt."""
        self.count_interrupt()
        self.read_status()

    def count_interrupt(self) -> None:
        """A processor takes an interrupt of this port alone."""
        self.interrupts += 1

    def read_status(self) -> None:
        """The handler begins; the card's status shows every event so far."""
        self._entering = self._again = self._ahead = self._left = self._ended = False
        if len(self._others) > 1:  # its own would find no frame
            for interrupted in self._others:
                interrupted()

    def _looks_again(self, last: bool) -> bool:
        """Whether a further pass is to be paid for. A pass caused only by a frame that the previous pass took finds
        nothing; it is paid for in advance, after the `last` frame, and once for all such frames."""
        ahead = self._since <= self._through
        if ahead and not last:
            return False
        self._again = False
        paid, self._ahead = self._ahead, ahead
        if not ahead:
            self._ended = False
        return not (ahead and paid)

    def _goes_on(self, chip: HalfDuplexTransmitter, frame: Frame | None, entering: bool) -> bool:
        """Whether another frame waits to be sent, on a chip that does not continue by itself after a frame. If so, the
        handler starts it, before or after taking the received `frame`."""
        if not chip.waits:
            return False
        delay = self._steps.until_start(entering, frame if self._received_first else None)
        self._calendar.call_at(self._calendar.now + delay, chip.go_on)
        return True

    def _reclaim(self) -> int:
        """Take back the frames sent."""
        self._sent = False
        sent = self._transmitter.sent
        if not sent or sent[0].done > self._calendar.now:
            return 0
        self._freed = self._transmitter.reclaim()
        return len(self._freed)

    def _step(self, contents: int, freed: int, frame: Frame | None) -> Work:
        entries, buffers = (len(self._taken), self._buffers) if self._last or not self._batch else (0, 0)
        step = self._steps.step(contents, freed, frame, entries, buffers)
        self._tail = step.tail
        return step.work

    def end(self) -> bool:
        now = self._calendar.now
        if self._recovering and self._stops is not None:
            self._recovering = False
            self._stops.go_on()
            return True
        if self._frame is not None:
            self._hand_up()
        self._through = now - self._tail if self._last else now
        if self._taken and (self._last or not self._batch):
            for frame in self._taken:
                self._receiver.refill(frame)
            self._taken.clear()
            self._buffers = 0
        if self._freed:
            self._free()
        elif self._moved is not None:
            self.look_for_room()
        if self._index is not None:
            return not self._left
        if self._receiver.ready or self._again:
            return True
        sent = self._transmitter.sent
        return bool(sent) and sent[0].done <= now and (self._sent or self._frees_any)

    def _hand_up(self) -> None:
        frame, self._frame = self._frame, None
        assert frame is not None
        frame.received_by = self.number
        self.hand_up(frame)

    def hand_up(self, frame: Frame) -> None:
        """Hand `frame` to the protocols."""
        frame.handed_up = self._calendar.now
        self._backlog.put(frame)

    def _interrupted(self) -> None:
        """Another handler begins on this processor: a frame that this one has finished goes up first."""
        suspended = self.processor.task is not self._handler  # otherwise it continues on another processor
        if self._frame is not None and suspended and self._handler.left <= self._tail:
            self._hand_up()

    def _free(self) -> None:
        freed, countdown = 0, self._countdown
        for frame in self._freed:
            if self._given_up and self._sends_again(frame):
                continue
            if countdown is not None:
                freed += frame.buffer
            if frame.owner is not None and not self._frees_moved:
                frame.owner.freed(frame)
        if countdown is not None:
            countdown.freed(freed)
        self._freed = []
        self.look_for_room()

    def _sends_again(self, frame: Frame) -> bool:
        """Whether a frame that the card has given up goes to it once more; the card still holds it."""
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
        """As `begin`; each pass reads the chip's status, which clears it."""
        self._clear()
        return self.begin()

    def _looked(self) -> bool:
        """As `end`; events that came during the last pass have been seen, too."""
        more = self.end()
        if not more:
            self._clear()
        return more

    def _clear(self) -> None:
        if self._sees_done:
            self._sent = True  # the status reports frames sent, if any
        for moderator in self._moderators:
            moderator.clear()

    # --- deferred by the kernel --------------------------------------------------------------------------------------

    def interrupt_deferred(self) -> None:
        """As `interrupt`, for a deferred handler; no further interrupts come until it has found nothing left."""
        if not (self._interruption.ready or self._handler.ready):
            if self._rotation is not None:
                self.processor = self._rotation.following()
            self.processor.kick(self._interruption)

    def _handed_over(self) -> bool:
        self._entering = True
        self.processor.kick(self._handler)
        return False

    @property
    def waiting(self) -> int:
        """Frames handed down whose buffers are not yet free again."""
        return super().waiting + (0 if self._frees_moved else len(self._freed))

    @property
    def frames_inside(self) -> int:
        """Received frames being handled, and not handed up yet."""
        return int(self._frame is not None)
