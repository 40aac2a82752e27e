"""Losses are survived: whatever single frame is lost, all bytes arrive, once and in order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from tests.stack.transfer import SECOND, TEST, Transfer

SEGMENT = TEST.sender.system.tcp.mss(1500)
NBYTES = 40 * SEGMENT + 100
UNDISTURBED = Transfer(NBYTES).complete()


def test_nothing_lost_is_nothing_sent_twice() -> None:
    output = UNDISTURBED.run.out.output
    assert output.retransmitted == output.timeouts == output.fast_retransmits == output.duplicate_acks == 0
    assert UNDISTURBED.run.out.segments_sent == 41


@pytest.mark.parametrize("way", ["125 ms", "1 s"])
def test_a_long_way_is_no_loss(way: str) -> None:
    """The first timeout is that of a connection whose handshake took as long (RFC 2988, 2.2)."""
    test = TEST.replace("link.propagation", way)
    run = ns.simulate(test, precision=0, limit="12 s")
    assert run.counts["retransmission timeouts"] == run.counts["retransmitted segments"] == 0


@pytest.mark.parametrize("direction", ["data", "ack"])
def test_any_single_loss_is_survived(direction: str) -> None:
    sent = UNDISTURBED.run.ledger.links[direction == "ack"].frames
    for number in range(sent):
        done = Transfer(NBYTES, lambda name, count, _, n=number: name == direction and count == n).complete(seconds=5)
        assert done.run.out.output.retransmitted <= 22, number  # no more than a window


def test_a_loss_with_enough_behind_it_is_mended_without_a_timeout() -> None:
    done = Transfer(NBYTES, lambda name, count, _: name == "data" and count == 15).complete()
    assert done.run.out.output.fast_retransmits == 1
    assert done.run.out.output.timeouts == 0
    assert done.run.out.output.retransmitted == 1
    assert done.run.into.input.out_of_order > 0


def test_the_last_segment_lost_needs_the_timeout() -> None:
    last = UNDISTURBED.run.out.segments_sent - 1
    done = Transfer(NBYTES, lambda name, count, _: name == "data" and count == last).complete()
    assert done.run.out.output.timeouts == 1
    assert done.finished is not None
    assert done.finished > 0.2 * SECOND  # longer than TCP_RTO_MIN


def test_a_whole_flight_lost_is_survived() -> None:
    Transfer(NBYTES, lambda name, count, _: name == "data" and 12 <= count < 20).complete(seconds=60)


@settings(max_examples=40, deadline=None)
@given(st.sets(st.tuples(st.sampled_from(["data", "ack"]), st.integers(0, 60)), max_size=12))
def test_any_set_of_losses_is_survived(losses: set[tuple[str, int]]) -> None:
    Transfer(NBYTES, lambda name, count, _: (name, count) in losses).complete(seconds=2000)


def test_a_closed_window_is_probed_when_the_update_is_lost() -> None:
    """The receiver reads nothing until the window is closed; the acknowledgement that opens it again is lost."""
    transfer = Transfer(3 * 65535)
    run, env = transfer.run, transfer.env
    reading = run.into.read.active
    assert reading
    run.into.read.active = False  # the process is busy elsewhere
    while env.now < SECOND:
        env.step()
    assert run.out.output.snd_wnd_end - run.out.output.snd_nxt < SEGMENT
    closed = env.now
    run.ledger.links[1].lost = lambda _: env.now < closed + SECOND // 10
    run.into.receive(65535, transfer._receive)
    transfer.complete(seconds=300)
