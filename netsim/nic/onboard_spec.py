"""What a processor on the adapter is, and how long a frame takes it."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import PS_PER_S, Cycles, Frequency


class OnboardSpec(Spec):
    """`clock`, and the cycles of this processor's own that a frame takes: `tx_cycles` sent, `rx_cycles` received."""

    clock: Frequency
    tx_cycles: Cycles
    rx_cycles: Cycles

    @property
    def tx_time(self) -> int:
        """ps for a frame sent."""
        return round(self.tx_cycles * PS_PER_S / self.clock)

    @property
    def rx_time(self) -> int:
        """ps for a frame received."""
        return round(self.rx_cycles * PS_PER_S / self.clock)
