"""A processor that takes packets from one receive queue as Linux does (NAPI), in a running simulation.

An interrupt masks its vector and begins a softirq, which polls: it takes up to `weight` packets, and polls again as
long as it got that many; then it unmasks interrupts. It returns descriptors during or after a poll (DescriptorReturns).
An event is an interrupt or the end of a poll, and each look at a queue if others share its link; packets in between are
arithmetic. A protocol stack builds on `done`, which a poll calls with the number of packets it has brought, and which
returns how much longer the poll takes.
"""

from __future__ import annotations

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.machine.descriptor_returns import DescriptorReturns
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.nic import ReceiveQueue, TransmitRing


class PollCosts:
    """ps of `interrupt` (with its softirq), `poll`, `brought` (a poll that brings packets), `packet`, and `thread`
    (ksoftirqd takes over). A packet takes `miss` longer if its data are not in the cache, as in the whole first round
    of a ring; later ones take `lost` longer on average, while more than `kept` packets wait."""

    def __init__(self, interrupt: int, poll: int, brought: int, packet: int, thread: int) -> None:
        self.interrupt = interrupt
        self.poll = poll
        self.brought = brought
        self.packet = packet
        self.thread = thread
        self.miss = 0
        self.lost = 0
        self.kept = 0


class PollLimits:
    """The limits of NapiSpec, in packets and jiffies (`softirq`, `restart`) of `jiffy` (ps). `since_first` says how the
    adapter counts its intervals, `message` is an interrupt's time to the processor, and `on_link` the time for which
    its message occupies the link (ps); with `polls` there are no interrupts."""

    def __init__(self, weight: int, budget: int, softirq: int, restarts: int, restart: int, jiffy: int) -> None:
        self.weight = weight
        self.budget = budget
        self.softirq = softirq
        self.restarts = restarts
        self.restart = restart
        self.jiffy = jiffy
        self.since_first = False
        self.message = self.on_link = 0
        self.step = 1  # of intervals
        self.polls = False


