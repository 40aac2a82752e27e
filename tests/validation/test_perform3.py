"""The rows of the report on PERFORM3: the simulation's errors, and the rows that move without a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import netsim as ns
from experiments import perform3
from experiments.comparison import Comparison
from experiments.perform3 import FIVE, REPORT, SINGLE, row_id
from experiments.row import Row
from experiments.run import Outcome
from netsim.results.result import Result

pytestmark = [pytest.mark.validation, pytest.mark.xdist_group(REPORT)]  # one worker simulates the rows for all tests

ROWS = perform3.rows()
MEASURED = [row for row in ROWS if not row.parts]
INDICES = [row for row in ROWS if row.parts]
MOST_FITTED = 20  # parameters


@pytest.fixture(scope="session")
def outcomes(outcomes_of: Callable[[str], dict[str, Outcome]]) -> dict[str, Outcome]:
    """Every row, simulated once: id -> outcome."""
    return outcomes_of(REPORT)


@pytest.mark.parametrize("row", INDICES, ids=lambda row: row.id)
def test_an_index_is_made_of_its_parts(row: Row, outcomes: dict[str, Outcome]) -> None:
    """In the simulation; in the report, the quotient of the parts is the printed index except for rounding."""
    throughput, cpu = (outcomes[part] for part in row.parts)
    assert outcomes[row.id].simulated == pytest.approx(throughput.simulated / cpu.simulated)
    assert row.measured == pytest.approx(throughput.row.measured / cpu.row.measured, abs=0.011)


def test_every_number_of_the_report_is_a_row() -> None:
    assert len(MEASURED) == 7 + 7 + 11 + 11
    assert len(INDICES) == 11
    ranking = [one for one in perform3.comparisons() if isinstance(one, Comparison)]
    assert len(ranking) == 10
    assert [one.worse for one in ranking[:-1]] == [one.better for one in ranking[1:]]


def test_five_workstations_are_predicted(outcomes: dict[str, Outcome]) -> None:
    """Each card's delay is known from the row of one workstation; nothing is fitted to the rows of five."""
    assert not any(outcomes[row.id].basis == "fitted" for row in MEASURED if row.table.endswith(FIVE))


def test_two_figures_with_the_same_cards_are_one_simulation(outcomes: dict[str, Outcome]) -> None:
    """The report measured PLX-SONIC and NE2000 twice, 996.66 and 992.76, which shows its repeatability."""
    client, server = (row_id(FIVE, "ne2000", "throughput"), row_id("server", "plx-sonic", "throughput"))
    assert outcomes[client].simulated == outcomes[server].simulated
    assert outcomes[client].row.measured == pytest.approx(outcomes[server].row.measured, rel=0.004)


# ---- mechanisms: without one, the row moves ----


def simulated(server: str, client: str, workstations: int, **changes: Any) -> Result:
    """A row's scenario with changes, each address with "__" for "."; one file size, since all are alike."""
    addresses = {address.replace("__", "."): value for address, value in changes.items()}
    test = perform3.perform3(server, client, workstations)
    return ns.simulate(test.replace({"file_sizes": [1024], "min_iterations": 1, "max_iterations": 1} | addresses),
                       precision=0.01)  # fmt: skip


def test_early_receive_is_what_makes_one_workstation_fast() -> None:
    early = simulated("plx-sonic", "3com-etherlink-iii", 1)
    late = simulated("plx-sonic", "3com-etherlink-iii", 1, workstations__0__nics__0__rx_early=None)
    assert early.throughput > 1.1 * late.throughput


def test_with_five_the_wire_is_in_the_way_and_not_the_card(outcomes: dict[str, Outcome]) -> None:
    """Cards that differ by half with one workstation differ by little with five, and the wire is busy."""
    alone, five = (
        [outcomes[row.id].simulated for row in MEASURED if row.table.endswith(table)] for table in (SINGLE, FIVE)
    )
    assert max(alone) / min(alone) > 1.3
    assert max(five) / min(five) < 1.05
    for row in MEASURED:
        if row.table.endswith(FIVE):
            assert outcomes[row.id].simulated < 1000 * 1.0793  # framing alone


def test_collisions_are_between_workstations_and_the_server() -> None:
    """None with one workstation; with five, at least one for every third read."""
    assert simulated("plx-sonic", "ne2000", 1).counts["collisions"] == 0
    counts = simulated("plx-sonic", "ne2000", 5).counts
    assert counts["collisions"] > counts["requests"] / 3


def test_who_moves_the_data_decides_the_servers_cpu(outcomes: dict[str, Outcome]) -> None:
    """Bus masters cost their servers less than a third of the CPU time of programmed I/O."""
    moved = {nic: outcomes[row_id("server", nic, "cpu")] for nic in perform3.SERVER_NICS}
    assert moved["plx-sonic"].simulated < moved["ne2000"].simulated / 3
    assert "programmed I/O" not in moved["plx-sonic"].cpu_by_name["server"]
    assert moved["ne2000"].cpu_by_name["server"]["programmed I/O"] > moved["ne2000"].cpu["server"] / 2


def test_the_processor_on_the_card_is_what_makes_it_slow() -> None:
    slow = simulated("ne3200", "ne2000", 5)
    fast = simulated("ne3200", "ne2000", 5, server__nics__0__onboard__clock="1 GHz")
    assert fast.throughput > 1.02 * slow.throughput

