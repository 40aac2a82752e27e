"""Sobol indices: known values are found, whole numbers are equally likely, failures are reported."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import netsim as ns
from netsim.errors import SimulationError
from netsim.explore.limits import Limits

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC, duration="0.05 s", min_iterations=1, max_iterations=1)
CLOCK, RATE, MTU = "sender.processors.clock", "link.rate", "mtu"
MODULE = import_module("netsim.explore.sensitivity")
QUICK = {"limit": "20 ms", "warm_up": "5 ms", "sample": "1 ms"}


@pytest.fixture
def evaluate(monkeypatch):
    """Replaces the bounds by a function of the points' numbers."""

    def put(function) -> None:
        def stub(scenario, of, points):
            numbers = [column.numbers for _, column in points.columns]
            values = np.asarray(function(*numbers), float)
            return values, "it is too hot" if np.isnan(values).any() else ""

        monkeypatch.setattr(MODULE, "_bounds", stub)

    return put


# ---- known indices ----

ISHIGAMI = {CLOCK: ("1 GHz", "2 GHz"), "receiver.processors.clock": ("1 GHz", "2 GHz"), RATE: ("1 Gbit/s", "2 Gbit/s")}
FIRST, TOTAL = (0.3139, 0.4424, 0.0), (0.5576, 0.4424, 0.2437)  # a = 7, b = 0.1 (Saltelli et al. 2008, 4.2)


def ishigami(*numbers):
    x, y, z = ((number / 1e9 - 1.5) * 2 * np.pi for number in numbers)
    return np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x)


def test_ishigamis_function(evaluate) -> None:
    evaluate(ishigami)
    found = ns.sensitivity(TEST, ISHIGAMI, n=2048)
    assert [*found.first.values()] == pytest.approx(FIRST, abs=0.02)
    assert [*found.total.values()] == pytest.approx(TOTAL, abs=0.02)
    assert (found.low <= found.indices).all()
    assert (found.indices <= found.high).all()
    assert (found.low <= np.array([FIRST, TOTAL])).all()
    assert (np.array([FIRST, TOTAL]) <= found.high).all()
    assert (found.high - found.low < 0.2).all()
    assert (found.points, found.failed, found.lost) == (5 * 2048, 0, 0)


def test_the_same_seed_gives_the_same_indices(evaluate) -> None:
    evaluate(ishigami)
    one, again, other = (ns.sensitivity(TEST, ISHIGAMI, n=64, seed=seed) for seed in (3, 3, 4))
    assert one.to_frame().equals(again.to_frame())
    assert not one.to_frame().equals(other.to_frame())


def test_a_bound_that_is_a_known_formula() -> None:
    """A slow wire alone decides: the limit is the rate times the payload's share of the frame, so with both evenly
    distributed the variances follow from the moments of their distributions."""
    rates, mtus = np.arange(1e6, 10e6, 1e3), np.arange(576, 1501)
    shares = (mtus - 52) / (mtus + 38)
    first = [rates.var() * shares.mean() ** 2, shares.var() * rates.mean() ** 2]
    both = rates.var() * shares.var()
    expected = np.array([first, [one + both for one in first]]) / (sum(first) + both)
    test = TEST.replace({"sender.processors.clock": "3 GHz", "receiver.processors.clock": "3 GHz"})
    found = ns.sensitivity(
        test, {RATE: ("1 Mbit/s", "10 Mbit/s"), MTU: (576, 1500), "duration": ("1 s", "2 s")}, n=2048
    )
    assert found.indices[:, :2] == pytest.approx(expected, abs=0.02)
    assert found.indices[:, 2].tolist() == [0, 0]
    assert found.to_frame().loc[RATE, "total_low"] <= expected[1, 0] <= found.to_frame().loc[RATE, "total_high"]


def test_one_number_alone_is_all_there_is(evaluate) -> None:
    evaluate(lambda mtu: mtu)
    found = ns.sensitivity(TEST, {MTU: (100, 1500)}, n=256)
    assert found.first == {MTU: pytest.approx(1, abs=0.02)}
    assert found.total == {MTU: pytest.approx(1, abs=0.02)}


