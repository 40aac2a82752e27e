"""Processors' accesses to registers while a master has the bus: they wait for its latency timer, and for each other."""

from __future__ import annotations

from itertools import pairwise

import pytest

from netsim.accounts import Resource
from netsim.accounts.resource import BUS as A_BUS
from netsim.bus import Bus, Tenure, Transaction
from netsim.engine import FOREVER, Environment
from netsim.watch.activity import Activity
from netsim.watch.teller import Teller
from netsim.watch.watched_bus import ACCESS, WatchedBus
from netsim.watch.watched_track import WatchedTrack
from netsim.watch.watcher import NO_FRAMES, Observer
from tests.bus.test_slow_memory import BUS

CLOCK = 30_000  # ps
LEAST, RESTART, ACCESSED = 64 * CLOCK, 5 * CLOCK, 9 * CLOCK
LONG = 206 * CLOCK


class Busy:
    """A bus that one master has from the start for 206 clocks, with a latency timer of 64; if another one is `waiting`,
    it asks for 10 clocks after the first clock."""

    def __init__(self, kind: type[Bus] = Bus) -> None:
        self.env = Environment()
        self.bus = kind(self.env, BUS, Resource("host", A_BUS))
        self.granted: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.masters = [self._master(name) for name in ("first", "second")]

    def _master(self, name: str) -> Transaction:
        return Transaction(
            Tenure(RESTART, LEAST),
            granted=lambda _: self.granted.setdefault(name, self.env.now),
            done=lambda _: self.ends.setdefault(name, self.env.now),
        )

    def run(self, waiting: bool, accesses: list[int]) -> list[int]:
        """When accesses that come at these clocks begin (clocks)."""
        begin: list[int] = []

        def access(_: object) -> None:
            begin.append((self.env.now + self.bus.access(ACCESSED)) // CLOCK)

        self.bus.request(self.masters[0], LONG)
        if waiting:
            self.env.call_at(CLOCK, lambda _: self.bus.request(self.masters[1], 10 * CLOCK))
        for at in accesses:
            self.env.call_at(at * CLOCK, access)
        self.env.run()
        return begin


@pytest.mark.parametrize("waiting", [False, True])
def test_several_follow_each_other(waiting: bool) -> None:
    """The bridge, once it has the bus, makes all that have come; the master that was cut restarts once. One that waits
    follows them."""
    busy = Busy()
    assert busy.run(waiting, [2, 2, 3, 4]) == [64, 73, 82, 91]
    total = LONG + 4 * ACCESSED + RESTART + (10 * CLOCK if waiting else 0)
    assert busy.ends["first"] == busy.bus.busy_until(busy.env.now) == total
    if waiting:
        assert busy.granted["second"] == 100 * CLOCK


@pytest.mark.parametrize("asked", [1, 3, 60])
def test_a_master_that_waits_when_they_begin_follows_them(asked: int) -> None:
    """Whether it asked before the processor did, or after it."""
    busy = Busy()
    busy.env.call_at(asked * CLOCK, lambda _: busy.bus.request(busy.masters[1], 10 * CLOCK))
    assert busy.run(False, [2]) == [64]
    assert busy.granted["second"] == 73 * CLOCK


def test_the_latency_timer_begins_anew_after_an_access() -> None:
    """The master has the bus again from clock 73 on."""
    assert Busy().run(False, [2, 74, 200]) == [64, 73 + 64, 146 + 64]


def test_one_that_comes_as_the_master_leaves_restarts_it_once() -> None:
    """The second access follows the other master, which takes less time than it has."""
    busy = Busy()
    assert busy.run(True, [64, 74]) == [64, 83]
    assert busy.granted["second"] == 73 * CLOCK
    assert busy.ends == {"second": 83 * CLOCK, "first": (92 + 5 + 206 - 64) * CLOCK}


class Told(Observer):
    """Notes what a watched bus tells."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[tuple[str, int, int]] = []

    def spent(
        self, track: WatchedTrack, activity: Activity, start: int, end: int, frames: list[int] = NO_FRAMES
    ) -> None:
        if end > start:
            self.spans.append((activity.name, start // CLOCK, end // CLOCK))


@pytest.mark.parametrize("waiting", [False, True])
def test_a_timeline_shows_all_of_them(waiting: bool) -> None:
    busy, told = Busy(WatchedBus), Told()
    busy.bus.watched_by(Teller(busy.env.calendar, [told], 0, FOREVER))  # type: ignore[attr-defined]
    busy.run(waiting, [2, 2, 3, 4])
    busy.bus.tell_rest()  # type: ignore[attr-defined]
    spans = sorted(told.spans, key=lambda span: span[1])
    assert [span for span in spans if span[0] == ACCESS.name] == [
        (ACCESS.name, 64 + 9 * n, 73 + 9 * n) for n in range(4)
    ]
    assert all(before[2] <= after[1] for before, after in pairwise(spans))
