"""What counts as lost, and what is in transit."""

from __future__ import annotations

from netsim.stack.stream_recovery import StreamRecovery

TAIL = [(20, 30)]  # sent before what was sent again; nothing is known of it


def test_holes_behind_what_came_are_lost() -> None:
    one = StreamRecovery()
    one.learn(((12, 15), (18, 20)), 10)
    assert one.lost(10) == [(10, 12), (15, 18)]
    assert one.pipe(10, 30) == 10  # of twenty, five arrived and five are lost


def test_what_was_sent_again_is_on_its_way_until_something_later_came() -> None:
    one = StreamRecovery()
    one.learn(((12, 15),), 10)
    one.begin(20)
    one.sent_again(10, 12, 20)
    assert one.lost(10) == []
    assert one.pipe(10, 20) == 7
    one.learn(((12, 20),), 10)
    assert one.lost(10) == []
    one.learn(((12, 22),), 10)  # 20 and 21 were first sent after that
    assert one.lost(10) == [(10, 12)]


def _recovering() -> StreamRecovery:
    """Of twenty segments three are missing, and are sent again, one by one."""
    one = StreamRecovery()
    one.learn(((11, 13), (14, 16), (17, 20)), 10)
    one.begin(30)
    for hole in (10, 13, 16):
        one.sent_again(hole, hole + 1, 30)
    return one


def test_what_was_sent_again_is_lost_once_something_sent_again_after_it_came() -> None:
    """RFC 8985: what counts is when each was sent, not its number."""
    one = _recovering()
    one.learn(((11, 16), (17, 20)), 10)
    assert one.lost(10) == [(10, 11), *TAIL]
    one.sent_again(10, 11, 30)
    one.learn(((11, 20),), 10)
    assert one.lost(10) == TAIL
    assert one.pipe(10, 30) == 1  # of twenty, nine arrived and ten are lost


def test_an_acknowledgement_of_everything_says_as_much() -> None:
    one = _recovering()
    one.learn(((14, 16), (17, 20)), 13)  # the first one has come
    assert one.lost(13) == TAIL
    one.learn(((17, 20),), 16)
    one.learn((), 20)
    assert one.lost(20) == TAIL


def test_the_last_segments_are_lost_if_what_was_sent_again_after_them_came() -> None:
    one = StreamRecovery()
    one.learn(((11, 15),), 10)
    one.begin(20)
    one.sent_again(10, 11, 20)
    assert one.lost(10) == []
    one.learn((), 15)
    assert one.lost(15) == [(15, 20)]
    one.sent_again(15, 20, 20)
    assert one.lost(15) == []
    one.learn((), 20)
    assert not one.under_way


def test_of_one_packet_sent_again_only_what_is_before_its_last_arrival_is_lost() -> None:
    one = StreamRecovery()
    one.learn(((16, 20),), 10)
    one.begin(20)
    one.sent_again(10, 16, 20)
    one.learn(((12, 14), (16, 20)), 10)
    assert one.lost(10) == [(10, 12)]  # 14 and 15 may still come
    assert one.pipe(10, 20) == 2


def test_it_ends_with_what_was_sent_when_it_began() -> None:
    one = StreamRecovery()
    one.learn(((12, 15),), 10)
    one.begin(20)
    one.learn((), 19)
    assert one.under_way
    one.learn((), 20)
    assert not one.under_way


def test_after_a_timeout_everything_is_lost_that_has_not_come() -> None:
    one = StreamRecovery()
    one.learn(((12, 15),), 10)
    one.begin(20, timeout=True)
    assert one.lost(10) == [(10, 12), (15, 20)]
