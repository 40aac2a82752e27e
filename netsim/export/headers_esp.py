"""The headers of packets under IPsec (RFC 2406). What is enciphered can't be read, and what opens a connection is left
out. Each way between two sockets has a security association of its own, by a number (SPI)."""

from __future__ import annotations

from struct import Struct

from netsim.ethernet import Frame
from netsim.export.headers import ESP, Address, Ipv4
from netsim.stack import EspSpec, TcpSocket, UdpSender, ip
from netsim.stack.tcp import ProtectedSegment
from netsim.stack.udp import UdpFragment

_TWO_NUMBERS = Struct(">II")
_MODULUS = 2**32


class EspHeaders:
    """Of what a socket sends to another."""

    def __init__(self, near: TcpSocket | UdpSender, source: Address, destination: Address, association: int) -> None:
        esp = near.host.spec.ipsec
        assert esp is not None
        self._esp: EspSpec = esp
        self._tcp = near.host.spec.system.tcp if isinstance(near, UdpSender) else near.spec
        self._ip = Ipv4(source, destination, ESP)
        self._association = association

    def opening(self, _: Frame) -> list[bytes]:
        return []

    def of(self, frame: ProtectedSegment | UdpFragment) -> bytes:
        packet = self._esp.packet_size(self._plain(frame))
        header = self._ip.header(packet - ip.HEADER, frame.number)
        return header + _TWO_NUMBERS.pack(self._association, frame.number % _MODULUS)

    def _plain(self, frame: ProtectedSegment | UdpFragment) -> int:
        """Bytes of the packet that is protected."""
        if isinstance(frame, UdpFragment):
            return ip.HEADER + frame.nbytes
        return self._tcp.packet_size(frame.length, len(frame.sacked))
