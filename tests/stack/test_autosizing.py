"""TSO autosizing and TCP small queues, each checked by its own arithmetic."""

from __future__ import annotations

import pytest

from netsim.stack.autosizing import defers, goal, pacing_rate, queue_limit
from netsim.units import MS, US

MSS = 1448


def test_pacing_is_120_per_cent_of_a_window_in_a_round_trip() -> None:
    """100 segments in 1 ms are 144.8 MB/s; slow start doubles that."""
    assert pacing_rate(MSS, 100, slow_start=False, rtt=1 * MS) == pytest.approx(1.2 * 144_800_000)
    assert pacing_rate(MSS, 100, slow_start=True, rtt=1 * MS) == pytest.approx(2 * 144_800_000)


@pytest.mark.parametrize(("gbit_s", "segments"), [(0.01, 2), (0.1, 8), (0.25, 21), (1, 45), (40, 45)])
def test_a_packet_is_a_millisecond_of_the_pacing_rate(gbit_s: float, segments: int) -> None:
    """At least two segments, and at most 64 KB, which is 45 segments."""
    assert goal(int(gbit_s * 1e9 / 8), MSS) == segments


def test_jumbo_packets_have_seven_segments() -> None:
    assert goal(5 * 10**9, 8948) == 7


def test_below_tcp_waits_a_millisecond_at_the_most_and_a_mebibyte() -> None:
    assert queue_limit(0, 3000) == 6000
    assert queue_limit(100_000_000, 3000) == 100_000_000 // 1024
    assert queue_limit(5 * 10**9, 65_160) == 1 << 20


def test_a_short_packet_waits_unless_it_is_a_third_of_the_window() -> None:
    assert defers(10, 45, 100)
    assert not defers(34, 45, 100)
    assert not defers(45, 45, 1000)


def test_the_rate_follows_the_round_trip() -> None:
    assert pacing_rate(MSS, 100, False, 100 * US) == 10 * pacing_rate(MSS, 100, False, 1 * MS)
