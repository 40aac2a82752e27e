"""The headers of NetWare's core protocol, and of IPX below it (Xerox Internet Datagram Protocol).

The protocol is not published; fields are those that Wireshark knows (packet-ipx.c, packet-ncp.c). Requests have type
2222, replies 3333. If both ends do packet burst, reads and writes have type 7777, and frames are those of IEEE 802.2;
otherwise frames are those of Ethernet II. The first frame of a burst contains the request or the result: the model
reserves room for it in every frame, which is filled with padding after the data.
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from netsim.export.headers import IPX, Headers
from netsim.stack.ncp_messages import NcpFrame
from netsim.stack.ncp_spec import IPX_HEADER

_INTERNET = Struct(">HHBB4s6s2s4s6s2s")  # no checksum, length, transport control, packet type, destination, source
_CORE_PROTOCOL = 17
_SERVICE, _SHELL = b"\x04\x51", b"\x40\x03"  # sockets of a server and of a workstation
_LLC = b"\xe0\xe0\x03"  # unnumbered information between Novell's service access points (IEEE 802.2, 5.4)
_SIMPLE = Struct(">HBBBBB")  # type, sequence, connection low, task, connection high, function or completion
_REQUEST, _REPLY = 0x2222, 0x3333
_END_OF_JOB = 24  # a function without arguments
_BURST = Struct(">HBBIIIIHHIIHH")
_BURST_TYPE, _BIG_SEND = 0x7777, 2  # the latter is a stream type
_END_OF_BURST, _SYSTEM = 0x10, 0x80  # flags
_ASKED = Struct(">IIQII")  # function, handle, nothing, offset in the file, bytes
_RESULT = Struct(">II")  # result, bytes
_READ, _WRITE = 0x1000000, 0x2000000  # 1 and 2, the lowest byte first


class NcpStation(NamedTuple):
    """An end's address, and the bytes that the model reserves for the headers of its frames, after that of IPX."""

    mac: bytes
    room: int


class NcpHeaders(Headers):
    """The headers of frames between a workstation and a server on a `network`, on a `connection`, both by number.
    `burst`: both do packet burst."""

    def __init__(self, client: NcpStation, server: NcpStation, network: int, connection: int, *, burst: bool) -> None:
        self._ends = {True: (client, _SHELL), False: (server, _SERVICE)}
        self._network = network.to_bytes(4, "big")
        self._connection = connection
        self._burst = burst
        self._packets = {True: 0, False: 0}  # sent in bursts, by whether the workstation sent them

    def of(self, frame: NcpFrame) -> bytes:
        asks = frame.part == "request"
        if self._burst and frame.exchange.request.kind != "call":
            message = self._of_burst(frame, asks)
            return self._framed(asks, message, len(message) + frame.length)
        room = self._ends[asks][0].room - (len(_LLC) if self._burst else 0)
        return self._framed(asks, self._simple(frame, asks), room + frame.length)

    def _framed(self, asks: bool, message: bytes, nbytes: int) -> bytes:
        """A packet of `nbytes` that begins with `message`."""
        (near, source), (far, destination) = self._ends[asks], self._ends[not asks]
        length = IPX_HEADER + nbytes
        kind = (len(_LLC) + length).to_bytes(2, "big") + _LLC if self._burst else IPX
        packet = _INTERNET.pack(
            0xFFFF, length, 0, _CORE_PROTOCOL, self._network, far.mac, destination, self._network, near.mac, source
        )
        return b"%b%b%b%b%b" % (far.mac, near.mac, kind, packet, message)

    def _simple(self, frame: NcpFrame, asks: bool) -> bytes:
        """A request of one frame, or its reply. The content of the request is not shown: the model has less room for it
        than the protocol needs, or does not know it."""
        kind, last = (_REQUEST, _END_OF_JOB) if asks else (_REPLY, 0)
        high, low = divmod(self._connection, 256)
        return _SIMPLE.pack(kind, frame.exchange.sequence & 0xFF, low, 1, high, last)

    def _of_burst(self, frame: NcpFrame, asks: bool) -> bytes:
        """A frame of a burst, or the server's report of missing data: that some are missing, but not which."""
        exchange, number = frame.exchange, frame.number
        begin, total = self._begin(frame, asks)
        flags = _SYSTEM if frame.part == "lacking" else _END_OF_BURST if number == frame.of - 1 else 0
        packet, self._packets[asks] = self._packets[asks], self._packets[asks] + 1
        offset, own = (len(begin) + number * exchange.largest, b"") if number else (0, begin)
        burst = exchange.sequence & 0xFFFF
        header = _BURST.pack(
            _BURST_TYPE, flags, _BIG_SEND, self._connection, self._connection, packet, 0, burst, burst,
            len(begin) + total, offset, len(own) + frame.length, 0,
        )  # fmt: skip
        return header + own

    def _begin(self, frame: NcpFrame, asks: bool) -> tuple[bytes, int]:
        """The headers before the data of a burst, and the number of its data bytes."""
        request = frame.exchange.request
        nbytes = max(request.sent, request.asked)
        if frame.part == "lacking":
            return b"", 0
        if not asks:
            return _RESULT.pack(0, nbytes), request.asked
        function = _READ if request.kind == "read" else _WRITE
        return _ASKED.pack(function, self._connection, 0, request.offset & 0xFFFFFFFF, nbytes), request.sent
