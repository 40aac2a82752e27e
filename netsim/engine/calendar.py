"""The clock and the list of what will happen, in the order of its times, and of its planning where times are equal.

Components are callback state machines: they plan one call for each thing that will happen to them. This is the event
list that is compiled; netsim.engine.heap_calendar is its twin for Python's interpreter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from mypy_extensions import i64, mypyc_attr

from netsim.errors import SimulationError

URGENT: Final = -(2**62)  # added to the number of a call that goes ahead of all others of its time


@final
@mypyc_attr(free_list_len=1)
class Planned:
    """A call that is planned: `function(argument)` at `time` (ps), of equal times in `order`."""

    __slots__ = ("argument", "function", "order", "time")

    def __init__(self, time: i64, order: i64, function: Callable[[Any], None], argument: Any) -> None:
        self.time = time
        self.order = order
        self.function = function
        self.argument = argument


@final
class Calendar:
    """The clock, `now` (ps), and the calls that are planned. `events` counts those that have been made."""

    __slots__ = ("_heap", "_number", "_skipped", "events", "now")

    def __init__(self) -> None:
        self.now: i64 = 0
        self.events: i64 = 0
        self._number: i64 = 0  # of calls planned so far
        self._heap: list[Planned] = []
        self._skipped: Callable[[Any], None] = self._skip  # bound once

    def __len__(self) -> int:
        return len(self._heap)

    def call_at(self, time: i64, function: Callable[[Any], None], argument: Any = None) -> Planned:
        """Call `function(argument)` at `time` (ps). What is returned may be cancelled until then."""
        self._number += 1
        return self._plan(time, self._number, function, argument)

    def call_first(self, time: i64, function: Callable[[Any], None], argument: Any) -> Planned:
        """As `call_at`, ahead of all calls of that time."""
        self._number += 1
        return self._plan(time, self._number + URGENT, function, argument)

    def _plan(self, time: i64, order: i64, function: Callable[[Any], None], argument: Any) -> Planned:
        if time < self.now:
            raise SimulationError(f"an event for {time} ps was planned at {self.now} ps, after its time")
        call = Planned(time, order, function, argument)
        heap = self._heap
        heap.append(call)
        at: i64 = len(heap) - 1
        while at > 0:
            above: i64 = (at - 1) >> 1
            other = heap[above]
            if other.time < time or (other.time == time and other.order < order):
                break
            heap[at] = other
            at = above
        heap[at] = call
        return call

    def cancel(self, call: Planned) -> None:
        """Do not make `call`, which is planned. It stays in the list until its time, and is no event."""
        call.function = self._skipped

    def _skip(self, _: Any) -> None:
        self.events -= 1

    def run_to(self, until: i64) -> None:
        """Make all calls before `until` (ps), where the clock then stands."""
        heap = self._heap
        while len(heap) > 0 and heap[0].time < until:
            self.step()
        self.now = until

    def run_until(self, over: Callable[[], bool], latest: i64) -> None:
        """Make calls until one has made it `over`, or up to the last one that is due by `latest` (ps)."""
        while True:
            self._take_cancelled()
            if not self._heap or self._heap[0].time > latest:
                return
            self.step()
            if over():
                return

    def step(self) -> None:
        """Make the next call, of one or more."""
        call = self._take()
        self.now = call.time
        self.events += 1
        function = call.function
        function(call.argument)

    def _take(self) -> Planned:
        """The first call leaves the list, and the last one sinks from its place to where it belongs."""
        heap = self._heap
        first, last = heap[0], heap.pop()
        size: i64 = len(heap)
        if size == 0:
            return first
        time, order = last.time, last.order
        at: i64 = 0
        below: i64 = 1
        while below < size:
            one = heap[below]
            if below + 1 < size:
                other = heap[below + 1]
                if other.time < one.time or (other.time == one.time and other.order < one.order):
                    below += 1
                    one = other
            if time < one.time or (time == one.time and order < one.order):
                break
            heap[at] = one
            at = below
            below = 2 * at + 1
        heap[at] = last
        return first

    def next_time(self) -> int | None:
        """When the next call is due (ps); None: nothing is planned any more."""
        self._take_cancelled()
        return self._heap[0].time if self._heap else None

    def _take_cancelled(self) -> None:
        """Those at the head of the list leave it."""
        heap = self._heap
        while len(heap) > 0 and heap[0].function is self._skipped:
            self._take()

    def planned(self, function: Callable[[Any], None]) -> int:
        """How many calls of `function` are planned."""
        return sum(call.function == function for call in self._heap)
