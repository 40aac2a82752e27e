"""A PCI Express link: the time of packets on it, and the packets into which a transfer is cut.

All sizes, and the rates of generations 1 to 5, are those of the PCI Express Base Specification. The Ack limits
reproduce the tables that pcie-model (40703cf, model/pcie.py) has from revision 5.0. On the wire a transaction-layer
packet (TLP) has 8 bytes around it in every generation: STP, sequence number, LCRC and END up to generation 2, an STP
token with the sequence number and the LCRC from generation 3 on.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as Exact
from functools import cached_property
from typing import Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import PS_PER_S, PositiveHeader

PAGE = 4096  # no packet crosses this boundary
_GT = {1: Exact(5, 2), 2: Exact(5), 3: Exact(8), 4: Exact(16), 5: Exact(32)}  # 10^9 transfers per second and lane
_EIGHT_TO_TEN, _BLOCKS = Exact(8, 10), Exact(128, 130)  # codes up to generation 2, and from 3 on
# In symbols of a lane, as in pcie-model; from generation 3 on in blocks of a lane, which is general knowledge.
_SKIP = {False: Exact(4, 1538), True: Exact(1, 375)}
_FRAMING = 8  # bytes around a TLP
_DLLP = 8  # bytes on the wire, of all lanes together
_DLLPS = 2  # periodic types: Ack and UpdateFC
_WORD = 4  # bytes: TLPs have whole words, and byte enables mark the bytes that count
_ECRC = 4
_COMPLETION_HEADER = 12
_HEADER = {32: 12, 64: 16}  # bytes of MRd and MWr, by the bits of an address
_INTERNAL_DELAY = {1: 19, 2: 70}  # symbol times; 115 from generation 3 on
_TLP_OVERHEAD = 28  # symbols, as in the tables of Ack limits
_ACK_FACTORS = {1: (1.4, 1.4, 1.0), 2: (1.4, 1.4, 1.0), 4: (1.4, 1.4, 1.0), 8: (2.5, 2.5, 1.0), 16: (3.0, 3.0, 2.0)}
_PAYLOADS, _BOUNDARIES = (128, 256, 512, 1024, 2048, 4096), (64, 128)

Piece = tuple[int, int]  # bytes of payload, and on the wire


class PcieSpec(Spec):
    """A link: its `generation`, its `lanes`, and the settings of both ends: the largest payload of a packet
    (`max_payload`), the most bytes that one read requests (`max_read`), the `read_boundary` at which completions may be
    cut (RCB), whether packets have an end-to-end checksum (`ecrc`), and the bits of an address.

    Acks, updates of credits and SKP ordered sets take their share of the rate at all times, as if packets came without
    a gap."""

    catalogue = "pcie"

    generation: Literal[1, 2, 3, 4, 5]
    lanes: Literal[1, 2, 4, 8, 16]
    max_payload: PositiveHeader
    max_read: PositiveHeader
    read_boundary: PositiveHeader
    ecrc: bool = False
    address_bits: Literal[32, 64] = 64

    @model_validator(mode="after")
    def _as_registers_have_it(self) -> Self:
        """Sizes are those that a device's registers can express."""
        allowed = {"max_payload": _PAYLOADS, "max_read": _PAYLOADS, "read_boundary": _BOUNDARIES}
        for name, sizes in allowed.items():
            if (size := getattr(self, name)) not in sizes:
                known = ", ".join(f"{one} B" for one in sizes)
                raise ScenarioError(f"{size} B is not allowed; allowed: {known}", address=name)
        return self

    # --- rates and times ---------------------------------------------------------------------------------------------

    @property
    def rate(self) -> Exact:
        """Bit/s of all lanes in one direction, excluding the overhead of their code."""
        return _GT[self.generation] * 10**9 * self.lanes * (_EIGHT_TO_TEN if self.generation <= 2 else _BLOCKS)

    @property
    def ack_limit(self) -> int:
        """Symbol times within which a packet must be acknowledged, and credits given back."""
        factor = _ACK_FACTORS[self.lanes][min(2, _PAYLOADS.index(self.max_payload))]
        delay = _INTERNAL_DELAY.get(self.generation, 115)
        return int(Exact(str(factor)) * (self.max_payload + _TLP_OVERHEAD) / self.lanes + delay)

    @property
    def packet_share(self) -> Exact:
        """The share of the rate left for TLPs. A symbol time carries a byte on each lane: on eight lanes a DLLP of 8
        bytes takes one symbol time."""
        control = Exact(_DLLPS * _DLLP, self.lanes * self.ack_limit)
        return 1 - control - _SKIP[self.generation > 2]

    def time(self, nbytes: int) -> int:
        """ps to send TLPs of `nbytes` on the wire."""
        left = self._packet_rate
        return _to_even(nbytes * 8 * PS_PER_S * left.denominator, left.numerator)

    @cached_property
    def _packet_rate(self) -> Exact:
        """Bit/s left for TLPs; computed once for each spec, as arithmetic on fractions takes longer than all else."""
        return self.rate * self.packet_share

    # --- packets -----------------------------------------------------------------------------------------------------

    @property
    def request_bytes(self) -> int:
        """A read request (MRd) on the wire."""
        return _FRAMING + _HEADER[self.address_bits] + self._digest

    @property
    def _digest(self) -> int:
        return _ECRC if self.ecrc else 0

    def writes(self, address: int, size: int) -> list[Piece]:
        """The packets (MWr) that write `size` bytes from `address` on: none exceeds the largest payload or crosses a
        page."""
        around = _FRAMING + _HEADER[self.address_bits] + self._digest
        return [(own, around + _words(at, own)) for at, own in self._cut(address, size, self.max_payload)]

    def reads(self, address: int, size: int) -> list[Piece]:
        """The requests (MRd) that read `size` bytes: the address and size of each."""
        return list(self._cut(address, size, self.max_read))

    def completions(self, address: int, size: int, most: int) -> list[Piece]:
        """The packets (CplD) that answer one request: as long as possible up to `most` (a multiple of the boundary),
        with all but the last one ending at a boundary."""
        found, around = [], _FRAMING + _COMPLETION_HEADER + self._digest
        while size > 0:
            own = min(size, most - address % self.read_boundary)
            found.append((own, around + _words(address, own)))
            address, size = address + own, size - own
        return found

    def _cut(self, address: int, size: int, most: int) -> Iterator[Piece]:
        while size > 0:
            own = min(size, most, PAGE - address % PAGE)
            yield address, own
            address, size = address + own, size - own


def _to_even(dividend: int, divisor: int) -> int:
    """The exact quotient rounded, half to even, without a condition: it thus also handles all points of a sweep at
    once."""
    nearest, rest = divmod(2 * dividend + divisor, 2 * divisor)
    is_half = 1 + -rest // (2 * divisor)
    return nearest - is_half * (nearest % 2)


def _words(address: int, size: int) -> int:
    """Bytes of the words that hold `size` bytes from `address` on."""
    first = address % _WORD
    return -(-(first + size) // _WORD) * _WORD
