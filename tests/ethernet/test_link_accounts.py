"""A link's busy time if frames are handed over early."""

from __future__ import annotations

import pytest

from netsim.accounts.resource import CABLE, Resource
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec

SPEC = LinkSpec.from_name("100base-tx")
WHOLE = SPEC.frame_time(1518)  # gap included


class End:
    """A station that receives frames."""

    frames_arrived = 0

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        self.frames_arrived += 1


@pytest.fixture
def link() -> Link:
    link = Link(Environment(), SPEC, Resource("receiver", CABLE))
    link.attach(End())
    return link


def test_time_before_a_frame_that_starts_later_is_idle(link: Link) -> None:
    link.put(Frame(1518), 10**9)
    busy = [link.busy_until(time) for time in (0, 10**9, 10**9 + 1000, 10**9 + WHOLE, 2 * 10**9)]
    assert busy == [0, 0, 1000, WHOLE, WHOLE]


def test_so_is_time_between_two(link: Link) -> None:
    link.put(Frame(1518), 0)
    link.put(Frame(1518), 10**9)
    busy = [link.busy_until(time) for time in (1000, WHOLE, 5 * 10**8, 10**9, 10**9 + 1000)]
    assert busy == [1000, WHOLE, WHOLE, WHOLE, WHOLE + 1000]
