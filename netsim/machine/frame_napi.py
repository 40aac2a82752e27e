"""A processor that takes frames from one queue as Linux does (NAPI), frame by frame, in a running simulation.

An interrupt masks its vector and begins a softirq, which polls: it cleans sent frames, takes up to `weight` frames, and
polls again as long as it got that many; then it unmasks interrupts. A process that polls the queue itself
(SO_BUSY_POLL) has no interrupts: it looks at the queue whenever it has nothing else to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mypy_extensions import mypyc_attr

from netsim.engine import Environment, Fifo, Planned
from netsim.machine.interrupt_policy import InterruptPolicy
from netsim.machine.processor import Processor
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS, Task
from netsim.machine.work import NOTHING, Work
from netsim.nic.queued_port import QueuedPort


class NapiWorks:
    """A processor's works: `interrupt`, up to its softirq (`waking`: on an idle processor), and `unmask`, with the
    return; and ps of a `poll`, and to `clean` each sent frame."""

    def __init__(self, interrupt: Work, waking: Work, unmask: Work, poll: int, clean: int) -> None:
        self.interrupt = interrupt
        self.waking = waking
        self.unmask = unmask
        self._poll, self._clean = poll, clean
        self._polls: dict[int, Work] = {}

    def poll(self, cleaned: int) -> Work:
        """A poll with `cleaned` frames to clean."""
        work = self._polls.get(cleaned)
        if work is None:
            time = self._poll + cleaned * self._clean
            work = self._polls[cleaned] = Work((("driver", time),), 0)
        return work


class NapiLimits:
    """A poll takes up to `weight` frames. The adapter holds interrupts back for intervals that count from the `first`
    event, or else from the last interrupt, in multiples of `step` (ps). A sent frame has `sent` bytes, as the policy
    counts them. With `polls` the process itself polls."""

    def __init__(self, weight: int, first: bool, step: int, sent: int, polls: bool) -> None:
        self.weight = weight
        self.first = first
        self.step = step
        self.sent = sent
        self.polls = polls

    def due(self, policy: InterruptPolicy, event: int, last: int) -> int:
        """When an interrupt may come for the first unannounced event (ps)."""
        interval = policy.interval // self.step * self.step
        return event + interval if self.first else max(event, last + interval)


@mypyc_attr(allow_interpreted_subclasses=True)
class FrameNapi:
    """Polls `port` on `processor`. `next_work` gives the work for a frame, which then goes to `deliver`. `watching`: a
    process that polls by itself is waiting for a frame."""

    def __init__(
        self, env: Environment, processor: Processor, port: QueuedPort, policy: InterruptPolicy, limits: NapiLimits,
        works: NapiWorks,
    ) -> None:  # fmt: skip
        self._calendar = env.calendar
        self.processor = processor
        self.port = port
        port.deliver = self.put
        self.policy = policy
        self._limits = limits
        self._works = works
        self._polls = limits.polls
        self.watching = False
        self.next_work: Callable[[], Work]
        self.deliver: Callable[[Any], None]
        self._raised, self._handled = self._raise, self._told_of  # bound once
        self._ring: Fifo[Any] = Fifo()
        self._interrupting = Task(INTERRUPT, self._begin_interrupt, self._end_interrupt)
        self._softirq = Task(PROCESS if limits.polls else DEFERRED, self._begin, self._end)
        self._call: Planned | None = None
        self._last = -(1 << 60)  # interrupt (ps)
        self._masked = self._pending = self._was_idle = False
        self._scheduled = self._fresh = False  # whether a softirq is scheduled; whether a poll is to begin
        self._work = NOTHING  # of the current poll
        self._taken = self._frames = self._bytes = self._cleaned = 0
        self.told = self.begun = 0  # when an interrupt came, and when its softirq began (ps)
        self.interrupts = self.rounds = self.delivered = self.cleaned = 0

    # --- interrupts ---------------------------------------------------------------------------------------------------

    def put(self, frame: Any) -> None:
        """A frame is in memory."""
        frame.in_memory = self._calendar.now
        self._ring.append(frame)
        if not self._polls:
            if not self._masked:
                self._tell()
        elif self.watching:
            self.watch()

    def _tell(self) -> None:
        """The adapter plans an interrupt, or raises it at once for enough frames."""
        now, policy = self._calendar.now, self.policy
        if policy.frames and len(self._ring) >= policy.frames:
            if self._call is not None:
                self._calendar.cancel(self._call)
            self._raise(None)
        elif self._call is None:
            due = self._limits.due(policy, self._ring[0].in_memory, self._last)
            self._call = self._calendar.call_at(max(now, due), self._raised, None)

    def _raise(self, _: object) -> None:
        self._call = None
        self._masked = True
        self._last = self._calendar.now
        self.interrupts += 1
        self.port.interrupt(self._handled)

    def _told_of(self, _: object) -> None:
        self.told = self._calendar.now
        self._pending = True
        self._was_idle = self.processor.task is None
        self.processor.kick(self._interrupting)

    def _begin_interrupt(self) -> Work | None:
        if not self._pending:
            return None
        return self._works.waking if self._was_idle else self._works.interrupt

    def _end_interrupt(self) -> bool:
        self._pending = False
        self._schedule()
        return False

    # --- polls --------------------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """The process waits; if it polls, it watches the queue."""
        self.watching = True
        if self._polls and self._ring and not self._scheduled:
            self._schedule()

    def _schedule(self) -> None:
        self._scheduled = self._fresh = True
        self.processor.kick(self._softirq)

    def _begin(self) -> Work | None:
        if not self._scheduled:
            return None
        if self._fresh:
            self._begin_poll()
        elif self._ring:
            self._work = self.next_work()
        elif self._polls:
            self._scheduled = False
            self._taken = 0
            return None
        else:
            self._work = self._works.unmask
        return self._work

    def _begin_poll(self) -> None:
        if not self._taken:
            self.begun = self._calendar.now
        self._taken = 0
        self._cleaned = self.port.reported - self.cleaned
        self._work = self._works.poll(self._cleaned)

    def _end(self) -> bool:
        if self._fresh:
            self._fresh = False
            self.rounds += 1
            self.cleaned += self._cleaned
        elif self._work is self._works.unmask:
            self._unmask()
            return False
        else:
            self._take()
        return True

    def _take(self) -> None:
        frame = self._ring.popleft()
        self._taken += 1
        self._frames += 1
        self._bytes += frame.buffer
        self.delivered += 1
        self.deliver(frame)
        self.watching = False
        self._fresh = self._taken == self._limits.weight and not self._polls

    def _unmask(self) -> None:
        now = self._calendar.now
        self.policy.handled((self._frames, self._bytes), (self._cleaned, self._cleaned * self._limits.sent), now)
        self._frames = self._bytes = self._taken = 0
        self._scheduled = self._masked = False
        if self._ring:
            self._tell()

    @property
    def waiting(self) -> int:
        """Frames in memory that no poll has taken yet."""
        return len(self._ring)
