"""A shared wire for the frames that occupy it least: at 1000 Mbit/s, those after the first of a burst."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.ethernet import LinkSpec, Medium, SegmentSpec
from netsim.topology.routes import Hop


@dataclass(frozen=True)
class Burst:
    """A segment within a burst: no extension to the slot time (IEEE 802.3, 4.2.3.2.7). Its times are those of a
    Medium."""

    segment: SegmentSpec

    def time(self, nbytes: int) -> int:
        return self.segment.time(nbytes)

    def sending_time(self, size: int) -> int:
        return self.segment.sending_time(size, first=False)

    def frame_time(self, size: int) -> int:
        return self.sending_time(size) + self.segment.gap


def quickest(medium: LinkSpec | SegmentSpec) -> Medium:
    """The wire with the least time that any frame takes on it."""
    return Burst(medium) if isinstance(medium, SegmentSpec) and medium.burst_time else medium


def quickest_crossing(hop: Hop, size: int) -> int:
    """The least time (ps) from the first bit of a frame of `size` bytes until its last bit has arrived and may
    continue."""
    return hop.crossing(size) - hop.medium.sending_time(size) + quickest(hop.medium).sending_time(size)
