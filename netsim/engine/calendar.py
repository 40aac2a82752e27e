"""The clock and the list of planned calls, in the order of their times, and in the order of planning for equal times.

Components are callback state machines: they plan one call for each of their events. This event list is compiled;
netsim.engine.heap_calendar is its twin for Python's interpreter.

Most calls are planned for the near future, and are inserted into a chain. Calls far ahead go into a pairing heap
instead, where a new call costs one comparison, however many there are (Fredman et al., 1986).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from mypy_extensions import i64, mypyc_attr, trait

from netsim.engine.meter import Meter
from netsim.errors import SimulationError

URGENT: Final = -(2**62)  # added to the number of a call that precedes all others of its time
MOST: Final = 10**6  # calls planned at one time for that time: without these, time can't stand still
_NEAR: Final = 12  # calls in the chain with which a new one is compared


@trait
@mypyc_attr(allow_interpreted_subclasses=True)
class Serving:
    """A server that is busy for a known time: when compiled, its call needs no indirection."""

    __slots__ = ()

    def finished(self, customer: Any) -> None:
        """That time is over."""
        raise NotImplementedError


@final
@mypyc_attr(free_list_len=1)
class Planned:
    """A planned call: `function(argument)`, or that of a `server`, at `time` (ps), for equal times in `order`. The
    `following` call is behind it in the chain, or beside it in the heap; in the heap those `below` it come later.
    """

    __slots__ = ("argument", "below", "following", "function", "order", "server", "time")

    def __init__(self, time: i64, order: i64, function: Callable[[Any], None], argument: Any) -> None:
        self.time = time
        self.order = order
        self.function = function
        self.argument = argument
        self.server: Serving | None = None
        self.following: Planned | None = None
        self.below: Planned | None = None

    def precedes(self, other: Planned) -> bool:
        """Whether it comes before `other`."""
        return self.time < other.time or (self.time == other.time and self.order < other.order)


@final
class Calendar:
    """The clock, `now` (ps), and the planned calls. `events` counts those made so far."""

    __slots__ = ("_checked", "_far", "_near", "_number", "_present", "_skipped", "events", "now")

    def __init__(self) -> None:
        self.now: i64 = 0
        self.events: i64 = 0
        self._number: i64 = 0  # of calls planned so far
        self._checked: i64 = -1  # ps: when MOST calls had been planned for a time that had come
        self._present: i64 = 0  # as many were planned since
        self._near: Planned | None = None  # the first of the chain
        self._far: Planned | None = None  # the first of the heap
        self._skipped: Callable[[Any], None] = self._skip  # bound once

    def __len__(self) -> int:
        return len(self._all())

    def call_at(self, time: i64, function: Callable[[Any], None], argument: Any = None) -> Planned:
        """Call `function(argument)` at `time` (ps). The planned call, which is returned, may be cancelled until
        then."""
        self._number += 1
        return self._plan(time, self._number, function, argument)

    def finish_at(self, time: i64, server: Serving, customer: Any) -> Planned:
        """As `call_at`: the `server` finishes with `customer` at `time` (ps)."""
        self._number += 1
        call = self._plan(time, self._number, self._skipped, customer)
        call.server = server
        return call

    def call_first(self, time: i64, function: Callable[[Any], None], argument: Any) -> Planned:
        """As `call_at`, ahead of all calls of that time."""
        self._number += 1
        return self._plan(time, self._number + URGENT, function, argument)

    def _plan(self, time: i64, order: i64, function: Callable[[Any], None], argument: Any) -> Planned:
        if time <= self.now:
            self._present += 1
            if time < self.now or self._present > MOST:
                self._check(time)
        call = Planned(time, order, function, argument)
        before = self._near
        if before is None or time < before.time or (time == before.time and order < before.order):
            call.following = before
            self._near = call
            return call
        left: i64 = _NEAR
        while left > 0:
            behind = before.following
            if behind is None or time < behind.time or (time == behind.time and order < behind.order):
                call.following = behind
                before.following = call
                return call
            before = behind
            left -= 1
        self._far = call if self._far is None else _joined(self._far, call)
        return call

    def _check(self, time: i64) -> None:
        """Refuse a call for the past; and one for the present, if that has not changed since the last check."""
        if time < self.now:
            raise SimulationError(f"an event for {time} ps was planned too late, at {self.now} ps")
        if time == self._checked:
            raise SimulationError(f"time stands still at {time} ps, where a million events have planned others")
        self._checked, self._present = time, 0

    def cancel(self, call: Planned) -> None:
        """Do not make the planned `call`. It stays in the list until its time, and does not count as an event."""
        call.function = self._skipped
        call.server = None

    def _skip(self, _: Any) -> None:
        """The function of a cancelled call."""

    def run_to(self, until: i64) -> None:
        """Make all calls before `until` (ps), and then set the clock to it."""
        call = self._first()
        while call is not None and call.time < until:
            self._make(call)
            call = self._first()
        self.now = until

    def run_until(self, meter: Meter, latest: i64, after: i64 = -1) -> None:
        """Make calls until one at a time other than `after` (ps) changes the reading of `meter`, or up to the last one
        that is due by `latest` (ps)."""
        before = meter.reading()
        call = self._first_of_all()
        while call is not None and call.time <= latest:
            self._make(call)
            if self.now != after and meter.reading() != before:
                return
            call = self._first_of_all()

    def step(self) -> None:
        """Make the next call. At least one must be planned."""
        call = self._first()
        if call is not None:
            self._make(call)

    def _make(self, call: Planned) -> None:
        """Take the first call from the list, and make it unless it is cancelled."""
        self._take(call)
        server = call.server
        if server is not None:
            self.now = call.time
            self.events += 1
            server.finished(call.argument)
            return
        function = call.function
        if function is not self._skipped:
            self.now = call.time
            self.events += 1
            function(call.argument)

    def _first(self) -> Planned | None:
        near, far = self._near, self._far
        return near if far is None or (near is not None and near.precedes(far)) else far

    def _take(self, call: Planned) -> None:
        if call is self._near:
            self._near = call.following
            call.following = None
        else:
            self._far = _without_first(call)

    def next_time(self) -> int | None:
        """When the next call is due (ps); None: nothing is planned any more."""
        call = self._first_of_all()
        return None if call is None else call.time

    def _first_of_all(self) -> Planned | None:
        """The first call that has not been cancelled. Cancelled ones before it are removed."""
        call = self._first()
        while call is not None and call.server is None and call.function is self._skipped:
            self._take(call)
            call = self._first()
        return call

    def planned(self, function: Callable[[Any], None]) -> int:
        """The number of planned calls of `function`."""
        return sum([call.function == function for call in self._all()])

    def _all(self) -> list[Planned]:
        found: list[Planned] = []
        left = [self._near, self._far]
        while left:
            call = left.pop()
            if call is not None:
                found.append(call)
                left += (call.following, call.below)
        return found


def _joined(one: Planned, other: Planned) -> Planned:
    """Two heaps joined: that of the later call goes below the earlier one."""
    if other.precedes(one):
        one, other = other, one
    other.following = one.below
    one.below = other
    return one


def _without_first(first: Planned) -> Planned | None:
    """A heap without its first call: the heaps below it are joined in pairs, and the pairs from the last to the
    first."""
    rest, first.below = first.below, None
    pairs: Planned | None = None
    while rest is not None:
        one, other = rest, rest.following
        rest = None
        if other is not None:
            rest = other.following
            one = _joined(one, other)
        one.following = pairs
        pairs = one
    if pairs is None:
        return None
    whole, rest = pairs, pairs.following
    while rest is not None:
        one, rest = rest, rest.following
        whole = _joined(whole, one)
    whole.following = None
    return whole
