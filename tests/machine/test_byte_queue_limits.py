"""Byte queue limits, by the arithmetic of lib/dynamic_queue_limits.c."""

from __future__ import annotations

from netsim.machine import ByteQueueLimits
from netsim.units import MS, S


def fed(one: ByteQueueLimits, packet: int) -> int:
    """The bytes handed over by a sender that always has more."""
    before = one.in_ring
    while not one.stopped:
        one.queued(packet)
    return one.in_ring - before


def test_a_queue_that_ran_dry_may_have_as_much_as_was_sent_and_over_the_limit() -> None:
    one = ByteQueueLimits()
    fed(one, 1500)
    assert (one.in_ring, one.stopped) == (1500, True)  # the first packet is over a limit of 0
    one.completed(1500, 0)  # all of it: 1500 over the limit, and none left
    assert one.limit == 1500  # as much as was sent
    fed(one, 1500)
    assert one.in_ring == 3000  # up to the limit, and one packet beyond it
    one.completed(3000, 1 * MS)
    assert one.limit == 1500 + 3000  # plus as much as was sent since


def test_the_limit_grows_until_the_ring_does_not_run_dry() -> None:
    """A wire of 1250 bytes/us, with completions reported every 16 us."""
    one, now, rest = ByteQueueLimits(), 0, 0
    for _ in range(2000):
        fed(one, 1500)
        now += 16 * MS // 1000
        sent = min(one.in_ring, 20_000 + rest) // 1500 * 1500
        rest = 20_000 + rest - sent if one.in_ring > sent else 0
        one.completed(sent, now)
    assert 20_000 <= one.limit <= 42_000  # at least one interval's bytes, at most two and a packet


def test_slack_is_taken_off_once_in_a_second_at_its_lowest() -> None:
    one = ByteQueueLimits()
    one.queued(100_000)
    one.completed(100_000, 0)  # one large packet sets the limit to its size
    assert one.limit == 100_000
    now = 0
    fed(one, 1000)
    while now <= S:
        one.completed(3000 if now % (20 * MS) else 5000, now)
        fed(one, 1000)
        assert one.limit == 100_000
        now += 10 * MS
    one.completed(3000, now)
    assert one.limit == 2 * 5000 - 1000  # twice the most that was sent at once, less the packet that exceeded it


def test_what_is_known_to_be_sent_makes_room() -> None:
    one = ByteQueueLimits()
    one.queued(1500)
    assert one.stopped
    one.completed(1500, 0)
    assert not one.stopped
    assert one.in_ring == 0
