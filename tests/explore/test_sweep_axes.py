"""A sweep's axes; their mistakes are reported before anything runs."""

import itertools

import numpy as np
import pandas as pd
import pytest

import netsim as ns
from netsim.explore import Points
from netsim.sweeps.plan import SweepPlan
from netsim.sweeps.settings import RunSettings
from netsim.units import TPS

CLOCKS = ["300 MHz", "600 MHz"]


@pytest.fixture(scope="module")
def test():
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)


@pytest.fixture(autouse=True)
def _nothing_runs(monkeypatch):
    def never(*_):
        raise AssertionError("something was put into an executor")

    monkeypatch.setattr("netsim.sweeps.sweeping.Runner", never)


def shown(scenario, axes):
    points = Points.of(scenario, axes)
    return [points.shown(points.place(number)) for number in range(len(points))]


# --- meaning ---------------------------------------------------------------------------------------------------------


def test_a_mapping_is_every_combination_the_last_one_fastest(test):
    found = shown(test, {"mtu": [576, "1500 B"], "sender.processors.clock": CLOCKS})
    assert [tuple(one.values()) for one in found] == [*itertools.product([576, 1500], [300_000_000, 600_000_000])]


def test_values_are_shown_in_base_units_and_names_as_given(test):
    axes = ns.zipped({"link.propagation": ["0 us", "1.5 us"], "sender.nics.0": ["3c905b/3c59x", "eepro100/eepro100"]})
    points = Points.of(test, axes)
    assert [one.unit for _, one in points.columns] == ["ps", ""]
    assert points.shown((1,)) == {"link.propagation": 1_500_000, "sender.nics.0": "eepro100/eepro100"}
    changed = test.replace(points.changes((1,)))
    assert changed.link.propagation == 1_500_000
    assert changed.sender.nics[0].driver == test.replace("sender.nics.0", "eepro100/eepro100").sender.nics[0].driver


def test_what_is_computed_from_a_scenarios_number_is_in_base_units(test):
    clock, mtu = test.get("sender.processors.clock"), test.get("mtu")
    found = shown(test, {"sender.processors.clock": [clock, 2 * clock, clock / 4], "mtu": [mtu / 2]})
    assert [tuple(one.values()) for one in found] == [(one, 750) for one in (600_000_000, 1_200_000_000, 150_000_000)]
    assert {type(value) for one in found for value in one.values()} == {int}


def test_none_and_truth_values_stay_what_they_are(test):
    found = shown(test, {"message": ["none", None, 8192], "sender.nics.0.driver.tx_copy": [True]})
    assert [one["message"] for one in found] == [None, None, 8192]
    assert found[0]["sender.nics.0.driver.tx_copy"] is True


def test_zipped_times_a_grid(test):
    axes = ns.zipped({"sender.processors.clock": CLOCKS, "receiver.processors.clock": CLOCKS}) * {"mtu": [576, 1500]}
    assert axes.shape == (2, 2)
    found = shown(test, axes)
    assert len(found) == 4
    assert all(one["sender.processors.clock"] == one["receiver.processors.clock"] for one in found)
    assert [one["mtu"] for one in shown(test, {"mtu": [576, 1500]} * ns.zipped({"message": [8192]}))] == [576, 1500]


def test_a_data_frame_is_its_rows(test):
    frame = pd.DataFrame({"mtu": np.array([576, 1500, 1000]), "sender.processors.clock": [*CLOCKS, "450 MHz"]})
    found = shown(test, frame)
    assert [tuple(one.values()) for one in found] == [(576, 300 * 10**6), (1500, 600 * 10**6), (1000, 450 * 10**6)]


@pytest.mark.parametrize("sampled", [ns.latin_hypercube, ns.sobol])
def test_samples_lie_between_their_limits_and_are_the_same_again(test, sampled):
    limits = {"sender.processors.clock": ("200 MHz", "1 GHz"), "receiver.processors.relative_cpi": (1, 2)}
    found = pd.DataFrame(shown(test, sampled(limits, points=16, seed=4)))
    assert found.equals(pd.DataFrame(shown(test, sampled(limits, points=16, seed=4))))
    assert not found.equals(pd.DataFrame(shown(test, sampled(limits, points=16, seed=5))))
    clock, cpi = found["sender.processors.clock"], found["receiver.processors.relative_cpi"]
    assert clock.dtype == int  # whole hertz
    assert clock.between(200e6, 1e9).all()
    assert cpi.between(1, 2).all()
    # each sixteenth of the range has one of them, as both methods promise
    assert sorted((cpi - 1) * 16 // 1) == [*range(16)]


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"mtuu": [1500]}, ["mtuu", "no such address", 'did you mean "mtu"']),
        ({"sender.nics.0.driver.rx_rign": [64]}, ["no such address", '"sender.nics.0.driver.rx_ring"']),
        ({"sender.nics.1.rate": ["10 Mbit/s"]}, ["sender.nics.1", "no such index"]),
        ({"mtu": [1500, "5 us"]}, ["mtu", "5 us", "KiB"]),
        ({"sender.processors.clock": ["300 MHz", 600]}, ["sender.processors.clock", "600 needs a unit"]),
        ({"sender.nics.0": ["3c905b/3c58x"]}, ["sender.nics.0", '"3c59x"']),
        ({"test": ["TCP_STREAM", "TCP_STREM"]}, ["test", "TCP_STREM", "TCP_STREAM"]),
        ({"confidence": [0.9, 1.5]}, ["confidence", "1.5"]),
        ({"sender.nics.0.driver.tx_interrupt.policy": ["often"]}, ["policy", "often", "half-ring"]),
        ({"mtu": []}, ["mtu", "[]", "at least one value"]),
        ({"mtu": "1500"}, ["mtu", "a list of values"]),
        ({"mtu": np.array([[1500, 1400]])}, ["mtu", "several dimensions", "a list of values"]),
        ({"mtu": 1500}, ["mtu", "1500", "a list of values"]),
        ({}, ["no axes"]),
        (pd.DataFrame(), ["no axes"]),
        (3, ["3", "a mapping"]),
        ({"mtu": range(10**12)}, ["mtu", "1000000000000 values are too many"]),
        ({"mtu": range(500, 1500), "message": range(1, 10**6), "seed": [1]}, ["999999000 points are too many"]),
    ],
)
def test_wrong_axes(test, axes, words):
    with pytest.raises(ns.ScenarioError) as told:
        ns.sweep(test, axes)
    for word in words:
        assert word in str(told.value)
    assert "\n" not in str(told.value)


