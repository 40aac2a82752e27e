"""A processor on the adapter, and its time for a frame."""

from __future__ import annotations

from netsim.spec import Spec
from netsim.units import PS_PER_S, Cycles, Frequency


class OnboardSpec(Spec):
    """Its `clock` (Hz), and its cycles per frame: `tx_cycles` for a sent one, `rx_cycles` for a received one."""

    clock: Frequency
    tx_cycles: Cycles
    rx_cycles: Cycles

    @property
    def tx_time(self) -> int:
        """The time (ps) for a sent frame."""
        return round(self.tx_cycles * PS_PER_S / self.clock)

    @property
    def rx_time(self) -> int:
        """The time (ps) for a received frame."""
        return round(self.rx_cycles * PS_PER_S / self.clock)
