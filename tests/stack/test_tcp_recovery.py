"""The effect of an acknowledgement that does not end fast recovery (RFC 2581, RFC 2582, Linux 2.2), and the effect of
idle time on the congestion window (RFC 2581, 4.1)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.engine import Environment
from netsim.stack.tcp_send import Transmission
from netsim.stack.tcp_spec import TcpSpec
from tests.stack.channel import MS, SPEC, Channel, segment
from tests.stack.transfer import SECOND

SIZE = 100
KINDS = ("hoe", "newreno", "reno")


def spec(recovery: str, **more: object) -> TcpSpec:
    """Without SACK, which tells a sender more."""
    return SPEC.replace({"sack": False, "recovery": recovery, **more})


def sent_through(recovery: str, lost: set[int], segments: int = 60) -> Transmission:
    """The sender once everything is acknowledged; each of these segments is lost once."""
    channel = Channel(segments * SIZE, SIZE, dict.fromkeys(lost, ()), {}, spec(recovery))
    return channel.run().output


def flight(recovery: str, segments: int = 10) -> Transmission:
    """A sender with this many segments in transit, the first and fifth of which are lost: three duplicates have
    arrived."""
    output = Transmission(Environment(1), spec(recovery), SIZE, lambda: None)
    output.cwnd, output.snd_wnd_end, output.write_seq = segments * SIZE, 10**6, 100 * SIZE
    for number in range(segments):
        output.sent(number * SIZE, SIZE)
    for _ in range(3):
        output.acknowledged(segment(ack=0, window=10**6))
    assert output.retransmit_queue == [(0, SIZE)]
    assert (output.ssthresh, output.cwnd) == (segments // 2 * SIZE, (segments // 2 + 3) * SIZE)
    output.sent(0, SIZE)
    return output


@pytest.mark.parametrize("recovery", KINDS)
def test_one_loss_is_mended_alike(recovery: str) -> None:
    output = sent_through(recovery, {20})
    assert (output.fast_retransmits, output.timeouts, output.retransmitted) == (1, 0, 1)


@pytest.mark.parametrize(("recovery", "needs_more"), [("hoe", False), ("newreno", False), ("reno", True)])
def test_two_losses_of_a_window(recovery: str, *, needs_more: bool) -> None:
    """Reno has to detect the second one separately: by three duplicates, or a timeout."""
    output = sent_through(recovery, {20, 22})
    assert output.retransmitted >= 2
    assert (output.fast_retransmits + output.timeouts > 1) == needs_more


def test_a_partial_acknowledgement_takes_itself_from_the_window() -> None:
    """RFC 2582, 3, step 5: four segments have left the network, and one is sent again."""
    output = flight("newreno")
    before = output.cwnd
    output.acknowledged(segment(ack=4 * SIZE, window=10**6))
    assert output.retransmit_queue == [(4 * SIZE, SIZE)]
    assert output.cwnd == before - 4 * SIZE + SIZE
    output.sent(4 * SIZE, SIZE)
    output.acknowledged(segment(ack=10 * SIZE, window=10**6))
    assert output.cwnd == output.ssthresh
    assert output.retransmit_queue == []


def test_linux_leaves_the_window_as_it_is() -> None:
    output = flight("hoe")
    before = output.cwnd
    output.acknowledged(segment(ack=4 * SIZE, window=10**6))
    assert output.retransmit_queue == [(4 * SIZE, SIZE)]
    assert output.cwnd >= before


def test_reno_ends_with_the_first_that_is_new() -> None:
    output = flight("reno")
    output.acknowledged(segment(ack=4 * SIZE, window=10**6))
    assert output.retransmit_queue == []
    assert output.cwnd == output.ssthresh


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(KINDS), st.sets(st.integers(0, 50), max_size=8), st.sets(st.integers(0, 40), max_size=5))
def test_any_losses_are_survived(recovery: str, data: set[int], acks: set[int]) -> None:
    fates = [dict.fromkeys(lost, ()) for lost in (data, acks)]
    Channel(40 * SIZE, SIZE, *fates, spec(recovery)).run()


@pytest.mark.parametrize(("recovery", "new"), [("hoe", False), ("newreno", True), ("reno", True)])
def test_new_data_after_a_timeout(recovery: str, *, new: bool) -> None:
    """Linux 2.2 waits until everything sent before the timeout is acknowledged (tcp_snd_test: retransmits), even where
    the congestion window has room; then all go on."""
    env = Environment(1)
    output = Transmission(env, spec(recovery), SIZE, lambda: None)
    output.cwnd, output.snd_wnd_end, output.write_seq = 4 * SIZE, 10**6, 100 * SIZE
    for number in range(4):
        output.sent(number * SIZE, SIZE)
    env.run(4 * SECOND)
    assert output.timeouts == 1
    output.cwnd = 20 * SIZE
    for number in range(4):
        assert output.upcoming() == (number * SIZE, SIZE)
        output.sent(number * SIZE, SIZE)
    output.acknowledged(segment(ack=3 * SIZE, window=10**6))
    assert (output.upcoming()[1] > 0) == new
    output.acknowledged(segment(ack=4 * SIZE, window=10**6))
    assert output.upcoming() == (4 * SIZE, SIZE)


# --- idle time -------------------------------------------------------------------------------------------------------


def after_idle(idle: int, *, restarts: bool) -> int:
    """Segments of the congestion window when a process writes again after all data were acknowledged for `idle` ps."""
    env = Environment(1)
    output = Transmission(env, SPEC.replace({"idle_restart": restarts, "timestamps": False}), SIZE, lambda: None)
    output.begin_call(SIZE)
    output.write_seq, output.snd_wnd_end, output.cwnd = SIZE, 10**6, 20 * SIZE
    output.sent(0, SIZE)
    output.acknowledged(segment(ack=SIZE, window=10**6))
    env.run(env.now + idle)
    output.begin_call(SIZE)
    return output.cwnd // SIZE


@pytest.mark.parametrize(("idle", "restarts", "cwnd"), [
    (10 * MS, True, 21), (60 * SECOND, True, 2), (60 * SECOND, False, 21),
])  # fmt: skip
def test_a_connection_that_was_idle_begins_anew(idle: int, cwnd: int, *, restarts: bool) -> None:
    """If the idle time was longer than the retransmission timeout, and the system restarts then."""
    assert after_idle(idle, restarts=restarts) == cwnd
