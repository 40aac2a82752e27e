"""A processor on the adapter, and its time for a frame."""

from __future__ import annotations

from typing import Self

from netsim.spec import Spec
from netsim.units import PS_PER_S, Cycles, Frequency


class OnboardSpec(Spec):
    """Its `clock` (Hz), and its cycles per frame: `tx_cycles` for one to be sent, `tx_ring_cycles` more if it has to
    fetch the descriptor from a ring in the host's memory, `tx_checksum_cycles` more if the driver leaves the checksum
    to it; `rx_cycles` for a received frame."""

    clock: Frequency
    tx_cycles: Cycles
    tx_ring_cycles: Cycles = 0.0
    tx_checksum_cycles: Cycles = 0.0
    rx_cycles: Cycles

    def driven(self, ring: str, checksum: str) -> Self:
        """The processor with all that a driver asks of it: its transmit `ring` lies on the "card" or in the "host", and
        the "nic" or the "host" computes checksums."""
        more = (self.tx_ring_cycles, ring == "host"), (self.tx_checksum_cycles, checksum == "nic")
        return self.unchecked(tx_cycles=self.tx_cycles + sum(cycles for cycles, asked in more if asked))

    @property
    def tx_time(self) -> int:
        """The time (ps) for a sent frame."""
        return round(self.tx_cycles * PS_PER_S / self.clock)

    @property
    def rx_time(self) -> int:
        """The time (ps) for a received frame."""
        return round(self.rx_cycles * PS_PER_S / self.clock)
