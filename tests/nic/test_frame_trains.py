"""Trains of frames: the time of each frame, and which frames were lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.nic import FrameTrains

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
