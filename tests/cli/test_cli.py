"""The command line: what it prints, its exit codes, and one clear line for every mistake."""

import argparse
import json
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

import netsim as ns
from netsim.cli import catalogue, main, scenario_file
from netsim.compiled import VARIANT
from netsim.measure import monitor

COMPUTER = """
[{name}]
model = "piii-600"
system = "linux-2.2.16"
nics = ["3c905b/3c59x"]
"""
SCENARIO = 'tool = "netperf"\ntest = "TCP_STREAM"\n' + COMPUTER.format(name="sender") + COMPUTER.format(name="receiver")
NETSIM = [sys.executable, "-c", "import sys; from netsim.cli import main; sys.exit(main())"]


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Netsim:
    """Runs the command line within this process."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self.capture = capture

    def __call__(self, *arguments: object) -> Done:
        try:
            code = main([str(one) for one in arguments])
        except SystemExit as end:  # how argparse leaves
            code = int(end.code or 0)
        out, err = self.capture.readouterr()
        return Done(code, out, err)


@pytest.fixture
def netsim(capsys: pytest.CaptureFixture[str]) -> Netsim:
    return Netsim(capsys)


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO)
    return path


def refused(done: Done, *words: object) -> None:
    """Exit code 2, nothing on stdout, one line on stderr with these words."""
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("netsim")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    for word in words:
        assert str(word) in done.err


# --- commands --------------------------------------------------------------------------------------------------------


def test_list(netsim: Netsim) -> None:
    done = netsim("list")
    assert done.code == 0
    assert ["nics", "3c905b", "3Com", "3C905B"] in [line.split() for line in done.out.splitlines()]


def test_list_of_one_category(netsim: Netsim) -> None:
    lines = netsim("list", "nics").out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(line.split()[0] for line in lines)
    assert "3c905b" in [line.split()[0] for line in lines]


def test_show_says_where_every_number_comes_from(netsim: Netsim) -> None:
    done = netsim("show", "3c905b")
    assert done.code == 0
    assert done.out.startswith("nics/3c905b\n3Com 3C905B\n")
    rate = next(line for line in done.out.splitlines() if line.startswith("rate "))
    assert rate.split(maxsplit=4) == ["rate", "100", "Mbit/s", "standard", "IEEE 802.3u"]


def test_show_calls_the_deviation_of_a_fitted_number_by_its_name(netsim: Netsim) -> None:
    """As documentation and reports do."""
    line = next(line for line in netsim("show", "netx-3").out.splitlines() if "ncp.request_cycles" in line)
    assert "; standard deviation 330" in line


def test_show_of_an_adapter_is_card_and_driver(netsim: Netsim) -> None:
    out = netsim("show", "3c905b/3c59x").out
    assert "nics/3c905b\n" in out
    assert "\n\ndrivers/3c59x\n" in out
    assert netsim("show", "drivers/3c59x").out in out


def test_show_of_a_tool_is_its_keys(netsim: Netsim) -> None:
    rows = [line.split(maxsplit=1) for line in netsim("show", "flows").out.splitlines() if " " in line]
    known = {key: words.split("  ")[0] for key, words in rows}
    assert known["mtu"] == "an MTU, 68 B to 65535 B"
    assert known["outstanding"] == "a count, 1 to 1000000"
    assert [key for key, _ in rows].count("each") == 8
    assert "\nburst " in netsim("show", "netperf").out


def test_run(netsim: Netsim, scenario: Path) -> None:
    done = netsim("run", scenario)
    assert done.code == 0
    assert done.out == f"{ns.simulate(ns.load(scenario))}\n"
    assert "limited by the wire" in done.out


def test_run_netpipe(netsim: Netsim, scenario: Path) -> None:
    sizes = "sizes = [1, 1000, 30000]\n"
    scenario.write_text(SCENARIO.replace('"netperf"\ntest = "TCP_STREAM"\n', f'"netpipe"\n{sizes}'))
    done = netsim("run", scenario, "--set", "mpi=mpich-1.2.1")
    assert done.code == 0
    assert done.out.startswith("NPmpi mpich-1.2.1 ")
    assert "latency" in done.out
    curve = done.out.splitlines()[-1]
    assert curve.startswith("curve ")
    assert "1 B in" in curve
    assert "30000 B in" in curve
    assert json.loads(netsim("run", scenario, "--json").out)["curve"][1]["size"] == 1000


def test_compare(netsim: Netsim, scenario: Path, tmp_path: Path) -> None:
    short = ["--precision", "0.05"]
    other, result = tmp_path / "other.toml", tmp_path / "result.json"
    other.write_text(scenario.read_text().replace("piii-600", "p166"))
    result.write_text(netsim("run", other, *short, "--seed", "3", "--json").out)
    one, two = (ns.simulate(ns.load(path), precision=0.05, seed=3) for path in (scenario, other))
    done = netsim("compare", scenario, other, *short, "--seed", "3")
    assert done.code == 0
    assert done.out.split()[:3] == [str(scenario), str(other), "difference"]
    text = str(one.compare(two)).splitlines()
    assert [line.split() for line in done.out.splitlines()[1:]] == [line.split() for line in text[1:]]
    read = netsim("compare", scenario, result, *short, "--seed", "3").out.splitlines()
    assert [line.split() for line in read[1:]] == [line.split() for line in text[1:]]
    rows = json.loads(netsim("compare", result, result, "--json").out)
    assert rows[0]["name"] == "throughput"
    assert (rows[0]["this"], rows[0]["difference"]) == (two.throughput, 0)


def test_compare_changes_both_scenarios(netsim: Netsim, scenario: Path) -> None:
    done = netsim("compare", scenario, scenario, "--precision", "0.05", "--set", "mtu=576")
    low = ns.simulate(ns.load(scenario).replace("mtu", 576), precision=0.05)
    assert done.out.splitlines()[1].split()[2] == f"{low.mbit_per_s:.2f}"


def test_what_can_not_be_compared(netsim: Netsim, scenario: Path, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    refused(netsim("compare", scenario, result), "No such file", result)
    result.write_text("{}")
    refused(netsim("compare", result, result), "not a result of netsim", result)
    refused(netsim("compare", result, result, "--set", "mtu=576"), "--set", result)
    refused(netsim("compare", scenario), "FILE")


def test_the_examples_are_scenarios(netsim: Netsim) -> None:
    for example in sorted((Path(__file__).parents[2] / "examples").glob("*.toml")):
        assert netsim("bounds", example).code == 0, example


def test_run_perform3(netsim: Netsim) -> None:
    """In its own unit, with changes to one workstation."""
    example = Path(__file__).parents[2] / "examples" / "perform3.toml"
    settings = ("--set", "max_iterations=1", "--set", "min_iterations=1", "--precision", "0.05")
    done = netsim("run", example, *settings, "--set", "workstations.1.processors.clock=25 MHz")
    assert done.code == 0
    assert done.out.startswith("PERFORM3 ")
    assert "KB/s" in done.out
    assert "Mbit/s" not in done.out + netsim("bounds", example).out
    refused(netsim("run", example, "--set", "workstations.1.nic=3"), "workstations.1.nic", "workstations.1.nics")
    refused(netsim("run", example, "--set", "workstations.2.spacing=3"), "allowed: 0 to 1")


def test_run_chariot(netsim: Netsim) -> None:
    example = Path(__file__).parents[2] / "examples" / "chariot.toml"
    done = netsim("run", example, "--set", "flow=upload", "--set", "clients.3.processors.clock=300 MHz")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("FILERCVL ")
    assert lines[0].endswith("limited by the wire switch to server (100.0 %)")
    assert [line.split()[0] for line in lines[1:]] == ["server", "client1", "client2", "client3", "client4", "pairs"]
    assert "switches/aceswitch-180\n" in netsim("show", "aceswitch-180").out
    refused(netsim("run", example, "--set", "clients.4.bond=linux-2.2.17"), "clients.4", "no such index")


def test_run_with_changes_as_json(netsim: Netsim, scenario: Path) -> None:
    changes = [
        "--set", "receiver.nics.0.driver.rx_ring=64", "--set", "link.propagation=1 us", "--set", "mtu=576",
        "--set", "sender.nics.0.driver.tx_copy=true", "--set", "interval=0.1", "--set", "receive_buffer=none",
    ]  # fmt: skip
    done = netsim("run", scenario, *changes, "--seed", 5, "--precision", 0.01, "--json")
    assert done.code == 0
    result = json.loads(done.out)
    assert result["seed"] == 5
    assert result["scenario"]["receiver.nics.0.driver.rx_ring"] == 64
    assert result["scenario"]["link.propagation"] == 1_000_000
    assert result["scenario"]["sender.nics.0.driver.tx_copy"] is True
    assert result["scenario"]["receive_buffer"] is None


def test_bounds(netsim: Netsim, scenario: Path) -> None:
    done = netsim("bounds", scenario, "--set", "link=10base-t")
    assert done.code == 0
    assert "wire to receiver" in done.out.splitlines()[0] + done.out.splitlines()[1]


EXAMPLES = Path(__file__).parents[2] / "examples"
MODERATION = "receiver.nics.0.driver.rx_moderation"


@pytest.mark.parametrize(
    ("example", "changes", "address", "value"),
    [
        ("tcp-rr-moderation", [f"{MODERATION}.policy=minimum-gap", f"{MODERATION}.gap=125 us"], f"{MODERATION}.gap",
         125_000_000),
        ("tcp-rr-moderation", [f'{MODERATION}={{policy="minimum-gap", gap="125 us"}}'], f"{MODERATION}.policy",
         "minimum-gap"),
        ("netpipe", ["sizes=[1024, 2048]"], "sizes", (1024, 2048)),
        ("failover", ["outages=[]"], "outages", ()),
        ("p166", ['link.propagation="1 us"'], "link.propagation", 1_000_000),
        ("pktgen-rings", ["adapter=82574", "driver=e1000e", "link=1000base-t"], "adapter.rate", 10**9),
        ("pktgen-rings", ["adapter='82574'", "driver='e1000e'", 'link="1000base-t"'], "adapter.rate", 10**9),
    ],
)  # fmt: skip
def test_values_as_in_a_file(example: str, changes: list[str], address: str, value: object) -> None:
    options = argparse.Namespace(set=changes, scenario=EXAMPLES / f"{example}.toml")
    assert scenario_file.load(options).get(address) == value


def test_version(netsim: Netsim) -> None:
    assert netsim("--version") == (0, f"netsim {ns.__version__} ({VARIANT})\n", "")


def test_a_part_of_a_model_can_be_overlaid_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "faster.toml"
    path.write_text(SCENARIO + '[receiver.processors]\nclock = "1 GHz"\n')
    test = ns.load(path)
    assert test.receiver.processors.clock == 10**9
    assert test.receiver.processors.port_access == test.sender.processors.port_access


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("mtu", ['"mtu"', "ADDRESS=VALUE"]),
        ("=3", ["ADDRESS=VALUE"]),
        ("mtu=9000", ["mtu", "9000", "1500"]),
        ("mtu=-1", ["mtu", "-1", "68 B to 65535 B"]),
        ("mtu=52", ["mtu", "52", "68 B to 65535 B"]),
        ("message=0", ["message", "above 0"]),
        ("receiver.nics.0.driver.rx_ring=0", ["receiver.nics.0.driver.rx_ring", "1 to 65536"]),
        ("receiver.nics.0.driver.rx_rign=9", ["no such address", "receiver.nics.0.driver.rx_ring"]),
        ("receiver.nics.1.rate=9 Mbit/s", ["receiver.nics.1", "no such index"]),
        ("sender.processors.clock=66 Mbit/s", ["sender.processors.clock", "66 Mbit/s", "MHz"]),
        ("sender.nics.0=3c905b/3c58x", ["sender.nics.0", "3c59x"]),
        ("sender.nics.0=3c905c/3c59x", ["sender.nics.0", "3c905b"]),
        ("confidence=1", ["confidence"]),
        ("duration=5", ["duration", "needs a unit"]),
        ("sender.nics=[1, 2", ["sender.nics", '"[1, 2" is not a valid value: Unclosed array; allowed: as in a file']),
        ("sender.nics=[]\nmtu=5", ["sender.nics", "is not a valid value; allowed: as in a file"]),
        ("link=7", ['link: nothing in links is called "7"']),
    ],
)
def test_wrong_settings(netsim: Netsim, scenario: Path, change: str, words: list[str]) -> None:
    refused(netsim("run", scenario, "--set", change), *words)


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ('tool = "netperf"\n', "", ["tool", "missing", "netperf"]),
        ('"netperf"', '"netpref"', ["tool", "netpref", 'did you mean "netperf"']),
        ('"netperf"', '"netpipes"', ["tool", "netpipes", 'did you mean "netpipe"']),
        ('tool = "netperf"', 'tool = "netpipe"', ["test", "no such key"]),
        ('"netperf"', "3", ["tool", "no measuring tool", "netperf"]),
        ('test = "TCP_STREAM"', 'test = "TCP_STREM"', ["test", "TCP_STREM", "TCP_STREAM"]),
        ('test = "TCP_STREAM"', 'test = "TCP_STREAM"\nmessag = 3', ["messag", "no such key", "message"]),
        ("[sender]", '[sender]\nnic = "x"', ["sender.nic", "no such key", "nics"]),
        ('"3c905b/3c59x"', '"3c905/3c59x"', ["sender.nics.0", "3c905b"]),
        ('"3c905b/3c59x"', '"3c905b"', ["sender.nics.0", "3c905b/3c59x"]),
        ('"piii-600"', '"piii-500"', ["sender", "piii-600"]),
        ('system = "linux-2.2.16"\n', "", ["sender.system", "missing"]),
        ("[sender]", "[sender", ["not valid TOML"]),
        ("[sender]", "[sander]", ["sander", "sender"]),
    ],
)
def test_wrong_files(netsim: Netsim, scenario: Path, wrong: str, right: str, words: list[str]) -> None:
    scenario.write_text(SCENARIO.replace(wrong, right, 1))
    for command in ("run", "bounds"):
        refused(netsim(command, scenario), *words, ".toml")


def test_the_scenario_file_is_named(netsim: Netsim, scenario: Path) -> None:
    scenario.write_text(SCENARIO + "nik = 3\n")
    refused(netsim("run", scenario), "receiver.nik", f"in {scenario}")


def test_files_that_are_none(netsim: Netsim, tmp_path: Path) -> None:
    refused(netsim("run", tmp_path / "none.toml"), "none.toml", "No such file")
    refused(netsim("run", tmp_path), "s a directory")
    picture = tmp_path / "picture.toml"
    picture.write_bytes(b"\x89PNG\xff\x00")
    refused(netsim("run", picture), "not valid TOML", picture)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "3c905"], ["3c905", 'did you mean "3c905b"']),
        (["show", "foo"], ['nothing is called "foo"; allowed: what netsim list prints']),
        (["show", "netprf"], ['did you mean "netperf"']),
        (["show", "rtl8139"], ["drivers/rtl8139", "nics/rtl8139"]),
        (["show", "3c905b/3c58x"], ['did you mean "3c59x"']),
        (["show", "3c905b/tulip"], ['"tulip" is not a driver for "3c905b"', "allowed: 3c905b/3c59x, 3c905b/3c90x"]),
        (["show", "nics/3c905"], ['did you mean "3c905b"']),
        (["list", "nic"], ['did you mean "nics"']),
        ([], ["COMMAND"]),
        (["run"], ["SCENARIO.toml"]),
        (["walk"], ["walk", "run"]),
        (["list", "nics", "drivers"], ["drivers"]),
    ],
)
def test_wrong_arguments(netsim: Netsim, arguments: list[str], words: list[str]) -> None:
    refused(netsim(*arguments), *words)


@pytest.mark.parametrize("option", [["--seed", "-1"], ["--seed", "x"], ["--precision", "2"], ["--precision", "y"]])
def test_wrong_options(netsim: Netsim, scenario: Path, option: list[str]) -> None:
    refused(netsim("run", scenario, *option), option[0].strip("-"), option[1])


def test_a_directory_that_can_not_be_written(netsim: Netsim, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: object) -> None:
        raise PermissionError(13, "Permission denied", "/results")

    monkeypatch.setattr(catalogue, "_list", write)
    refused(netsim("list"), "/results: Permission denied")


def test_a_simulation_that_can_not_finish(netsim: Netsim, scenario: Path) -> None:
    done = netsim("run", scenario, "--set", "duration=10 us")
    assert (done.code, done.out) == (1, "")
    assert "nothing was delivered" in done.err
    assert done.err.count("\n") == 1


def test_a_wall_limit(netsim: Netsim, scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a sample takes a second."""
    monkeypatch.setattr(monitor, "monotonic", count().__next__)
    for limit in ("20", "20 s"):
        done = netsim("run", scenario, "--precision", "0", "--wall-limit", limit)
        assert (done.code, done.err) == (0, "")
        assert "cut short (wall limit)" in done.out
    done = netsim("run", scenario, "--wall-limit", "1 us")
    assert (done.code, done.out) == (1, "")
    assert done.err == "netsim: nothing could be measured within the wall_limit of 1e-06 s\n"
    refused(netsim("run", scenario, "--wall-limit", "soon"), "wall_limit", "soon")


