"""The throughput that framing alone allows for reads over a segment, without software and collisions, counted in three
ways.

An analyser sees frames without padding and frame check sequence, so the sum of its sizes is too small and the rate too
high: a request padded to minFrameSize has more bytes on the wire, and both frames end with an FCS. Source of the first
way: National Semiconductor, application note TL/F/11791, "How does PERFORM3 work?": 940 us for 1024 bytes, with a
request of 57 bytes, which omits 7 bytes of the core protocol's header.
"""

from __future__ import annotations

from dataclasses import dataclass

from netsim.ethernet import SegmentSpec
from netsim.ethernet.frame import HEADER, MIN_FRAME
from netsim.ethernet.frame_sizes import wire_size
from netsim.stack.ncp_spec import IPX_HEADER, NcpSpec
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class IdealRead:
    """A read of `length` bytes whose two frames count as `request` and `reply` bytes, and therefore take `time`
    (ps)."""

    length: int
    request: int
    reply: int
    time: int

    @property
    def throughput(self) -> float:
        """The throughput (bit/s)."""
        return self.length * 8 * PS_PER_S / self.time


def ideal_read(segment: SegmentSpec, length: int, request: int, reply: int) -> IdealRead:
    """A request and then a reply of these sizes (bytes), each with its preamble and the gap before it."""
    return IdealRead(length, request, reply, segment.time(wire_size(request) + wire_size(reply)))


def captured(segment: SegmentSpec, ncp: NcpSpec, length: int) -> IdealRead:
    """Counted with the sizes that an analyser shows: no padding, no FCS."""
    overhead = HEADER + IPX_HEADER
    return ideal_read(segment, length, overhead + ncp.request, overhead + ncp.reply + length)


def padded(segment: SegmentSpec, ncp: NcpSpec, length: int) -> IdealRead:
    """Counted as captured, but with frames of at least minFrameSize."""
    seen = captured(segment, ncp, length)
    return ideal_read(segment, length, max(MIN_FRAME, seen.request), max(MIN_FRAME, seen.reply))


def on_the_wire(segment: SegmentSpec, ncp: NcpSpec, length: int) -> IdealRead:
    """Counted with the actual frames, including the FCS."""
    return ideal_read(segment, length, ncp.request_frame(), ncp.reply_frame(length))
