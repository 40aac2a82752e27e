"""Queues computed by arithmetic, compared with the same queues frame by frame."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.nic import FrameArrivals, HostLink, ReceiveQueue, TransmitQueue

PS = 10**12
few = settings(max_examples=100, deadline=None)


@given(st.integers(1, 20), st.data(), st.integers(1, 200_000_000), st.integers(0, 10**6), st.integers(-1, 100))
@few
def test_arrivals_are_those_of_a_list(flows: int, data: st.DataObject, rate: int, start: int, most: int) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, flows - 1), min_size=1)))
    arrivals = FrameArrivals(places, flows, rate, start, most)
    frames = [frame for frame in range(120 if most < 0 else most) if frame % flows in places]
    times = [start + frame * PS // rate for frame in frames]
    assert [arrivals.time(number) for number in range(len(times))] == times
    for time in [start - 1, *times[:20]]:
        assert arrivals.count(time) == sum(one <= time for one in times)
    if most >= 0:
        assert arrivals.time(len(times)) == -1
        assert arrivals.count(10**15) == len(times)


@given(st.lists(st.tuples(st.integers(1, 1000), st.integers(0, 300), st.integers(1, 30)), max_size=8),
       st.integers(1, 300), st.integers(0, 500))  # fmt: skip
@few
def test_trains_are_a_server_in_order(trains: list[tuple[int, int, int]], service: int, latency: int) -> None:
    """With doorbells at known times, each frame ends when the previous one and its own service are over."""
    queue, ends, now, free = TransmitQueue(service, latency), deque[int](), 0, 0
    for gap, step, frames in trains:
        now += gap
        queue.put(now, step, frames)
        for number in range(frames):
            free = max(free, now + number * step) + service
            ends.append(free + latency)
        now += (frames - 1) * step
        due = sum(end <= now for end in ends)
        assert queue.done(now) == due
        assert [queue.done_time(number + 1) for number in range(len(ends))] == [*ends]
        assert queue.done_time(len(ends) + 1) == -1
        queue.clean(some := due // 2)
        for _ in range(some):
            ends.popleft()
        assert queue.unclean == queue.waiting == len(ends)


def _queue(rate: int, ring: int, service: int = 1, room: int = 10**6, most: int = -1) -> ReceiveQueue:
    return ReceiveQueue(FrameArrivals([0], 1, rate, 0, most), HostLink(service, room), ring, 100)


@given(st.integers(1, 10**9), st.integers(1, 64),
       st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 64)), max_size=9))  # fmt: skip
@few
def test_a_ring_drops_what_it_has_no_descriptors_for(rate: int, ring: int, looks: list[tuple[int, int]]) -> None:
    """Frame by frame: a frame that finds a descriptor takes it."""
    queue, now, free, taken, dropped, seen = _queue(rate, ring), 0, ring, 0, 0, 0
    for gap, back in looks:
        now += gap
        queue.look(now)
        while seen * PS // rate <= now:
            seen += 1
            if free:
                free, taken = free - 1, taken + 1
            else:
                dropped += 1
        assert (queue.arrived, queue.waiting, queue.dropped_by_ring) == (seen, taken, dropped)
        some = queue.ready(now, back)
        queue.take(some, now, 0)
        queue.post(some)
        taken, free = taken - some, free + some
        assert queue.posted == free


def test_a_link_that_is_too_slow_makes_frames_late_and_then_drops_them() -> None:
    queue = _queue(10**9, 10**6, service=2000, room=100)  # a frame each ns, and the link moves one in two
    for step in range(1, 101):
        queue.look(step * 10_000)
    assert queue.arrived == 1001
    assert queue.taken + queue.waiting == pytest.approx(1000 / 2 + 100, abs=2)
    assert queue.dropped_by_link == queue.arrived - queue.waiting
    assert not queue.dropped_by_ring
    assert queue.ready(1_000_000) == pytest.approx(500, abs=20)  # the rest waits for the link
    assert queue.ready(1_000_000 + 100 * 2000 + 100) == queue.waiting


def test_a_frame_is_ready_when_it_is_in_memory() -> None:
    queue = _queue(10**6, 64)
    queue.look(10**6)
    assert (queue.arrived, queue.ready(99), queue.ready(101)) == (2, 0, 1)
    assert queue.next_ready(1) == 100
    assert queue.next_ready(3) == 2 * 10**6 + 100
    queue.take(1, 500, 200)
    assert (queue.stayed, queue.longest) == (700, 700)
    assert queue.next_ready(64) == -1  # there are fewer descriptors


def test_a_burst_ends() -> None:
    queue = _queue(10**6, 64, most=3)
    queue.look(10**9)
    assert queue.arrived == 3
    queue.take(3, 10**9, 0)
    queue.post(3)
    assert queue.next_ready(1) == -1


def test_messages_do_not_make_an_idle_link_look_busy() -> None:
    """A frame each us over a link that takes 0.5, with room for two. An interrupt's message is sent shortly before each
    look: earlier frames have already crossed the link, as it was idle."""
    queue = _queue(10**6, 10**6, service=500_000, room=2)
    for step in range(1, 51):
        now = step * 10 * 10**6
        queue.interrupt(10_000, now - 1)
        queue.look(now)
    assert (queue.arrived, queue.dropped_by_link) == (501, 0)
    assert queue.ready(500 * 10**6 + 500_000 + 100) == 501


def test_messages_take_their_time_of_a_busy_link() -> None:
    """A frame each 2 us, and a message of 1 us for each two: 1.5 us of the link's time."""
    queue = _queue(500_000, 10**6, service=1_500_000, room=4)
    for step in range(1, 1001):
        queue.interrupt(10**6, step * 4 * 10**6 - 1)
        queue.look(step * 4 * 10**6)
    assert queue.dropped_by_link == 0
    slow = _queue(500_000, 10**6, service=1_600_000, room=4)
    for step in range(1, 1001):
        slow.interrupt(10**6, step * 4 * 10**6 - 1)
        slow.look(step * 4 * 10**6)
    assert slow.waiting == pytest.approx(1000 * (4 - 1) / 1.6, rel=0.01)


