"""IPsec ESP (RFC 2406): how large a packet becomes, how many of its bytes are enciphered and authenticated, and what
that costs the host.
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
ALIGNMENT = 4  # bytes: pad length and next header end on a boundary of this size (2.4)
PADS = 2  # blocks of HMAC that depend on the key alone (RFC 2104, 4)

Code = Literal["best", "c"]


class CipherSpec(Spec):
    """A cipher. `name` is the name by which engines list it. It works on whole blocks of `block` bytes, and each packet
    carries `iv` bytes of initialization vector. The fastest code takes `cycles_per_byte` of the P6 core."""

    catalogue = "ciphers"

    name: str
    block: PositiveHeader
    iv: Header
    cycles_per_byte: UnitCycles


class CodeSpec(Spec):
    """A slower implementation of an algorithm: `cycles_per_byte` of the P6 core, and `extra_blocks` that it processes
    beyond the required ones."""

    cycles_per_byte: UnitCycles
    extra_blocks: NonNegativeCount = 0


class AuthenticationSpec(Spec):
    """An authentication algorithm. `name` is the name by which engines list it. Each packet carries an `icv` of this
    many bytes. The algorithm works on whole blocks of `block` bytes: those of the message with at least `padding` bytes
    appended, and `extra_blocks` more (HMAC, RFC 2104, 2: the two key pads, and the inner digest with its own padding).
    The fastest code, in assembler, takes `cycles_per_byte` of the P6 core; `c` describes compiled C."""

    catalogue = "authentications"

    name: str
    icv: Header
    block: PositiveHeader
    padding: Header
    extra_blocks: NonNegativeCount
    cycles_per_byte: UnitCycles
    c: CodeSpec | None = None

    def hashed(self, nbytes: int) -> int:
        """Bytes that it processes for a message of `nbytes`."""
        return (-(-(nbytes + self.padding) // self.block) + self.extra_blocks) * self.block

    def cycles(self, nbytes: int, code: Code, kept: int) -> float:
        """Cycles of the P6 core for a message of `nbytes` if `kept` of its blocks were processed before."""
        hashed = self.hashed(nbytes) - kept * self.block
        if code == "best" or self.c is None:
            return self.cycles_per_byte * hashed
        return self.c.cycles_per_byte * (hashed + self.c.extra_blocks * self.block)


class EspSpec(Spec):
    """The protection of a packet. In "transport" mode ESP is between the IP header and its payload; in "tunnel" mode it
    encloses the whole packet, with a new IP header in front. The name "cipher/authentication" means transport mode.
    Sizes are bytes of IP packets, headers included."""

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
        """What an engine has to support: cipher, authentication, mode."""
        return self.cipher.name, self.authentication.name, self.mode

    @property
    def _unit(self) -> int:
        """The enciphered part is a multiple of this many bytes."""
        return lcm(self.cipher.block, ALIGNMENT)

    @property
    def _in_clear(self) -> int:
        """Bytes of a plain packet that are not enciphered: its IP header, if that stays in front."""
        return ip.HEADER if self.mode == "transport" else 0

    @property
    def in_front(self) -> int:
        """Bytes added in front of the enciphered part, in tunnel mode including an IP header."""
        return ip.HEADER - self._in_clear + HEADER + self.cipher.iv

    def enciphered(self, packet: int) -> int:
        """Bytes that are enciphered for a plain packet: payload, padding, pad length and next header."""
        return -(-(packet - self._in_clear + TRAILER) // self._unit) * self._unit

    def authenticated(self, packet: int) -> int:
        """Bytes that are authenticated: everything from the ESP header to the next header (RFC 2406, 2.7)."""
        return HEADER + self.cipher.iv + self.enciphered(packet)

    def packet_size(self, packet: int) -> int:
        """Bytes of a plain packet after protection."""
        return ip.HEADER + self.authenticated(packet) + self.authentication.icv

    def largest(self, mtu: int) -> int:
        """Bytes of the largest plain packet that is at most `mtu` bytes after protection."""
        room = mtu - ip.HEADER - HEADER - self.cipher.iv - self.authentication.icv
        return room // self._unit * self._unit - TRAILER + self._in_clear


class IpsecCostsSpec(Spec):
    """IPsec as one system implements it. It takes `cycles` of the processor per packet sent and `rx_cycles` per packet
    received (None: the same number): filters, the security association, header and trailer. Its ciphers take
    `cipher_factor` times the cycles of the fastest code; its authentication is `authentication_code`, and with
    `keeps_pads` the blocks that depend on the key alone are hashed once, not for each packet. It has only the listed
    `ciphers` (None: any).

    Each packet sent is copied `copies` times, into buffers with room for header and trailer. A packet that the protocol
    keeps for retransmission is copied `kept_copies` times more.

    With `mtu_reserve`, a packet may fill the MTU, less the reserve and the headers (None: as much as fits).
    `cuts_first`: IP fragments a datagram first, and each fragment is protected separately; otherwise the datagram is
    protected as a whole, and the result is fragmented."""

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
        """Check that the system supports `esp`. Raises ScenarioError."""
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
        """Add the processor's costs of sending a plain packet of `packet` bytes that is in `source`. `kept`: the
        protocol keeps a copy."""
        bill.cycles("ipsec", self.cycles)
        for _ in range(self.copies + (self.kept_copies if kept else 0)):
            bill.cycles("ipsec", kernel.buffer_cycles + kernel.free_cycles).copy(packet, source)
        return bill if by_card else self._bill_crypto(bill, esp, packet)

    def bill_received(self, bill: Bill, esp: EspSpec, packet: int, *, by_card: bool = False) -> Bill:
        """The same for a received packet."""
        bill.cycles("ipsec", self.cycles if self.rx_cycles is None else self.rx_cycles)
        return bill if by_card else self._bill_crypto(bill, esp, packet)

    def _bill_crypto(self, bill: Bill, esp: EspSpec, packet: int) -> Bill:
        """Add the computation of cipher and authentication. It takes longer than fetching the bytes from memory, which
        is therefore free."""
        kept = PADS if self.keeps_pads else 0
        bill.crypto(esp.cipher.cycles_per_byte * esp.enciphered(packet) * self.cipher_factor)
        return bill.crypto(esp.authentication.cycles(esp.authenticated(packet), self.authentication_code, kept))
