"""The headers of Ethernet and IPv4, as bytes.

All data after the headers are zeros: they change no checksum, so each covers the headers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, NamedTuple

from netsim.stack import ip

IPV4, IPX = b"\x08\x00", b"\x81\x37"  # of the Ethernet II header (IEEE 802, EtherType)
TCP, UDP, ESP = 6, 17, 50  # of the IP header (RFC 1700)
_TIME_TO_LIVE = 64
_AT_IP, _AT_TIME_TO_LIVE, _AT_SUM, _AT_ADDRESSES = 14, 22, 24, 26  # in a frame: the IP header, and fields of it
_MORE_FRAGMENTS, _DONT_FRAGMENT = 0x2000, 0x4000
_FIRST_WORDS = Struct(">BBHHHBB")
_PSEUDO = Struct(">8sHH")


def checksum(data: bytes) -> int:
    """The ones' complement of the ones' complement sum of 16-bit words (RFC 1071) of an even number of bytes, not all
    zeros. The sum is the remainder of all words, as one number, divided by 2^16 - 1."""
    return -int.from_bytes(data, "big") % 0xFFFF


class Address(NamedTuple):
    """A host as seen on one of its wires: `mac`, `ip` and TCP or UDP `port`."""

    mac: bytes
    ip: bytes
    port: int = 0


class Headers:
    """The headers of the frames that one end sends to another; all other bytes of a frame are zeros."""

    def opening(self, frame: Any) -> Sequence[bytes]:
        """Frames that preceded `frame`, the first one, and were not simulated."""
        return ()

    def of(self, frame: Any) -> bytes:
        """The headers of `frame`, from the first byte of the Ethernet header on."""
        raise NotImplementedError


def routed(headers: bytes, routers: int) -> bytes:
    """The same headers behind that many routers, each of which takes one off the time to live (RFC 1812, 5.3.1). netsim
    forwards packets even if nothing is left of it."""
    left = bytes([max(1, headers[_AT_TIME_TO_LIVE] - routers)])
    first = headers[_AT_IP:_AT_TIME_TO_LIVE] + left + headers[_AT_TIME_TO_LIVE + 1 : _AT_SUM]
    total = checksum(first + headers[_AT_ADDRESSES : _AT_IP + ip.HEADER])
    return b"%b%b%b%b" % (headers[:_AT_IP], first, total.to_bytes(2, "big"), headers[_AT_ADDRESSES:])


def mac(host: int, port: int) -> bytes:
    """The address of a host's port, both by number, locally administered (IEEE 802, 9.2): 02:00:00:HH:HH:PP."""
    return bytes([2, 0, 0, host >> 8, host & 0xFF, port])


def ipv4(host: int, subnet: int) -> bytes:
    """The address of a host, by number, in a subnet with a mask of 16 bits: 10.subnet.x.y."""
    return bytes([10, subnet, host >> 8, host & 0xFF])


class Ipv4:
    """The headers of packets from one host to another (RFC 791, 3.1), without options. Packets that are not fragments
    forbid fragmentation, as from senders that discover the path's MTU (RFC 1191)."""

    def __init__(self, source: Address, destination: Address, protocol: int) -> None:
        self._ethernet = destination.mac + source.mac + IPV4
        self._addresses = source.ip + destination.ip
        self._protocol = protocol

    def header(
        self, nbytes: int, identification: int, offset: int = 0, more: bool = False, *, may_cut: bool = False
    ) -> bytes:
        """The Ethernet and IP headers in front of `nbytes`, which belong to a datagram from byte `offset` on, with
        `more` of it to come. With `may_cut`, a packet that is not a fragment may be fragmented."""
        fragment = offset // ip.FRAGMENT_UNIT | (_MORE_FRAGMENTS if more else 0)
        whole = 0 if may_cut else _DONT_FRAGMENT
        first = _FIRST_WORDS.pack(
            0x45, 0, ip.HEADER + nbytes, identification & 0xFFFF, fragment or whole, _TIME_TO_LIVE,
            self._protocol,
        )  # fmt: skip
        total = checksum(first + self._addresses)
        return b"%b%b%b%b" % (self._ethernet, first, total.to_bytes(2, "big"), self._addresses)

    def sum(self, nbytes: int, header: bytes) -> int:
        """The checksum of TCP or UDP (RFC 793, 3.1; RFC 768) over the pseudo header, a `header` without its checksum,
        and zeros, together `nbytes`."""
        return checksum(_PSEUDO.pack(self._addresses, self._protocol, nbytes) + header)
