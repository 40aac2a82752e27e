"""The TOML of a machine: it reads back with its sources, and never replaces a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from netsim.errors import ScenarioError
from netsim.own_machine import ImportedMachine, import_machine
from netsim.own_machine.advice import machine_of
from netsim.own_machine.faults import findings
from netsim.own_machine.machine_file import machine_toml, write_machine
from tests.machines import MACHINES, NAMES


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_back_with_where_each_value_was_read(name: str) -> None:
    machine = import_machine(MACHINES / name).machine
    back = ImportedMachine.from_toml(machine_toml(machine))
    assert back == machine
    assert back.provenance() == machine.provenance()


def test_advice_from_a_file_is_that_from_the_folder(tmp_path: Path) -> None:
    machine = import_machine(MACHINES / "server-ixgbe").machine
    write_machine(machine, tmp_path / "mine.toml")
    assert findings(machine_of(tmp_path / "mine.toml").machine) == findings(machine)


def test_it_takes_the_place_of_nothing(tmp_path: Path) -> None:
    machine = import_machine(MACHINES / "server-ixgbe").machine
    with pytest.raises(ScenarioError, match='"-" does not stand for standard output; allowed: a file'):
        write_machine(machine, "-")
    place = tmp_path / "mine.toml"
    place.write_text("mine")
    with pytest.raises(ScenarioError, match="exists already; allowed: a new file"):
        write_machine(machine, place)
    assert (place.read_text(), [*tmp_path.iterdir()]) == ("mine", [place])


def test_a_folder_that_there_is_none_of(tmp_path: Path) -> None:
    machine = import_machine(MACHINES / "server-ixgbe").machine
    with pytest.raises(ScenarioError, match=r"can't be written: No such file"):
        write_machine(machine, tmp_path / "none" / "mine.toml")
