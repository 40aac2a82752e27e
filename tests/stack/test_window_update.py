"""When a receiver announces a window that a read has opened: Linux 2.2, cleanup_rbuf, up to 2.2.2 and since."""

from __future__ import annotations

import pytest

from netsim.stack.tcp_receive import Reception
from tests.stack.channel import MEMORY, segment
from tests.stack.test_windows_tcp import ONE, SEGMENT, SPEC, Connection
from tests.stack.transfer import PC, SECOND


def full(**changes: object) -> Reception:
    """Twelve segments of 1460 bytes have arrived and been acknowledged: the whole window."""
    into = Reception(SPEC.replace(changes) if changes else SPEC, SEGMENT, ONE.system.socket)
    for number in range(12):
        into.take(segment(number * SEGMENT, SEGMENT), MEMORY)
    into.offer()
    assert into.rcv_wnd_end == into.rcv_nxt == 12 * SEGMENT
    return into


def test_a_closed_window_is_open_again_when_a_segment_fits() -> None:
    """Not earlier: no silly windows (RFC 1122, 4.2.3.3)."""
    into = full()
    into.read(SEGMENT - 1)
    assert not into.window_opened(SEGMENT - 1)
    into.read(1)
    assert into.window_opened(1)
    assert into.offer() == SEGMENT


def test_the_read_is_at_least_of_what_the_peer_may_still_send() -> None:
    into = full()
    into.read(SEGMENT)
    into.offer()
    into.read(SEGMENT)
    assert not into.window_opened(SEGMENT - 1)
    assert into.window_opened(SEGMENT)


def test_a_window_that_has_not_grown_is_not_told_of() -> None:
    into = full()
    into.read(SEGMENT)
    into.offer()
    into.read(SEGMENT - 1)
    assert not into.window_opened(SEGMENT)


@pytest.mark.parametrize(("read", "opened"), [(1, False), (2, False), (3, True)])
def test_or_what_may_come_doubles(read: int, opened: bool) -> None:
    """Two segments may still come (2.2.16: new_window >= rcv_window_now * 2), however much the call has read."""
    into = full(window_update="doubles")
    for _ in range(2):
        into.read(SEGMENT)
    into.offer()
    for _ in range(read - 1):
        into.read(SEGMENT)
    assert into.window_opened(1) == opened


def test_a_closed_window_doubles_with_a_segment() -> None:
    into = full(window_update="doubles")
    into.read(SEGMENT - 1)
    assert not into.window_opened(SEGMENT - 1)
    into.read(1)
    assert into.window_opened(1)


@pytest.mark.parametrize(("clamp", "opened"), [(SEGMENT * 3 // 2, True), (SEGMENT * 3 // 2 - 1, False)])
def test_a_segment_more_fits_below_the_clamp(clamp: int, opened: bool) -> None:
    """Half a segment may still come, and the whole buffer is free."""
    into = Reception(SPEC.replace("window_clamp", clamp), SEGMENT, ONE.system.socket)
    into.take(segment(0, SEGMENT // 2), MEMORY)
    into.read(SEGMENT // 2)
    assert into.window_opened(SEGMENT // 2) == opened


@pytest.mark.parametrize(("limit", "updates"), [(4 * 1448, 0), (65535, 1)])
def test_a_process_that_reads_all_at_once_tells_of_it(limit: int, updates: int) -> None:
    """Sixteen segments, while twelve more may come."""
    pc = PC.replace("system.tcp.window_update", "read")
    one = Connection(pc, pc)
    one.send(16 * 1448)
    one.env.run(SECOND)
    before = one.into.acks_sent
    one.read(limit)
    one.env.run(2 * SECOND)
    assert one.reads == [min(limit, 16 * 1448)]
    assert one.into.acks_sent - before == updates
