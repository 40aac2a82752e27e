"""The refresh of memory on an ISA bus: the waits for it, and its cost in the long run."""

from __future__ import annotations

import pytest

from netsim.bus import Bus, IsaSpec, Transaction
from netsim.bus.refresh import Refresh
from netsim.engine import Environment

EVERY, CYCLE, PHASE = 1000, 40, 300


@pytest.fixture
def refresh() -> Refresh:
    return Refresh(EVERY, CYCLE, PHASE)


@pytest.mark.parametrize(
    ("start", "duration", "end"),
    [
        (0, 300, 300),  # done when the refresh begins
        (0, 301, 341),  # the refresh interrupts it
        (300, 10, 350),  # the refresh has just begun
        (320, 10, 350),
        (340, 10, 350),
        (340, 960, 1300),
        (340, 961, 1341),
        (340, 960 + 961, 340 + 960 + 961 + 2 * CYCLE),
        (1310, 5 * 960, 1340 + 5 * 960 + 4 * CYCLE),
    ],
)
def test_when_a_transfer_ends(refresh: Refresh, start: int, duration: int, end: int) -> None:
    assert refresh.end(start, duration) == end


def test_what_it_takes(refresh: Refresh) -> None:
    assert [refresh.taken(time) - refresh.taken(0) for time in (300, 320, 340, 1299, 1310, 5340)] == [
        0, 20, 40, 40, 50, 6 * 40,
    ]  # fmt: skip


@pytest.mark.parametrize("duration", [1, 100, 960, 5000])
def test_the_time_of_a_transfer_is_its_own_and_the_refresh(refresh: Refresh, duration: int) -> None:
    ends = {start: refresh.end(start, duration) for start in range(0, 1000, 30)}
    own = {start: end - start - (refresh.taken(end) - refresh.taken(start)) for start, end in ends.items()}
    assert own == dict.fromkeys(ends, duration)


def isa(**more: object) -> IsaSpec:
    return IsaSpec.from_name("isa-16").replace({"refresh_interval": "15 us", "refresh_cycle": 5} | more)


def bus(**more: object) -> tuple[Environment, Bus]:
    env = Environment(1)
    return env, Bus(env, isa(**more), "bus")


def test_without_an_interval_there_is_none() -> None:
    env, one = bus(refresh_interval=0)
    env.run(10**9)
    assert one.access(1000) == 0
    assert one.busy_until(env.now + 1000) == 1000


def test_a_bus_with_nothing_to_do_is_refreshed() -> None:
    env, one = bus()
    env.run(15 * 10**9)
    assert one.busy_until(env.now) == 1000 * isa().refresh[1]


def test_a_processor_waits_for_it_now_and_then() -> None:
    """An access of 6 clocks finds it in progress, or is interrupted by it, in 11 clocks of 125."""
    env, one = bus()
    waits = []
    for number in range(2000):
        env.call_at(number * 10**9 + number * 7_411_000, lambda _: waits.append(one.access(720_000)))
    env.run(3 * 10**12)
    assert 0 <= min(waits) <= max(waits) <= isa().refresh[1]
    assert sum(wait > 0 for wait in waits) / len(waits) == pytest.approx(11 / 125, rel=0.2)


def test_a_masters_transfer_takes_longer_by_it_and_no_time_is_lost() -> None:
    env, one = bus()
    ends = []
    dma = Transaction(isa().tenure(False, 24), done=lambda _: ends.append(env.now))
    one.request(dma, 100 * 10**6)
    env.call_at(40 * 10**6, lambda _: one.access(720_000))
    env.run(10**9)
    refreshed = ends[0] - 100 * 10**6 - 720_000
    assert refreshed % isa().refresh[1] == 0
    assert 6 * isa().refresh[1] <= refreshed <= 8 * isa().refresh[1]
    idle = Bus(Environment(1), isa(), "bus").busy_until(10**9)
    assert one.busy_until(env.now) == idle + 100 * 10**6 + 720_000