# ---- two queues on one link ----


def _pair(rate: int, service: int, room: int, ring: int = 10**6) -> tuple[HostLink, list[ReceiveQueue]]:
    """Their frames take turns; `rate` is that of both."""
    link = HostLink(service, room)
    return link, [ReceiveQueue(FrameArrivals([place], 2, rate, 0, -1), link, ring, 100) for place in (0, 1)]


def _looks(most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Which queue is looked at, and how long after the last look (ps); some looks are at the same time."""
    gaps = st.sampled_from([0, 1, most // 20]) | st.integers(0, most)
    return st.lists(st.tuples(st.integers(0, 1), gaps), max_size=30)


@given(_looks(10**8), st.integers(1, 999_999))
@few
def test_an_idle_link_neither_drops_nor_delays(looks: list[tuple[int, int]], service: int) -> None:
    """A frame each us, and room for two. However rarely a queue is looked at: its frames have crossed the link before
    those of the other that come later."""
    link, queues = _pair(10**6, service, 2)
    now = 0
    for number, gap in looks:
        now += gap
        queues[number].look(now)
        assert [one.ready(now) for one in queues] == [one.count(now - 100) for one in _arrivals()]
        assert not any(one.dropped_by_link or one.dropped_by_ring for one in queues)
    queues[0].look(now + 10**7)
    assert sum(one.waiting for one in queues) == link.moved(now + 10**7 + service)


def _arrivals() -> list[FrameArrivals]:
    return [FrameArrivals([place], 2, 10**6, 0, -1) for place in (0, 1)]


@given(_looks(10**5), st.integers(1100, 4000), st.integers(1, 50), st.integers(1, 200))
@few
def test_an_overloaded_link_moves_what_it_can_and_keeps_what_has_room(
    looks: list[tuple[int, int]], service: int, room: int, ring: int
) -> None:
    """A frame each ns. All are accounted for, and none moves that the link has no time for."""
    link, queues = _pair(10**9, service, room, ring)
    now = 0
    for number, gap in looks:
        now += gap
        queues[number].look(now)
        for one in queues:
            assert one.arrived == one.waiting + one.taken + one.dropped_by_ring + one.dropped_by_link
            assert one.posted + one.waiting == ring
        assert link.moved(now) * service <= now
        assert sum(one.taken + one.waiting for one in queues) <= now // service + room + 1
        some = queues[number].ready(now)
        queues[number].take(some, now, 0)
        queues[number].post(some)


def test_two_queues_share_a_link_equally() -> None:
    """It moves one frame in four; both queues are looked at, one of them more often."""
    link, queues = _pair(10**9, 4000, 100)
    for step in range(1, 1001):
        queues[step % 3 % 2].look(step * 10_000)
    assert sum(one.waiting for one in queues) == pytest.approx(10_000 / 4 + 100, abs=2)
    assert queues[0].waiting == pytest.approx(queues[1].waiting, rel=0.01)
    assert link.moved(1000 * 10_000) == pytest.approx(10_000 / 4, abs=2)


@given(_looks(10**5), st.integers(1, 4000))
@few
def test_any_queue_of_a_link_may_be_looked_at(looks: list[tuple[int, int]], service: int) -> None:
    """A look accounts for the frames of all of them."""
    (_, one), (_, other) = (_pair(10**9, service, 5, 300) for _ in range(2))
    now = 0
    for number, gap in looks:
        now += gap
        one[number].look(now)
        other[1 - number].look(now)
        for at in (0, 1):
            assert one[at].ready(now) == other[at].ready(now)
            assert one[at].next_ready(3) == other[at].next_ready(3)
            assert one[at].dropped_by_link == other[at].dropped_by_link
