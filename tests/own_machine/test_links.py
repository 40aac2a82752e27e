"""Links that came up in a worse mode than the port can do: half duplex, or a lower rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from netsim.errors import ScenarioError
from netsim.own_machine import ImportedMachine, import_machine
from netsim.own_machine import prediction as simulations
from netsim.own_machine.advice import Advised, advise
from netsim.own_machine.faults import findings
from netsim.own_machine.link_texts import read_link
from netsim.own_machine.simulated_run import scenario_of
from netsim.own_machine.texts import Text, Unread
from netsim.show.machine_view import import_lines
from tests.machines import MACHINES, NAMES, copied

PORT = "enp0s31f6"
SLOW, HALF = ("Speed: 1000Mb/s", "Speed: 100Mb/s"), ("Duplex: Full", "Duplex: Half")


def read(folder: Path, *changes: tuple[str, str]) -> ImportedMachine:
    """The desktop with some texts of `ethtool` changed."""
    file = copied("desktop-e1000e", folder) / f"ethtool-{PORT}"
    for before, after in changes:
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))
    return import_machine(file.parent).machine


def about_link(machine: ImportedMachine) -> list[str]:
    return [one.what for one in findings(machine) if one.what.startswith(("the link is", "the link runs"))]


def advised(machine: ImportedMachine, monkeypatch: pytest.MonkeyPatch) -> Advised:
    monkeypatch.setattr(simulations, "SPEEDS", (1.0,))
    return advise(machine)


def test_half_duplex_is_found_and_not_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = read(tmp_path, HALF)
    first = findings(machine)[0]
    assert (first.what, first.where, first.limits) == ("the link is half duplex", f"ethtool-{PORT}:16", True)
    with pytest.raises(ScenarioError, match=r"half duplex, .*; allowed: full duplex$"):
        scenario_of(machine)
    found = advised(machine, monkeypatch)
    assert found.simulated[0].refused.startswith("its link is half duplex")
    assert found.advice[0].finding == first
    assert not [one for one in found.advice if "MTU" in one.finding.what]


def test_the_overview_says_half_duplex(tmp_path: Path) -> None:
    copied("desktop-e1000e", tmp_path, **{f"ethtool__{PORT}": HALF})
    lines = import_lines(import_machine(tmp_path / "desktop-e1000e"), [])
    assert [one for one in lines if one.startswith(f"{PORT}: e1000e, 1 Gbit/s half duplex")]


def test_a_rate_below_the_advertised_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = read(tmp_path, SLOW)
    assert about_link(machine) == ["the link runs at 100 Mbit/s, though the port advertises 1 Gbit/s"]
    first = advised(machine, monkeypatch).advice[0]
    assert first.finding.where == f"ethtool-{PORT}:15, ethtool-{PORT}:9"
    assert first.gain is not None
    assert first.gain.low > 9  # ten times the rate


def test_jumbo_frames_are_proposed_from_a_gigabit_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for changes, proposed in (((), True), ((SLOW,), False)):
        found = advised(read(tmp_path, *changes), monkeypatch)
        assert any("MTU" in one.finding.what for one in found.advice) is proposed


def test_a_port_without_advertised_modes_is_judged_by_those_it_supports(tmp_path: Path) -> None:
    """Elsewhere than on a twisted pair the module decides."""
    fixed = ("Advertised link modes:  10baseT/Half", "Advertised link modes:  Not reported\n\tSome: 10baseT/Half")
    machine = read(tmp_path, SLOW, fixed)
    assert machine.get(f"adapters.{PORT}.advertised_rate") is None
    assert about_link(machine) == ["the link runs at 100 Mbit/s, though the port supports 1 Gbit/s"]
    assert about_link(machine.replace(f"adapters.{PORT}.port", "FIBRE")) == []


@pytest.mark.parametrize("name", NAMES)
def test_links_of_the_four_machines_are_full(name: str) -> None:
    assert about_link(import_machine(MACHINES / name).machine) == []


def test_a_duplex_that_is_none_is_named() -> None:
    text = Text("ethtool-x", ["Settings for x:", "\tSpeed: 100Mb/s", "\tDuplex: Hall"])
    assert "duplex" not in read_link(text)
    assert text.unread() == [Unread("ethtool-x", 3, '"Hall" is not Full or Half')]
