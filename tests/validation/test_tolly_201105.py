"""The rows of the report on four adapters: the simulation's errors, and the rows that move without a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import netsim as ns
from experiments import tolly_201105
from experiments.run import PICTURE, Outcome
from experiments.tolly_201105 import BOTH, INTEL, REPORT, THREECOM, WINDOWS, chariot, row_id
from netsim.results.result import Result

pytestmark = [pytest.mark.validation, pytest.mark.xdist_group(REPORT)]  # one worker simulates the rows for all tests

ROWS = tolly_201105.rows()
MEASURED = [row for row in ROWS if not row.parts]
INDICES = [row for row in ROWS if row.parts]


@pytest.fixture(scope="session")
def outcomes(outcomes_of: Callable[[str], dict[str, Outcome]]) -> dict[str, Outcome]:
    """Every row, simulated once: id -> outcome."""
    return outcomes_of(REPORT)


def test_every_number_of_the_report_is_a_row() -> None:
    assert len(MEASURED) == 24
    assert len(INDICES) == 12
    assert sum(one.printed is not None for one in tolly_201105.comparisons()) == 5


def test_windows_costs_are_those_of_the_gigabit_report() -> None:
    """The same Windows 2000 on the same server: the system's numbers are identical."""
    from experiments import tolly_200233

    gigabit = tolly_200233.chariot(WINDOWS, "intel-pro1000f", "download", 1518).server
    four = chariot(WINDOWS, False, "none", "bidirectional", INTEL).server
    assert gigabit.system == four.system
    assert (gigabit.processors, gigabit.memory) == (four.processors, four.memory)


# ---- mechanisms: without one, the row moves ----


def simulated(case: tuple[str, bool, str, str, str], **changes: Any) -> Result:
    """A row's scenario with changes to its server, each address with "__" for "."."""
    addresses = {f"server.{address.replace('__', '.')}": value for address, value in changes.items()}
    test = chariot(*case).replace({"min_iterations": 1, "max_iterations": 1} | addresses)
    return ns.simulate(test, **PICTURE)


AGGREGATED = (WINDOWS, True, "none", "bidirectional", THREECOM)


@pytest.mark.parametrize("nic", BOTH)
def test_ipsec_by_the_host_is_the_cipher(nic: str, outcomes: dict[str, Outcome]) -> None:
    one = outcomes[row_id(WINDOWS, False, "host", "download", nic, "cpu")]
    assert one.cpu_by_name["server"]["crypto"] > 0.75


@pytest.mark.parametrize("nic", BOTH)
def test_an_engine_slower_than_the_wire_is_in_the_way(nic: str) -> None:
    slow = {f"nics__{number}__crypto__rate": "40 Mbit/s" for number in range(4)}
    result = simulated((WINDOWS, False, "offload", "download", nic), **slow)
    assert result.bottleneck.endswith("crypto engine")
    assert result.throughput < 160e6


def test_an_engine_without_the_cipher_leaves_it_to_the_host() -> None:
    case = (WINDOWS, False, "offload", "download", THREECOM)
    without = {f"nics__{number}__crypto__ciphers": ["des-cbc"] for number in range(4)}
    result = simulated(case, **without)
    assert result.counts["server IPsec packets by the card"] == 0
    assert result.counts["server IPsec packets by the host"] > 0
    assert result.cpu_by_name("server")["crypto"] > 0.7

