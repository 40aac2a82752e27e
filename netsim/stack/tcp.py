"""TCP (RFC 793, RFC 1122, RFC 1323, RFC 2581, RFC 2582): what both ends of a connection share."""

from __future__ import annotations

from typing import Any

from netsim.ethernet import Frame
from netsim.ethernet.frame import frame_size
from netsim.spec import Spec
from netsim.stack import ip
from netsim.units import Count, Cycles, PositiveBytes, Time

HEADER = 20  # bytes, without options (RFC 793, 3.1)
TIMESTAMPS = 12  # bytes of the timestamps option, padded (RFC 1323, appendix A)


class TcpSpec(Spec):
    """TCP as one system does it.

    `tx_cycles` and `rx_cycles` are the processor's per segment, data or acknowledgement, apart from copies, checksums
    and the driver. `send_buffer` and `receive_buffer` are in bytes of memory; half the receive buffer, at most
    `window_clamp` and in whole segments, is offered as window. An acknowledgement goes out once more than one segment
    is unacknowledged, or after `delayed_ack`. `min_timeout` and `max_timeout` bound the retransmission timeout.
    """

    tx_cycles: Cycles
    rx_cycles: Cycles
    timestamps: bool
    send_buffer: PositiveBytes
    receive_buffer: PositiveBytes
    window_clamp: PositiveBytes
    initial_window: Count
    duplicate_acks: Count
    delayed_ack: Time
    min_timeout: Time
    max_timeout: Time

    @property
    def headers(self) -> int:
        """Bytes of IP and TCP header, with options."""
        return ip.HEADER + HEADER + (TIMESTAMPS if self.timestamps else 0)

    def segment_size(self, mtu: int) -> int:
        """Payload bytes of a full segment."""
        return mtu - self.headers

    def frame_size(self, length: int) -> int:
        """Bytes of the frame, with FCS, that carries `length` bytes of payload."""
        return frame_size(self.headers + length)

    def window(self, buffered: int, segment: int) -> int:
        """The window to offer (bytes) with `buffered` bytes of memory taken, in whole segments of `segment` bytes."""
        free = max(0, self.receive_buffer - buffered) // 2
        return min(free, self.window_clamp) // segment * segment


class Segment(Frame):
    """A frame with a TCP segment: bytes `seq` to `seq + length`, everything before `ack` received, `window` offered.

    `stamp` is when it was sent, `echo` the stamp that the receiver of this segment gets back (both ps; RFC 1323, 3.2).
    """

    __slots__ = ("ack", "echo", "length", "seq", "stamp", "window")

    owner = None  # what is sent again is copied: nobody waits for the driver to let go

    def __init__(
        self, size: int, port: Any, seq: int, length: int, ack: int, window: int, stamp: int, echo: int
    ) -> None:
        self.size = size
        self.port = port
        self.seq = seq
        self.length = length
        self.ack = ack
        self.window = window
        self.stamp = stamp
        self.echo = echo
