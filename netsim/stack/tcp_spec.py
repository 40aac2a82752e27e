"""TCP as one system implements it: its sizes, its limits, and the cost of a segment."""

from __future__ import annotations

from typing import Literal

from netsim.ethernet.frame_sizes import frame_size
from netsim.spec import Spec
from netsim.stack import ip
from netsim.stack.tcp import (
    ASSUMED_SEGMENT,
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
    """TCP as one system implements it.

    `tx_cycles` and `rx_cycles` are the processor's cycles per segment, data or acknowledgement, apart from copies,
    checksums and the driver; `ack_cycles` are those of a segment sent without data, `ack_rx_cycles` those of one
    received without, which in a stream acknowledges two and frees them (None: as with data). A segment with data takes
    `alone_cycles` more to send if nothing is outstanding, as timers are set, and `acked_cycles` more to receive if it
    acknowledges outstanding data. `send_buffer` and `receive_buffer` are in bytes, as counted by SocketSpec.counts: a
    segment's buffer has room for a full segment's payload and `headroom` bytes, an acknowledgement's for the headroom
    alone.

    The offered window is the `window_share` of the receive buffer's free space, at most `window_clamp` and in whole
    segments. With `window_rounds_up` the share of the whole buffer is first rounded up to whole segments, at least
    `window_least`. Reading notifies the peer of a reopened window as `window_update` says: once the process has "read"
    as much as the peer may still send, or once the window "doubles".

    Data are acknowledged after `delayed_ack` (ps), unless something requires it earlier (netsim.stack.delayed_ack):
    with `every_other` every second segment does, of whatever size. With a `delayed_ack_limit` the delay is estimated
    and at most that limit; `delayed_ack` then bounds it for small segments that end a call
    (netsim.stack.estimated_ack). A segment with less than the `nagle_share` of a full one waits until nothing is on its
    way.

    Round trips are counted in clock ticks of `rtt_tick` (ps), with `timestamps` by every acknowledgement, otherwise by
    one segment at a time (RFC 2988, 3). `rto` says how long the retransmission timeout is: "rfc" is srtt + max(tick, 4
    rttvar) (RFC 2988, 2.3); "longer" is srtt + 4 rttvar and a quarter more, and with a congestion window of n segments
    another 2^(1 - n) of it (Linux 2.2: tcp_set_rto). `min_timeout` and `max_timeout` (ps) bound it.

    With `backlog`, segments that arrive while a process is inside a call on the socket are checked, which takes the
    `check_share` of `rx_cycles`, and then wait until it leaves. `receive_copy` names the work that copies incoming
    data: the process, when it reads; or deferred work, to the waiting process or otherwise to one of the system's
    buffers, from which the process copies them again (Windows: AFD). The process is woken when its buffer is full, when
    the sender's call ends, or when it has received data and nothing more has arrived for `receive_wait` (ps; 0: it
    continues to wait).

    The window field has 16 bits. With `window_scaling` both ends announce by how many bits theirs is shifted, if the
    end that opens the connection "asks" for it and the other end "answers" (or would ask, too): the smallest shift that
    lets the share of an empty buffer fit, at most 14 (RFC 1323, 2.2).

    After an idle time longer than the retransmission timeout, a connection with `idle_restart` restarts with its
    initial window (RFC 2581, 4.1). `recovery` governs partial acknowledgements, which leave data sent before the fast
    recovery unacknowledged: "reno" ends the recovery anyway (RFC 2581, 3.2); "newreno" sends the first missing segment
    again, and deducts the acknowledged bytes from the congestion window (RFC 2582, 3); "hoe" sends it again and keeps
    the window, unless the acknowledging segment has data, which end the recovery (Linux 2.2: tcp_fast_retrans); after a
    timeout it sends no new data until everything sent before is acknowledged (tcp_snd_test).

    With `sack` at both ends a receiver reports what it holds beyond a hole (RFC 2018); the sender then considers every
    byte before the last one held that is not held itself to be lost (FACK, Mathis and Mahdavi 1996), as Linux 2.2
    always does with SACK.
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
    rtt_tick: Interval
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
    ack_rx_cycles: Cycles | None = None
    alone_cycles: Cycles = 0.0
    acked_cycles: Cycles = 0.0
    headroom: Header = 0
    delayed_ack_limit: Time = 0
    nagle_share: Fraction = 1.0
    rto: Literal["rfc", "longer"] = "rfc"
    window_update: Literal["read", "doubles"] = "read"
    check_share: Fraction = 0.5
    window_scaling: Literal["asks", "answers", "none"] = "none"
    idle_restart: bool = False
    recovery: Literal["hoe", "newreno", "reno"] = "hoe"
    connection: TcpConnectionSpec | None = None

    def window_shift(self, scaled: bool) -> int:
        """The number of bits by which offered windows are shifted, on a connection that is `scaled` or not."""
        space = min(int(self.receive_buffer * self.window_share), self.window_clamp)
        return min(MOST_SHIFTED, max(0, space.bit_length() - FIELD)) if scaled else 0

    def clamp(self, shift: int) -> int:
        """The largest window (bytes) that it offers with this shift."""
        return min(self.window_clamp, LARGEST_WINDOW << shift)

    def scales_with(self, opener: TcpSpec) -> TcpSpec:
        """This TCP on connections that `opener` opens: it asks to scale windows if it can and `opener` asked, and never
        otherwise."""
        if opener.window_scaling == "asks":
            own: str = "none" if self.window_scaling == "none" else "asks"
        else:
            own = "answers" if self.window_scaling == "asks" else self.window_scaling
        return self if own == self.window_scaling else self.replace("window_scaling", own)

    def unacknowledged(self, mss: int) -> int:
        """The largest number of bytes that one acknowledgement can cover in a stream of segments of `mss` bytes: two
        segments; or, if acknowledgements wait for two of the assumed size, which small segments never lower, nearly
        one segment more, because some may be shorter (netsim.stack.estimated_ack)."""
        return 2 * max(mss, ASSUMED_SEGMENT) + mss - 1 if self.delayed_ack_limit else 2 * mss

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
        """Payload bytes of a full segment, less its options (RFC 1122, 4.2.2.6: Eff.snd.MSS), without IPsec."""
        return mtu - self.headers

    @property
    def syn_packet_size(self) -> int:
        """Bytes of the IP packet of a SYN that asks for every option it supports (RFC 793, 3.1; RFC 1323, 2.2; RFC
        2018, 2): the SACK option fits in the padding of timestamps."""
        aligned = TIMESTAMPS if self.timestamps else SACK_PERMITTED if self.sack else 0
        return ip.HEADER + HEADER + MSS + aligned + (SCALE if self.window_scaling == "asks" else 0)

    def packet_size(self, length: int, blocks: int = 0) -> int:
        """Bytes of the IP packet that carries `length` bytes of payload and `blocks` SACK blocks."""
        return self.headers + length + (SACK + SACK_BLOCK * blocks if blocks else 0)

    def frame_size(self, length: int, blocks: int = 0) -> int:
        """Bytes of that packet's frame, with FCS, without IPsec."""
        return frame_size(self.packet_size(length, blocks))

    def empty_window(self, mss: int) -> float:
        """The window (bytes) of an empty receive buffer, before the clamp, with segments of `mss` bytes (MS, Windows
        2000 TCP/IP Implementation Details, "TCP Receive Window Size Calculation and Window Scaling")."""
        share = self.receive_buffer * self.window_share
        if self.window_rounds_up:
            share = -(-share // mss) * mss
        return max(share, self.window_least * mss)

    def window(self, buffered: int, mss: int, shift: int = 0) -> int:
        """The window to offer (bytes) with `buffered` bytes of the receive buffer taken, in whole segments of `mss`
        bytes; the segment's field has it shifted by `shift`."""
        free = int(self.empty_window(mss) - buffered * self.window_share)
        return max(0, min(free, self.clamp(shift))) // mss * mss
