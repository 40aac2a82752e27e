"""A run in which nothing is delivered while it is looked at prints, and has no quotient."""

from __future__ import annotations

from pathlib import Path

import pytest

import netsim as ns
from netsim.errors import ScenarioError

CHARIOT = Path(__file__).parents[2] / "examples" / "chariot.toml"


def test_nothing_delivered() -> None:
    test = ns.load(CHARIOT).replace("server.system.kernel.receive_cycles", 183656122074.4968)
    found = ns.simulate(test, precision=0.5, warm_up="1 ms", sample="1 ms", limit="20 ms")
    assert found.throughput == 0
    assert "nothing was delivered, in" in str(found)
    with pytest.raises(ScenarioError, match="nothing was delivered in one of the two"):
        found.quotient(found)
