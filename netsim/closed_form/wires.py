"""Consecutive frames over successive wires: each frame is stored whole at the end of a wire before it continues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from netsim.ethernet import Frame, Medium


class OnWire(NamedTuple):
    """Consecutive frames on one wire: the time (ps) of the `first`, from its first bit until it may continue on the
    next wire, that of all `before_last`, from start to start, and that of the `last`, as of the first."""

    first: int
    before_last: int
    last: int


def before_last(medium: Medium, frames: Sequence[tuple[int, Frame]]) -> int:
    """The least time (ps) from the start of the first of `frames`, with equal ones counted, to that of the last."""
    return sum(count * medium.frame_time(one.size) for count, one in frames) - medium.frame_time(frames[-1][1].size)


def crossing_time(wires: Sequence[OnWire]) -> int:
    """The least time (ps) from the first frame's first bit until the last frame has arrived: the first one reaches the
    slowest wire, all of them pass through it, and the last one continues from there."""
    return max(
        sum(one.first for one in wires[:slowest]) + wire.before_last + sum(one.last for one in wires[slowest:])
        for slowest, wire in enumerate(wires)
    )
