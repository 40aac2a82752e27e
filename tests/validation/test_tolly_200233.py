"""The gigabit report's rows: the simulation's errors, and the rows that move without a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import netsim as ns
from experiments import gigabit_what_if, tolly_200233
from experiments.run import PICTURE, Outcome
from experiments.tolly_200233 import REPORT, chariot, row_id

pytestmark = [pytest.mark.validation, pytest.mark.xdist_group(REPORT)]  # one worker simulates the rows for all tests

ROWS = tolly_200233.rows()
SK, INTEL, TIGON = "syskonnect-sk9843", "intel-pro1000f", "3com-3c985b"
LINUX, WINDOWS = "linux-2.2.14", "windows-2000"
STANDARD, JUMBO = 1518, 9018


@pytest.fixture(scope="session")
def outcomes(outcomes_of: Callable[[str], dict[str, Outcome]]) -> dict[str, Outcome]:
    """Every row, simulated once: id -> outcome."""
    return outcomes_of(REPORT)


def test_every_number_of_the_report_is_a_row() -> None:
    assert len(ROWS) == 22


# ---- mechanisms: without one, the row moves ----


def changed(os: str, nic: str, flow: str, frame: int, **changes: Any) -> ns.Result:
    """A run with changes to the server's first adapter, each address with "__" for "."."""
    addresses = {f"server.nics.0.{address.replace('__', '.')}": value for address, value in changes.items()}
    test = chariot(os, nic, flow, frame).replace({"min_iterations": 1, "max_iterations": 1} | addresses)
    return ns.simulate(test, **PICTURE)


def throughput(os: str, nic: str, flow: str, frame: int, **changes: Any) -> float:
    """Its throughput, in Mbit/s."""
    return changed(os, nic, flow, frame, **changes).throughput / 1e6


def test_the_tigon_is_limited_by_its_own_processor(outcomes: dict[str, Outcome]) -> None:
    """Under Windows 2000. With free firmware, a processor becomes the bottleneck: the driver is interrupted for every
    20 sent frames (its INF)."""
    one = outcomes[row_id(WINDOWS, TIGON, "download", STANDARD)]
    fast = changed(WINDOWS, TIGON, "download", STANDARD, onboard__tx_cycles=1, onboard__rx_cycles=1)
    slow = throughput(WINDOWS, TIGON, "download", STANDARD, onboard__clock="44 MHz")
    assert one.bottleneck == "server nic 0 onboard"
    assert slow == pytest.approx(one.simulated / 2, rel=0.05)
    assert fast.throughput / 1e6 > 1.1 * one.simulated
    assert fast.bottleneck == "server processor 0"


def test_under_linux_the_processors_limit_before_the_tigon(outcomes: dict[str, Outcome]) -> None:
    """The card's processor has time to spare; at a quarter of its clock it is the bottleneck."""
    one = outcomes[row_id(LINUX, TIGON, "download", STANDARD)]
    assert one.bottleneck in ("server kernel lock", "server processor 0", "server processor 1")
    assert throughput(LINUX, TIGON, "download", STANDARD, onboard__clock="44 MHz") > 0.98 * one.simulated
    assert throughput(LINUX, TIGON, "download", STANDARD, onboard__clock="22 MHz") < 0.8 * one.simulated


@pytest.mark.parametrize(("os", "frame"), [(WINDOWS, JUMBO), (LINUX, JUMBO)])
def test_the_pro1000_is_limited_by_its_fifo(os: str, frame: int, outcomes: dict[str, Outcome]) -> None:
    """It does not hold two frames, and the chip starts a buffer only with room for all of it: the wire waits during the
    read."""
    one = outcomes[row_id(os, INTEL, "download", frame)]
    assert one.bottleneck == "server nic 0 transmitter"
    assert throughput(os, INTEL, "download", frame, tx_fifo="32 KiB") > 1.05 * one.simulated
    assert throughput(os, INTEL, "download", frame, retry_clocks=0) > 1.005 * one.simulated


def test_syskonnect_lacks_moderation_under_linux(outcomes: dict[str, Outcome]) -> None:
    one = outcomes[row_id(LINUX, SK, "download", STANDARD)]
    policy = {"policy": "minimum-gap", "gap": "500 us"}
    moderated = throughput(
        LINUX, SK, "download", STANDARD, driver__rx_moderation=policy, driver__tx_moderation=policy
    )
    assert moderated > 1.02 * one.simulated


def test_linux_on_two_processors_is_held_up_by_its_locks(outcomes: dict[str, Outcome]) -> None:
    one = outcomes[row_id(LINUX, INTEL, "upload", STANDARD)]
    test = chariot(LINUX, INTEL, "upload", STANDARD).replace({"server.system.kernel.big_lock": False})
    assert ns.simulate(test, **PICTURE).throughput / 1e6 > 1.1 * one.simulated


# ---- what if ----


POINTS = {
    f"{study().title}: {point.series} {point.x:g}": point
    for study in gigabit_what_if.studies()
    for point in study().points()
}


@pytest.mark.parametrize("name", POINTS)
def test_no_sweep_beats_its_bound(name: str) -> None:
    """Wire and bus are among the bounds. 1 % for files in flight when the measurement began."""
    test = POINTS[name].build()
    result = ns.simulate(test, precision=0.05, limit="0.08 s")
    assert result.throughput <= 1.01 * test.bounds().limit

