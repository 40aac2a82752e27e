"""SimPy's environment on netsim's clock: integer picoseconds, and a lane for callbacks.

Components are callback state machines that plan calls in the environment's calendar. Generator processes, SimPy's or a
user's, run with them in the same calendar and in the same order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import simpy
from simpy.core import BoundClass, EmptySchedule
from simpy.events import NORMAL, URGENT, Event, EventPriority, Process

from netsim.engine.interrupts import between_events
from netsim.engine.meter import Meter
from netsim.engine.queues import Calendar
from netsim.errors import SimulationError

FOREVER = 2**61  # ps: longer than any run, while the sum of two still fits in 64 bits
Part = TypeVar("Part")


class WholeTimeout(simpy.Timeout):
    """SimPy's Timeout, which says what is wrong with a delay like "5 us" or 0.5."""

    def __init__(self, env: simpy.Environment, delay: Any, value: Any = None) -> None:
        time = _whole(delay)
        if time < 0:
            raise SimulationError(f"a delay of {time} ps lies in the past; allowed: 0 or more")
        super().__init__(env, time, value)


class Environment(simpy.Environment):
    """SimPy's Environment with integer time in picoseconds.

    `env.timeout(12_500_000)` is 12.5 us. It refuses a delay that is not a whole number: only with exact times are equal
    times equal, and a run repeatable bit for bit. Events are planned in its `calendar`, which the parts of a machine
    use directly.
    """

    timeout = BoundClass(WholeTimeout)

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.calendar = Calendar()
        self.shared: dict[Any, Any] = {}  # tables that alike parts of the run share
        self._active_proc: Process | None = None  # as in SimPy's own __init__, without its event list
        BoundClass.bind_early(self)

    @property
    def now(self) -> int:
        """The current time in ps."""
        return self.calendar.now

    @property
    def events(self) -> int:
        """Events processed so far, both callbacks and SimPy events."""
        return self.calendar.events

    def call_at(self, time: int, function: Callable[[Any], None], argument: Any = None) -> None:
        """Call `function(argument)` at `time` (ps)."""
        self.calendar.call_at(_whole(time), function, argument)

    def call_in(self, delay: int, function: Callable[[Any], None], argument: Any = None) -> None:
        """Call `function(argument)` after `delay` (ps)."""
        self.calendar.call_at(_time(self.calendar.now + _whole(delay)), function, argument)

    def schedule(self, event: Event, priority: EventPriority = NORMAL, delay: float = 0) -> None:
        """SimPy's own entry point, for events and processes."""
        plan = self.calendar.call_first if priority == URGENT else self.calendar.call_at
        plan(_time(self.calendar.now + _whole(delay)), _fire, event)

    def peek(self) -> float:
        """When the next event is due (ps); infinite: nothing is planned any more."""
        time = self.calendar.next_time()
        return float("inf") if time is None else time

    def step(self) -> None:
        """Process the next event."""
        if self.calendar.next_time() is None:
            raise EmptySchedule
        self.calendar.step()

    def run(self, until: Any = None) -> Any:
        """Run to a time (ps), to a SimPy event, or until no event is left. Other than in SimPy, the current time is
        allowed, and nothing happens."""
        if until is None or isinstance(until, Event):
            with between_events(self.calendar):
                return super().run(until)
        end, now = _whole(until), self.calendar.now
        if not now <= end <= FOREVER:
            raise SimulationError(f"can't run until {end} ps from {now} ps; allowed: {now} to 2^61 ps (26 days)")
        with between_events(self.calendar):
            return self.calendar.run_to(end)

    def run_until(self, meter: Meter, latest: int, after: int = -1) -> None:
        """Process events until one at a time other than `after` (ps) changes the reading of `meter`, or up to the last
        one that is due by `latest` (ps)."""
        with between_events(self.calendar):
            self.calendar.run_until(meter, latest, after)

    def part(self, kind: type[Part]) -> type[Part]:
        """The class to use for a part of the machine of this `kind`: `kind` itself. A watched environment uses other
        classes, which report their actions (netsim.watch), so a run without watchers pays nothing."""
        return kind

    def stream(self, name: str) -> np.random.Generator:
        """The random stream of one component: the same for the same seed and name, regardless of other components'
        draws."""
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(key,)))


def _time(time: Any) -> Any:
    """A time that fits in 64 bits, with room to add to it. Raises SimulationError."""
    if not time <= 2 * FOREVER:
        raise SimulationError(f"an event can't be planned for {time} ps; allowed: up to 2^62 ps (53 days)")
    return time


def _whole(time: Any) -> int:
    """A time as a whole number (ps). Raises SimulationError."""
    if type(time) is not int and (not isinstance(time, Real) or _time(time) % 1):
        raise SimulationError(f"time is a whole number of picoseconds, and {time!r} is not")
    return int(_time(time))


def _fire(event: Event) -> None:
    """Process an event as SimPy's own step does."""
    callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
    for callback in callbacks:
        callback(event)
    if not event._ok and not hasattr(event, "_defused"):
        failure = event._value
        raise type(failure)(*failure.args) from failure
