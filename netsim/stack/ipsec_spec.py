"""IPsec ESP (RFC 2406): how large it makes a packet, how much of that is enciphered and authenticated, and what that
costs the host.
"""

from __future__ import annotations

from math import lcm
from typing import Literal, Self

from netsim.errors import ScenarioError, show
from netsim.machine import Bill
from netsim.spec import Spec
from netsim.stack import ip
from netsim.units import Bytes, Cycles, NonNegativeCount, PositiveBytes, Ratio

HEADER = 8  # bytes: SPI and sequence number (RFC 2406, 2.1 and 2.2)
TRAILER = 2  # bytes: pad length and next header (2.5 and 2.6), enciphered with the payload and its padding
ALIGNMENT = 4  # bytes: pad length and next header end on such a boundary (2.4)


class CipherSpec(Spec):
    """A cipher. `name` is what engines that can do it list. It works on whole blocks of `block` bytes, and each packet
    carries `iv` bytes of initialization vector. Its best code takes `cycles_per_byte` of the P6 core."""

    catalogue = "ciphers"

    name: str
    block: PositiveBytes
    iv: Bytes
    cycles_per_byte: Cycles


class AuthenticationSpec(Spec):
    """An authentication algorithm. `name` is what engines that can do it list. A packet carries `icv` bytes of it. It
    works on whole blocks of `block` bytes: those of the message, which `padding` bytes at the least are appended to,
    and `extra_blocks` more (HMAC, RFC 2104, 2: the two key pads, and the inner digest with its own padding). Its best
    code takes `cycles_per_byte` of the P6 core."""

    catalogue = "authentications"

    name: str
    icv: Bytes
    block: PositiveBytes
    padding: Bytes
    extra_blocks: NonNegativeCount
    cycles_per_byte: Cycles

    def hashed(self, nbytes: int) -> int:
        """Bytes that it works on for a message of `nbytes`."""
        return (-(-(nbytes + self.padding) // self.block) + self.extra_blocks) * self.block


class EspSpec(Spec):
    """What protects a packet. In "transport" mode ESP stands between the IP header and what that carries, in "tunnel"
    mode it encloses the whole packet, and has an IP header of its own in front. By name: "cipher/authentication", in
    transport mode. Sizes are bytes of IP packets, headers included."""

    cipher: CipherSpec
    authentication: AuthenticationSpec
    mode: Literal["transport", "tunnel"] = "transport"

    @classmethod
    def from_name(cls, name: str) -> Self:
        """The cipher and the authentication with these catalogue names. Raises ScenarioError."""
        cipher, slash, authentication = name.partition("/")
        if not slash:
            raise ScenarioError(f'{show(name)} is not allowed; allowed: "cipher/authentication"')
        return cls(cipher=CipherSpec.from_name(cipher), authentication=AuthenticationSpec.from_name(authentication))

    @property
    def names(self) -> tuple[str, str, str]:
        """What an engine has to be able to do: cipher, authentication, mode."""
        return self.cipher.name, self.authentication.name, self.mode

    @property
    def _unit(self) -> int:
        """What is enciphered is a multiple of this."""
        return lcm(self.cipher.block, ALIGNMENT)

    @property
    def _in_clear(self) -> int:
        """Bytes of a plain packet that are not enciphered: its IP header, where that stays in front."""
        return ip.HEADER if self.mode == "transport" else 0

    def enciphered(self, packet: int) -> int:
        """Bytes that are enciphered of a plain packet: payload, padding, pad length and next header."""
        return -(-(packet - self._in_clear + TRAILER) // self._unit) * self._unit

    def authenticated(self, packet: int) -> int:
        """Bytes that are authenticated: everything from the ESP header to the next header (RFC 2406, 2.7)."""
        return HEADER + self.cipher.iv + self.enciphered(packet)

    def packet_size(self, packet: int) -> int:
        """Bytes of what a plain packet becomes."""
        return ip.HEADER + self.authenticated(packet) + self.authentication.icv

    def largest(self, mtu: int) -> int:
        """Bytes of the largest plain packet that becomes no larger than `mtu`."""
        room = mtu - ip.HEADER - HEADER - self.cipher.iv - self.authentication.icv
        return room // self._unit * self._unit - TRAILER + self._in_clear


class IpsecCostsSpec(Spec):
    """IPsec as one system does it. `cycles` of the processor per packet, each way: filters, the security association,
    header and trailer. Its own code of a cipher takes `cipher_factor` times as many cycles as the best."""

    cycles: Cycles
    cipher_factor: Ratio = 1.0

    def bill(self, bill: Bill, esp: EspSpec, packet: int, by_card: bool) -> Bill:
        """The processor's costs of a plain packet of `packet` bytes, sent or received. Cipher and authentication
        compute for longer than their bytes take to come from memory, so they need no time for that."""
        bill.cycles("ipsec", self.cycles)
        if by_card:
            return bill
        cipher, authentication = esp.cipher, esp.authentication
        bill.cycles("crypto", cipher.cycles_per_byte * esp.enciphered(packet) * self.cipher_factor)
        return bill.cycles("crypto", authentication.cycles_per_byte * authentication.hashed(esp.authenticated(packet)))
