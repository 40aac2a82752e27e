"""IPv4 as one system implements it: how it fragments datagrams, and what fragments cost."""

from __future__ import annotations

from itertools import accumulate

from netsim.spec import Spec
from netsim.stack.ip import FRAGMENT_UNIT, HEADER
from netsim.units import Cycles, Fraction, Header, PositiveBytes, Time


class IpSpec(Spec):
    """`fragment_cycles` per fragment sent (buffer, header, queueing), `reassembly_cycles` per fragment received. A
    firewall without rules takes `filter_rx_cycles` for each packet or fragment received and `filter_tx_cycles` for each
    one sent (0: there is none).
    `last_fragment_first`: the sender builds a datagram from its end. At most `reassembly_memory` bytes of a host's
    incomplete datagrams are kept, each for `reassembly_time` after its last fragment; if there are more, the oldest
    are given up until the `kept_share` of that is left. They are accounted as in a socket's buffer, plus
    `fragment_overhead` bytes per fragment and `datagram_overhead` bytes per datagram.
    """

    fragment_cycles: Cycles
    reassembly_cycles: Cycles
    last_fragment_first: bool
    reassembly_memory: PositiveBytes
    reassembly_time: Time
    filter_rx_cycles: Cycles = 0.0
    filter_tx_cycles: Cycles = 0.0
    kept_share: Fraction = 1.0
    fragment_overhead: Header = 0
    datagram_overhead: Header = 0

    @property
    def kept_memory(self) -> int:
        """Bytes of incomplete datagrams that are kept when there are too many."""
        return round(self.kept_share * self.reassembly_memory)

    def fragments(self, payload: int, mtu: int) -> list[int]:
        """IP payload bytes of each fragment, in the order they are sent, of a datagram with `payload` bytes."""
        unit = (mtu - HEADER) // FRAGMENT_UNIT * FRAGMENT_UNIT
        if payload <= mtu - HEADER:
            return [payload]
        full, rest = divmod(payload, unit)
        sizes = [unit] * full + ([rest] if rest else [])
        return sizes[::-1] if self.last_fragment_first else sizes

    def cut(self, payload: int, mtu: int) -> list[tuple[int, int]]:
        """The same, each with the offset of its first byte (RFC 791, 2.3, here in bytes)."""
        sizes, back = self.fragments(payload, mtu), self.last_fragment_first
        ends = accumulate(sizes)
        return [(size, payload - end if back else end - size) for size, end in zip(sizes, ends, strict=True)]