def test_whole_numbers_are_equally_likely(evaluate) -> None:
    seen = []
    evaluate(lambda count, share: seen.append((count, share)) or count + share)
    ns.sensitivity(TEST, {"receiver.processors.count": (1, 4), "sender.processors.relative_cpi": (0.5, 2)}, n=1024)
    counts, shares = seen[0]
    numbers, often = np.unique(counts, return_counts=True)
    assert numbers.tolist() == [1, 2, 3, 4]
    assert often == pytest.approx(len(counts) / 4, rel=0.01)
    assert 0.5 <= shares.min() < 0.51
    assert 1.99 < shares.max() <= 2


# ---- failures ----


def hot(x, y, z):
    return np.where(x > 1.9e9, np.nan, ishigami(x, y, z))


def test_rows_with_a_failure_are_left_out_and_told_of(evaluate) -> None:
    evaluate(hot)
    found = ns.sensitivity(TEST, ISHIGAMI, n=4096)
    assert found.failed == pytest.approx(0.1 * found.points, rel=0.02)
    assert found.lost == pytest.approx(0.19 * 4096, rel=0.02)  # in A or in B
    assert f"{found.failed} of {found.points} points failed, and {found.lost} rows are left out: it is too hot" in str(
        found
    )
    evaluate(lambda x, y, z: ishigami(1e9 + (x - 1e9) * 0.9, y, z))  # the same function over the remaining range
    left = ns.sensitivity(TEST, ISHIGAMI, n=4096)
    assert left.failed == 0
    assert found.indices == pytest.approx(left.indices, abs=0.03)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x, y, z: x * np.nan,
            "only 0 of 64 rows remain .*: 320 points failed, the first because it is too hot",
        ),
        (lambda x, y, z: x * 0 + 5, "the same at all points .5., so no input matters"),
        (lambda x, y, z: np.where(x > 1.5e9, np.inf, 1), "infinite at some points"),
    ],
)
def test_where_there_are_no_indices_it_says_why(evaluate, function, message) -> None:
    evaluate(function)
    with pytest.raises(SimulationError, match=message):
        ns.sensitivity(TEST, ISHIGAMI, n=64)


def test_points_that_are_no_scenario_fail() -> None:
    found = ns.sensitivity(TEST, {MTU: (576, 1600), RATE: ("1 Mbit/s", "100 Mbit/s")}, n=256)
    assert found.failed == pytest.approx(found.points * 100 / 1025, rel=0.1)
    assert "bytes are more than the link allows (1500)" in found.why


# ---- by simulation ----


def test_simulations_have_indices_too() -> None:
    """A slow wire alone decides."""
    with ThreadPoolExecutor(2) as executor:
        found = ns.sensitivity(
            TEST, {RATE: ("5 Mbit/s", "10 Mbit/s")}, n=16, by="simulation", executor=executor, **QUICK
        )
    assert (found.points, found.failed) == (48, 0)
    assert found.first[RATE] > 0.7


class Measured:
    """Stands in for a result: its throughput depends only on the link and the MTU."""

    def __init__(self, test: ns.Netperf) -> None:
        self.test = test

    def to_frame(self) -> pd.DataFrame:
        cpu = {"cpu.sender": 0.5} if self.test.mtu < 1200 else {}
        return pd.DataFrame([{"throughput": self.test.link.rate * self.test.mtu, "label": "x"} | cpu])


def test_where_simulations_run_makes_no_difference(monkeypatch) -> None:
    seeds = set()

    def simulate(test: ns.Netperf, *, seed: int, limit: str) -> Measured:
        seeds.add((seed, limit))
        return Measured(test)

    monkeypatch.setattr(MODULE, "unattended", simulate)
    limits = {RATE: ("5 Mbit/s", "10 Mbit/s"), MTU: (1000, 1700)}
    here = ns.sensitivity(TEST, limits, n=32, by="simulation", seed=5, limit="1 s")
    with ThreadPoolExecutor(2) as executor:
        there = ns.sensitivity(TEST, limits, n=32, by="simulation", seed=5, executor=executor, limit="1 s")
    assert there.to_frame().equals(here.to_frame())
    assert seeds == {(5, "1 s")}
    assert 0 < here.failed < here.points
    assert "link allows (1500)" in here.why