@mypyc_attr(allow_interpreted_subclasses=True)
class NapiCore:
    """One processor and its queue, whose packets have `size` bytes, as the policy counts them. Packets that a poll has
    brought go on to the ring `output`, if there is one."""

    def __init__(
        self, env: Environment, queue: ReceiveQueue, ring: int, size: int, policy: InterruptPolicy,
        limits: PollLimits, costs: PollCosts, returns: DescriptorReturns,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.queue = queue
        self.returns = returns
        self._ring = ring
        self._size = size
        self.policy = policy
        self._limits = limits
        self._costs = costs
        self.output: TransmitRing | None = None
        self._interrupts, self._ends, self._again = self._interrupt, self._polled, self._poll_again  # bound once
        self._looks, self._dealt = self._look, self._dealt_with
        self._last = -(1 << 60)  # interrupt (ps)
        self._handled = 0  # packets since that interrupt
        self._began = self._since = 0  # when the softirq began, and the first of consecutive ones (ps)
        self._in_softirq = self._rounds = self._in_poll = 0
        self._in_thread = False
        self._end = 0  # of the current work (ps)
        self.delivered = 0
        self.interrupts = self.polls = self.squeezed = self.threads = 0
        self.interrupt_time = self.poll_time = self.packet_time = self.thread_time = self.spin_time = 0  # ps

    def start(self) -> None:
        """Wait for the first packet."""
        self._wait(self._calendar.now)

    # --- interrupts ---------------------------------------------------------------------------------------------------

    def _wait(self, now: int) -> None:
        """Wait until packets are there, and the adapter announces them."""
        first = self.queue.next_ready(1)
        if first < 0:
            return
        limits, policy = self._limits, self.policy
        if limits.polls:
            self._spin(now, max(now, first))
            return
        interval = policy.interval // limits.step * limits.step
        due = first + interval if limits.since_first else max(first, self._last + interval)
        if policy.frames:
            enough = self.queue.next_ready(policy.frames)
            if 0 <= enough < due:
                due = enough
        self._calendar.call_at(max(due, now) + limits.message, self._interrupts, None)

    def _interrupt(self, _: object) -> None:
        now = self._calendar.now
        self._last = now - self._limits.message
        self.queue.interrupt(self._limits.on_link, self._last)
        self.interrupts += 1
        cost = self.interrupt_cost()
        self.interrupt_time += cost
        self._handled = self._in_softirq = self._rounds = 0
        self._in_thread = False
        self._began = self._since = now
        self._poll(now + cost)

    def interrupt_cost(self) -> int:
        """ps of the current interrupt."""
        return self._costs.interrupt

    def _spin(self, now: int, until: int) -> None:
        self.spin_time += until - now
        self._end = until
        self._calendar.call_at(until, self._again, None)

    def _poll_again(self, _: object) -> None:
        self._poll(self._calendar.now)

    # --- polls --------------------------------------------------------------------------------------------------------

    def _poll(self, now: int) -> None:
        """Take the packets that are there or come meanwhile, up to the weight."""
        self.polls += 1
        self.poll_time += self._costs.poll
        now += self._costs.poll
        if self.queue.shared:  # the looks of all processors have to be in order
            self._until(now, self._looks)
            return
        while (end := self._take(now)) >= 0:
            now = end
        self._until(now, self._ends)

    def _until(self, time: int, call: Callable[[object], None]) -> None:
        """It works until `time`, that of the next `call` (ps)."""
        self._end = time
        self._calendar.call_at(time, call, None)

    def _look(self, _: object) -> None:
        end = self._take(self._calendar.now)
        if end < 0:
            self._polled(None)
        else:
            self._until(end, self._looks)

    def _take(self, now: int) -> int:
        """Take the packets that are there. Returns when it will have handled them (ps); -1: the poll is over."""
        costs, queue, left = self._costs, self.queue, self._limits.weight - self._in_poll
        if not left:
            return -1
        queue.look(now)
        some = queue.ready(now, self.returns.next_portion(queue, left))
        if not some:
            return -1
        if not self._in_poll:
            now += costs.brought
            self.poll_time += costs.brought
        each = self._packet_time()
        queue.take(some, now, each)
        self.returns.owed += some
        self.packet_time += some * each
        self._in_poll += some
        return now + some * each

    def _packet_time(self) -> int:
        costs, queue = self._costs, self.queue
        if not costs.miss:
            return costs.packet
        if queue.taken < self._ring:
            return costs.packet + costs.miss
        return costs.packet + costs.lost if queue.waiting > costs.kept else costs.packet

    def _polled(self, _: object) -> None:
        now, taken = self._calendar.now, self._in_poll
        self._in_poll = 0
        self.queue.look(now)
        if self._is_over(taken):
            self.returns.poll_over(self.queue)
        more = self.done(taken)
        if more:
            self._end = now + more
            self._calendar.call_at(self._end, self._dealt, taken)
        else:
            self._polled_to(now, taken)

    def _dealt_with(self, taken: int) -> None:
        self._polled_to(self._calendar.now, taken)

    def _polled_to(self, now: int, taken: int) -> None:
        """A poll that brought `taken` packets is over."""
        self._handled += taken
        self._in_softirq += taken
        if self._limits.polls:
            self._wait(now)
        elif taken < self._limits.weight:
            self._complete(now)
        else:
            self._poll_on(self._allowed(now))

    def _is_over(self, taken: int) -> bool:
        """Whether the driver's poll is over after the last `taken` packets."""
        return True

    def done(self, packets: int) -> int:
        """A poll has brought n packets. Returns the ps that the layer above takes for them."""
        self.delivered += packets
        if self.output is not None:
            self.output.put(packets, self._calendar.now)
        return 0

    def _complete(self, now: int) -> None:
        """Interrupts are unmasked."""
        self.policy.handled((self._handled, self._handled * self._size), (0, 0), now)
        self._wait(now)

    def _allowed(self, now: int) -> int:
        """When the next poll may begin: at once, or later if the softirq has had its share."""
        limits = self._limits
        if self._in_softirq < limits.budget and self._ticks(self._began, now) < limits.softirq:
            return now
        self.squeezed += 1
        self._in_softirq = 0
        self._rounds += 1
        self._began = now
        if self._in_thread or not self._leaves(now):
            return now
        self._in_thread = True
        self.threads += 1
        self.thread_time += self._costs.thread
        return now + self._costs.thread

    def _leaves(self, now: int) -> bool:
        """Whether a softirq that has had its share leaves the rest to the thread."""
        return self._rounds >= self._limits.restarts or self._ticks(self._since, now) >= self._limits.restart

    def _ticks(self, since: int, now: int) -> int:
        """Ticks of the clock in between: the kernel reads its time limits in jiffies."""
        jiffy = self._limits.jiffy
        return now // jiffy - since // jiffy

    def _poll_on(self, now: int) -> None:
        """Begin the next of consecutive polls."""
        self._poll(now)

    # --- accounts -----------------------------------------------------------------------------------------------------

    def work(self, now: int) -> dict[str, int]:
        """ps up to `now` by kind of work. What goes on until `_end` began with the kinds listed last here."""
        ahead = max(0, self._end - now)
        own = {
            "packets": self.packet_time, "polls": self.poll_time, "interrupts": self.interrupt_time,
            "ksoftirqd": self.thread_time, "polling": self.spin_time,
        }  # fmt: skip
        for part in ("packets" if self._in_poll else "polling", "polls", "interrupts", "ksoftirqd"):
            less = min(ahead, own[part])
            own[part] -= less
            ahead -= less
        return {part: time for part, time in own.items() if time}
