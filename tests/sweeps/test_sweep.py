"""Sweeps: their results, which runs are computed, and points and workers that fail."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import StoreError
from netsim.show.run_intervals import half_width
from netsim.show.told_apart import told_apart
from netsim.sweeps import Store, model_version, results
from netsim.sweeps.listing import listed
from netsim.sweeps.plan import SweepPlan
from netsim.sweeps.settings import RunSettings, spawned
from netsim.sweeps.stored_scenario import unpacked
from netsim.sweeps.version import installed, short
from netsim.sweeps.worker import Outcome
from netsim.workload import Netperf
from tests.killed_sweep import SHORT, Counted, scenario

mpl.use("agg")
AXES = {"mtu": [1000, "1500 B"], "sender.processors.clock": ["300 MHz", "600 MHz"]}


class Deadly(Counted):
    """A test that kills its own process: always at one mtu, and once if the file at SWEEP_ONCE exists."""

    def build(self, env: Environment):
        once = Path(os.environ.get("SWEEP_ONCE", "/nowhere"))
        if self.mtu == 1003 or once.exists():
            once.unlink(missing_ok=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().build(env)


class Faulty(Counted):
    """A test with a fault in its code."""

    def build(self, env: Environment):
        if self.mtu == 1001:
            raise ZeroDivisionError("a fault\nof two lines")
        return super().build(env)


@pytest.fixture(scope="module")
def swept():
    return ns.sweep(scenario(), AXES, replications=2, **SHORT)


# --- results ---------------------------------------------------------------------------------------------------------


def test_a_row_is_what_simulate_finds(swept):
    table = swept.to_frame()
    assert len(table) == 8
    assert [*table.columns[:5]] == ["point", "replication", "mtu [B]", "sender.processors.clock [Hz]", "seed"]
    row = table.iloc[5]
    assert (row["mtu [B]"], row["sender.processors.clock [Hz]"], row["replication"]) == (1500, 300_000_000, 1)
    test = scenario().replace({"mtu": 1500, "sender.processors.clock": "300 MHz"})
    alone = ns.simulate(test, seed=int(row["seed"]), **SHORT).to_frame()
    assert set(alone.columns) <= set(table.columns)
    pd.testing.assert_series_equal(alone.iloc[0], row[alone.columns], check_names=False, check_exact=True)
    assert table["error"].isna().all()
    assert set(table["model"]) == {short(model_version(Counted))}


def test_all_points_have_the_same_seeds(swept):
    seeds = swept.to_frame().groupby("replication")["seed"]
    assert (seeds.nunique() == 1).all()
    assert [*seeds.first()] == spawned(1, 2)
    assert spawned(1, 5)[:2] == spawned(1, 2)
    assert len(set(spawned(1, 1000)) | set(spawned(2, 1000))) == 2000


def test_settings_are_those_of_simulate():
    from inspect import signature

    defaults = {name: one.default for name, one in signature(ns.simulate).parameters.items() if name in SHORT}
    assert RunSettings.of(**defaults) == RunSettings()
    assert RunSettings.of(limit=10**9) == RunSettings.of(limit="1 ms")


def test_as_an_xarray(swept):
    data = swept.to_xarray()
    assert data["throughput"].dims == ("mtu", "sender.processors.clock", "replication")
    assert data["mtu"].attrs == {"units": "B"}
    assert data["sender.processors.clock"].attrs == {"units": "Hz"}
    assert data["throughput"].attrs == {"units": "bit/s"}
    table = swept.to_frame()
    one = data["throughput"].sel({"mtu": 1500, "sender.processors.clock": 3e8, "replication": 1})
    assert float(one) == table["throughput"].iloc[5]
    zipped = ns.sweep(scenario(), ns.zipped({"mtu": [1000, 9000], "message": [100, 200]}), **SHORT).to_xarray()
    assert zipped["throughput"].dims == ("point", "replication")
    assert [*zipped["message"].values] == [100, 200]
    assert np.isnan(zipped["throughput"].values[1, 0])


def test_no_public_function_shadows_a_package():
    rooms = {path.stem for path in Path(ns.__file__).parent.iterdir()}
    assert not {name for name in ns.__all__ if name in rooms}


# --- pictures --------------------------------------------------------------------------------------------------------


def test_a_picture_has_units_and_intervals(swept):
    assert swept.plot(hue="sender.processors.clock").get_xlabel() == "mtu (B)"  # the first axis
    axes = swept.plot(x="sender.processors.clock", hue="mtu")
    assert axes.get_xlabel() == "sender.processors.clock (MHz)"
    assert axes.get_ylabel() == "throughput (Mbit/s)"
    assert sorted(text.get_text() for text in axes.texts) == ["1000 B", "1500 B"]
    assert axes.get_title(loc="left") == "lines: mtu"
    line, _, bars = axes.containers[0]
    assert [*line.get_xdata()] == [300, 600]
    table = swept.to_frame()
    small = table[table["mtu [B]"] == 1000]
    assert np.allclose(line.get_ydata(), small.groupby("point")["throughput"].mean() / 1e6)
    lengths = [segment[1][1] - segment[0][1] for segment in bars[0].get_segments()]
    assert np.allclose(lengths, [2 * half_width(0.99, rows, "throughput") / 1e6 for _, rows in small.groupby("point")])
    assert swept.plot(x="mtu", y="cpu.sender", where={"sender.processors.clock": "300 MHz"}, ax=axes) is axes
    assert axes.get_ylabel() == "cpu.sender (%)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"x": "mtuu"}, 'did you mean "mtu"'),
        ({"x": "mtu", "y": "throughputt"}, 'did you mean "throughput"'),
        ({"x": "mtu"}, "sender.processors.clock varies too"),
        ({"x": "mtu", "where": {"sender.processors.clock": "301 MHz"}}, "is not among the values"),
    ],
)
def test_pictures_of_something_else(swept, options, words):
    with pytest.raises(ns.ScenarioError, match=words):
        swept.plot(**options)


# --- computed runs, and stored ones ----------------------------------------------------------------------------------


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """The number of runs that have begun, in any process."""
    path = tmp_path / "begun"
    monkeypatch.setenv("SWEEP_BEGUN", str(path))
    return lambda: len(path.read_text().split()) if path.exists() else 0


def test_only_what_is_missing_is_computed(tmp_path, begun):
    store = tmp_path / "a.db"
    first = ns.sweep(scenario(), {"mtu": [1000, 1100]}, store=store, **SHORT)
    assert (first.computed, begun()) == (2, 2)
    again = ns.sweep(scenario(), {"mtu": [1000, 1100]}, store=store, **SHORT)
    assert (again.computed, begun()) == (0, 2)
    assert again.to_frame().equals(first.to_frame())
    more = ns.sweep(scenario(), {"mtu": [1000, 1100, 1200]}, replications=2, store=store, **SHORT)
    assert (more.computed, begun()) == (4, 6)
    finer = ns.sweep(scenario(), {"mtu": [1000]}, store=store, **SHORT | {"limit": "2 ms"})
    assert (finer.computed, begun()) == (1, 7)
    assert str(more.status()) == "6 runs of 3 points: 6 done; 4 computed now"


def test_another_seed_is_another_sweep(tmp_path):
    store = tmp_path / "a.db"
    one = ns.sweep(scenario(), {"mtu": [1000]}, store=store, **SHORT)
    assert next(listed(one.store, one.plan.registered)) == "TCP_STREAM, 1 points, 1 runs"
    more = ns.sweep(scenario(), {"mtu": [1000]}, replications=2, seed=2, store=store, **SHORT)
    assert more.computed == 2
    table = results(store, all_versions=True)
    assert [*table["seed"]] == spawned(1, 1) + spawned(2, 2)
    assert table["sweep"].nunique() == 2
    assert [*one.to_frame(all_versions=True)["seed"]] == spawned(1, 1)
    for sweep in (one, more):
        heading = next(listed(sweep.store, sweep.plan.registered))
        assert heading.endswith(f" runs, first seed {sweep.plan.seeds[0]}")


def test_another_model_version_is_computed_again_and_the_old_rows_stay(tmp_path, monkeypatch):
    axes, store = {"mtu": [1000, 1100]}, tmp_path / "a.db"
    with ThreadPoolExecutor(1) as executor:  # in this process, so that its version can be changed
        old = ns.sweep(scenario(), axes, store=store, executor=executor, **SHORT)
        for module in ("plan", "worker", "listing"):
            monkeypatch.setattr(f"netsim.sweeps.{module}.model_version", lambda *_: "f" * 64)
        new = ns.sweep(scenario(), axes, store=store, executor=executor, **SHORT)
    assert new.computed == 2
    assert set(new.to_frame()["model"]) == {"f" * 12}
    every = new.to_frame(all_versions=True)
    assert [*every["model"]] == ["f" * 12] * 2 + [short(model_version(Counted))] * 2
    assert [*every["throughput"][:2]] == [*every["throughput"][2:]]
    assert len(results(store)) == 2
    assert len(results(store, all_versions=True)) == 4
    assert old.plan.registered == new.plan.registered
    headings = [line for line in listed(new.store, new.plan.registered, all_versions=True) if " points, " in line]
    assert ["by another version of netsim" in line for line in headings] == [True, False]


def test_the_model_version_is_that_of_code_and_models(tmp_path, monkeypatch):
    package, models = tmp_path / "netsim", tmp_path / "models" / "nics"
    for folder in (package / "sweeps", package / "nic", models):
        folder.mkdir(parents=True)
    (package / "nic" / "nic.py").write_text("a = 1")
    (package / "sweeps" / "version.py").write_text("b = 1")
    (models / "card.toml").write_text("rate = 1")
    monkeypatch.setattr("netsim.sweeps.version.__file__", str(package / "sweeps" / "version.py"))
    monkeypatch.setattr("netsim.catalog.models_path", lambda: tmp_path / "models")
    found = [installed.__wrapped__()]
    for path, text in ((package / "nic" / "nic.py", "a = 2"), (models / "card.toml", "rate = 2")):
        path.write_text(text)
        found.append(installed.__wrapped__())
    assert len(set(found)) == 3
    (package / "sweeps" / "version.py").write_text("b = 2")  # ranks above the simulating modules
    assert installed.__wrapped__() == found[-1]


def test_the_users_own_models_count_in_the_model_version(tmp_path, monkeypatch):
    """And are read each time, since a calibration may write them between two sweeps."""
    (tmp_path / "nics").mkdir()
    monkeypatch.setenv("NETSIM_MODELS", str(tmp_path))
    assert model_version() == installed()  # it is empty
    found = {installed()}
    for text in ("rate = 1", "rate = 2"):
        (tmp_path / "nics" / "card.toml").write_text(text)
        found.add(model_version())
    assert len(found) == 3


def test_two_sweeps_share_a_store_at_the_same_time(tmp_path):
    axes, store = {"mtu": range(1000, 1030)}, tmp_path / "a.db"
    found = []

    def run():
        with ThreadPoolExecutor(1) as executor:
            found.append(ns.sweep(scenario(), axes, store=store, executor=executor, jobs=2, **SHORT))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one, other = found
    assert one.to_frame().equals(other.to_frame())
    assert len(results(store)) == 30


# --- failures --------------------------------------------------------------------------------------------------------


def test_a_failed_point_is_a_row_and_the_others_go_on(tmp_path):
    axes, store = {"mtu": [1000, 1001, 9000]}, tmp_path / "a.db"
    sweep = ns.sweep(scenario(Faulty), axes, store=store, **SHORT)
    errors = [*sweep.to_frame()["error"]]
    assert pd.isna(errors[0])
    assert errors[1] == "ZeroDivisionError: a fault of two lines"
    assert errors[2].startswith("ScenarioError: mtu: 9000 bytes are more than the link allows")
    assert [*sweep.failures["point"]] == [1, 2]
    assert (sweep.status().done, sweep.status().failed) == (1, 2)
    assert ns.sweep(scenario(Faulty), axes, store=store, **SHORT).computed == 0
    assert ns.sweep(scenario(Faulty), axes, store=store, retry_failures=True, **SHORT).computed == 2


def test_a_simulation_that_can_not_finish_is_a_row():
    sweep = ns.sweep(scenario(), {"duration": ["10 us", "60 s"]}, **SHORT | {"warm_up": "2 us"})
    first = sweep.to_frame()["error"][0]
    assert first.startswith("SimulationError: ")
    assert [*sweep.failures["point"]] == [0]


def test_a_point_that_kills_its_worker_is_a_failure_and_the_others_go_on(tmp_path):
    sweep = ns.sweep(scenario(Deadly), {"mtu": range(1000, 1010)}, jobs=2, **SHORT)
    assert [*sweep.failures["point"]] == [3]
    assert "worker process died 3 times" in sweep.failures["error"].iloc[0]
    assert sweep.status().done == 9


def test_a_worker_that_is_killed_once_loses_nothing(tmp_path, monkeypatch):
    (tmp_path / "once").touch()
    monkeypatch.setenv("SWEEP_ONCE", str(tmp_path / "once"))
    sweep = ns.sweep(scenario(Deadly), {"mtu": range(1010, 1020)}, jobs=2, **SHORT)
    assert not (tmp_path / "once").exists()
    assert sweep.status().done == 10


def test_a_pool_of_the_users_that_breaks_ends_the_sweep_but_not_what_is_stored(tmp_path):
    axes, store = {"mtu": range(1000, 1006)}, tmp_path / "a.db"
    with ProcessPoolExecutor(1) as executor, pytest.raises(ns.SimulationError, match="one of its workers has died"):
        ns.sweep(scenario(Deadly), axes, store=store, executor=executor, jobs=1, **SHORT)
    assert len(results(store)) == 3
    whole = ns.sweep(scenario(Deadly), axes, store=store, executor=lambda: ProcessPoolExecutor(1), jobs=1, **SHORT)
    assert (whole.computed, whole.status().failed) == (3, 1)


def test_an_executor_that_is_shut_down():
    class Closing(ThreadPoolExecutor):
        def submit(self, *arguments, **options):
            future = super().submit(time.sleep, 0.1)
            self.shutdown(wait=False, cancel_futures=True)
            future.cancel()
            cancelled = Future()
            cancelled.cancel()
            cancelled.set_running_or_notify_cancel()
            return cancelled

    with pytest.raises(ns.SimulationError, match="was shut down"):
        ns.sweep(scenario(), {"mtu": [1000]}, executor=Closing(1), **SHORT)


def test_a_worker_with_another_netsim(monkeypatch):
    monkeypatch.setattr("netsim.sweeps.plan.model_version", lambda *_: "f" * 64)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ns.SimulationError, match="another version of netsim"):
        ns.sweep(scenario(), {"mtu": [1000]}, executor=executor, **SHORT)


# --- executors, memory -----------------------------------------------------------------------------------------------


class Breaking(ThreadPoolExecutor):
    """Loses every task that it gets; after `forgets` tasks it refuses more."""

    def __init__(self, forgets):
        super().__init__(1)
        self.forgets = forgets

    def submit(self, *arguments, **options):
        self.forgets -= 1
        if self.forgets < 0:
            raise BrokenExecutor
        return Future()


@pytest.mark.parametrize("forgets", [1, 2, 3])
def test_what_a_breaking_pool_forgets_is_done_again(forgets, monkeypatch):
    """Whether it breaks while tasks are submitted, during a new pool's first check, or later."""
    monkeypatch.setattr("netsim.sweeps.runner.SILENCE", 2)
    pools = iter([Breaking(forgets), Breaking(1), ThreadPoolExecutor(1)])
    found = ns.sweep(scenario(), {"mtu": [1000, 1200, 1500]}, executor=lambda: next(pools), **SHORT)
    assert found.status().done == 3
    assert found.failures.empty


