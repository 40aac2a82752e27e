"""The clock and the event list: SimPy's own environment, with integer picoseconds and a lane for callbacks.

Components are callback state machines: they push one plain entry on SimPy's heap for each thing that will happen.
Generator processes, SimPy's or a user's, run beside them on the same heap and in the same order.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

import numpy as np
import simpy
from simpy.core import EmptySchedule, StopSimulation
from simpy.events import NORMAL, URGENT, Event, EventPriority

from netsim.errors import SimulationError

# An entry of the heap: time, priority, number, function, argument. The number is unique, so two entries never compare
# further than that, and equal times keep the order in which they were pushed. Hot paths push entries themselves.
Entry = tuple[int, int, int, Callable[[Any], None], Any]
Part = TypeVar("Part")


class Environment(simpy.Environment):
    """SimPy's Environment with integer time in picoseconds.

    `env.timeout(12_500_000)` is 12.5 us. A delay that is not a whole number is refused: exact times are what makes
    equal times equal and a run repeatable bit for bit.

    Hot paths read `_now` and push entries on `queue` themselves: a call would cost more than what it does. They also
    take a callable out of an attribute before they call it (`end = task.end; end()`): Python's interpreter has no
    short way to call what it looks for as a method and finds in an instance.
    """

    _now: int  # in SimPy a fraction

    def __init__(self, seed: int = 0) -> None:
        super().__init__(initial_time=0)
        self.seed = seed
        self.events = 0  # processed so far, callbacks and SimPy events alike
        self.queue: list[Entry] = self._queue  # type: ignore[assignment]
        self.numbers = self._eid

    @property
    def now(self) -> int:
        """The current time in ps."""
        return self._now

    def call_at(self, time: int, function: Callable[[Any], None], argument: Any = None) -> None:
        """Call `function(argument)` at `time` (ps)."""
        if time < self._now:
            raise SimulationError(f"an event for {time} ps was planned at {self._now} ps, after its time")
        heappush(self.queue, (time, NORMAL, next(self.numbers), function, argument))

    def call_in(self, delay: int, function: Callable[[Any], None], argument: Any = None) -> None:
        """Call `function(argument)` after `delay` (ps)."""
        self.call_at(self._now + delay, function, argument)

    def schedule(self, event: Event, priority: EventPriority = NORMAL, delay: float = 0) -> None:
        """SimPy's own entry point, for events and processes."""
        if delay != int(delay):
            raise SimulationError(f"time is a whole number of picoseconds, and {delay!r} is not")
        heappush(self.queue, (self._now + int(delay), priority, next(self.numbers), _fire, event))

    def step(self) -> None:
        """Process the next entry."""
        if not self.queue:
            raise EmptySchedule
        self._now, _, _, function, argument = heappop(self.queue)
        self.events += 1
        function(argument)

    def run(self, until: Any = None) -> Any:
        """Run to a time (ps), to a SimPy event, or until nothing is left to happen."""
        if until is not None and not isinstance(until, Event):
            if until != int(until) or until < self._now:
                raise SimulationError(f"can't run until {until!r} ps from {self._now} ps")
            return self._run_to(int(until))
        return super().run(until)

    def _run_to(self, until: int) -> None:
        """The inlined loop: everything before `until` happens, and the clock then stands at `until`."""
        queue = self.queue
        stop = (until, URGENT, next(self.numbers), _stop, None)
        heappush(queue, stop)
        count = 0
        try:
            while True:
                self._now, _, _, function, argument = heappop(queue)
                count += 1
                function(argument)
        except StopSimulation:
            count -= 1  # the stop itself is no event of the model
        except BaseException:
            queue.remove(stop)
            heapify(queue)
            raise
        finally:
            self.events += count

    def part(self, kind: type[Part]) -> type[Part]:
        """The class of which to build a part of the machine that is to do what `kind` does: `kind` itself. A watched
        environment has others, which tell what they do (netsim.watch), so that a run without watchers pays nothing."""
        return kind

    def stream(self, name: str) -> np.random.Generator:
        """The random stream of one component: the same for the same seed and name, whatever the others draw."""
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(key,)))


def _fire(event: Event) -> None:
    """What SimPy's own step does with an event."""
    callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
    for callback in callbacks:
        callback(event)
    if not event._ok and not hasattr(event, "_defused"):
        failure = event._value
        raise type(failure)(*failure.args) from failure


def _stop(_: Any) -> None:
    raise StopSimulation(None)


class Idle:
    """The times ahead in which a server will be idle, where its customers are known before they come."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times: deque[tuple[int, int]] = deque()

    def add(self, start: int, end: int, now: int) -> None:
        """One more idle time, behind all others (ps)."""
        times = self._times
        while times and times[0][1] <= now:
            times.popleft()
        if end > now:
            times.append((start, end))

    def ahead(self, now: int) -> int:
        """ps of them from `now` on."""
        return sum(max(0, end - max(start, now)) for start, end in self._times)


class Timer:
    """A deadline that is moved often and seldom reached, such as a retransmission timer.

    Moving it costs an assignment. Only one entry is on the heap: when it fires early, it looks at the deadline and
    pushes itself again.
    """

    __slots__ = ("_entry", "_env", "_expired", "deadline")

    def __init__(self, env: Environment, expired: Callable[[], None]) -> None:
        self._env = env
        self._expired = expired
        self._entry: int | None = None  # when the entry on the heap will fire
        self.deadline: int | None = None  # ps, or None: not running

    def set(self, deadline: int) -> None:
        """Expire at `deadline` (ps), whatever was set before."""
        self.deadline = deadline
        if self._entry is None or self._entry > deadline:
            self._entry = deadline
            self._env.call_at(deadline, self._look, deadline)

    def cancel(self) -> None:
        """Do not expire."""
        self.deadline = None

    def _look(self, planned: int) -> None:
        if planned != self._entry:
            return  # an earlier entry took this one's place
        self._entry = None
        if self.deadline is None:
            return
        if self.deadline > planned:
            self.set(self.deadline)
        else:
            self.deadline = None
            self._expired()
