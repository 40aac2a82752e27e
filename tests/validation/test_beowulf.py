"""The Beowulf report's rows: the simulation's errors, rows that need no fit, and the effect of too many ports."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from experiments import beowulf
from experiments.run import Outcome

pytestmark = [pytest.mark.validation, pytest.mark.xdist_group("beowulf")]  # one worker simulates the rows for all tests

ROWS = beowulf.rows()
WIRE_BOUND = [
    ("TCP_STREAM", "3c905b/3c59x", 1),
    ("TCP_STREAM", "dfe570tx/tulip", 1),
    ("UDP_STREAM", "lne100tx/tulip", 1),
    ("UDP_STREAM", "3c905b/3c59x", 1),
    ("UDP_STREAM", "eepro100/eepro100", 1),
    ("UDP_STREAM", "dfe570tx/tulip", 1),
    ("UDP_STREAM", "3c905b/3c59x", 3),
    ("UDP_STREAM", "dfe570tx/tulip", 3),
    ("UDP_STREAM", "eepro100-dual/eepro100", 2),
]


def netperf(test: str, adapter: str, ports: int) -> str:
    """A row of netperf between the fast hosts."""
    nic, driver = adapter.split("/")
    return beowulf.row_id("piii-600", "piii-600", test, nic, driver, ports)


def netpipe(transport: str, adapter: str, ports: int, quantity: str) -> str:
    """A row of NetPIPE."""
    nic, driver = adapter.split("/")
    return beowulf.netpipe_id(nic, driver, ports, transport, quantity)


@pytest.fixture(scope="session")
def outcomes(outcomes_of: Callable[[str], dict[str, Outcome]]) -> dict[str, Outcome]:
    """Every row, simulated once: id -> outcome."""
    return outcomes_of(beowulf.REPORT)


@pytest.mark.parametrize(("test", "adapter", "ports"), WIRE_BOUND)
def test_wire_needs_no_fit(test: str, adapter: str, ports: int, outcomes: dict[str, Outcome]) -> None:
    """1448 B of 1538 B on the wire, 8192 B in six fragments, and fragments distributed over several ports, are
    arithmetic. The firewall was assumed with knowledge of UDP over three and four ports."""
    one = outcomes[netperf(test, adapter, ports)]
    assert one.basis == ("chosen" if test == "UDP_STREAM" and ports > 2 else "predicted")
    assert one.bottleneck.startswith("wire ")
    assert abs(one.error_percent) < 0.5


def test_four_ports_are_sent_to_at_the_wires_pace(outcomes: dict[str, Outcome]) -> None:
    one = outcomes[netperf("UDP_STREAM", "dfe570tx/tulip", 4) + "/sent"]
    assert one.basis == "chosen"
    assert abs(one.error_percent) < 0.5


@pytest.mark.parametrize("test", ["UDP_STREAM", "TCP_STREAM"])
def test_four_ports_deliver_less_than_three(test: str, outcomes: dict[str, Outcome]) -> None:
    three, four = (outcomes[netperf(test, "dfe570tx/tulip", ports)].simulated for ports in (3, 4))
    assert four < 0.99 * three


@pytest.mark.parametrize(("adapter", "ports"), [("eepro100-dual/eepro100", 2), ("3c905b/3c59x", 3)])
def test_one_port_fixed_predicts_the_bandwidth_of_several(
    adapter: str, ports: int, outcomes: dict[str, Outcome]
) -> None:
    """Nothing is fitted to these rows; a factor was chosen with knowledge of the same runs' latency."""
    one = outcomes[netpipe("NPtcp", adapter, ports, "bandwidth")]
    assert one.basis == "chosen"
    assert abs(one.error_percent) < 1.5


def test_every_number_of_the_report_is_a_row() -> None:
    assert len(ROWS) == 70

