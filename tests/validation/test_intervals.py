"""How often intervals contain the long-run mean, and how much wider they are than the spread over seeds: for means,
quotients and CPU shares, in nearly periodic runs and in random ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

import netsim as ns
from experiments import beowulf, perform3
from netsim.measure.simulation import simulate_together, unattended
from netsim.results.result import Result
from netsim.scenario import Scenario
from netsim.statistics import student

pytestmark = pytest.mark.validation

SEEDS = 100
MANY = 200  # for intervals that hold in 98.5 % of runs: of 100, less than 97 hold once in fifteen times
FEW = 20  # enough to show that intervals are too narrow
FAST = beowulf.FAST
P166 = ns.load("examples/p166.toml")
OVERLOAD = beowulf.netperf(FAST, "p166", "UDP_STREAM", "3c905b", "3c59x")
ON_A_CABLE = perform3.perform3("plx-sonic", "ne2000", 5).replace({"min_iterations": 3, "max_iterations": 3})
BONDED = beowulf.netperf(FAST, FAST, "TCP_STREAM", "dfe570tx", "tulip", 3)
CASES: dict[str, tuple[Scenario, dict[str, Any]]] = {
    "TCP": (P166, {"precision": 0.05}),
    "UDP at an offered load": (OVERLOAD.replace("offered", "80 Mbit/s"), {"precision": 0.05}),
    "bonded TCP": (BONDED, {"precision": 0.02}),
    "CSMA/CD": (ON_A_CABLE, {"precision": 0.02}),
}


def begins(seed: int) -> int:
    """Start of a run's measurement (ps): random within a few beats of a nearly periodic run, since all such runs start
    alike."""
    return int(np.random.default_rng(seed).uniform(30e9, 80e9))


def check(found: Sequence[tuple[float, float]], width: float = 1.5) -> None:
    """99 % intervals contain the mean in at least 97 of 100 cases, and are at most `width` times the spread's width."""
    values, widths = (np.array(column) for column in zip(*found, strict=True))
    assert np.mean(np.abs(values - values.mean()) <= widths) >= 0.97
    assert widths.mean() <= width * student(0.99, len(found) - 1) * values.std()




@cache
def results(name: str) -> list[Result]:
    test, settings = CASES[name]
    seeds = {"bonded TCP": FEW, "CSMA/CD": MANY}.get(name, SEEDS)
    return [unattended(test, seed=seed, warm_up=begins(seed), **settings) for seed in range(seeds)]


@pytest.mark.parametrize("name", CASES)
def test_means(name: str) -> None:
    """Intervals of UDP into an overloaded receiver are up to twice as wide (2.3 times at the knee, and where almost
    nothing is delivered): excess drops in one beat are compensated for in the next ones, over seconds. The swings that
    intervals account for are all faster than that."""
    width = 2.0 if name == "UDP at an offered load" else 1.5
    check([(one.throughput, one.half_width) for one in results(name)], width)


@pytest.mark.parametrize("name", ["TCP", "UDP at an offered load", "CSMA/CD"])
def test_cpu_shares(name: str) -> None:
    host = "server" if name == "CSMA/CD" else "sender"
    check([(one.cpu[host], one.cpu_half_width[host]) for one in results(name)])


def test_quotients() -> None:
    tests = [P166, P166.replace("receiver.processors.clock", "200 MHz")]

    def excess(both: Sequence[Result]) -> float:
        return both[0].quotient(both[1])[1] / 0.02

    pairs = [simulate_together(tests, excess, seed=seed, warm_up=begins(seed)) for seed in range(SEEDS)]
    check([one.quotient(other) for one, other in pairs])