def test_simulations_that_all_fail_or_lack_the_number_are_told_of(monkeypatch) -> None:
    monkeypatch.setattr(MODULE, "unattended", lambda test, seed: Measured(test))
    with pytest.raises(SimulationError, match=r"all 48 points failed: mtu: .* are more than the link allows"):
        ns.sensitivity(TEST, {MTU: (2000, 3000)}, n=16, by="simulation")
    with pytest.raises(SimulationError, match=r"points failed, the first because \"cpu.sender\" is not in the result"):
        ns.sensitivity(TEST, {MTU: (1190, 1400)}, "cpu.sender", 16, by="simulation")
    with pytest.raises(ns.ScenarioError, match='"label" is not a number of the result'):
        ns.sensitivity(TEST, {MTU: (1000, 1500)}, "label", 16, by="simulation")


# ---- refusals, and the plot ----


@pytest.mark.parametrize(
    ("limits", "more", "message"),
    [
        ({"mtuu": (1, 2)}, {}, 'mtuu: no such address (did you mean "mtu"?)'),
        ({MTU: (1500, 576)}, {}, "mtu: 1500 is not below 576; allowed: [lowest, highest]"),
        ({MTU: (576,)}, {}, "mtu: [576] is not allowed; allowed: [lowest, highest]"),
        ({CLOCK: (1, 2)}, {}, f'{CLOCK}: 1 needs a unit, such as "1 MHz"; allowed: a number with Hz, kHz, MHz, GHz'),
        ({"test": ("TCP_STREAM", "UDP_STREAM")}, {}, "test: not a number; allowed: the address of one"),
        ({}, {}, "no limits; allowed: at least one address with (low, high)"),
        ({MTU: (576, 1500)}, {"n": 100}, "n: 100 is not allowed; allowed: a power of 2 from 16"),
        ({MTU: (576, 1500)}, {"n": np.int64(17)}, "n: 17 is not allowed; allowed: a power of 2 from 16"),
        ({MTU: (576, 1500)}, {"n": 16, "seed": -1}, "seed: -1 is not allowed; allowed: a whole number, 0 or more"),
        ({MTU: (576, 1500)}, {"n": 16, "of": "thruput"}, 'of: "thruput" is not a number of the result'),
        ({MTU: (576, 1500)}, {"n": 16, "of": "bottleneck"}, 'of: "bottleneck" is not a number of the result'),
        ({MTU: (576, 1500)}, {"by": "guess"}, 'by: "guess" is not allowed; allowed: bounds, simulation'),
    ],
)
def test_mistakes_are_one_line(limits, more, message) -> None:
    with pytest.raises(ns.ScenarioError) as told:
        ns.sensitivity(TEST, limits, **more)
    assert str(told.value).startswith(message)


def test_numpy_numbers_are_as_good_as_plain_ones() -> None:
    plain = ns.sensitivity(TEST, {MTU: (576, 1500)}, n=16, seed=3)
    same = ns.sensitivity(TEST, {MTU: (np.int64(576), np.int16(1500))}, n=np.int64(16), seed=np.int8(3))  # type: ignore[arg-type]
    assert same == plain
    assert type(same.rows) is int


def test_limits_may_be_computed_from_the_scenarios_number() -> None:
    clock = TEST.get(CLOCK)
    assert Limits.of(TEST, CLOCK, (clock * 0.5, 2 * clock)) == Limits.of(TEST, CLOCK, ("300 MHz", "1.2 GHz"))


def test_it_prints_and_draws(evaluate) -> None:
    evaluate(ishigami)
    found = ns.sensitivity(TEST, ISHIGAMI, n=64)
    lines = str(found).splitlines()
    assert lines[0] == "what throughput depends on, by bounds: 64 rows of 5 points"
    assert [line.split()[0] for line in lines[2:]] == [*ISHIGAMI]
    assert f"{found.first[CLOCK]:.3f}" in lines[2]
    assert found.to_frame().columns.tolist() == ["first", "first_low", "first_high", "total", "total_low", "total_high"]
    ax = found.plot()
    assert {bar.get_fill() for bar in ax.patches} == {True, False}  # not only by colour
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [*found.first.values(), *found.total.values()]
    assert [label.get_text() for label in ax.get_yticklabels()] == [*ISHIGAMI]


@pytest.mark.parametrize(("by", "allowed"), [("bounds", "none"), ("simulation", "precision, warm_up, sample, limit")])
def test_an_option_that_would_have_no_effect_is_refused(by: Any, allowed: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^precison: not an option with by = \"{by}\".*; allowed: {allowed}$"):
        ns.sensitivity(TEST, {MTU: (1000, 1500)}, n=16, by=by, precison=0.1)
