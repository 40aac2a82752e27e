"""`netsim import` and `netsim advise`: their output, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from netsim.cli import main
from netsim.own_machine import import_machine, prediction
from netsim.own_machine.advice import Advised
from netsim.own_machine.collecting import SCRIPT
from netsim.show import advice_view
from tests.machines import MACHINES

MLX5, ARM, DESKTOP = (str(MACHINES / name) for name in ("server-mlx5", "board-arm", "desktop-e1000e"))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates one of three processor costs."""
    monkeypatch.setattr(prediction, "SPEEDS", (1.0,))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    out, err = capsys.readouterr()
    return err if code else out


def test_the_script_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "import", "--script") == SCRIPT


def test_what_is_wrong_is_printed_with_what_was_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "import", ARM)
    assert "  config: missing\n" in out
    assert "1. eth1: the slot supports only generation 2 x1" in out
    assert "   where  lspci:33, lspci:29, lspci:10\n" in out


def test_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "import", ARM, "--json"))
    assert found["machine"]["adapters"]["eth1"]["rx_ring"] == 2048
    assert found["findings"][0]["limits"] is True
    assert {"file": "config", "line": 0, "reason": "missing"} in found["unread"]
    assert any("kernel.hz" in names for names in found["assumed"].values())


def test_advice_is_the_same_from_folder_and_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(tmp_path / "mine.toml")
    printed(capsys, "import", DESKTOP, "--output", file)
    out = printed(capsys, "advise", file)
    assert out == printed(capsys, "advise", DESKTOP)
    assert "enp0s31f6: the simulated run is limited by the wire (100% busy)\n" in out
    assert "no gain within its interval (1.00 to 1.00 times the throughput)" in out
    data = json.loads(printed(capsys, "advise", file, "--json"))
    assert data["streams"][0]["bottleneck"] == "wire"
    assert data["simulated"][0]["limit"] == "the wire"
    assert data["advice"][0]["simulated"]["sure"]


def test_a_measured_run_is_simulated_and_written_for_netsim_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "test.toml"
    out = printed(capsys, "import", MLX5, "--scenario", str(file))
    assert "measured and simulated\nenp129s0np0: measured 37.6 Gbit/s, simulated 38.6 Gbit/s (" in out
    assert "iperf3 before 3.16 has one thread for its 8 streams" in out
    assert "streams = {value = 1, kind = \"imported\"" in file.read_text()
    assert "receiver processor 0" in printed(capsys, "bounds", str(file))


def test_a_measured_run_stands_beside_its_bound() -> None:
    lines = advice_view.advice_lines(import_machine(MLX5).machine, Advised((), (), {}))
    assert "measured 37.6 Gbit/s of at most 58.9 Gbit/s: the slot" in "\n".join(lines)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["import"], "no folder to read; allowed: FOLDER, or --script"),
        (["import", MLX5, "--script"], "--script can't be combined with anything else"),
        (["import", "none"], '"none" can\'t be read as a folder: No such file or directory; allowed: one that'),
        (["import", MLX5, "--output", MLX5], "exists already; allowed: a new file"),
        (["import", MLX5, "--scenario", MLX5], "--scenario: "),
        (["advise", "none.toml"], "none.toml can't be read: No such file or directory"),
        (["advise", str(MACHINES.parent / "p166.toml")], "no such key"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    err = printed(capsys, *arguments, code=2)
    assert line in err
    assert err.count("\n") == 1
