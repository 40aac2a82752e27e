"""The times that an adapter takes for each frame: alone, per queue, and behind a ring of descriptors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.engine import Calendar
from netsim.nic import FrameEngine, QueueEngine, TransmitPort, TransmitRing

TIMES = st.lists(st.integers(0, 100), min_size=1, max_size=30)


@given(TIMES, st.integers(0, 50))
def test_frames_begin_apart_and_no_later_than_they_have_to(gaps: list[int], time: int) -> None:
    engine, now, last = FrameEngine(time), 0, -time
    for number, gap in enumerate(gaps, 1):
        now += gap
        start = engine.begin(now)
        assert start == max(now, last + time)
        last = start
        assert engine.busy_until(start + time) == number * time


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 9)), max_size=20), st.integers(0, 40))
def test_a_train_is_paced_as_frame_by_frame(trains: list[tuple[int, int]], time: int) -> None:
    """The port has sent them `step` apart, in order."""
    step, now, last = 10, 0, -time
    engine = QueueEngine(time)
    for gap, frames in trains:
        now += gap
        first, apart = engine.pace(now, step, frames)
        for number in range(frames):
            last = max(now, last + time)
            assert last == first + number * apart
            now += step


def test_frames_of_one_queue_do_not_hold_up_those_of_another() -> None:
    """The port sends a frame each 10 ps, each queue one each 40 ps."""
    calendar = Calendar()
    port = TransmitPort(calendar, 10, 0, 0)
    rings = [TransmitRing(calendar, port, QueueEngine(40), 4) for _ in range(2)]
    for ring in rings:
        ring.put(4, 0)
    assert [ring.sent(9) for ring in rings] == [0, 0]
    assert [ring.sent(10 + 3 * 40) for ring in rings] == [4, 3]
    assert [ring.sent(50 + 3 * 40) for ring in rings] == [4, 4]


def test_a_full_ring_drops() -> None:
    calendar = Calendar()
    ring = TransmitRing(calendar, TransmitPort(calendar, 10, 100, 0), QueueEngine(0), 5)
    ring.put(8, 0)
    assert (ring.handed, ring.dropped) == (5, 3)
    assert ring.sent(120) == 2
