"""The size of a frame, and how long it occupies the wire. Not compiled, as a size may be an array over all points of a
sweep."""

from __future__ import annotations

from netsim.ethernet.frame import FCS, HEADER, INTERFRAME_GAP, MIN_FRAME, PREAMBLE


def frame_size(payload: int) -> int:
    """Bytes of a frame with FCS, padded to minFrameSize, for `payload` bytes after the Ethernet header."""
    return max(MIN_FRAME, HEADER + payload + FCS)


def wire_size(frame: int) -> int:
    """Byte times for which a frame of `frame` bytes (with FCS) occupies the wire: preamble, frame, gap."""
    return PREAMBLE + frame + INTERFRAME_GAP