def test_lists_without_end_are_refused(test):
    with pytest.raises(ns.ScenarioError, match="too many"):
        ns.sweep(test, {"mtu": itertools.count(576)})


def test_10_to_the_12_points_are_refused_at_once(test):
    axes = {f"{host}.processors.{name}": range(1, 1001) for host in ("sender", "receiver") for name in ("count", "x")}
    with pytest.raises(ns.ScenarioError, match="1000000000000 points are too many"):
        ns.sweep(test, axes)


def test_lists_that_do_not_zip():
    with pytest.raises(ns.ScenarioError, match="can't be zipped: mtu has 2, message has 3"):
        ns.zipped({"mtu": [576, 1500], "message": [1, 2, 3]})


def test_an_address_in_two_axes(test):
    with pytest.raises(ns.ScenarioError, match=r"mtu: is in two axes"):
        ns.sweep(test, ns.zipped({"mtu": [576]}) * {"mtu": [1500]})


@pytest.mark.parametrize(
    ("limits", "points", "words"),
    [
        ({"mtu": [1500]}, 4, ["mtu", "[lowest, highest]"]),
        ({"mtu": (1500, 576)}, 4, ["mtu", "not below"]),
        ({"mtu": ("1 us", "2 us")}, 4, ["mtu", "1 us"]),
        ({"test": ("TCP_STREAM", "UDP_STREAM")}, 4, ["test", "not a number"]),
        ({"mtu": (576, 1500)}, 0, ["points", "1 or more"]),
        ({"mtu": (576, 1500)}, 100, ["points", "power of two", "64 or 128"]),
    ],
)
def test_wrong_samples(test, limits, points, words):
    with pytest.raises(ns.ScenarioError) as told:
        ns.sweep(test, ns.sobol(limits, points))
    for word in words:
        assert word in str(told.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"replications": 0}, ["replications", "1 or more"]),
        ({"replications": 10**8}, ["too many"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"precision": 2}, ["precision", "2"]),
        ({"limit": "5 MHz"}, ["limit", "5 MHz"]),
        ({"jobs": 0}, ["jobs", "1 to 1000"]),
    ],
)
def test_wrong_arguments(test, options, words):
    with pytest.raises(ns.ScenarioError) as told:
        ns.sweep(test, {"mtu": [576, 1500]}, **options)
    for word in words:
        assert word in str(told.value)


UNITS = '"TCP_STREAM" is measured in Mbit/s, "TCP_RR" in TPS; allowed: one unit; make a sweep for each'


@pytest.mark.parametrize("explore", [ns.sweep, ns.bounds])
@pytest.mark.parametrize(
    "axes",
    [
        {"mtu": [576, 1500], "test": ["TCP_STREAM", "TCP_STREAM", "TCP_RR"]},
        ns.zipped({"test": ["TCP_STREAM", "TCP_RR"], "request": [None, 100]}),
        pd.DataFrame({"test": ["TCP_STREAM", "TCP_RR"]}),
    ],
)
def test_points_with_different_units_are_refused(test, axes, explore):
    with pytest.raises(ns.ScenarioError) as told:
        explore(test, axes)
    assert str(told.value) == f"test: {UNITS}"


def test_the_unit_is_that_of_the_points_not_of_the_scenario_below(test):
    axes = {"test": ["TCP_RR", "UDP_RR"], "request": [1, 100]}
    assert ns.bounds(test, axes).unit == TPS
    plan = SweepPlan.of(test, axes, 1, 1, RunSettings())
    assert (plan.unit, plan.registered.about["unit"]) == (TPS, ["TPS", 1])


def test_two_columns_of_the_same_name(test):
    for explore in (ns.sweep, ns.bounds):
        with pytest.raises(ns.ScenarioError, match=r"^mtu: is in two columns; allowed: each address once$"):
            explore(test, pd.DataFrame([[576, 1500]], columns=["mtu", "mtu"]))


def test_no_scenario():
    with pytest.raises(ns.ScenarioError, match="is not a scenario"):
        ns.sweep("p166", {"mtu": [576]})


def test_numpy_numbers_are_as_good_as_plain_ones():
    limits = {"mtu": (576, 1500)}
    for sampled in (ns.sobol, ns.latin_hypercube):
        assert sampled(limits, np.int64(8), np.int32(2)) == sampled(limits, 8, 2)
        for wrong in (np.bool_(True), np.float64(8), np.int64(0)):
            with pytest.raises(ns.ScenarioError, match=r"points: .* is not allowed; allowed: a whole number, 1"):
                sampled(limits, wrong)
