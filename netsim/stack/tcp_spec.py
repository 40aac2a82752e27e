"""TCP as one system does it: its sizes, its limits, and what a segment costs."""

from __future__ import annotations

from typing import Literal

from netsim.ethernet.frame_sizes import frame_size
from netsim.spec import Spec
from netsim.stack import ip
from netsim.stack.tcp import (
    FIELD,
    HEADER,
    LARGEST_WINDOW,
    MOST_SHIFTED,
    MSS,
    OPTIONS,
    SACK,
    SACK_BLOCK,
    SACK_PERMITTED,
    SCALE,
    TIMESTAMPS,
)
from netsim.stack.tcp_connection_spec import TcpConnectionSpec
from netsim.units import Count, Cycles, Fraction, Header, Interval, NonNegativeCount, PositiveBytes, Time


class TcpSpec(Spec):
    """TCP as one system does it.

    `tx_cycles` and `rx_cycles` are the processor's per segment, data or acknowledgement, apart from copies, checksums
    and the driver; `ack_cycles` of one sent without data (None: as with data). `send_buffer` and `receive_buffer` are
    in bytes of what SocketSpec.counts says: a segment's buffer has room for a full segment's payload and `headroom`
    bytes, an acknowledgement's for these alone.

    What is offered as window is the `window_share` of what the receive buffer has free, at most `window_clamp` and in
    whole segments; with `window_rounds_up` the share of the whole buffer is rounded up to such first, and it is
    `window_least` segments at least. A process that reads has the peer told of a window that is open again, by the
    `window_update`: when it "read" as much as the peer may still send, or when that "doubles".

    Data are acknowledged after `delayed_ack`, if nothing calls for it before (netsim.stack.delayed_ack): with
    `every_other` each second segment does, of whatever size. With a `delayed_ack_limit` the delay is estimated, and at
    most that; then `delayed_ack` bounds it for small segments that end a call (netsim.stack.estimated_ack). A segment
    that has less than the `nagle_share` of a full one waits for what is on its way. `min_timeout` and `max_timeout`
    bound the retransmission timeout.

    With `backlog`, segments that come in while a process is inside a call on the socket are checked, which takes the
    `check_share` of `rx_cycles`, and then wait until it leaves. `receive_copy`: what copies incoming data: the process,
    when it reads, or deferred work, to the process that waits, and else to a buffer of the system's, from which the
    process copies it again (Windows: AFD). It is woken when its buffer is full, the sender's call ends, or it has got
    something and nothing more has come for `receive_wait` (0: it waits on).

    A window's field has 16 bits. With `window_scaling` both ends say by how many bits theirs is shifted, if the one
    that opens the connection "asks" for it and the other one "answers" (or would ask, too): as few as let the share of
    an empty buffer fit, at most 14 (RFC 1323, 2.2).

    After an idle time longer than the retransmission timeout, a connection with `idle_restart` begins again with its
    initial window (RFC 2581, 4.1). `recovery` says what an acknowledgement does that ends no fast recovery, as part
    of what was sent before it is missing yet: "reno" ends it all the same (RFC 2581, 3.2); "newreno" sends the first
    missing segment again, and takes what is acknowledged from the congestion window (RFC 2582, 3); "hoe" sends it
    again and leaves the window as it is, unless the segment has data, which end it (Linux 2.2: tcp_fast_retrans).

    With `sack` at both ends a receiver reports what it holds beyond a hole (RFC 2018); the sender then considers
    everything before the last byte held, and not held itself, lost (FACK, Mathis and Mahdavi 1996), as Linux 2.2 always
    does where it has SACK.
    """

    tx_cycles: Cycles
    rx_cycles: Cycles
    timestamps: bool
    sack: bool
    send_buffer: PositiveBytes
    receive_buffer: PositiveBytes
    window_clamp: PositiveBytes
    initial_window: Count
    duplicate_acks: Count
    delayed_ack: Time
    min_timeout: Interval
    max_timeout: Interval
    backlog: bool
    window_share: Fraction = 0.5
    window_rounds_up: bool = False
    window_least: NonNegativeCount = 0
    every_other: bool = False
    receive_copy: Literal["process", "deferred"] = "process"
    receive_wait: Time = 0
    ack_cycles: Cycles | None = None
    headroom: Header = 0
    delayed_ack_limit: Time = 0
    nagle_share: Fraction = 1.0
    window_update: Literal["read", "doubles"] = "read"
    check_share: Fraction = 0.5
    window_scaling: Literal["asks", "answers", "none"] = "none"
    idle_restart: bool = False
    recovery: Literal["hoe", "newreno", "reno"] = "hoe"
    connection: TcpConnectionSpec | None = None

    def window_shift(self, scaled: bool) -> int:
        """By how many bits the windows that it offers are shifted, on a connection that is `scaled` or not."""
        space = min(int(self.receive_buffer * self.window_share), self.window_clamp)
        return min(MOST_SHIFTED, max(0, space.bit_length() - FIELD)) if scaled else 0

    def clamp(self, shift: int) -> int:
        """The largest window (bytes) that it offers with such a shift."""
        return min(self.window_clamp, LARGEST_WINDOW << shift)

    def scales_with(self, opener: TcpSpec) -> TcpSpec:
        """As it is on connections that `opener` opens: it asks if it was asked and can, and never unasked."""
        if opener.window_scaling == "asks":
            own: str = "none" if self.window_scaling == "none" else "asks"
        else:
            own = "answers" if self.window_scaling == "asks" else self.window_scaling
        return self if own == self.window_scaling else self.replace("window_scaling", own)

    def unacknowledged(self, mss: int) -> int:
        """The most bytes that one acknowledgement can stand for, of a stream in segments of `mss` bytes: two segments,
        or nearly three where it takes two segments' worth and some are shorter."""
        return 3 * mss - 1 if self.delayed_ack_limit else 2 * mss

    @property
    def headers(self) -> int:
        """Bytes of IP and TCP header, with options."""
        return ip.HEADER + HEADER + (TIMESTAMPS if self.timestamps else 0)

    @property
    def sack_blocks(self) -> int:
        """Blocks that a SACK option has room for (RFC 2018, 3: four, with timestamps three); 0 without SACK."""
        room = OPTIONS - SACK - (TIMESTAMPS if self.timestamps else 0)
        return room // SACK_BLOCK if self.sack else 0

    def mss(self, mtu: int) -> int:
        """Payload bytes of a full segment, less its options (RFC 1122, 4.2.2.6: Eff.snd.MSS), if nothing protects it.
        """
        return mtu - self.headers

    @property
    def syn_packet_size(self) -> int:
        """Bytes of the IP packet of a SYN that asks for all that it can (RFC 793, 3.1; RFC 1323, 2.2; RFC 2018, 2):
        SACK has room in what aligns timestamps."""
        aligned = TIMESTAMPS if self.timestamps else SACK_PERMITTED if self.sack else 0
        return ip.HEADER + HEADER + MSS + aligned + (SCALE if self.window_scaling == "asks" else 0)

    def packet_size(self, length: int, blocks: int = 0) -> int:
        """Bytes of the IP packet that carries `length` bytes of payload and `blocks` SACK blocks."""
        return self.headers + length + (SACK + SACK_BLOCK * blocks if blocks else 0)

    def frame_size(self, length: int, blocks: int = 0) -> int:
        """Bytes of its frame, with FCS, if nothing protects it."""
        return frame_size(self.packet_size(length, blocks))

    def empty_window(self, mss: int) -> float:
        """What an empty receive buffer would have offered (bytes), except for the clamp, with segments of `mss` bytes
        (MS, Windows 2000 TCP/IP Implementation Details, "TCP Receive Window Size Calculation and Window Scaling")."""
        share = self.receive_buffer * self.window_share
        if self.window_rounds_up:
            share = -(-share // mss) * mss
        return max(share, self.window_least * mss)

    def window(self, buffered: int, mss: int, shift: int = 0) -> int:
        """The window to offer (bytes) with `buffered` bytes of the receive buffer taken, in whole segments of `mss`
        bytes; the field has it shifted."""
        free = int(self.empty_window(mss) - buffered * self.window_share)
        return max(0, min(free, self.clamp(shift))) // mss * mss
