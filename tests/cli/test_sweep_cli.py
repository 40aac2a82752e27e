"""`netsim sweep` and `netsim results`: what they print and write, Ctrl-C, and one clear line for every mistake."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pandas as pd
import pytest

from netsim import cli
from netsim.errors import StoreError
from netsim.sweeps import load, results

COMPUTER = '[{name}]\nmodel = "piii-600"\nsystem = "linux-2.2.16"\nnics = ["3c905b/3c59x"]\n'
SCENARIO = (
    'tool = "netperf"\ntest = "TCP_STREAM"\nmin_iterations = 1\nmax_iterations = 1\n'
    + COMPUTER.format(name="sender")
    + COMPUTER.format(name="receiver")
)
SWEEP = """
[sweep]
precision = 0.5
limit = "1 ms"
warm_up = "50 us"
sample = "50 us"

[sweep.grid]
sender.processors.clock = ["300 MHz", "600 MHz"]
mtu = [1000, 1500]
"""
NETSIM = [sys.executable, "-c", "import sys; from netsim.cli import main; sys.exit(main())"]


@pytest.fixture
def netsim(capsys):
    def run(*arguments):
        try:
            code = cli.main([str(one) for one in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        return (code, *capsys.readouterr())

    return run


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(SCENARIO + SWEEP)
    return path


# --- commands --------------------------------------------------------------------------------------------------------


def test_sweep_and_results(netsim, file, tmp_path):
    code, out, err = netsim("sweep", file, "--store", tmp_path / "a.db", "--jobs", 1)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "TCP_STREAM, 4 points, 4 runs"
    assert lines[1].split()[:3] == ["sender.processors.clock", "mtu", "Mbit/s"]
    assert [line.split()[:4] for line in lines[2:4]] == [["300", "MHz", "1000", "B"], ["300", "MHz", "1500", "B"]]
    assert lines[-1] == "4 runs of 4 points: 4 done; 4 computed now"
    assert netsim("results", tmp_path / "a.db") == (0, "\n".join(lines[:-1]) + "\n", "")
    again = netsim("sweep", file, "--store", tmp_path / "a.db")[1]
    assert again.splitlines()[-1] == "4 runs of 4 points: 4 done; 0 computed now"
    assert ", model " in netsim("results", tmp_path / "a.db", "--all-versions")[1].splitlines()[0]


def test_sweeps_of_a_test_say_in_what_they_differ(netsim, file, tmp_path):
    store, start = tmp_path / "a.db", "TCP_STREAM, 4 points, 4 runs"
    change = "receiver.nics.0.driver.rx_ring"
    assert netsim("sweep", file, "--store", store)[1].startswith(f"{start}\n")
    assert netsim("sweep", file, "--store", store, "--set", f"{change}=64")[1].startswith(f"{start}, {change} 64\n")
    headings = [line for line in netsim("results", store)[1].splitlines() if line.startswith(start)]
    assert headings == [f"{start}, {change} 32", f"{start}, {change} 64"]


@pytest.mark.parametrize(
    ("grid", "change", "said"),
    [
        ("mtu = [1000]", "mtu=1500", "mtu: varies in [sweep.grid]"),
        ('receiver = ["p166"]', "receiver=p166", "receiver: varies in [sweep.grid]"),
        ('receiver = ["p166"]', "receiver.model=p166", "receiver.model: receiver varies in [sweep.grid]"),
        ('receiver = ["p166"]', "receiver.bus.latency_timer=32", "receiver.bus.latency_timer: receiver varies in"),
        ('receiver.nics.0 = ["3c905b/3c59x"]', "receiver.nics.0.driver.rx_ring=64", "receiver.nics.0 varies in"),
    ],
)
def test_a_change_that_every_point_would_overwrite_is_refused(netsim, file, tmp_path, grid, change, said):
    file.write_text(f"{SCENARIO}\n[sweep.grid]\n{grid}\n")
    code, out, err = netsim("sweep", file, "--store", tmp_path / "a.db", "--set", change)
    assert (code, out) == (2, "")
    assert said in err
    assert "which would overwrite it; allowed: what does not vary" in err
    assert not (tmp_path / "a.db").exists()


def test_a_change_around_what_varies_or_kept_by_it_takes_effect(file):
    file.write_text(f"{SCENARIO}\n[sweep.grid]\nsender.processors.clock = ['1 GHz']\nreceiver = ['p166']\n")
    ring = "receiver.nics.0.driver.rx_ring"  # names of hosts leave the adapters alone
    found = load(file).replace({"sender": "p166", ring: 64})
    assert found.scenario.sender.catalogue_name == "hosts/p166"
    assert found.scenario.replace("receiver", "p166").get(ring) == 64


def test_exports_have_every_digit(netsim, file, tmp_path):
    store = tmp_path / "a.db"
    netsim("sweep", file, "--store", store)
    whole = results(store)
    for name in ("csv", "json", "parquet"):
        code, out, err = netsim("results", store, f"--{name}", tmp_path / f"a.{name}")
        assert (code, out, err) == (0, f"4 rows written: {tmp_path / f'a.{name}'}\n", "")
    read = pd.read_csv(tmp_path / "a.csv")
    assert [*read.columns] == [*whole.columns]
    assert [*read["throughput"]] == [*whole["throughput"]]
    rows = json.loads((tmp_path / "a.json").read_text())
    assert [row["throughput"] for row in rows] == [*whole["throughput"]]
    assert rows[0]["error"] is None
    assert [row["seed"] for row in rows] == [*whole["seed"]]
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), whole, check_dtype=False)
    assert sorted(one.name for one in tmp_path.glob(".*")) == []


def test_failures_are_told_and_tried_again(netsim, file, tmp_path):
    file.write_text(file.read_text().replace("mtu = [1000, 1500]", "mtu = [1500, 9000]"))
    code, out, err = netsim("sweep", file, "--store", tmp_path / "a.db")
    assert code == 1
    assert "more than the link allows" in out
    assert err == "netsim: 2 of 4 runs failed; they would fail again\n"
    assert netsim("sweep", file, "--store", tmp_path / "a.db")[1].endswith("2 failed; 0 computed now\n")
    assert netsim("sweep", file, "--store", tmp_path / "a.db", "--retry")[1].endswith("2 failed; 2 computed now\n")


def test_every_kind_of_axes(file):
    text = """
