"""The headers of a UDP socket's datagrams (RFC 768), and of their fragments."""

from __future__ import annotations

from struct import Struct

from netsim.export.headers import UDP, Address, Headers, Ipv4
from netsim.stack.udp import UdpFragment

_FIELDS = Struct(">HHH")


class UdpHeaders(Headers):
    """The headers of datagrams from one socket to another."""

    def __init__(self, source: Address, destination: Address) -> None:
        self._ip = Ipv4(source, destination, UDP)
        self._ports = source.port, destination.port

    def of(self, frame: UdpFragment) -> bytes:
        """The datagram's number is its identification; the checksum is in the first fragment."""
        more = frame.offset + frame.nbytes < frame.total
        header = self._ip.header(frame.nbytes, frame.datagram, frame.offset, more)
        return header if frame.offset else header + self._header(frame.total)

    def _header(self, total: int) -> bytes:
        fields = _FIELDS.pack(*self._ports, total)
        return fields + (self._ip.sum(total, fields) or 0xFFFF).to_bytes(2, "big")
