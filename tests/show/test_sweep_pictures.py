"""Pictures of sweeps: their units, axes of names, None and tables, intervals over few replications, and refusals."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import netsim as ns
from netsim.show.run_intervals import half_width
from netsim.statistics import estimate, replications, student
from netsim.sweeps import Store, Sweep
from netsim.sweeps.plan import SweepPlan
from netsim.sweeps.result_units import unit_of_result
from netsim.sweeps.settings import RunSettings
from netsim.sweeps.worker import Outcome
from netsim.units import MBIT_PER_S, TPS

mpl.use("agg")
PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
STREAM, REQUESTS = ns.Netperf("TCP_STREAM", PC, PC), ns.Netperf("TCP_RR", PC, PC)
RECORD = {"throughput": 9e7, "half_width": 1e6, "iterations": 2, "bottleneck": "wire", "latency": None}
RECORD |= {"cpu.sender": 0.5, "cpu_half_width.sender": 0.01, "latencies.p95": 2e-4, "elapsed": 0.5}
BUFFERS = {"send_buffer": [None, "16 KiB", "32 KiB"]}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def sweep_of(
    test: ns.Netperf, axes: Mapping[str, Sequence[object]], *records: Mapping[str, Any], times: int = 1
) -> Sweep:
    """A sweep whose runs have found these, in turn."""
    plan, store, found = SweepPlan.of(test, axes, times, 1, RunSettings()), Store(), cycle(records or (RECORD,))
    store.register(plan.registered)
    for task in plan.tasks(store, False, lambda: None):
        store.put(task.key, task.known or Outcome(zlib.compress(json.dumps(next(found)).encode())))
    return Sweep(plan, store)


# ---- units ----

UNITS = {
    "throughput": "1/s", "half_width": "1/s", "pairs.client1.download": "1/s", "phases.0.throughput": "1/s",
    "phases.0.end": "s", "phases.0.cause": "", "kinds.read.response": "s", "kinds.read.rate": "1/s",
    "kinds.read.share": "1", "kinds.read.count": "", "latencies.p99.9": "s", "latencies.p99.9.low": "s",
    "latencies.count": "", "latencies.the wire.tail": "s", "flows.web.transactions": "1/s",
    "flows.web.latencies.mean": "s", "flows.web.latencies.count": "", "cpu.sender": "1", "cpu_half_width.sender": "1",
    "utilisation.sender bus": "1", "bottleneck": "", "counts.throughput": "", "harmonic_mean": "1/s",
    "fairness": "1", "jitter": "s",
}  # fmt: skip


@pytest.mark.parametrize("name", UNITS)
def test_a_column_has_its_unit(name: str) -> None:
    assert unit_of_result(name, TPS) == UNITS[name]


def test_bits_have_theirs() -> None:
    for name in ("throughput", "half_width", "pairs.client1", "phases.1.throughput", "flows.web.throughput"):
        assert unit_of_result(name, MBIT_PER_S) == "bit/s"


def test_a_dataset_of_transactions() -> None:
    pytest.importorskip("xarray")
    data = sweep_of(REQUESTS, {"mtu": [576, 1500]}).to_xarray()
    for name, unit in {"throughput": "1/s", "latencies.p95": "s", "cpu_half_width.sender": "1"}.items():
        assert data[name].attrs == {"units": unit}


@pytest.mark.parametrize(
    ("y", "shown", "height"),
    [
        ("throughput", "throughput (TPS)", 9e7),
        ("latencies.p95", "latencies.p95 (μs)", 200),
        ("elapsed", "elapsed (s)", 0.5),
        ("cpu_half_width.sender", "cpu_half_width.sender (%)", 1),
    ],
)
def test_an_axis_names_the_unit(y: str, shown: str, height: float) -> None:
    axes = sweep_of(REQUESTS, {"mtu": [576, 1500]}).plot(y=y)
    assert axes.get_ylabel() == shown
    assert axes.lines[0].get_ydata() == pytest.approx([height] * 2)


# ---- axes ----


def test_none_is_a_name_among_others() -> None:
    records = [RECORD | {"throughput": rate} for rate in (1e6, 2e6, 3e6)]
    axes = sweep_of(STREAM, BUFFERS, *records).plot()
    assert [*axes.lines[0].get_xdata()] == ["none", "16 KiB", "32 KiB"]
    assert [*axes.lines[0].get_ydata()] == [1, 2, 3]
    assert axes.get_xlabel() == "send_buffer"


def test_none_selects_and_has_a_line() -> None:
    both = sweep_of(STREAM, BUFFERS | {"mtu": [576, 1500]}, *(RECORD | {"throughput": k * 1e6} for k in range(1, 7)))
    assert [*both.plot(x="mtu", where={"send_buffer": None}).lines[0].get_ydata()] == [1, 2]
    assert {text.get_text() for text in both.plot(x="mtu", hue="send_buffer").texts} == {"none", "16 KiB", "32 KiB"}
    with pytest.raises(ns.ScenarioError, match=r'17 KiB is not among the values of this axis \(did you mean "16 KiB"'):
        both.plot(x="mtu", where={"send_buffer": "17 KiB"})


@pytest.mark.filterwarnings("error")
def test_several_addresses_select() -> None:
    records = [RECORD | {"throughput": k * 1e6} for k in range(1, 9)]
    axes = {"mtu": [576, 1500], "send_buffer": [None, "16 KiB"], "receive_buffer": [None, "8 KiB"]}
    every = sweep_of(STREAM, axes, *records)
    assert [*every.plot(where={"receive_buffer": "8 KiB", "send_buffer": None}).lines[0].get_ydata()] == [2, 6]


def test_a_table_selects() -> None:
    cards = [{"model": "eepro100/eepro100", "rx_fifo": size} for size in ("2 KiB", "4 KiB")]
    records = [RECORD | {"throughput": k * 1e6} for k in (1, 2, 3, 4)]
    both = sweep_of(STREAM, {"receiver.nics.0": cards, "mtu": [576, 1500]}, *records)
    assert [*both.plot(x="mtu", where={"receiver.nics.0": cards[1]}).lines[0].get_ydata()] == [3, 4]


def test_names_that_would_look_alike_are_exact() -> None:
    axes = sweep_of(STREAM, {"send_buffer": [None, "100001 B", "100002 B"]}).plot()
    assert [*axes.lines[0].get_xdata()] == ["none", "100001 B", "100002 B"]
    axes = sweep_of(STREAM, {"mtu": [576, 1500], "duration": ["1.00001 s", "1.00002 s"]}).plot(hue="duration")
    assert {text.get_text() for text in axes.texts} == {"1.00001 s", "1.00002 s"}


def test_numbers_without_a_unit_are_numbers() -> None:
    axes = sweep_of(STREAM, {"confidence": [0.9, 0.5, 0.95]}).plot()
    assert [*axes.lines[0].get_xdata()] == [0.5, 0.9, 0.95]


# ---- refusals ----


@pytest.mark.parametrize("y", ["bottleneck", "error", "latency"])
def test_what_is_no_number_is_not_drawn(y: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{y}: not a number in these runs"):
        sweep_of(STREAM, {"mtu": [576, 1500]}).plot(y=y)


def test_where_no_run_succeeded_the_first_failure_is_named() -> None:
    failed = sweep_of(STREAM, {"mtu": [9000, 9100]})
    words = "^no run succeeded, so there is nothing to draw; the first failure, at point 0: ScenarioError: mtu: 9000"
    with pytest.raises(ns.ScenarioError, match=words):
        failed.plot()
    assert failed.to_frame()[["throughput", "half_width"]].isna().all(axis=None)


# ---- intervals ----


def runs_of(*means: float) -> tuple[Sweep, list[Any]]:
    """Runs of two iterations, each of which knows its mean to about 1 Mbit/s; and their estimates."""
    known = [estimate(mean, 0.3e6**2, 17, 0.99) for mean in means]
    records = [RECORD | {"throughput": one.mean, "half_width": one.half_width} for one in known]
    return sweep_of(STREAM, {"mtu": [1500]}, *records, times=len(means)), known


@pytest.mark.parametrize("means", [(31e6,), (31e6, 31.4e6), (20e6, 40e6), (31e6, 31.4e6, 30.8e6)])
def test_replications_are_pooled_as_iterations_are(means: tuple[float, ...]) -> None:
    sweep, known = runs_of(*means)
    expected = replications(known, 0.99).half_width
    bars = sweep.plot().containers[0][2][0].get_segments()
    assert np.ptp(bars[0][:, 1]) == pytest.approx(2 * expected / 1e6)
    if means == (31e6, 31.4e6):  # by their difference alone it would be 12.7 Mbit/s
        assert expected < 1e6


def test_cpu_has_its_own_interval_and_others_only_differences() -> None:
    records = [RECORD | {"cpu.sender": share, "latencies.p95": share} for share in (0.500, 0.504)]
    table = sweep_of(STREAM, {"mtu": [1500]}, *records, times=2).to_frame()
    assert half_width(0.99, table, "cpu.sender") < 0.01
    assert half_width(0.99, table, "latencies.p95") == pytest.approx(student(0.99, 1) * 0.002)
    assert half_width(0.99, table[:1], "cpu.sender") == pytest.approx(0.01)
    assert half_width(0.99, table[:1], "latencies.p95") == 0
