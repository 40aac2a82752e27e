"""What the frames of a message keep busy one after the other: the sender's processor, the wire, the receiver's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from netsim.ethernet import Frame, SegmentSpec
from netsim.machine import HostSpec


class Stage(NamedTuple):
    """ps that one frame, or all of a message, keeps each of the three. Nobody waits for the sender's processor while it
    takes back the buffers (`freed`): that may be done while the reply is awaited."""

    sent: int
    wire: int
    taken: int
    freed: int

    @property
    def sender(self) -> int:
        """Of the sender's processor, together."""
        return self.sent + self.freed


def total(stages: Sequence[Stage]) -> Stage:
    """Of all frames together."""
    return Stage(*(sum(part) for part in zip(*stages, strict=True)))


def least_time(stages: Sequence[Stage]) -> int:
    """ps from the first frame's beginning to the last one's end: the first one comes to the stage that is slowest, all
    go through that, and the last one goes on from there. Frames that follow each other are one stage apart, at best."""
    first, last, whole = stages[0], stages[-1], total(stages)
    return max(
        whole.sent + last.wire + last.taken,
        first.sent + whole.wire + last.taken,
        first.sent + first.wire + whole.taken,
    )


def between(near: HostSpec, far: HostSpec, segment: SegmentSpec, distance: int, frame: Frame) -> int:
    """ps that a frame is neither with a processor nor on the wire: over the first port of each, `distance` ps apart. No
    interrupt is waited for: the frame may come while its receiver handles the one that says what it has sent."""
    out, into = near.ports()[0], far.ports()[0]
    handling = into.handling_time(far.bill, far.system.kernel, frame.buffer)
    return out.adapter.ahead(out.bus, frame) + distance + into.adapter.behind(into.bus, segment, frame, handling)