[sweep]
points = 4
seed = 3
replications = 2
[sweep.grid]
mtu = [1000, 1500]
[[sweep.zipped]]
"sender.processors.clock" = ["300 MHz", "600 MHz", "900 MHz"]
receiver.processors.clock = ["300 MHz", "600 MHz", "900 MHz"]
[[sweep.zipped]]
message = [1000, 2000]
[sweep.sobol]
link.propagation = ["1 us", "5 us"]
[sweep.latin_hypercube]
confidence = [0.9, 0.99]
"""
    file.write_text(SCENARIO + text)
    found = load(file)
    assert found.axes.shape == (2, 3, 2, 4, 4)
    assert found.options == {"seed": 3, "replications": 2}


def test_the_example_and_the_ready_sweeps_can_be_read():
    root = Path(__file__).parents[2]
    files = [root / "examples" / "sweep.toml", *sorted((root / "experiments" / "sweeps").glob("*.toml"))]
    assert len(files) >= 4
    for one in files:
        assert len(load(one).axes) > 1


def test_on_a_cluster(netsim, file, tmp_path):
    distributed = pytest.importorskip("distributed")
    options = {"dashboard_address": None, "processes": False, "threads_per_worker": 1, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, **options, protocol="tcp") as cluster:
        code, out, _ = netsim("sweep", file, "--store", tmp_path / "a.db", "--dask", cluster.scheduler_address)
    assert code == 0
    assert out.endswith("4 done; 4 computed now\n")


def stored(store):
    """Number of runs in a store that may not be complete yet."""
    try:
        return len(results(store))
    except StoreError:
        return 0


# --- Ctrl-C, terminals -----------------------------------------------------------------------------------------------


def attend():
    """Lets Ctrl-C end a program, even if the tests themselves run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_keeps_what_is_known_and_tells_how_to_go_on(file, tmp_path):
    file.write_text(file.read_text().replace("mtu = [1000, 1500]", f"mtu = {[*range(1000, 1400)]}"))
    store = tmp_path / "a.db"
    command = [*NETSIM, "sweep", str(file), "--store", str(store), "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=attend
    ) as process:
        while stored(store) < 5:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # to all of its processes, as a terminal does
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    counts = r"800 runs of 800 points: (\d+) done, (\d+) missing; \1 computed now"
    told = re.fullmatch(rf"netsim: {counts}; continue with: (.*)\n", err)
    assert told, err
    assert told[3] == f"netsim sweep {file} --store {store} --jobs 2"
    assert len(results(store)) == int(told[1]) >= 5


