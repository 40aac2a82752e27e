"""The offered window, and the buffer that grows with the amount read (DRS)."""

from __future__ import annotations

from netsim.stack.receive_window import INITIAL, ReceiveWindow
from netsim.units import MS

MSS, TRUESIZE, MOST = 1448, 2048, 6 * 1024 * 1024


def window() -> ReceiveWindow:
    return ReceiveWindow(MSS, TRUESIZE, MOST)


def test_half_of_the_buffer_is_offered() -> None:
    assert window().offered == INITIAL // 2


def test_what_is_queued_takes_room_by_its_memory() -> None:
    """An offer counts half of the free space, in steps of 128 bytes."""
    one = window()
    assert one.select(10) == (INITIAL - 10 * TRUESIZE) // 2 // 128 * 128
    assert one.select(64) == 0


def test_the_edge_never_goes_back() -> None:
    one = window()
    edge = one.offered
    assert one.offer(10, 50) == edge - 10 * MSS
    assert one.left(20) == edge - 20 * MSS


def test_a_reader_that_keeps_up_doubles_the_buffer_until_the_most() -> None:
    """Each round trip reads a window; DRS makes room for twice that amount, plus its growth."""
    one, seq, now, sizes = window(), 0, 0, [INITIAL]
    for _ in range(12):
        segments = max(1, one.offer(seq, 0) // MSS)
        for _ in range(segments):
            seq += 1
            one.came(1, seq, 1, now)
        now += MS
        one.came(1, seq, 0, now)
        one.read(seq, now)
        sizes.append(one.buffer)
    assert sizes == sorted(sizes)
    assert one.buffer == MOST
    assert one.offer(seq, 0) > MOST // 2 * 0.9


def test_a_reader_that_is_slow_keeps_a_small_buffer() -> None:
    one, now = window(), 0
    for seq in range(1, 40):
        now += MS
        one.came(1, seq, 0, now)
        one.read(seq, now)
    assert one.buffer == INITIAL


def test_a_packet_opens_it_by_twice_its_segments() -> None:
    """tcp_grow_window: at least twice the packet's bytes, so that merged packets (GRO) open it no more slowly."""
    each, merged = window(), window()
    for one in (each, merged):
        one.buffer *= 8
        one._clamp = one.buffer // 2
    for number in range(8):
        each.came(1, number + 1, 0, 0)
    merged.came(8, 8, 0, 0)
    assert each.select(0) == merged.select(0) > window().select(0)
