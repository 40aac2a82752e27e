"""When Linux 2.2.16 acknowledges data: tcp_delack_estimator, tcp_send_delayed_ack, __tcp_ack_snd_check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from netsim.engine import Environment
from netsim.machine import Ticks
from netsim.stack.estimated_ack import EstimatedAck
from netsim.stack.round_trip import RoundTrip
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_receive import Reception
from netsim.units import MS
from tests.stack.channel import BARE, MEMORY, SPEC, segment
from tests.stack.test_delayed_ack import Pair
from tests.stack.transfer import SECOND

TICK = 10 * MS
MSS = 1448


class Receiver:
    """An end that gets segments at given times, and acknowledges them by the rule."""

    def __init__(self, *, busy: Callable[[], bool] = lambda: False, mss: int = MSS) -> None:
        self.env = Environment(1)
        self.ticks = Ticks(self.env, TICK, "host")
        self.input = Reception(SPEC, mss, BARE)
        round_trip = RoundTrip(SPEC)  # 200 ms: 20 ticks
        self.rule = EstimatedAck(
            self.env, SPEC, mss, self.input, self._acknowledge, self.ticks, round_trip, busy
        )
        self.acks: list[int] = []  # ps

    def tick(self, number: int) -> int:
        return self.ticks.first + number * TICK

    def get(self, frame: TcpSegment) -> bool:
        """A segment arrives now; returns whether it is acknowledged at once."""
        frame.push = getattr(frame, "push", False)
        at_once = self.rule.acks_now(frame)
        self.input.take(frame, MEMORY)
        if self.input.queue:
            self.input.read(self.input.queue[0][0])
        if at_once:
            self._acknowledge()
        else:
            self.rule.later()
        return at_once

    def data(self, length: int = MSS, *, push: bool = False) -> bool:
        """The next segment in order."""
        frame = segment(self.input.rcv_nxt, length)
        frame.push = push
        return self.get(frame)

    def _acknowledge(self) -> None:
        self.acks.append(self.env.now)
        self.input.offer()
        self.rule.sent()

    def at(self, *ticks: float, push: bool = False, length: int = 100) -> list[int]:
        """A segment at each of these times (in ticks); returns after how many ticks each is due to be acknowledged."""
        due = []
        for when in ticks:
            self.env.run(self.ticks.first + round(when * TICK))
            self.data(length, push=push)
            due.append(self.rule.estimate)
        return due


def test_the_first_data_are_acknowledged_at_once() -> None:
    assert [Receiver().data(100), Receiver().data()] == [True, True]


def test_then_two_segments_of_the_size_seen_are() -> None:
    one = Receiver()
    assert [one.data() for _ in range(7)] == [True, False, True, False, True, False, True]


def test_a_short_segment_and_a_full_one_are_not_two() -> None:
    one = Receiver()
    one.data()
    assert [one.data(length) for length in (911, MSS, MSS, 2 * 536)] == [False, False, True, False]


@pytest.mark.parametrize(("sizes", "seen"), [
    ([100], 536), ([600], 600), ([1448, 600], 1448), ([1448, 600, 600], 600), ([1448, 600, 100, 600], 1448),
    ([1448, 400, 400], 1448),
])  # fmt: skip
def test_the_size_is_the_largest_or_what_two_in_succession_have(sizes: Sequence[int], seen: int) -> None:
    one = Receiver()
    for size in sizes:
        one.data(size)
    assert one.rule._seen == seen


def test_in_a_stream_the_delay_is_one_tick_or_two() -> None:
    assert Receiver().at(0.1, 0.2, 0.3, 1.5, 1.6) == [1, 1, 1, 1, 1]
    assert Receiver().at(0.1, 2.1, 2.2, 2.3) == [1, 2, 2, 2]
    assert Receiver().at(0.1, 8.1, 8.2, 8.3, 8.4, 8.5) == [1, 8, 5, 3, 2, 2]


def test_after_a_gap_longer_than_the_timeout_it_is_that() -> None:
    """The estimate then halves."""
    assert Receiver().at(0.1, 20.1, 50.1, 50.2, 50.3, 50.4) == [1, 20, 20, 11, 6, 4]


def test_a_small_segment_that_ends_a_call_bounds_it() -> None:
    """The bound is two ticks (HZ/50), for a segment shorter than half of mss."""
    assert Receiver().at(0.1, 30.1, push=True) == [1, 2]
    assert Receiver().at(0.1, 30.1, push=True, length=724) == [1, 20]


def test_the_timer_fires_with_a_tick() -> None:
    one = Receiver()
    one.at(0.1, 0.9)
    one.env.run(SECOND)
    assert one.acks == [one.tick(0) + TICK // 10, one.tick(1)]
    two = Receiver()
    two.at(0.1, 2.5)
    two.env.run(SECOND)
    assert two.acks[1] == two.tick(4)  # ato is 2: 10 to 20 ms


def test_an_earlier_time_replaces_a_later_one() -> None:
    one = Receiver()
    one.at(0.1, 8.5, 9.5)  # due at tick 16; then 5 ticks from 9.5 on
    one.env.run(SECOND)
    assert one.acks[1:] == [one.tick(14)]


def test_it_waits_while_a_process_is_inside_a_call() -> None:
    """It waits for the estimate again each time."""
    until = [0]
    one = Receiver(busy=lambda: one.env.now < until[0])
    until[0] = one.tick(3) + 1
    one.at(0.1, 0.9)
    one.env.run(SECOND)
    assert one.acks[1:] == [one.tick(4)]


def test_holes_and_duplicates_are_acknowledged_at_once() -> None:
    one = Receiver()
    one.data()
    late = segment(MSS, MSS)
    assert one.get(segment(2 * MSS, MSS))
    assert one.get(segment(2 * MSS, MSS))
    assert one.get(late)  # fills the hole: two segments
    assert one.input.rcv_nxt == 3 * MSS
    assert not one.data(100)
    assert one.get(segment(MSS, MSS))


def test_what_fills_one_of_two_holes_is_acknowledged_at_once() -> None:
    one = Receiver()
    one.data()
    for number in (2, 4):
        one.get(segment(number * MSS, MSS))
    assert one.get(segment(MSS, MSS))
    assert one.input.disorder


def test_a_window_that_would_more_than_double_is_told_of() -> None:
    """Two segments of the window are left, and the process has read everything before: twenty could come."""
    one = Receiver()
    one.data()
    one.input.rcv_wnd_end = one.input.rcv_nxt + 2 * MSS
    assert one.data(100)


# ---- in a socket ----


@pytest.mark.parametrize("system", ["linux-2.2.14-smp", "linux-2.2.16"])
def test_a_lone_segment_is_acknowledged_with_the_next_tick(system: str) -> None:
    """The processor's clock does not interrupt, but timers still follow it."""
    one = Pair(system)
    one.send(100)
    one.ack()
    one.env.run(one.env.now + MS)
    one.send(100)
    arrived = one.arrival(200)
    assert one.ack(2) == Ticks(one.env, TICK, "b").after(arrived, 1) + one.sending


def test_data_sent_back_acknowledge_and_end_quick_mode() -> None:
    one = Pair("linux-2.2.16")
    one.send(100)
    one.env.run(one.ack() + MS)
    one.send(100)
    one.env.run(one.arrival(200) + MS // 2)
    one.into.send(100, lambda: None)
    one.env.run(SECOND)
    assert one.into.acks_sent == 1
    assert one.out.output.snd_una == 200


@pytest.mark.parametrize("mss", [11, 39, 535, 536, 1448])
def test_a_stream_has_no_fewer_acknowledgements_than_the_closed_form_counts(mss: int) -> None:
    """Small segments do not lower the assumed size."""
    receiver = Receiver(mss=mss)
    at_once = [receiver.data(mss) for _ in range(400)]
    acked = [place for place, did in enumerate(at_once) if did]
    most = max(other - one for one, other in pairwise(acked)) * mss
    assert 2 * max(mss, 536) <= most <= SPEC.unacknowledged(mss)