def test_on_a_terminal_a_bar_with_the_time_left(file, tmp_path):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    command = [*NETSIM, "sweep", str(file), "--store", str(tmp_path / "a.db")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # how a terminal ends under Linux
                part = b""
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 0
    assert b"4/4" in shown
    assert re.search(rb"<\d\d:\d\d", shown)  # tqdm's time left


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ("[sweep]", "[sweeep]", ["sweeep", "no such key"]),
        ("precision = 0.5", "precisoin = 0.5", ["sweep.precisoin", 'did you mean "precision"']),
        ("precision = 0.5", "precision = 5", ["precision", "5"]),
        ("precision = 0.5", "points = 4", ["sweep.points", "sobol"]),
        ('limit = "1 ms"', 'limit = "1 MHz"', ["limit", "1 MHz"]),
        ("[sweep.grid]", "[sweep.gird]", ["sweep.gird", 'did you mean "grid"']),
        ("[sweep.grid]", "[sweep.sobol]", ["sweep.sobol", "points"]),
        ("mtu = [1000, 1500]", "mtuu = [1000]", ["mtuu", 'did you mean "mtu"']),
        ("mtu = [1000, 1500]", "mtu = []", ["sweep.grid.mtu", "at least one value"]),
        ("mtu = [1000, 1500]", "mtu = 1500", ["sweep.grid.mtu", "a list of values"]),
        ("mtu = [1000, 1500]", 'mtu = ["1 us"]', ["mtu", "1 us"]),
        ("[sweep.grid]", "[sweep.zipped]\nmessage = [1]", ["sweep.zipped", "can't be zipped"]),
        ('"piii-600"', '"piii-60"', ["sender", "piii-600"]),
    ],
)
def test_wrong_files(netsim, file, tmp_path, wrong, right, words):
    file.write_text(file.read_text().replace(wrong, right, 1))
    code, out, err = netsim("sweep", file, "--store", tmp_path / "a.db")
    assert (code, out, err.count("\n")) == (2, "", 1)
    for word in words:
        assert word in err
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sweep", "{file}"], ["--store"]),
        (["sweep", "{file}", "--store", "{tmp}/a.db", "--jobs", "0"], ["--jobs", "1 or more"]),
        (["sweep", "{file}", "--store", "{tmp}/a.db", "--dask", "tcp://127.0.0.1:9"], ["no scheduler answers"]),
        (["sweep", "{file}", "--store", "{tmp}/none/a.db"], ["there is no folder"]),
        (["sweep", "{file}", "--store", "{file}"], ["is not a store of netsim"]),
        (["sweep", "{tmp}/none.toml", "--store", "{tmp}/a.db"], ["none.toml", "No such file"]),
        (["results", "{tmp}/none.db"], ["none.db", "no such file"]),
        (["results", "{file}"], ["is not a store of netsim"]),
        (["results", "{file}", "--csv", "a", "--json", "b"], ["not allowed with"]),
    ],
)
def test_wrong_arguments(netsim, file, tmp_path, monkeypatch, arguments, words):
    monkeypatch.setattr("netsim.sweeps.dask_cluster.PATIENCE", "1 s")
    code, out, err = netsim(*(one.format(file=file, tmp=tmp_path) for one in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    for word in words:
        assert word in err


def test_an_export_that_can_not_be_written(netsim, file, tmp_path):
    netsim("sweep", file, "--store", tmp_path / "a.db")
    code, out, err = netsim("results", tmp_path / "a.db", "--csv", tmp_path / "none" / "a.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_parquet_without_pyarrow(netsim, file, tmp_path, monkeypatch):
    netsim("sweep", file, "--store", tmp_path / "a.db")

    def missing(*_, **__):
        raise ImportError("Unable to find a usable engine")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", missing)
    code, _, err = netsim("results", tmp_path / "a.db", "--parquet", tmp_path / "a.parquet")
    assert (code, err) == (2, "netsim: --parquet needs the pyarrow package: pip install pyarrow\n")
    assert not (tmp_path / "a.parquet").exists()
