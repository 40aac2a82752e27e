"""The units in which measuring tools print their figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netsim.errors import ScenarioError
from netsim.units.constants import MBIT_S


@dataclass(frozen=True)
class RateUnit:
    """A unit called `name`, of `size` base units per second. Each delivered item counts as `each` base units: 8 bit
    for a byte, or 1 if items are counted themselves, such as transactions."""

    name: str
    size: float
    each: int = 8

    def of(self, rate: float) -> float:
        """A rate (base units per second) in this unit."""
        return rate / self.size

    def mbit_per_s(self, rate: Any) -> Any:
        """A rate (bit/s), or an array of them, in Mbit/s. Raises ScenarioError if what is delivered has no bits."""
        if self.each != MBIT_PER_S.each:
            raise ScenarioError(f"the throughput is in {self.name}, which has no bits; allowed: throughput")
        return rate / MBIT_S

    @property
    def common(self) -> RateUnit:
        """The unit in which figures of tools with different units are compared: Mbit/s, or transactions per second."""
        return MBIT_PER_S if self.each == MBIT_PER_S.each else TPS


MBIT_PER_S = RateUnit("Mbit/s", MBIT_S)
KBYTE_PER_S = RateUnit("KB/s", 8_000)  # of 1000 bytes
TPS = RateUnit("TPS", 1, each=1)  # transactions per second
MPPS = RateUnit("Mpps", 10**6, each=1)  # packets per second
