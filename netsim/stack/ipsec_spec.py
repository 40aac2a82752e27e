"""IPsec ESP (RFC 2406): how large it makes a packet, how much of that is enciphered and authenticated, and what that
costs the host.
"""

from __future__ import annotations

from math import lcm
from typing import Literal, Self

from netsim.errors import ScenarioError, show
from netsim.machine import Bill, KernelSpec
from netsim.machine.memory_spec import Source
from netsim.spec import Spec
from netsim.stack import ip
from netsim.units import Cycles, Header, NonNegativeCount, PositiveHeader, Ratio, UnitCycles

HEADER = 8  # bytes: SPI and sequence number (RFC 2406, 2.1 and 2.2)
TRAILER = 2  # bytes: pad length and next header (2.5 and 2.6), enciphered with the payload and its padding
ALIGNMENT = 4  # bytes: pad length and next header end on such a boundary (2.4)
PADS = 2  # blocks of HMAC that depend on the key alone (RFC 2104, 4)

Code = Literal["best", "c"]


class CipherSpec(Spec):
    """A cipher. `name` is what engines that can do it list. It works on whole blocks of `block` bytes, and each packet
    carries `iv` bytes of initialization vector. Its best code takes `cycles_per_byte` of the P6 core."""

    catalogue = "ciphers"

    name: str
    block: PositiveHeader
    iv: Header
    cycles_per_byte: UnitCycles


class CodeSpec(Spec):
    """Code of an algorithm other than the best: `cycles_per_byte` of the P6 core, and `extra_blocks` that it works on
    beside those it has to."""

    cycles_per_byte: UnitCycles
    extra_blocks: NonNegativeCount = 0


class AuthenticationSpec(Spec):
    """An authentication algorithm. `name` is what engines that can do it list. A packet carries `icv` bytes of it. It
    works on whole blocks of `block` bytes: those of the message, which `padding` bytes at least are appended to,
    and `extra_blocks` more (HMAC, RFC 2104, 2: the two key pads, and the inner digest with its own padding). Its best
    code takes `cycles_per_byte` of the P6 core, and is assembler; `c` is what a compiler makes of plain C."""

    catalogue = "authentications"

    name: str
    icv: Header
    block: PositiveHeader
    padding: Header
    extra_blocks: NonNegativeCount
    cycles_per_byte: UnitCycles
    c: CodeSpec | None = None

    def hashed(self, nbytes: int) -> int:
        """Bytes that it works on for a message of `nbytes`."""
        return (-(-(nbytes + self.padding) // self.block) + self.extra_blocks) * self.block

    def cycles(self, nbytes: int, code: Code, kept: int) -> float:
        """Those of the P6 core for a message of `nbytes`, with `kept` blocks of it done before."""
        hashed = self.hashed(nbytes) - kept * self.block
        if code == "best" or self.c is None:
            return self.cycles_per_byte * hashed
        return self.c.cycles_per_byte * (hashed + self.c.extra_blocks * self.block)


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

    @property
    def in_front(self) -> int:
        """Bytes in front of what is enciphered, beside those of the plain packet: in tunnel mode an IP header, too."""
        return ip.HEADER - self._in_clear + HEADER + self.cipher.iv

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
    """IPsec as one system does it. `cycles` of the processor per packet sent, and `rx_cycles` received (None: as many):
    filters, the security association, header and trailer. Its own code of a cipher takes `cipher_factor` times as many
    cycles as the best; that of an authentication is its `authentication_code`, and `keeps_pads` says that it hashes
    what depends on the key alone once, and not for each packet. `ciphers` are the only ones that it has (None: any).

    Each packet sent is copied `copies` times, into buffers with room for header and trailer; one that the protocol
    keeps to send again `kept_copies` times more.

    Where `mtu_reserve` is given, a packet may have what that leaves of the mtu beside the headers (None: as much as
    fits). IP `cuts_first`: each fragment of a datagram is protected by itself; else only a datagram that fits whole can
    be."""

    catalogue = "ipsec"

    cycles: Cycles
    rx_cycles: Cycles | None = None
    cipher_factor: Ratio = 1.0
    authentication_code: Code = "best"
    keeps_pads: bool = False
    ciphers: tuple[str, ...] | None = None
    copies: NonNegativeCount = 0
    kept_copies: NonNegativeCount = 0
    mtu_reserve: Header | None = None
    cuts_first: bool = False

    def check(self, esp: EspSpec) -> None:
        """The system can do that. Raises ScenarioError."""
        name = esp.cipher.name
        if self.ciphers is not None and name not in self.ciphers:
            text = f"this system has no {name}; allowed: {', '.join(self.ciphers)}"
            raise ScenarioError(text, address="ipsec.cipher")

    def largest(self, esp: EspSpec, mtu: int) -> int:
        """Bytes of the largest plain packet that is sent as one frame."""
        if self.mtu_reserve is None:
            return esp.largest(mtu)
        return min(esp.largest(mtu), mtu - esp.in_front - self.mtu_reserve)

    def bill_sent(
        self, bill: Bill, esp: EspSpec, packet: int, kernel: KernelSpec, *, by_card: bool = False, kept: bool = False,
        source: Source = "cache",
    ) -> Bill:
        """The processor's costs of a plain packet of `packet` bytes sent, which lies in `source`; the protocol has
        `kept` it, or not."""
        bill.cycles("ipsec", self.cycles)
        for _ in range(self.copies + (self.kept_copies if kept else 0)):
            bill.cycles("ipsec", kernel.buffer_cycles + kernel.free_cycles).copy(packet, source)
        return bill if by_card else self._bill_crypto(bill, esp, packet)

    def bill_received(self, bill: Bill, esp: EspSpec, packet: int, *, by_card: bool = False) -> Bill:
        """The same for one that is received."""
        bill.cycles("ipsec", self.cycles if self.rx_cycles is None else self.rx_cycles)
        return bill if by_card else self._bill_crypto(bill, esp, packet)

    def _bill_crypto(self, bill: Bill, esp: EspSpec, packet: int) -> Bill:
        """Cipher and authentication compute for longer than their bytes take to come from memory, so they need no time
        for that."""
        kept = PADS if self.keeps_pads else 0
        bill.crypto(esp.cipher.cycles_per_byte * esp.enciphered(packet) * self.cipher_factor)
        return bill.crypto(esp.authentication.cycles(esp.authenticated(packet), self.authentication_code, kept))
