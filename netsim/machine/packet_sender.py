"""A processor that sends packets as fast as it can, and cleans its ring when interrupts announce packets sent, in a
running simulation: Linux's pktgen on one processor. Only interrupts are events; sending between them is arithmetic.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.nic import TransmitQueue


class SenderCosts:
    """ps to hand over each packet (`packet`, with its doorbell) and to clean it (`clean`), for an `interrupt` (with its
    softirq), and for each `poll`, which cleans up to `work` packets."""

    def __init__(self, packet: int, clean: int, interrupt: int, poll: int, work: int) -> None:
        self.packet = packet
        self.clean = clean
        self.interrupt = interrupt
        self.poll = poll
        self.work = work


class ThrottleWay:
    """How the adapter throttles interrupts: intervals count from the `first` event, or else from the last interrupt, in
    multiples of `step`; an interrupt reaches the processor `message` later (ps)."""

    def __init__(self, first: bool, step: int, message: int) -> None:
        self.first = first
        self.step = step
        self.message = message


@mypyc_attr(allow_interpreted_subclasses=True)
class PacketSender:
    """Hands packets of `size` bytes to `queue` until `room` of them are waiting to be cleaned."""

    def __init__(
        self, env: Environment, queue: TransmitQueue, room: int, size: int, policy: InterruptPolicy,
        way: ThrottleWay, costs: SenderCosts,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.queue = queue
        self._room = room
        self._size = size
        self.policy = policy
        self._way = way
        self._costs = costs
        self._interrupts, self._goes_on = self._interrupt, self._go_on  # bound once
        self._resumed = 0  # when it last began to send (ps)
        self._carried = 0  # ps already spent on the next packet by then
        self._last = -(1 << 60)  # interrupt (ps)
        self._end = 0  # of an interrupt's work (ps)
        self._cleaned = 0  # packets cleaned by that work
        self.interrupts = self.polls = 0
        self.send_time = self.clean_time = self.interrupt_time = self.ring_time = 0  # ps

    def start(self) -> None:
        """Begin to send."""
        self._resumed = self._calendar.now
        self._plan()

    def _plan(self) -> None:
        """Plan the next interrupt."""
        policy, way = self.policy, self._way
        first = self._done(1)
        interval = policy.interval // way.step * way.step
        due = first + interval if way.first else max(first, self._last + interval)
        if policy.frames:
            due = min(due, max(first, self._done(min(policy.frames, self._room))))
        self._calendar.call_at(max(due, self._resumed) + way.message, self._interrupts, None)

    def _done(self, frames: int) -> int:
        """When n packets will be known to be sent, if it continues sending (ps)."""
        known = self.queue.done_time(frames)
        if known >= 0:
            return known
        new = frames - self.queue.unclean
        return self.queue.would_be_done(self._resumed - self._carried + new * self._costs.packet)

    def _interrupt(self, _: object) -> None:
        now = self._calendar.now
        self._send_until(now)
        before, self._last = self._last, now - self._way.message
        self.interrupts += 1
        self.interrupt_time += self._costs.interrupt
        self._end, cleaned = self._clean(now + self._costs.interrupt)
        self._resumed = self._end  # a reading at that time may precede its call
        self._cleaned = cleaned
        if before >= 0:
            self.ring_time += (self._last - before) * min(cleaned, self._room) // self._room
        self.policy.handled((0, 0), (cleaned, cleaned * self._size), self._end)
        self._calendar.call_at(self._end, self._goes_on, None)

    def _send_until(self, now: int) -> None:
        """Hand over the packets since it began: it stops at a full ring, or in the middle of a packet."""
        each = self._costs.packet
        spent = now - self._resumed + self._carried
        free = self._room - self.queue.unclean
        packets = min(free, spent // each)
        first = self._resumed - self._carried + each
        if packets:
            self.queue.put(first, each, packets)
        new = packets * each if packets == free else spent
        self.send_time += new - self._carried
        self._carried = 0 if packets == free else spent - packets * each

    def _clean(self, now: int) -> tuple[int, int]:
        """Polls from `now` on: when they are over, and how many packets they have cleaned."""
        costs, queue, cleaned = self._costs, self.queue, 0
        while True:
            now += costs.poll
            some = min(queue.done(now) - cleaned, costs.work)
            now += some * costs.clean
            cleaned += some
            self.polls += 1
            self.clean_time += costs.poll + some * costs.clean
            if some < costs.work:
                return now, cleaned

    def _go_on(self, _: object) -> None:
        self.queue.clean(self._cleaned)
        self._plan()

    @property
    def delivered(self) -> int:
        """Packets sent, as far as the driver knows."""
        return self.queue.cleaned

    def work(self, now: int) -> dict[str, int]:
        """ps up to `now` by kind of work. This includes sending since the last interrupt. While the ring is full the
        processor does nothing, which pktgen calls idle."""
        ahead = max(0, self._end - now)
        clean = max(0, self.clean_time - ahead)
        interrupt = self.interrupt_time - max(0, ahead - self.clean_time)
        sending = 0
        if now >= self._end:
            free = self._room - self.queue.unclean
            sending = min(now - self._resumed, max(0, free * self._costs.packet - self._carried))
        return {"send": self.send_time + sending, "clean": clean, "interrupts": interrupt}