# --- as a program ----------------------------------------------------------------------------------------------------


def interrupted(*arguments: object, after: str) -> Done:
    """Outcome of a program that gets Ctrl-C as soon as it has written `after` to stderr."""
    script = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {NETSIM[-1]}"
    command = [*NETSIM[:-1], script, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        told = ""
        while after not in told:
            told += process.stderr.read(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return Done(process.returncode, out, err)


def test_ctrl_c_ends_a_run_with_the_result_so_far(scenario: Path) -> None:
    """In the first of two iterations, whose interval is known."""
    done = interrupted("run", scenario, "--precision", "0", "--progress", after="+/-")
    assert done.code == 130
    assert done.out.startswith("TCP_STREAM   94.")
    assert "cut short (interrupted): result after " in done.out.splitlines()[-1]
    assert "Traceback" not in done.err


def test_ctrl_c_ends_a_comparison_without_a_traceback(scenario: Path) -> None:
    done = interrupted("compare", scenario, scenario, "--precision", "0", "--progress", after="+/-")
    assert (done.code, done.out) == (130, "")
    assert "Traceback" not in done.err


def test_a_closed_pipe_ends_it_without_a_traceback() -> None:
    with subprocess.Popen([*NETSIM, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_closed_stdout_or_stderr_ends_it_without_a_traceback() -> None:
    list_, run = ([*NETSIM, *words] for words in (["list"], ["run", "nope.toml"]))
    without_out = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *list_], capture_output=True, text=True, check=False)
    assert (without_out.returncode, without_out.stderr.splitlines()[-1]) == (2, "netsim: stdout: Bad file descriptor")
    without_err = subprocess.run(["sh", "-c", '"$@" 2>&-', "sh", *run], capture_output=True, text=True, check=False)
    assert (without_err.returncode, "nope.toml" in without_err.stdout) == (2, False)


def test_python_runs_the_package() -> None:
    command = [sys.executable, "-m", "netsim"]
    done = subprocess.run([*command, "list", "links"], capture_output=True, text=True, check=True)
    assert "100base-tx" in done.stdout
    done = subprocess.run([*command, "walk"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("netsim: ")
