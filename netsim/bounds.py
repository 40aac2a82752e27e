"""The closed form of a scenario: the time that each resource needs for one unit of work, and what it would allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from netsim.units import MBIT_PER_S, PS_PER_S, RateUnit

CLIENTS = "clients"  # in a closed test: all of them, if each had everything to itself


@dataclass(frozen=True)
class Bounds:
    """`demand`: resource -> ps for so much `delivered` (bytes, or transactions if `unit` counts these), at the least
    (frames at their cheapest, interrupts shared by as many frames as can be). No simulation is faster than these allow.
    They are printed in `unit`.

    In a closed test (`Scenario.closed`) the entry "clients" is what a client needs that has everything to itself, by
    the number of clients: together they are no faster, however fast each resource is (Denning and Buzen, "The
    operational analysis of queueing network models", ACM Computing Surveys 10, 1978).
    """

    demand: Mapping[str, float]
    delivered: int
    unit: RateUnit = MBIT_PER_S

    def throughput(self, resource: str) -> float:
        """What `resource` alone would allow (bit/s, or transactions/s by the unit); infinite for one that is not
        needed."""
        demand = self.demand[resource]
        return self.delivered * self.unit.each * PS_PER_S / demand if demand else inf

    @property
    def bottleneck(self) -> str:
        """The resource that allows least."""
        return max(self.demand, key=lambda name: self.demand[name])

    @property
    def limit(self) -> float:
        """What all resources together allow (as `throughput`)."""
        return self.throughput(self.bottleneck)

    def __str__(self) -> str:
        rows = sorted((self.unit.of(self.throughput(name)), name) for name in self.demand if self.demand[name] > 0)
        return "\n".join(f"{name:<32}{rate:>12.2f} {self.unit.name}" for rate, name in rows)
