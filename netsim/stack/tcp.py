"""TCP (RFC 793, RFC 1122, RFC 1323, RFC 2018, RFC 2581, RFC 2582): what both ends of a connection share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import i64

from netsim.ethernet import Frame
from netsim.ethernet.frame import FCS, MIN_FRAME
from netsim.ethernet.frame import HEADER as ETHERNET_HEADER
from netsim.stack import ip

if TYPE_CHECKING:
    from netsim.stack.tcp_works import Arrived

FRAME_HEADERS: Final = ETHERNET_HEADER + FCS
HEADER: Final = 20  # bytes, without options (RFC 793, 3.1)
FIELD: Final = 16  # bits of a window
LARGEST_WINDOW: Final = 65_535  # bytes, if it is not scaled
MOST_SHIFTED: Final = 14  # bits (RFC 1323, 2.3)
OPTIONS: Final = 40  # bytes of options that a header can have (RFC 793, 3.1: the data offset)
TIMESTAMPS: Final = 12  # bytes of the timestamps option, padded (RFC 1323, appendix A)
ASSUMED_SEGMENT: Final = 536  # bytes that a segment is assumed to have at first (RFC 1122, 4.2.2.6)
MSS: Final = 4  # bytes of the MSS option in a SYN (RFC 793, 3.1)
SACK_PERMITTED: Final = 4  # bytes of the option that permits SACK, padded (RFC 2018, 2)
SCALE: Final = 4  # bytes of the window scale option, padded (RFC 1323, 2.2)
SACK: Final = 4  # bytes of the SACK option, padded, without its blocks (RFC 2018, 3)
SACK_BLOCK: Final = 8  # bytes


class TcpSegment(Frame):
    """A frame with a TCP segment: bytes `seq` to `seq + length`, an acknowledgement of everything before `ack`, and the
    offered `window`.

    `tsval` is the time at which it was sent, `tsecr` the echoed `tsval` of its receiver, -1 if there is none (both in
    ps; RFC 1323, 3.2). `sacked` lists the blocks of bytes beyond `ack` that the sender of this segment holds, as (first
    byte, first after; RFC 2018, 3). `push`: a send call ends with it, or within it. The receiver notes what it has in
    common with similar segments (`arrived`), how many bytes of `memory` it occupies there, and whether it `waits` for a
    process to leave the socket; and, when work on it begins, whether it is acknowledged at once (`answered`) and how
    many of its bytes go straight to the process (`copied`).
    """

    __slots__ = (
        "ack", "answered", "arrived", "copied", "length", "memory", "push", "sacked", "seq", "tsecr", "tsval",
        "waits", "window",
    )

    answered: bool
    arrived: Arrived
    push: bool
    copied: i64
    memory: i64
    waits: bool

    def __init__(
        self, size: int, port: Any, seq: i64, length: i64, ack: i64, window: i64, tsval: i64, tsecr: i64
    ) -> None:
        self.size = size
        self.port = port
        self.owner = None
        self.seq = seq
        self.length = length
        self.ack = ack
        self.window = window
        self.tsval = tsval
        self.tsecr = tsecr
        self.sacked: tuple[tuple[int, int], ...] = ()

    @property
    def packet(self) -> int:
        """Bytes of the packet. Only segments without options are padded."""
        return ip.HEADER + HEADER + self.length if self.size == MIN_FRAME else self.size - FRAME_HEADERS

    def twin(self) -> TcpSegment:
        twin = TcpSegment(
            self.size, self.port, self.seq, self.length, self.ack, self.window, self.tsval, self.tsecr
        )
        twin.sacked = self.sacked
        if self.length:
            twin.push = self.push
        return twin


class ProtectedSegment(TcpSegment):
    """A segment protected by IPsec, the `number`-th of its sender (RFC 2406, 2.2: from 1). See Frame for the work left
    to the cards."""

    __slots__ = ("decipher", "encipher", "number")

    number: int
