"""The headers of a TCP connection's segments (RFC 793, RFC 1323, RFC 2018).

A run begins with open connections. A capture shows the three segments that would have opened each one, just before the
connection's first segment: they are not simulated, but carry the scale of the windows of later ones.
"""

from __future__ import annotations

from struct import Struct
from zlib import crc32

from netsim.export.headers import TCP, Address, Headers, Ipv4
from netsim.stack import TcpSocket, tcp
from netsim.stack.tcp import TcpSegment
from netsim.units import MS, US

_FIELDS = Struct(">HHIIBBH")
_TWO_NUMBERS = Struct(">II")
_MODULUS = 2**32
_SYN, _PSH, _ACK = 0x02, 0x08, 0x10
_TIMESTAMPS = b"\1\1\x08\x0a"  # after two bytes for alignment (RFC 1323, appendix A)
_ALIGNED = b"\1\1"
_SACK_PERMITTED = b"\4\2"  # (RFC 2018, 2)
_LARGEST_WINDOW = 0xFFFF  # without scale


class TcpHeaders(Headers):
    """The headers of segments from one end of a connection to the other. The first sequence number depends on the name
    of the end's port; timestamps count its system's clock interrupts, or milliseconds if it has none; windows above
    65,535 bytes are rounded down to a value that their scale can express."""

    back: TcpHeaders  # of the other end

    @classmethod
    def both(cls, near: TcpSocket, far: TcpSocket, one: Address, other: Address) -> tuple[TcpHeaders, TcpHeaders]:
        """The headers of both ends."""
        there, back = cls(near, far, one, other), cls(far, near, other, one)
        there.back, back.back = back, there
        return there, back

    def __init__(self, near: TcpSocket, far: TcpSocket, source: Address, destination: Address) -> None:
        self._ip = Ipv4(source, destination, TCP)
        self._ports = source.port, destination.port
        self._first = 1 + crc32(f"{far.peer_port}".encode())  # the number of byte 0
        self._tick = near.host.spec.system.kernel.tick or MS
        self._has_timestamps, self._sack, self._mss = near.spec.timestamps, near.sack_blocks > 0, near.mss
        self._shift = near.input.shift  # RFC 1323, 2.2
        self._window = near.spec.window(0, near.mss, self._shift)
        self._began: int | None = None  # when the connection began, for this capture (ps)

    def opening(self, frame: TcpSegment) -> list[bytes]:
        """The end that sends the first `frame` opens the connection, with the numbers before those of the frame."""
        if self._began is not None:
            return []
        self._began = self.back._began = began = frame.tsval
        seq, ack = frame.seq, frame.ack
        asked, answered = self._synchronise(_SYN, seq - 1, 0), self.back._synchronise(_SYN | _ACK, ack - 1, seq)
        if not frame.length:
            return [asked, answered]  # the frame itself answers it
        window = self._window >> self._shift
        return [asked, answered, self._segment_of(seq, ack, _ACK, window, self._timestamps(began, began), 0, 0)]

    def of(self, frame: TcpSegment) -> bytes:
        """The identification has no meaning where nothing is fragmented (RFC 6864, 4.1): here it tells segments
        apart."""
        options = self._timestamps(frame.tsval, frame.tsecr)
        if frame.sacked:
            options += self._blocks(frame.sacked)
        flags = _ACK | _PSH if frame.length and frame.push else _ACK
        window = min(frame.window >> self._shift, _LARGEST_WINDOW)
        number = frame.tsval // US + frame.seq
        return self._segment_of(frame.seq, frame.ack, flags, window, options, frame.length, number)

    def _segment_of(
        self, seq: int, ack: int, flags: int, window: int, options: bytes, length: int, number: int
    ) -> bytes:
        """One segment with `length` bytes of data."""
        own = (self._first + seq) % _MODULUS
        other = (self.back._first + ack) % _MODULUS if flags & _ACK else 0
        header = tcp.HEADER + len(options)
        fields = _FIELDS.pack(*self._ports, own, other, header << 2, flags, window)
        total = self._ip.sum(header + length, fields + options)
        return b"%b%b%b\0\0%b" % (self._ip.header(header + length, number), fields, total.to_bytes(2, "big"), options)

    # --- options -----------------------------------------------------------------------------------------------------

    def _timestamps(self, tsval: int, tsecr: int) -> bytes:
        """RFC 1323, 3.2. A segment without data to echo echoes the other end's SYN."""
        if not self._has_timestamps:
            return b""
        echoed = tsecr if tsecr >= 0 else self._began or 0
        return _TIMESTAMPS + _TWO_NUMBERS.pack(tsval // self._tick % _MODULUS, echoed // self.back._tick % _MODULUS)

    def _blocks(self, blocks: tuple[tuple[int, int], ...]) -> bytes:
        """RFC 2018, 3."""
        first = self.back._first
        numbers = [_TWO_NUMBERS.pack((first + start) % _MODULUS, (first + end) % _MODULUS) for start, end in blocks]
        return b"".join([b"\1\1\5", bytes([2 + tcp.SACK_BLOCK * len(blocks)]), *numbers])

    def _scales(self) -> bool:
        """Whether a SYN has the option for scaled windows."""
        return bool(self._shift or self.back._shift)

    def _synchronise(self, flags: int, seq: int, ack: int) -> bytes:
        """A SYN: it takes a sequence number, and names the options that its sender supports. Its window is not
        scaled."""
        assert self._began is not None
        largest = self._mss + (tcp.TIMESTAMPS if self._has_timestamps else 0)
        options = b"\2\4" + largest.to_bytes(2, "big")  # MSS (RFC 793, 3.1)
        stamps = self._timestamps(self._began, self._began if flags & _ACK else 0)
        if self._sack:  # it fits in the alignment of timestamps
            options += _SACK_PERMITTED + stamps[2:] if stamps else _ALIGNED + _SACK_PERMITTED
        else:
            options += stamps
        if self._scales():
            options += b"\1\3\3" + bytes([self._shift])  # RFC 1323, 2.2
        return self._segment_of(seq, ack, flags, min(self._window, _LARGEST_WINDOW), options, 0, 0)
