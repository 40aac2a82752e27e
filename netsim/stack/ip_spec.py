"""IPv4 as one system does it: how it fragments datagrams, and what fragments cost."""

from __future__ import annotations

from itertools import accumulate

from netsim.spec import Spec
from netsim.stack.ip import FRAGMENT_UNIT, HEADER
from netsim.units import Cycles, PositiveBytes, Time


class IpSpec(Spec):
    """`fragment_cycles` per fragment sent (buffer, header, queueing), `reassembly_cycles` per fragment received.
    `last_fragment_first`: the sender builds a datagram from its end. Incomplete datagrams are kept in at most
    `reassembly_memory` bytes, for at most `reassembly_time` (ps).
    """

    fragment_cycles: Cycles
    reassembly_cycles: Cycles
    last_fragment_first: bool
    reassembly_memory: PositiveBytes
    reassembly_time: Time

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
