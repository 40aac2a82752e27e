"""How often intervals hold the long-run mean, and how much wider they are than the spread over seeds: of means,
quotients and CPU shares, in runs that are nearly periodic and in random ones."""

from __future__ import annotations

from collections.abc import Sequence

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
FAST, SLOW = beowulf.FAST, "p166"
P166 = ns.load("examples/p166.toml")
CASES: dict[str, tuple[Scenario, float]] = {
    "TCP": (P166, 0.05),
    "UDP overload": (beowulf.netperf(FAST, SLOW, "UDP_STREAM", "3c905b", "3c59x"), 0.05),
    "bonded TCP": (beowulf.netperf(FAST, FAST, "TCP_STREAM", "rtl8139", "rtl8139", 3), 0.01),
    "CSMA/CD": (perform3.perform3("plx-sonic", "ne2000", 5), 0.01),
}



def check(found: Sequence[tuple[float, float]]) -> None:
    """99 % intervals hold the mean of all in 97 cases of 100 at least, and are at most 1.5 times as wide as the spread
    says. (Half-widths, and how many seeds there are, make the mean of all hardly less certain.)"""
    values, widths = (np.array(column) for column in zip(*found, strict=True))
    assert np.mean(np.abs(values - values.mean()) <= widths) >= 0.97
    assert widths.mean() <= 1.5 * student(0.99, len(found) - 1) * values.std(ddof=1)


@pytest.fixture(scope="module", params=CASES)
def results(request: pytest.FixtureRequest) -> tuple[str, list[Result]]:
    test, precision = CASES[request.param]
    return request.param, [unattended(test, seed=seed, precision=precision) for seed in range(SEEDS)]


def test_means(results: tuple[str, list[Result]]) -> None:
    check([(one.throughput, one.half_width) for one in results[1]])


def test_cpu_shares(results: tuple[str, list[Result]]) -> None:
    """That of the sender, or of the server. (Of the one that sends into the overload the share is known to 0.3 points:
    it has a beat of a tenth of a second, which is nearly as long as the run.)"""
    name, found = results
    host = "server" if name == "CSMA/CD" else "sender"
    if name == "UDP overload":
        assert max(one.cpu_half_width[host] for one in found) < 0.004
    else:
        check([(one.cpu[host], one.cpu_half_width[host]) for one in found])


def test_quotients() -> None:
    tests = [P166, P166.replace("receiver.processors.clock", "200 MHz")]

    def excess(both: Sequence[Result]) -> float:
        return both[0].quotient(both[1])[1] / 0.01

    pairs = [simulate_together(tests, excess, seed=seed) for seed in range(SEEDS)]
    check([one.quotient(other) for one, other in pairs])
