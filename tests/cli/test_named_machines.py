"""Machines are replaced by name, from the command line, in Python and in sweeps; other settings stay."""

from __future__ import annotations

from pathlib import Path

import pytest

import netsim as ns
from netsim.cli import main
from netsim.errors import ScenarioError

P166 = Path(__file__).parents[2] / "examples" / "p166.toml"


@pytest.mark.parametrize("address", ["receiver", "receiver.model"])
def test_a_host_by_its_name_keeps_system_and_adapters(address: str) -> None:
    test = ns.load(P166)
    changed = test.replace(address, "piii-600")
    assert changed.receiver.catalogue_name == "hosts/piii-600"
    assert (changed.receiver.system, changed.receiver.nics) == (test.receiver.system, test.receiver.nics)
    assert changed.receiver.processors == ns.host("piii-600", system="linux-2.2.16").processors
    with pytest.raises(ScenarioError, match='did you mean "piii-600"'):
        test.replace(address, "piii-60")


@pytest.mark.parametrize("address", ["receiver", "receiver.model"])
def test_from_the_command_line(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", str(P166), "--set", f"{address}=piii-600"]) == 0
    assert "receiver processors" in capsys.readouterr().out


def test_a_sweep_over_machines_and_with_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = P166.read_text() + (
        '\n[sweep]\nprecision = 0.5\nlimit = "20 ms"\n[sweep.grid]\nreceiver = ["p166", "piii-600"]\n'
    )
    (tmp_path / "sweep.toml").write_text(sweep)
    asked = ["sweep", str(tmp_path / "sweep.toml"), "--store", str(tmp_path / "a.db"), "--jobs", "1"]
    assert main([*asked, "--set", "link=10base-t", "--set", "duration=1 min"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["p166", "piii-600"]
    assert all("wire to receiver" in line for line in lines[2:4])


def test_a_retry_is_not_advised_for_what_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sweep.toml").write_text(P166.read_text() + "\n[sweep.grid]\nmtu = [9000]\n")
    assert main(["sweep", str(tmp_path / "sweep.toml"), "--store", str(tmp_path / "a.db"), "--jobs", "1"]) == 1
    assert "they would fail again" in capsys.readouterr().err
