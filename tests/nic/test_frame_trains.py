"""Trains of frames: when each is there, which were lost, and what shares the way to memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.nic import FrameTrains, Landing

TRAINS = st.lists(st.tuples(st.integers(0, 500), st.integers(1, 50), st.integers(1, 20)), min_size=1, max_size=8)


@given(TRAINS)
def test_count_and_time_say_the_same(trains: list[tuple[int, int, int]]) -> None:
    found, times, at = FrameTrains(), list[int](), 0
    for gap, step, frames in trains:
        found.put(at + gap, step, frames, len(times))
        times += [at + gap + number * step for number in range(frames)]
        at = times[-1]
    assert [found.time(number) for number in range(len(times))] == times
    assert found.time(len(times)) == -1
    for moment in (0, *times, times[-1] + 1):
        assert found.count(moment) == sum(time <= moment for time in times)


def test_segments_of_frames_that_were_lost_are_missing() -> None:
    found, lost = FrameTrains(), [(3, 5), (12, 15)]
    found.put(0, 1, 10, 100)
    found.put(50, 1, 10, 200)
    assert found.take(8, lost) == [(100, 3), (105, 5)]
    assert found.take(4, lost) == [(200, 2), (205, 2)]
    assert lost == []


@given(st.integers(1, 30), TRAINS)
def test_landing_is_a_server_in_order(service: int, trains: list[tuple[int, int, int]]) -> None:
    """The last frame of a train is in memory when a server of that time would have it, frame by frame."""
    one, at, free = Landing(service, 10**9), 0, 0
    for gap, step, frames in trains:
        at += gap
        found, first, pace = one.take(at, step, frames)
        for number in range(frames):
            free = max(free, at + number * step) + service
        assert found == frames
        assert first + (frames - 1) * pace == free
        assert first >= at + service
        at += (frames - 1) * step + 1


def test_frames_that_find_no_room_are_dropped() -> None:
    """Ten at once, of which one is moved while each two come, with room for four."""
    one = Landing(service=20, room=4)
    assert one.take(0, 10, 10)[0] == 9
    assert one.dropped == 1
    assert one.take(100, 10, 2)[0] == 1
