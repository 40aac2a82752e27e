"""What waits for a process that holds its socket, and which side owns the socket's cache lines."""

from __future__ import annotations

from netsim.machine import Cost, CycleTally
from netsim.machine.tally import LOCK
from netsim.stack.shared_lines import SharedLines
from netsim.stack.socket_backlog import SocketBacklog, joined_at_most


def test_packets_that_follow_each_other_are_joined_while_there_is_room_for_their_fragments() -> None:
    backlog = SocketBacklog(joined_at_most(1))
    assert [backlog.put(number, 1, number) for number in range(20)] == [False, *[True] * 16, False, True, True]
    first, second = backlog.take(), backlog.take()
    assert (first.first, first.count, first.mark) == (0, 17, 0)
    assert (second.first, second.count) == (17, 3)
    assert not backlog
    assert backlog.segments == 0
    assert not backlog.put(20, 1, 20)  # the process owns what was taken


def test_a_hole_or_a_long_packet_stands_alone() -> None:
    backlog = SocketBacklog(joined_at_most(3))
    joined = [backlog.put(*one, 0) for one in [(0, 1), (1, 1), (3, 1), (4, 7), (11, 1)]]
    assert joined == [False, True, False, False, False]
    assert backlog.segments == 11


def test_lines_are_fetched_when_the_other_one_has_written_them() -> None:
    lines, tally = SharedLines(Cost({LOCK: 100})), CycleTally()
    for writes in (lines.by_softirq, lines.by_process, lines.by_process, lines.by_softirq, lines.by_softirq):
        writes(tally)
    assert tally.total == 200
