"""Which addresses of a scenario have the load that its senders offer."""

from __future__ import annotations

from collections.abc import Sequence

from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.spec.field_types import quantity_at


def check_loads(scenario: Scenario, names: Sequence[str]) -> None:
    """Check that each address has a number in bit/s; `rate` is that of a wire or an adapter. Raises ScenarioError."""
    for name in names:
        if quantity_at(scenario, name) != "bit_rate":
            rates = [one for one in scenario.addresses() if quantity_at(scenario, one) == "bit_rate"]
            loads = [one for one in rates if one.rpartition(".")[2] != "rate"]
            allowed = ", ".join(loads) or "a scenario with one, such as ns.Flows"
            raise ScenarioError(f"not an offered load; allowed: {allowed}", address=name)
