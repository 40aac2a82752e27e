"""The path to memory that receive queues share: when each frame is there, and which frames find no room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.engine import Calendar
from netsim.nic import Landing

TRAINS = st.lists(st.tuples(st.integers(0, 500), st.integers(1, 50), st.integers(1, 20)), min_size=1, max_size=8)

# The time advances, and the other direction occupies the slot for a while. After a gap a train follows: the distance
# of its frames, and their number.
STEPS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 60), st.integers(0, 100), st.integers(1, 50), st.integers(1, 9)),
    max_size=30,
)


@given(st.integers(1, 30), TRAINS)
def test_landing_is_a_server_in_order(service: int, trains: list[tuple[int, int, int]]) -> None:
    """The last frame of a train is in memory when a server with that service time would finish it, frame by frame."""
    one, at, free = Landing(Calendar(), service, 10**9), 0, 0
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
    """Ten arrive at once, and one is moved while every two arrive, with room for four."""
    one = Landing(Calendar(), service=20, room=4)
    assert one.take(0, 10, 10)[0] == 9
    assert one.dropped == 1
    assert one.take(100, 10, 2)[0] == 1
    assert one.moved(10**6) == 10


@given(st.integers(1, 30), st.sampled_from([2, 10**9]), STEPS)
def test_a_frame_is_in_memory_at_the_time_that_was_given(
    service: int, room: int, steps: list[tuple[int, int, int, int, int]]
) -> None:
    """Whatever holds the link up later, and however trains overlap; counted frames stay counted."""
    calendar = Calendar()
    one, times, at, before = Landing(calendar, service, room), list[int](), 0, 0
    for passed, held, gap, step, frames in steps:
        calendar.now += passed
        now = calendar.now
        one.hold(now, held)
        at = max(at, now) + gap
        found, first, pace = one.take(at, step, frames)
        times += [first + number * pace for number in range(found)]
        at += frames * step
        assert before <= one.moved(now) <= len(times)
        before = one.moved(now)
        for later in (now, *times, *[time - 1 for time in times]):
            if later >= now:
                assert one.moved(later) == sum(time <= later for time in times)
    assert one.moved(max(times, default=0) + calendar.now) == len(times)


def test_a_hold_delays_only_what_comes_later() -> None:
    """Two frames are promised for 20 and 40. The next one waits for them and for whatever holds the link up."""
    one = Landing(Calendar(), service=20, room=99)
    assert one.take(0, 10, 2) == (2, 20, 20)
    one.hold(10, 1000)
    assert [one.moved(now) for now in (19, 20, 40)] == [0, 1, 2]
    assert one.take(20, 10, 1) == (1, 1060, 20)
    assert [one.moved(now) for now in (1059, 1060)] == [2, 3]


def test_frames_after_an_idle_time_do_not_call_others_back() -> None:
    """A train of slow frames waits longer than the whole previous train took."""
    calendar = Calendar()
    one = Landing(calendar, service=20, room=99)
    one.take(0, 20, 5)
    calendar.now = 1000
    assert one.take(1200, 50, 3) == (3, 1220, 50)
    assert [one.moved(now) for now in (1000, 1219, 1220, 1320)] == [5, 5, 6, 8]
