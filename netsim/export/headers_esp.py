"""The headers of packets under IPsec (RFC 2406). Enciphered data can't be read, and the exchange that opens a
connection is left out. Each direction between two sockets, or two gateways, has its own security association,
identified by a number (SPI)."""

from __future__ import annotations

from struct import Struct

from netsim.export.headers import ESP, Address, Headers, Ipv4
from netsim.stack import EspSpec, TcpSocket, UdpSender, ip
from netsim.stack.tcp import ProtectedSegment
from netsim.stack.tunnel import TunnelFrame
from netsim.stack.udp import UdpFragment

_TWO_NUMBERS = Struct(">II")
_MODULUS = 2**32


class EspHeaders(Headers):
    """The headers of packets from one socket to another."""

    def __init__(self, near: TcpSocket | UdpSender, source: Address, destination: Address, association: int) -> None:
        esp = near.host.spec.ipsec
        assert esp is not None
        self._esp: EspSpec = esp
        self._whole = near.host.spec.protects_whole
        self._tcp = near.host.spec.system.tcp if isinstance(near, UdpSender) else near.spec
        self._ip = Ipv4(source, destination, ESP)
        self._association = association

    def of(self, frame: ProtectedSegment | UdpFragment) -> bytes:
        if isinstance(frame, UdpFragment) and self._whole:
            return self._part(frame)
        packet = self._esp.packet_size(self._plain(frame))
        header = self._ip.header(packet - ip.HEADER, frame.number)
        return header + _numbers(self._association, frame.number)

    def _part(self, frame: UdpFragment) -> bytes:
        """A datagram that was protected as a whole, or a fragment of the result: the first fragment has the bytes that
        ESP adds."""
        outer = self._esp.packet_size(ip.HEADER + frame.total) - ip.HEADER
        more = outer - frame.total
        if frame.offset:
            offset, comes = frame.offset + more, frame.offset + frame.nbytes < frame.total
            return self._ip.header(frame.nbytes, frame.number, offset, comes)
        nbytes = frame.nbytes + more
        header = self._ip.header(nbytes, frame.number, more=nbytes < outer)
        return header + _numbers(self._association, frame.number)

    def _plain(self, frame: ProtectedSegment | UdpFragment) -> int:
        """Bytes of the protected packet."""
        if isinstance(frame, UdpFragment):
            return ip.HEADER + frame.nbytes
        return self._tcp.packet_size(frame.length, len(frame.sacked))


class TunnelHeaders(Headers):
    """The headers of packets from one gateway to another, which enclose other packets, whole or in fragments."""

    def __init__(self, source: Address, destination: Address, association: int) -> None:
        self._ip = Ipv4(source, destination, ESP)
        self._association = association

    def of(self, frame: TunnelFrame) -> bytes:
        more = frame.offset + frame.nbytes < frame.total
        header = self._ip.header(frame.nbytes, frame.number, frame.offset, more, may_cut=True)
        return header if frame.offset else header + _numbers(self._association, frame.number)


def _numbers(association: int, number: int) -> bytes:
    """The first fields of ESP (RFC 2406, 2)."""
    return _TWO_NUMBERS.pack(association, number % _MODULUS)
