"""iperf3's arithmetic over UDP: when a datagram is due, what is lost, and the jitter."""

from __future__ import annotations

from itertools import pairwise

import pytest

from netsim.stack.datagram_pacing import DatagramPacing
from netsim.stack.datagram_times import DatagramTimes
from netsim.units import MS, US


def test_a_stream_goes_on_until_it_is_ahead_of_its_rate() -> None:
    """At 8 Mbit/s a millisecond carries 1000 bytes."""
    pacing = DatagramPacing(8_000_000, MS, 5 * MS)
    assert pacing.green(0, 5 * MS)
    assert not pacing.green(1000, 5 * MS)
    assert not pacing.green(1000, 6 * MS)
    assert pacing.green(999, 6 * MS)
    assert pacing.green(1000, 6 * MS + 1 * US)
    assert pacing.next_check(5 * MS) == 6 * MS
    assert pacing.next_check(6 * MS - 1) == 6 * MS
    assert pacing.next_check(6 * MS) == 7 * MS


def test_gaps_are_losses() -> None:
    times = DatagramTimes()
    for _ in range(10):
        times.sent(0)
    for number in (0, 1, 4, 9):
        times.came(number, MS)
    assert (times.received, times.lost) == (4, 6)
    assert times.transit_sum == 4 * MS


def test_jitter_is_that_of_rfc_3550() -> None:
    """J += (|D| - J) / 16, with D from one transit time to the next."""
    times, transits, expected = DatagramTimes(), [10, 14, 9, 9, 40], 0.0
    for number, transit in enumerate(transits):
        times.sent(number * MS)
        times.came(number, number * MS + transit * US)
    for before, after in pairwise(transits):
        expected += (abs(after - before) - expected) / 16
    assert times.jitter == pytest.approx(expected)
    assert expected > 2
