"""The round trip and the retransmission timeout of TCP: RFC 2988, Karn's algorithm, and tcp_set_rto of Linux 2.2.16."""

from __future__ import annotations

import pytest

from netsim.stack.round_trip import RoundTrip
from netsim.stack.tcp_spec import TcpSpec
from netsim.units import MS
from tests.stack.channel import SPEC, Channel
from tests.stack.transfer import SECOND

RFC = SPEC.replace({"rto": "rfc", "rtt_tick": "10 ms"})
BARE = SPEC.replace({"timestamps": False, "rto": "rfc", "rtt_tick": "1 ms", "min_timeout": "5 ms"})


def after(round_trip: RoundTrip, sample: int, times: int = 200, window: int = 20) -> RoundTrip:
    """After many equal samples (ps)."""
    for number in range(times):
        round_trip.measure(number * SECOND, number * SECOND + sample, window)
    return round_trip


def test_a_first_sample_is_also_its_deviation() -> None:
    """RFC 2988, 2.2: half of it; Linux 2.2.16, tcp_rtt_estimator: mdev is the sample."""
    assert after(RoundTrip(RFC), 100 * MS, times=1).rto == 300 * MS
    linux = after(RoundTrip(SPEC), 100 * MS, times=1, window=100)
    assert (linux.srtt, linux.rttvar, linux.rto) == (100 * MS, 100 * MS, 625 * MS)


@pytest.mark.parametrize(("spec", "least"), [(RFC, 1010 / 1000), (SPEC, 5 / 4)], ids=["rfc", "Linux 2.2"])
def test_on_a_steady_path_the_timeout_keeps_a_distance_from_the_round_trip(spec: TcpSpec, least: float) -> None:
    assert after(RoundTrip(spec), 1000 * MS).rto == pytest.approx(least * SECOND, rel=0.001)


def test_a_small_window_makes_it_longer() -> None:
    """rto >> (snd_cwnd - 1)"""
    steady = 1000 * MS
    assert after(RoundTrip(SPEC), steady, window=1).rto == pytest.approx(9 / 4 * steady, rel=0.001)
    assert after(RoundTrip(SPEC), steady, window=3).rto == pytest.approx(3 / 2 * steady, rel=0.001)


def test_round_trips_are_whole_ticks_and_at_least_one() -> None:
    assert after(RoundTrip(RFC), 3 * MS).srtt == 10 * MS
    assert after(RoundTrip(RFC), 237 * MS, times=1).srtt == 230 * MS


def test_the_timeout_is_never_below_its_least() -> None:
    assert after(RoundTrip(SPEC), 20 * MS).rto == SPEC.min_timeout


def test_without_timestamps_one_segment_at_a_time_is_measured() -> None:
    """Each window of 1,000-byte segments takes longer than the shortest timeout: what the sender measures lets it wait
    longer, so that it only sends again what it sent before the first measurement."""
    channel = Channel(300_000, 1000, {}, {}, BARE).run()
    assert channel.output.round_trip.srtt > 10 * MS
    assert channel.output.timeouts <= 2
    assert channel.output.retransmitted < 30


def test_a_segment_that_was_sent_again_is_not_measured() -> None:
    """The last segment is lost. Its acknowledgement arrives a second later, but could be that of either copy."""
    channel = Channel(40_000, 1000, {39: ()}, {}, BARE.replace("min_timeout", "1 s")).run()
    assert channel.output.timeouts == 1
    assert channel.output.round_trip.srtt < SECOND // 2


def test_it_stays_backed_off_until_there_is_a_sample() -> None:
    """Karn: after two timeouts in succession, the acknowledgement of the third copy does not shorten the timeout."""
    spec = BARE.replace("min_timeout", "1 s")
    channel = Channel(2000, 1000, {1: (), 2: ()}, {}, spec).run()
    assert channel.output.timeouts == 2
    output = channel.output
    output.write_seq += 1000
    channel.nbytes += 1000
    before = channel.env.now
    channel._fates[True] = {len(channel.sent): ()}
    channel.pump()
    channel.run()
    assert channel.env.now - before > 4 * spec.min_timeout


@pytest.mark.parametrize("second", [1000, 500])
def test_the_echo_is_that_of_the_earliest_unacknowledged_segment(second: int) -> None:
    """RFC 1323, 3.4 (2): so that a round trip includes the delay of the acknowledgement."""
    channel = Channel(1000 + second, 1000, {}, {}).run()
    first = channel.acks[-1]
    assert first.ack == 1000 + second
    assert first.tsecr == 0
