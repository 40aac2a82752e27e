"""A scenario as plain data, from which an equal one is made: without the sources of its numbers, but with the names of
its parts in the catalogue, and the addresses that the user has set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netsim.catalog.provenance import Provenance
from netsim.catalog.toml_file import parse_toml
from netsim.scenario import Scenario
from netsim.spec.tree import SET_BY_USER

KEYS = ("scenario_toml", "catalogue_names", "set_by_user")
READ = Provenance(kind="assumed", source="a result that was read back")


def to_plain(scenario: Scenario) -> dict[str, Any]:
    """The data, with these KEYS."""
    users = [address for address, source in scenario.provenance().items() if source == SET_BY_USER]
    return dict(zip(KEYS, (scenario.to_toml(), scenario.catalogue_names(), users), strict=True))


def from_plain(data: Mapping[str, Any]) -> Scenario:
    """The scenario in such data. Raises ScenarioError if it is none for this version of netsim."""
    from netsim.workload import scenario_of  # all tools: `import netsim` needs none of them

    toml, names, users = (data[name] for name in KEYS)
    scenario = scenario_of(parse_toml(toml))
    scenario.remember(names, dict.fromkeys(scenario.addresses().keys() - set(users), READ))
    return scenario
