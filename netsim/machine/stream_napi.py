"""Linux's poll loop with a protocol above it: interrupts announce frames received and data sent; the loop preempts the
process on its processor, until its work is left to a thread, which has to share the processor.

Source: Linux 5.4, kernel/softirq.c, __do_softirq: work left after some rounds or some time, or if a process was woken
here meanwhile, goes to ksoftirqd.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import mypyc_attr

from netsim.engine import Environment
from netsim.engine.queues import Planned
from netsim.machine.descriptor_returns import DescriptorReturns
from netsim.machine.fair_share import FairShare
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.machine.napi import NapiCore, PollCosts, PollLimits
from netsim.machine.server_core import ServerCore
from netsim.machine.tally import SCHEDULING, Cost
from netsim.nic import ReceiveQueue


@mypyc_attr(allow_interpreted_subclasses=True)
class PollUser:
    """The user of a poll loop. Its time goes to the `softirq` of the loop's core."""

    def frame_bill(self) -> Cost:
        """The cost of a frame brought by a poll."""
        raise NotImplementedError

    def taken(self, frames: int, complete: bool) -> None:
        """A poll has brought n frames; it is `complete` if no more were there."""
        raise NotImplementedError

    def sent_at(self) -> int:
        """When the first packet handed to the adapter will be known to be sent (ps); -1: none was handed over."""
        return -1


@final
class StreamNapi(NapiCore):
    """One queue pair, whose frames have `size` bytes, on a `core`. `sent_interval` is how long the adapter waits before
    it announces sent packets (ps). A poll is handled in portions of n frames (`limits.weight`, of a poll's `weight`):
    the layer above gets them as they come, not at the end of the poll."""

    def __init__(
        self, env: Environment, core: ServerCore, queue: ReceiveQueue, ring: int, size: int, policy: InterruptPolicy,
        limits: PollLimits, costs: PollCosts, returns: DescriptorReturns, bills: tuple[Cost, Cost, Cost, Cost],
        user: PollUser, sent_interval: int, weight: int, share: FairShare,
    ) -> None:  # fmt: skip
        super().__init__(env, queue, ring, size, policy, limits, costs, returns)
        self.core = core
        self._interrupt_bill, self._idle_bill, self._poll_bill, self._frame_bill = bills
        self._user = user
        self._sent_interval = sent_interval
        self._weight = weight
        self._taken = 0  # frames of the current poll
        self._share = share
        self._threaded = False  # the thread runs, or waits for its turn
        self._idle = False  # waits for an interrupt
        self._planned: Planned | None = None  # that interrupt

    def expect(self) -> None:
        """More frames are on their way: an interrupt may be due, or due sooner."""
        if self._idle and (self._planned is None or self.policy.frames):
            self._wait(self._calendar.now)

    def expect_sent(self) -> None:
        """A packet was handed to the adapter: plan an interrupt unless one is already on its way."""
        if self._idle and self._planned is None:
            self._wait(self._calendar.now)

    def _wait(self, now: int) -> None:
        self._idle = True
        due = self._due()
        if self._planned is not None:
            self._calendar.cancel(self._planned)
            self._planned = None
        if due >= 0:
            self._planned = self._calendar.call_at(max(due, now) + self._limits.message, self._interrupts, None)

    def _due(self) -> int:
        """When the adapter will send an interrupt (ps); -1: it has nothing to report."""
        received, sent = self._received_due(), self._user.sent_at()
        if sent < 0:
            return received
        sent += self._sent_interval
        return sent if received < 0 or sent < received else received

    def _received_due(self) -> int:
        first = self.queue.next_ready(1)
        if first < 0:
            return -1
        limits, policy = self._limits, self.policy
        interval = policy.interval // limits.step * limits.step
        due = first + interval if limits.since_first else max(first, self._last + interval)
        if policy.frames:
            enough = self.queue.next_ready(policy.frames)
            if 0 <= enough < due:
                due = enough
        return due

    def _interrupt(self, argument: object) -> None:
        self._idle = False
        self._planned = None
        self.queue.look(self._calendar.now)  # frames came before the interrupt's message takes the link
        super()._interrupt(argument)

    def interrupt_cost(self) -> int:
        """See NapiCore. An interrupt that finds its core idle also ends and begins the idle loop."""
        core = self.core
        core.resched = False
        core.softirq.add(self._interrupt_bill)
        if core.idle:
            core.softirq.add(self._idle_bill)
        core.occupy(core.softirq.total)
        return core.softirq.total

    def _poll(self, now: int) -> None:
        start = now
        if self._taken:
            self.polls -= 1  # it continues the same poll
        else:
            now += self._poll_bill.total
            self.core.softirq.add(self._poll_bill)
        super()._poll(now)
        self.core.occupy(self._end - start)

    def done(self, packets: int) -> int:
        """See NapiCore."""
        self.delivered += packets
        core = self.core
        core.softirq.add(self._frame_bill, packets)
        core.softirq_over()
        self._user.taken(packets, packets < self._limits.weight)
        more = core.softirq.total
        core.occupy(more)
        return more

    def _polled_to(self, now: int, taken: int) -> None:
        self.core.softirq_over()
        over = self._is_over(taken)
        self._taken = 0 if over else self._taken + taken
        super()._polled_to(now, taken)

    def _is_over(self, taken: int) -> bool:
        return taken < self._limits.weight or self._taken + taken >= self._weight

    # --- ksoftirqd ----------------------------------------------------------------------------------------------------

    def _leaves(self, now: int) -> bool:
        return self.core.resched or super()._leaves(now)

    def _poll_on(self, now: int) -> None:
        if self._in_thread and not self._threaded:
            self._threaded = True
            self.core.thread_wakes(self._share)
            self.core.softirq.spend(SCHEDULING, self._costs.thread)
            self.core.occupy(self._costs.thread)
        if not self._threaded or not self.core.thread_waits(now, self._again):
            self._poll(now)

    def _complete(self, now: int) -> None:
        if self._threaded:
            self._threaded = False
            self.core.thread_sleeps()
        super()._complete(now)
