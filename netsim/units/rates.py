"""The units in which measuring tools print their figures."""

from __future__ import annotations

from dataclasses import dataclass

from netsim.units.constants import MBIT_S


@dataclass(frozen=True)
class RateUnit:
    """A unit called `name`, of `size` bit/s."""

    name: str
    size: float

    def of(self, rate: float) -> float:
        """A rate (bit/s) in this unit."""
        return rate / self.size


MBIT_PER_S = RateUnit("Mbit/s", MBIT_S)
KBYTE_PER_S = RateUnit("KB/s", 8_000)  # of 1000 bytes
