"""Several scenarios behind one measured value, such as a quotient."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from netsim.catalog.provenance import Provenance
from netsim.scenario import Scenario


@dataclass(frozen=True)
class Several:
    """Used in place of a scenario; a row's `observe` then gets a tuple of results, in this order."""

    scenarios: tuple[Scenario, ...]

    def __iter__(self) -> Iterator[Scenario]:
        return iter(self.scenarios)

    def digest(self) -> str:
        """Equal only for the same scenarios, like the digest of a scenario."""
        return hashlib.sha256("".join(one.digest() for one in self).encode()).hexdigest()

    def provenance(self) -> dict[str, Provenance]:
        """The provenance of their numbers by address: "scenarios.0.server.processors.clock"."""
        return {
            f"scenarios.{number}.{at}": source
            for number, one in enumerate(self)
            for at, source in one.provenance().items()
        }


def each(scenario: Scenario | Several) -> tuple[Scenario, ...]:
    """The scenario, or all if there are several."""
    return scenario.scenarios if isinstance(scenario, Several) else (scenario,)
