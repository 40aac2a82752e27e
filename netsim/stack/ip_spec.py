"""IPv4 as one system does it: how it cuts datagrams, and what fragments cost."""

from __future__ import annotations

from itertools import accumulate
from typing import Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.stack.ip import FRAGMENT_UNIT, HEADER
from netsim.units import Cycles, Header, PositiveBytes, Time


class IpSpec(Spec):
    """`fragment_cycles` per fragment sent (buffer, header, queueing), `reassembly_cycles` per fragment received.
    `last_fragment_first`: the sender builds a datagram from its end. At most `reassembly_memory` bytes of incomplete
    datagrams are kept, each for `reassembly_time` after its last fragment; if there are more, the oldest are given up,
    down to `reassembly_low` bytes (None: to just that many). They count as a socket's do, and with `fragment_overhead`
    and `datagram_overhead` bytes for each.
    """

    fragment_cycles: Cycles
    reassembly_cycles: Cycles
    last_fragment_first: bool
    reassembly_memory: PositiveBytes
    reassembly_time: Time
    reassembly_low: PositiveBytes | None = None
    fragment_overhead: Header = 0
    datagram_overhead: Header = 0

    @model_validator(mode="after")
    def _lower(self) -> Self:
        if self.kept_memory > self.reassembly_memory:
            text = f"{self.reassembly_low} bytes are more than reassembly_memory"
            text += f"; allowed: 1 to {self.reassembly_memory}"
            raise ScenarioError(text, address="reassembly_low")
        return self

    @property
    def kept_memory(self) -> int:
        """Bytes that are left of incomplete datagrams when there were too many."""
        return self.reassembly_memory if self.reassembly_low is None else self.reassembly_low

    def fragments(self, payload: int, mtu: int) -> list[int]:
        """IP payload bytes of each fragment, in the order they are sent, of a datagram with `payload` bytes."""
        unit = (mtu - HEADER) // FRAGMENT_UNIT * FRAGMENT_UNIT
        if payload <= mtu - HEADER:
            return [payload]
        full, rest = divmod(payload, unit)
        sizes = [unit] * full + ([rest] if rest else [])
        return sizes[::-1] if self.last_fragment_first else sizes

    def cut(self, payload: int, mtu: int) -> list[tuple[int, int]]:
        """The same, each with the number of its first byte (RFC 791, 2.3: the fragment offset, here in bytes)."""
        sizes, back = self.fragments(payload, mtu), self.last_fragment_first
        ends = accumulate(sizes)
        return [(size, payload - end if back else end - size) for size, end in zip(sizes, ends, strict=True)]
