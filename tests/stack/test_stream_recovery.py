"""What counts as lost, and what is in transit."""

from __future__ import annotations

from netsim.stack.stream_recovery import StreamRecovery


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
