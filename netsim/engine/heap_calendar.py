"""The event list for Python's interpreter: netsim.engine.calendar on heapq, which is written in C, in place of compiled
code."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any

from netsim.engine.calendar import MOST, URGENT, Serving
from netsim.engine.meter import Meter
from netsim.errors import SimulationError

# A planned call: time, order, function, argument. No two have the same order, and comparisons thus never go further.
_Planned = list[Any]


class _Stop(Exception):
    """The end of a run."""


def _stop(_: Any) -> None:
    raise _Stop


class HeapCalendar:
    """See netsim.engine.calendar.Calendar."""

    __slots__ = ("_checked", "_heap", "_number", "_present", "events", "now")

    def __init__(self) -> None:
        self.now = 0
        self.events = 0
        self._heap: list[_Planned] = []
        self._number = 0  # of calls planned so far
        self._checked, self._present = -1, 0  # see Calendar

    def __len__(self) -> int:
        return len(self._heap)

    def call_at(self, time: int, function: Callable[[Any], None], argument: Any = None) -> _Planned:
        """See Calendar."""
        if time <= self.now:
            self._present += 1
            if time < self.now or self._present > MOST:
                self._check(time)
        self._number = number = self._number + 1
        call = [time, number, function, argument]
        heappush(self._heap, call)
        return call

    def finish_at(self, time: int, server: Serving, customer: Any) -> _Planned:
        """See Calendar. It repeats call_at, because one more call would take as long as the whole."""
        if time <= self.now:
            self._present += 1
            if time < self.now or self._present > MOST:
                self._check(time)
        self._number = number = self._number + 1
        call = [time, number, server.finished, customer]
        heappush(self._heap, call)
        return call

    def call_first(self, time: int, function: Callable[[Any], None], argument: Any) -> _Planned:
        """See Calendar."""
        if time <= self.now:
            self._present += 1
            if time < self.now or self._present > MOST:
                self._check(time)
        self._number = number = self._number + 1
        call = [time, number + URGENT, function, argument]
        heappush(self._heap, call)
        return call

    def _check(self, time: int) -> None:
        """See Calendar."""
        if time < self.now:
            raise SimulationError(f"an event for {time} ps was planned too late, at {self.now} ps")
        if time == self._checked:
            raise SimulationError(f"time stands still at {time} ps, where a million events have planned others")
        self._checked, self._present = time, 0

    def cancel(self, call: _Planned) -> None:
        """See Calendar."""
        call[2] = self._skip

    def _skip(self, _: Any) -> None:
        self.events -= 1

    def run_to(self, until: int) -> None:
        """See Calendar. The end is also a call: checking the time of each call first would take longer."""
        heap = self._heap
        made = len(heap) - self._number  # less the calls left at the end; plus those planned until then
        stop = [until, 2 * URGENT, _stop, None]
        heappush(heap, stop)
        try:
            while True:
                self.now, _, function, argument = heappop(heap)
                function(argument)
        except _Stop:
            pass
        except BaseException:
            heap.remove(stop)
            heapify(heap)
            raise
        finally:
            self.events += made - len(heap) + self._number

    def run_until(self, meter: Meter, latest: int, after: int = -1) -> None:
        """See Calendar."""
        before = meter.reading()
        while (time := self.next_time()) is not None and time <= latest:
            self.step()
            if time != after and meter.reading() != before:
                return

    def step(self) -> None:
        """See Calendar."""
        self.now, _, function, argument = heappop(self._heap)
        self.events += 1
        function(argument)

    def next_time(self) -> int | None:
        """See Calendar."""
        while self._heap and self._heap[0][2] == self._skip:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def planned(self, function: Callable[[Any], None]) -> int:
        """See Calendar."""
        return sum(call[2] == function for call in self._heap)
