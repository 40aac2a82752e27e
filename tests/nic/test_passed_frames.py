"""Frames whose times are known in advance are counted once their times have passed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.engine import Calendar
from netsim.nic.passed_frames import PassedFrames

# The time advances; at some distance from it, or from the last train, a train begins, with this spacing and length.
TRAINS = st.lists(
    st.tuples(
        st.integers(0, 60), st.sampled_from(["now", "end"]), st.integers(0, 40), st.integers(1, 9), st.integers(1, 6)
    ),
    max_size=40,
)


def passed() -> tuple[Calendar, PassedFrames]:
    calendar = Calendar()
    return calendar, PassedFrames(calendar)


@given(TRAINS)
def test_each_frame_counts_once_its_time_has_come(trains: list[tuple[int, str, int, int, int]]) -> None:
    """Trains of any pace, which overlap or follow each other; counted frames stay counted."""
    (calendar, one), times, end, before = passed(), list[int](), 0, 0
    for waits, since, ahead, step, frames in trains:
        calendar.now += waits
        start = max(calendar.now, end if since == "end" else 0) + ahead
        one.add(start, step, frames)
        times += [start + number * step for number in range(frames)]
        end = times[-1] + step
        assert before <= one.count(calendar.now) <= len(times)
        before = one.count(calendar.now)
        for now in (calendar.now, *times, *[time - 1 for time in times]):
            if now >= calendar.now:
                assert one.count(now) == sum(time <= now for time in times)


def test_a_delay_parts_a_train_that_is_passing() -> None:
    """Frames that have not passed come later, and so does the next train."""
    _, one = passed()
    one.add(10, 10, 4)
    one.add(100, 1, 2)
    one.delay(29, 500)
    assert [one.count(now) for now in (19, 20, 529, 530, 540, 599, 600, 601)] == [1, 2, 2, 3, 4, 4, 5, 6]


def test_a_frame_that_passes_now_is_not_delayed() -> None:
    """Neither the first frame of its train nor a later one."""
    _, one = passed()
    one.add(10, 10, 3)
    one.delay(10, 500)
    one.delay(520, 500)
    assert [one.count(now) for now in (9, 10, 519, 520, 1029, 1030)] == [0, 1, 1, 2, 2, 3]


def test_what_has_passed_is_forgotten() -> None:
    """However long the run, with gaps and delays, and without a look."""
    calendar, one = passed()
    for _ in range(1000):
        calendar.now += 30
        one.add(calendar.now + 15, 10, 2)
        one.delay(calendar.now + 20, 1)
    assert len(one._trains) < 5
    assert one.count(calendar.now + 26) == 2000


def test_trains_that_follow_each_other_are_one() -> None:
    _, one = passed()
    for number in range(1000):
        one.add(5 + 20 * number, 10, 2)
    assert len(one._trains) == 1
    assert one.count(20_000) == 2000
    assert one.count(19_994) == 1999


def test_trains_of_another_pace_are_others() -> None:
    _, one = passed()
    one.add(10, 10, 2)
    one.add(30, 5, 2)
    assert [one.count(now) for now in (29, 30, 34, 35)] == [2, 3, 3, 4]
