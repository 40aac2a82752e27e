"""A scenario with everything that is computed from it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from netsim.accounts.bounds import Bounds
from netsim.explorer.python import as_python
from netsim.explorer.short import short_toml
from netsim.scenario import Scenario
from netsim.show.spec_view import Leaf, leaves


@dataclass(frozen=True)
class Case:
    """A scenario with its closed form. `of` raises ScenarioError if it has none."""

    scenario: Scenario
    bounds: Bounds

    @classmethod
    def of(cls, scenario: Scenario) -> Case:
        return cls(scenario, scenario.bounds())

    @property
    def limit(self) -> float:
        """The rate that all resources together allow, in the test's unit."""
        return float(self.bounds.unit.of(self.bounds.limit))

    @cached_property
    def key(self) -> str:
        """The key of its results."""
        return self.scenario.digest()

    @cached_property
    def leaves(self) -> Mapping[str, Leaf]:
        """Every value, by its address."""
        return {leaf.address: leaf for leaf in leaves(self.scenario)}

    @cached_property
    def toml(self) -> str:
        """As short TOML."""
        return short_toml(self.scenario)

    @cached_property
    def python(self) -> str:
        """As a Python program."""
        return as_python(self.scenario)
