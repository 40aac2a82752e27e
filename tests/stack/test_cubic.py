"""CUBIC's window against RFC 8312, and Reno's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.stack.congestion_window import INITIAL, Reno
from netsim.stack.cubic import Cubic, cube_root, cubic
from netsim.units import MS, US

C, BETA = 0.4, 0.7  # RFC 8312, 5 and 4.5


@given(st.integers(10, 50_000), st.floats(0, 20))
def test_the_window_is_the_rfcs_cubic_function(largest: int, seconds: float) -> None:
    """W(t) = C (t - K)^3 + W_max, and K = cubic root of W_max (1 - beta) / C."""
    k = (largest * (1 - BETA) / C) ** (1 / 3)
    expected = C * (seconds - k) ** 3 + largest
    found = cubic(largest, round(k * 1024), round(seconds * 1024))
    assert found == pytest.approx(expected, rel=0.01, abs=3 + 0.01 * abs(expected - largest))


@given(st.integers(0, 10**18))
def test_cube_root_is_whole(number: int) -> None:
    root = cube_root(number)
    assert root**3 <= number < (root + 1) ** 3


def test_a_loss_leaves_seven_tenths() -> None:
    window = Cubic(1000)
    window.cwnd = 1000
    window.lost()
    assert window.cwnd == window.ssthresh == 1000 * 717 // 1024


def test_it_is_back_where_it_lost_after_k() -> None:
    """With a round trip so long that Reno's rule adds less: K = (1000 x 0.3 / 0.4)^(1/3) = 9.08 s. Whole segments are
    reached once less than one is missing, 1.4 s earlier."""
    window, rtt, now = Cubic(1000), 200 * MS, 0
    window.cwnd = 1000
    window.lost()
    while window.cwnd < 1000:
        now += rtt
        window.measured(rtt, now, 0, 0, 0)
        window.acked(window.cwnd, now)
    assert 7.4e12 < now < 9.2e12


def test_on_a_short_way_it_is_no_slower_than_reno() -> None:
    """RFC 8312, 4.2: 3 (1 - beta) / (1 + beta) = 0.53 segments a round trip."""
    window, now = Cubic(1000), 0
    window.cwnd = 100
    window.lost()
    first = window.cwnd
    for _ in range(400):
        now += 1 * MS
        window.acked(window.cwnd, now)
    assert window.cwnd - first == pytest.approx(400 * 0.53, rel=0.1)


def test_hystart_ends_slow_start_when_acknowledgements_come_for_half_of_a_round_trip() -> None:
    window, now, una = Cubic(1000), 0, 0
    while window.slow_start:
        for _ in range(10):  # a train of acknowledgements as long as the round trip
            now += 10 * US
            una += window.cwnd // 10
            window.measured(100 * US, now, una, una + window.cwnd, 0)
            window.acked(window.cwnd // 10, now)
        assert window.cwnd < 1000
    assert 16 <= window.cwnd <= 64


def _train_that_ends_slow_start(rate: int, clock: int = US) -> int:
    """With a round trip of 100 us: the length (us) of the train of acknowledgements that ends slow start."""
    window = Cubic(1000, clock)
    window.cwnd = 100
    for now in range(1, 2000):
        window.measured(100 * US, now * US, 1, 1000, rate)
        if not window.slow_start:
            return now - 1
    return 2000


def test_acknowledgements_in_batches_may_take_longer() -> None:
    """hystart_ack_delay: four packets of 64 KiB at the pacing rate, but no more than a millisecond."""
    assert _train_that_ends_slow_start(0) == 51
    assert _train_that_ends_slow_start(1_250_000_000) == 155  # half of 100 and 209.7 us
    assert _train_that_ends_slow_start(1_000_000) == 551


def test_a_clock_in_milliseconds_ends_short_slow_starts_at_its_next_tick() -> None:
    """Linux 5.4, hystart_update: half of a round trip below 2 ms is 0 ms, which the train exceeds at the next tick."""
    assert _train_that_ends_slow_start(1_250_000_000, clock=MS) == 1000 - 1


def test_reno_doubles_and_then_adds_one_a_round_trip() -> None:
    window = Reno()
    window.acked(INITIAL, 0)
    assert window.cwnd == 2 * INITIAL
    window.lost()
    assert (window.cwnd, window.ssthresh) == (INITIAL, INITIAL)
    for _ in range(5):
        window.acked(window.cwnd, 0)
    assert window.cwnd == INITIAL + 5
    window.timed_out(again=False)
    assert (window.cwnd, window.ssthresh) == (1, 7)


@pytest.mark.parametrize("window", [Reno(), Cubic(1000)])
def test_a_timeout_reduces_ssthresh_once(window: Reno) -> None:
    """RFC 5681, 3.1: it is held constant if the segment was sent again before."""
    window.cwnd = 64
    window.timed_out(again=False)
    once = window.ssthresh
    assert 32 <= once < 64
    window.timed_out(again=True)
    assert (window.cwnd, window.ssthresh) == (1, once)