class Stub(Executor):
    """Answers at once, and records how many runs were in progress at the same time."""

    def __init__(self, answer):
        self.answer, self.under_way, self.most = answer, [], 0

    def submit(self, function, *arguments):
        future = Future()
        self.under_way.append(future)
        self.most = max(self.most, len(self.under_way))
        if len(self.under_way) == 4:
            for one in self.under_way:
                one.set_result(self.answer)
            self.under_way = []
        return future


def test_memory_does_not_depend_on_the_number_of_points():
    import zlib

    def peak(points):
        stub = Stub(Outcome(zlib.compress(b'{"throughput": 1.0}')))
        axes = {"sender.processors.clock": [f"{300 + number} MHz" for number in range(points // 100)]}
        axes |= {"mtu": range(1000, 1100)}
        tracemalloc.start()
        sweep = ns.sweep(test, axes, executor=stub, jobs=4, **SHORT)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (sweep.computed, stub.most) == (points, 4)
        return most

    test = scenario()
    digests = iter(range(10**9))
    with pytest.MonkeyPatch.context() as patch:  # these would take most of the time, and keep nothing after a point
        patch.setattr(ns.Scenario, "replace", lambda self, changes: test)
        patch.setattr(ns.Scenario, "digest", lambda self: str(next(digests)))
        patch.setattr("netsim.sweeps.worker.pack", lambda scenario: b"")
        peak(400)
        small, large = peak(1000), peak(5000)
    assert large < small + 60_000  # bytes: 15 for each additional point


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the worker by /proc")
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    code = (
        "import tests.killed_sweep as k, netsim as ns; print('go', flush=True);"
        "ns.sweep(k.scenario(), {'mtu': range(1000, 1500)}, jobs=2, precision=0)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        workers = []
        while len(workers) < 2:
            time.sleep(0.05)
            workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        time.sleep(0.3)
        process.kill()
    until = time.monotonic() + 10
    while any(Path(f"/proc/{one}").exists() for one in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [one for one in workers if Path(f"/proc/{one}").exists()]


# --- killed repeatedly -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers by /proc")
def test_killed_at_random_moments_it_loses_and_repeats_nothing(tmp_path):
    """The same with 200 kills and 500 points is in tests/validation."""
    command = [sys.executable, "-m", "tests.killed_sweep", str(tmp_path), "90", "30", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("30 kills, ")


# --- what tells them apart -------------------------------------------------------------------------------------------


def _registered(base, axes, **settings):
    return SweepPlan.of(base, axes, 1, 1, RunSettings.of(**settings)).registered


def test_what_tells_sweeps_apart():
    base = scenario(Netperf)
    sweeps = [
        _registered(base, {"mtu": [1000]}),
        _registered(base.replace({"mtu": 1400, "sender.nics.0.driver.rx_ring": 64}), {"sender": ["p166"]}),
        _registered(base.replace("receiver", "p166"), {"mtu": [1000]}, precision=0.2),
        _registered(base.replace("test", "TCP_RR"), {"mtu": [1000]}),
    ]
    host, rest = "receiver piii-600, receiver.chipset intel-440bx", "receiver p166, receiver.chipset intel-430fx"
    ring = "sender.nics.0.driver.rx_ring"
    assert [*told_apart(sweeps).values()] == [
        f"{ring} 32, {host}, precision 0.002",
        f"{ring} 64, mtu 1400 B, {host}, precision 0.002",
        f"{ring} 32, {rest}, precision 0.2",
        "",
    ]


def test_it_is_short_and_not_known_of_sweeps_stored_without_their_scenario():
    base = scenario(Netperf)
    other = base.replace({f"receiver.nics.0.driver.{name}_cycles": 77 for name in ("rx", "tx", "free", "interrupt")})
    other = other.replace({"mtu": 1000, "sender.nics.0.driver.rx_ring": 64, "duration": "1 s", "confidence": 0.9})
    one, two = (_registered(each, {"sender.processors.clock": ["1 GHz"]}) for each in (base, other))
    assert told_apart([one, two])[two.id].endswith(", and 2 more that differ")
    earlier = two._replace(about={key: value for key, value in two.about.items() if key != "scenario"})
    assert told_apart([one, earlier]) == {one.id: ""}


def test_a_store_learns_the_scenario_of_an_earlier_sweep(tmp_path):
    new, store = _registered(scenario(Netperf), {"mtu": [1000]}), Store(tmp_path / "a.db")
    seeds = [*new.about["seeds"], 5]
    earlier = {key: value for key, value in new.about.items() if key != "scenario"} | {"seeds": seeds}
    store.register(new._replace(about=earlier))
    store.register(new)
    (found,) = store.sweeps()
    assert found.about == {**new.about, "seeds": seeds}
    assert unpacked(found.about["scenario"]) == scenario(Netperf)


# --- copies ----------------------------------------------------------------------------------------------------------


def test_a_copy_opens_the_same_store(swept, tmp_path):
    one = ns.sweep(scenario(), {"mtu": [1000]}, store=tmp_path / "a.db", **SHORT)
    for copied in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert copied.store is not one.store
        assert copied.to_frame().equals(one.to_frame())
    for copied in (copy.deepcopy, pickle.dumps):
        with pytest.raises(StoreError, match="without a file can't be copied or pickled; allowed: a sweep with store="):
            copied(swept)


def test_numpy_numbers_are_as_good_as_plain_ones():
    plain = {"replications": 2, "seed": 3, "jobs": 1, "precision": 0.25, "limit": 10**10}
    numpy = {name: (np.int64 if isinstance(value, int) else np.float32)(value) for name, value in plain.items()}
    one, same = (ns.sweep(scenario(), {"mtu": [1000]}, **{**SHORT, **given}) for given in (plain, numpy))
    assert same.plan.registered == one.plan.registered
    assert same.to_frame().equals(one.to_frame())
