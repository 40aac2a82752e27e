"""A cable that is down: which frames are lost, to the picosecond."""

from __future__ import annotations

import pytest

from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from tests.standards.test_switch_timing import Sink

CABLE = 25_000  # ps
ON_IT = 1526 * 80_000 + CABLE  # ps from a frame's first bit out to its last bit in
APART = 1538 * 80_000  # from one frame's start to the next one's


def wire(bit_error_rate: float = 0.0) -> tuple[Environment, Link, Sink]:
    env = Environment(seed=1)
    link = Link(env, LinkSpec(rate="100 Mbit/s", propagation="25 ns", bit_error_rate=bit_error_rate), "wire")
    sink = Sink(env)
    link.attach(sink)
    return env, link, sink


@pytest.mark.parametrize(
    ("at", "until", "lost"),
    [
        (0, 1, [0]),  # its first bit is on the cable
        (ON_IT - 1, ON_IT, [0]),  # its last bit still is
        (ON_IT, APART, []),  # between two frames
        (ON_IT - 1, APART + 1, [0, 1]),
        (ON_IT, APART + 1, [1]),
        (APART + ON_IT, 3 * APART, [2]),  # frames that wait for the cable
        (APART + ON_IT, 3 * APART + 1, [2, 3]),
    ],
)
def test_a_frame_is_lost_if_any_of_it_is_on_the_cable(at: int, until: int, lost: list[int]) -> None:
    env, link, sink = wire()
    link.fail(at, until)
    frames = [Frame(1518) for _ in range(5)]
    ends = [link.put(frame, 0) for frame in frames]
    assert ends == [number * APART + ON_IT - CABLE for number in range(5)]  # the sender does not notice it
    env.run()
    arrived = [frame for _, frame in sink.log]
    assert [number for number, frame in enumerate(frames) if frame not in arrived] == lost
    assert link.drops == {"bit errors": 0, "link down": len(lost)}
    assert link.frames == link.frames_arrived + link.frames_lost == 5


def test_a_cable_can_fail_several_times() -> None:
    env, link, sink = wire()
    link.fail(3 * APART, 4 * APART)
    link.fail(0, APART)
    for _ in range(5):
        link.put(Frame(1518), 0)
    env.run()
    assert [now for now, _ in sink.log] == [number * APART + ON_IT for number in (1, 2, 4)]


def test_bit_errors_are_counted_beside() -> None:
    env, link, _ = wire(bit_error_rate=1.0)
    assert link.drops == {"bit errors": 0}
    link.fail(0, 2 * APART)
    for _ in range(5):
        link.put(Frame(1518), 0)
    env.run()
    assert link.drops == {"bit errors": 3, "link down": 2}
    assert link.frames_lost == 5
