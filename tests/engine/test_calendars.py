"""The event lists are equivalent: the compilable one, compiled or not, and the interpreter's own."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import netsim
from netsim.bus import Bus
from netsim.engine import CountMeter, Environment, FunctionMeter
from netsim.engine.calendar import Calendar
from netsim.engine.heap_calendar import HeapCalendar
from netsim.errors import SimulationError
from tests.storage_parts import BUS

SOURCE = Path(netsim.__file__).with_name("engine") / "calendar.py"
INTERPRETED = runpy.run_path(str(SOURCE))["Calendar"]
KINDS = [Calendar, INTERPRETED, HeapCalendar]
kinds = pytest.mark.parametrize("kind", KINDS, ids=["calendar", "interpreted", "heap"])

DELAYS = st.integers(0, 6) | st.sampled_from([2**40, 2**61])
# Actions of a call: plan one or two more, cancel a planned one, fail.
IN_CALLS = st.lists(
    st.tuples(st.sampled_from(["at", "first", "finish"]), DELAYS)
    | st.tuples(st.just("cancel"), st.integers(0, 100))
    | st.tuples(st.sampled_from(["nothing", "fail"]), st.just(0)),
    max_size=40,
)
# Actions from outside, between calls.
OUTSIDE = st.lists(
    st.tuples(st.sampled_from(["at", "first", "finish", "run", "until"]), DELAYS)
    | st.tuples(st.just("cancel"), st.integers(0, 100))
    | st.tuples(st.sampled_from(["step", "next"]), st.just(0)),
    max_size=40,
)
Action = tuple[str, int]


class CallFailed(Exception):
    """Raised within a call."""


class Told(Bus):
    """A server that passes on finished calls."""

    def __init__(self, call: Callable[[int], None]) -> None:
        super().__init__(Environment(), BUS, "bus")
        self._call = call

    def finished(self, number: Any) -> None:
        self._call(number)


class Story:
    """Everything that happens in a calendar driven by these actions. Calls take theirs in turn, so calendars with
    different orders produce different stories."""

    def __init__(self, calendar: Any, outside: Sequence[Action], in_calls: Sequence[Action]) -> None:
        self.calendar = calendar
        self.told: list[tuple[Any, ...]] = []
        self._in_calls: Iterator[Action] = iter(in_calls)
        self._planned: dict[int, Any] = {}  # by number
        self._server = Told(self._call)
        self._count = 0
        for what, number in outside:
            self._act(what, number)
            self._look()
        while calendar.next_time() is not None:
            self._act("step", 0)
        self._look()

    def _look(self) -> None:
        calendar = self.calendar
        self.told.append((calendar.now, calendar.events, len(calendar), calendar.planned(self._call)))

    def _act(self, what: str, number: int) -> None:
        try:
            self._do(what, number)
        except CallFailed:
            self.told.append(("failed", self.calendar.now))

    def _do(self, what: str, number: int) -> None:
        calendar = self.calendar
        if what in ("at", "first"):
            self._count += 1
            plan = calendar.call_at if what == "at" else calendar.call_first
            self._planned[self._count] = plan(min(calendar.now + number, 2**62), self._call, self._count)
        elif what == "finish":
            self._count += 1
            time = min(calendar.now + number, 2**62)
            self._planned[self._count] = calendar.finish_at(time, self._server, self._count)
        elif what == "cancel" and self._planned:
            which = sorted(self._planned)[number % len(self._planned)]
            calendar.cancel(self._planned.pop(which))
        elif what == "run":
            calendar.run_to(min(calendar.now + number, 2**62))
        elif what == "until":
            every_third = FunctionMeter(lambda: calendar.events // 3)
            calendar.run_until(every_third, min(calendar.now + number, 2**62), after=calendar.now)
        elif what == "step" and calendar.next_time() is not None:
            calendar.step()
        elif what == "next":
            self.told.append((calendar.next_time(),))
        elif what == "fail":
            raise CallFailed

    def _call(self, number: int) -> None:
        del self._planned[number]
        self.told.append((number, self.calendar.now))
        for what, argument in (next(self._in_calls, ("nothing", 0)), next(self._in_calls, ("nothing", 0))):
            self._do(what, argument)


@settings(max_examples=300, deadline=None)
@given(OUTSIDE, IN_CALLS)
@example([("at", 3), ("first", 3), ("at", 3), ("cancel", 1), ("run", 3), ("run", 1)], [])
@example([("at", 1)] * 5 + [("run", 9)] * 4, [("first", 0), ("nothing", 0), ("fail", 0), ("nothing", 0), ("cancel", 0)])
def test_all_tell_the_same(outside: list[Action], in_calls: list[Action]) -> None:
    """Order, times and counts, also if calls are cancelled, overtake others, or fail in the middle of a run."""
    stories = [Story(kind(), outside, in_calls).told for kind in KINDS]
    assert stories[0] == stories[1] == stories[2]


@kinds
def test_the_order_is_that_of_time_and_planning(kind: Any) -> None:
    calendar, made = kind(), []
    calendar.call_at(5, made.append, "a")
    calendar.call_at(7, made.append, "late")
    calendar.call_at(5, made.append, "b")
    calendar.call_first(5, made.append, "ahead")
    calendar.call_first(5, made.append, "ahead, too")
    calendar.run_to(7)
    assert made == ["ahead", "ahead, too", "a", "b"]
    assert (calendar.now, calendar.events, len(calendar), calendar.next_time()) == (7, 4, 1, 7)


@kinds
def test_it_runs_until_a_call_has_made_it_over(kind: Any) -> None:
    calendar, made = kind(), []
    for time in (3, 5, 5, 8):
        calendar.call_at(time, made.append, time)
    calendar.cancel(calendar.call_at(1, made.append, 1))
    calendar.run_until(FunctionMeter(lambda: len(made) // 2), 8)
    assert (made, calendar.now, calendar.events) == ([3, 5], 5, 2)
    calendar.run_until(CountMeter(), 5)  # calls that are due are made
    assert (made, calendar.now) == ([3, 5, 5], 5)
    calendar.run_until(CountMeter(), 7)
    assert (calendar.now, calendar.next_time()) == (5, 8)  # the clock shows the last call's time


@kinds
def test_what_is_cancelled_is_no_event(kind: Any) -> None:
    calendar, made = kind(), []
    call = calendar.call_at(5, made.append, "cancelled")
    calendar.call_at(6, made.append, "made")
    calendar.cancel(call)
    assert (len(calendar), calendar.next_time(), len(calendar)) == (2, 6, 1)
    calendar.run_to(10)
    assert (made, calendar.events, calendar.next_time()) == (["made"], 1, None)


@kinds
def test_a_call_that_fails_leaves_the_others(kind: Any) -> None:
    calendar, made = kind(), []

    def fail(_: Any) -> None:
        raise CallFailed

    calendar.call_at(5, fail)
    calendar.call_at(6, made.append, 6)
    with pytest.raises(CallFailed):
        calendar.run_to(100)
    assert (calendar.now, calendar.events, len(calendar), calendar.next_time()) == (5, 1, 1, 6)
    calendar.run_to(100)
    assert (made, calendar.now, calendar.events, len(calendar)) == ([6], 100, 2, 0)


@kinds
def test_nothing_is_planned_before_its_time(kind: Any) -> None:
    calendar = kind()
    calendar.run_to(10)
    with pytest.raises(SimulationError, match="an event for 9 ps was planned too late, at 10 ps"):
        calendar.call_at(9, print)
    assert len(calendar) == 0


@kinds
def test_time_does_not_stand_still(kind: Any) -> None:
    """Many calls for a time that has not come, or at several times, are allowed."""
    calendar, made = kind(), []

    def again(left: int) -> None:
        made.append(left)
        if left:
            calendar.call_at(calendar.now + (left == 400_000), again, left - 1)

    calendar.call_at(7, again, 1_200_000)
    calendar.run_to(10)
    assert (len(made), calendar.now) == (1_200_001, 10)
    calendar.call_at(11, again, 4_000_000)
    with pytest.raises(SimulationError, match=r"^time stands still at 11 ps, where a million events "):
        calendar.run_to(20)


@kinds
@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_any_number_comes_out_sorted(kind: Any, count: int) -> None:
    """Also if all are due at once, or planned from last to first."""
    for times in ([n * 7919 % count for n in range(count)], [5] * count, [*range(count, 0, -1)]):
        calendar, made = kind(), []
        for number, time in enumerate(times):
            calendar.call_at(time, made.append, (time, number))
        calendar.run_to(10**6)
        assert made == sorted(made)
        assert (len(made), calendar.events) == (count, count)


@kinds
@pytest.mark.parametrize("until", [5, 100, 500, 999])
def test_a_run_that_fails_leaves_them_in_order(kind: Any, until: int) -> None:
    calendar, made = kind(), []

    def fail(_: Any) -> None:
        raise CallFailed

    for number in range(1000):
        calendar.call_at(1 + number * 7919 % 1000, made.append, 1 + number * 7919 % 1000)
    calendar.call_at(0, fail)
    with pytest.raises(CallFailed):
        calendar.run_to(until)
    calendar.run_to(10**6)
    assert made == [*range(1, 1001)]
