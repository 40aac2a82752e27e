"""Output replaces only files that netsim has written before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import netsim as ns
from netsim.cli import main
from netsim.errors import ScenarioError
from netsim.export.pcap import CAPTURE
from netsim.export.whole_file import check_place, whole_file, write_whole
from netsim.sweeps import Store

SCENARIO = """
tool = "netperf"
test = "TCP_STREAM"
sender = { model = "piii-600", system = "linux-2.2.16", nics = "3c905b/3c59x" }
receiver = { model = "p166", system = "linux-2.2.16", nics = "3c905b/3c59x" }
"""
SWEEP = SCENARIO + "\n[sweep]\nprecision = 0.5\nlimit = \"20 ms\"\n[sweep.grid]\nmtu = [1000]\n"
FORMATS = ("csv", "json", "parquet")


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    (folder / "sweep.toml").write_text(SWEEP)
    assert main(["sweep", str(folder / "sweep.toml"), "--store", str(folder / "s.db"), "--jobs", "1"]) == 0
    return folder / "s.db"


def trace(scenario: Path, **options: object) -> int:
    asked = [text for name, value in options.items() for text in ((f"--{name}", str(value)) if value else [])]
    return main(["trace", str(scenario), "--for", "1 ms", *asked])


@pytest.mark.parametrize("name", ["pcap", "perfetto"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_trace_never_overwrites_its_scenario(
    name: str, force: list[str], scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (scenario.parent / "link").symlink_to(scenario)
    for path in (scenario, scenario.parent / "link", scenario.parent / "." / "mine.toml"):
        assert main(["trace", str(scenario), f"--{name}", str(path), *force]) == 2
        assert f"--{name}" in (said := capsys.readouterr().err)
        assert "is the input" in said
    assert scenario.read_text() == SCENARIO


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_table_never_overwrites_a_store(
    name: str, force: list[str], store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = store.read_bytes()
    assert main(["results", str(store), f"--{name}", str(store), *force]) == 2
    assert "is a store" in capsys.readouterr().err
    assert store.read_bytes() == before


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_takes_the_place_of_a_table_and_of_nothing_else(name: str, store: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    write: Callable[..., int] = lambda *more: main(["results", str(store), f"--{name}", str(path), *more])  # noqa: E731
    assert write() == write() == 0
    table = path.read_bytes()
    for other in (b"point of no return", b"[1, 2]", b"PAR1PAR1", b"\n"):
        path.write_bytes(other)
        assert write() == 2
        assert path.read_bytes() == other
    assert write("--force") == 0
    assert path.read_bytes() == table


def test_captures_and_traces_take_the_place_of_such(scenario: Path, tmp_path: Path) -> None:
    pcap, perfetto = tmp_path / "a.pcap", tmp_path / "a.trace"
    assert trace(scenario, pcap=pcap, perfetto=perfetto) == trace(scenario, pcap=pcap, perfetto=perfetto) == 0
    assert trace(scenario, pcap=perfetto) == trace(scenario, perfetto=pcap) == 2
    test = ns.load(scenario)
    with pytest.raises(ScenarioError, match=r'^pcap: ".*mine.toml" is not a capture of netsim; allowed with force$'):
        ns.trace(test, pcap=scenario)
    pcap.write_text("somebody else's")
    assert ns.trace(test, pcap=pcap, duration="1 ms", force=True).pcap == pcap


def test_a_link_is_followed(scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("there.pcap")
    assert trace(scenario, pcap=tmp_path / "link") == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there.pcap").stat().st_size > 24


def test_a_device_is_written_to_only_by_force(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert main(["results", str(store), "--csv", str(pipe)]) == 2
    assert "is a device or a pipe" in capsys.readouterr().err
    assert main(["results", str(store), "--csv", "/dev/null"]) == 2
    assert main(["results", str(store), "--csv", "/dev/null", "--force"]) == 0
    assert Path("/dev/null").is_char_device()
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    assert main(["results", str(store), "--csv", str(pipe), "--force"]) == 0
    reader.join(timeout=10)
    assert got[0].startswith("point,replication,")
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["n" * 300, "\u20ac" * 100, "nul\0"])
def test_a_name_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"^path: .* can't be a file"):
        check_place(tmp_path / name, "path", CAPTURE)


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    with whole_file(path) as unfinished:
        unfinished.write_text("whole")
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_edited_in_place_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text("before")
    path.chmod(0o640)
    write_whole(path, "after")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("after", 0o640)


def test_a_dash_is_no_file(scenario: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = '"-" does not stand for standard output; allowed: a file'
    with pytest.raises(ScenarioError, match=f"^pcap: {said}; /dev/stdout with force$"):
        ns.trace(ns.load(scenario), pcap="-")
    for arguments in (["trace", str(scenario), "--perfetto", "-"], ["results", str(store), "--csv", "-", "--force"]):
        assert main(arguments) == 2
        assert f": {said}" in capsys.readouterr().err
    assert not Path("-").exists()


@pytest.mark.parametrize("name", [":memory:", "-"])
def test_a_store_has_a_name(name: str) -> None:
    with pytest.raises(ScenarioError, match=f'^store: "{name}" stands for no file here; allowed: a file\'s path;'):
        Store(name)
    assert not Path(name).exists()


@pytest.mark.parametrize("place", [".", "/dev/null"])
def test_a_store_is_a_file(place: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP)
    where = tmp_path if place == "." else Path(place)
    assert main(["sweep", str(tmp_path / "sweep.toml"), "--store", str(where)]) == 2
    assert "is not a store of netsim: it is a" in capsys.readouterr().err


def test_sigterm_leaves_no_unfinished_file(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from pathlib import Path
from netsim.export.whole_file import whole_file
with whole_file(Path(sys.argv[1])) as one, whole_file(Path(sys.argv[2])) as other:
    one.write_text("half"), other.write_text("half")
    os.kill(os.getpid(), signal.SIGTERM)
"""
    command = [sys.executable, "-c", code, str(tmp_path / "one"), str(tmp_path / "other")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
