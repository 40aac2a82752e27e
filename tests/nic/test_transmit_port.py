"""The wire side of an adapter: frames leave it in sequence, and frames that have left are counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.engine import Calendar
from netsim.nic import TransmitPort

STEP, LATENCY, WAY = 10, 25, 100

# At each step the time advances; a doorbell may ring later. Then frames are put, or held for some time.
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "hold", "look"]), st.integers(0, 60), st.integers(0, 40), st.integers(1, 6)),
    max_size=40,
)


class EachFrame:
    """The same port, which keeps the end of every frame."""

    def __init__(self) -> None:
        self.ends: list[int] = []

    @property
    def free(self) -> int:
        return self.ends[-1] if self.ends else 0

    def put(self, doorbell: int, frames: int) -> int:
        start = max(self.free, doorbell + LATENCY)
        self.ends += [start + number * STEP for number in range(1, frames + 1)]
        return start + WAY

    def hold(self, now: int, time: int) -> None:
        self.ends = [end + time if end > now else end for end in self.ends]

    def sent(self, now: int) -> int:
        return sum(end <= now for end in self.ends)


def port() -> tuple[Calendar, TransmitPort]:
    calendar = Calendar()
    return calendar, TransmitPort(calendar, STEP, LATENCY, WAY)


def test_a_port_sends_one_frame_after_the_other() -> None:
    _, one = port()
    assert one.put(0, 4) == 125
    assert one.free == 65
    assert one.put(20, 1) == 165
    assert [one.sent(now) for now in (0, 34, 35, 64, 65, 75, 900)] == [0, 0, 1, 3, 4, 5, 5]
    assert one.put(100, 1) == 225


@given(STEPS)
def test_each_frame_counts_once_it_has_left(steps: list[tuple[str, int, int, int]]) -> None:
    """Doorbells may ring ahead of the time, and out of order; counted frames stay counted."""
    (calendar, one), other, before = port(), EachFrame(), 0
    for what, passed, ahead, amount in steps:
        calendar.now += passed
        now = calendar.now
        if what == "put":
            assert one.put(now + ahead, amount) == other.put(now + ahead, amount)
        elif what == "hold":
            one.hold(now + ahead, 3 * amount)
            other.hold(now + ahead, 3 * amount)
        assert one.free == other.free
        assert before <= one.sent(now) <= len(other.ends)
        before = one.sent(now)
        for later in (now, now + 1, *other.ends, *[end - 1 for end in other.ends]):
            if later >= now:
                assert one.sent(later) == other.sent(later)
    assert one.sent(one.free + calendar.now) == len(other.ends)


def test_frames_that_have_left_long_ago_do_not_wait() -> None:
    """After an idle time one frame waits for its latency, which is longer than the earlier frames took."""
    calendar, one = port()
    one.put(0, 3)
    calendar.now = 1000
    one.put(1000, 1)
    assert [one.sent(now) for now in (1000, 1034, 1035)] == [3, 3, 4]


def test_a_hold_does_not_call_frames_back() -> None:
    calendar, one = port()
    one.put(0, 4)
    calendar.now = 47
    one.hold(47, 1000)
    assert [one.sent(now) for now in (47, 1054, 1055, 1065)] == [2, 2, 3, 4]
