"""Scenarios that one measured value is about, such as the quotient of two."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from netsim.catalog.provenance import Provenance
from netsim.scenario import Scenario


@dataclass(frozen=True)
class Several:
    """Stands where a scenario does; what is observed of it gets a tuple of results, in this order."""

    scenarios: tuple[Scenario, ...]

    def __iter__(self) -> Iterator[Scenario]:
        return iter(self.scenarios)

    def digest(self) -> str:
        """The same for the same scenarios only, as a scenario's own."""
        return hashlib.sha256("".join(one.digest() for one in self).encode()).hexdigest()

    def provenance(self) -> dict[str, Provenance]:
        """Where their numbers come from, by address: "scenarios.0.server.processors.clock"."""
        return {
            f"scenarios.{number}.{at}": source
            for number, one in enumerate(self)
            for at, source in one.provenance().items()
        }


def each(scenario: Scenario | Several) -> tuple[Scenario, ...]:
    """The scenario, or all of several."""
    return scenario.scenarios if isinstance(scenario, Several) else (scenario,)
