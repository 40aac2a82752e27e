"""Receive livelock (Mogul and Ramakrishnan 1996): delivered against offered load has one peak, after which nothing is
delivered; zero is a result like any other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.results.result import Result

CLOCKS = ("133 MHz", "166 MHz", "233 MHz")
LOADS = (4, 8, 10, 12, 14, 16, 20, 26)  # Mbit/s
TEST = ns.load("examples/livelock.toml")


def curve(clock: str) -> list[Result]:
    """One result for each of LOADS."""
    host = TEST.replace({"receiver.processors.clock": clock, "min_iterations": 1, "max_iterations": 1})
    return [ns.simulate(host.replace("offered", f"{load} Mbit/s"), precision=0.05, limit="0.5 s") for load in LOADS]


def peak(found: Sequence[Result]) -> int:
    """The peak's index."""
    return max(range(len(found)), key=lambda number: found[number].throughput)


@pytest.fixture(scope="module")
def curves() -> dict[str, list[Result]]:
    return {clock: curve(clock) for clock in CLOCKS}


@pytest.mark.parametrize("clock", CLOCKS)
def test_there_is_one_peak_and_then_nothing(curves: dict[str, list[Result]], clock: str) -> None:
    found = curves[clock]
    top = peak(found)
    for load, one in zip(LOADS, found[:top], strict=False):
        assert one.mbit_per_s == pytest.approx(load, rel=0.01)
        assert not one.dropped
    hardly = 0.003 * found[top].throughput  # with so few datagrams left, chance decides
    for one, next in pairwise(found[top:]):
        assert next.throughput <= max(one.throughput + one.half_width + next.half_width, hardly)
    last = found[-1]
    assert last.throughput < 0.002 * found[top].throughput
    assert (last.bottleneck, last.bottleneck_share > 0.99) == ("receiver processor 0", True)
    assert sum(last.dropped.values()) > 0.95 * last.counts["datagrams sent"]


def test_a_faster_processor_moves_the_peak(curves: dict[str, list[Result]]) -> None:
    tops = [peak(found) for found in curves.values()]
    assert tops == sorted(set(tops))


def test_nothing_is_delivered_faster_than_the_closed_form_allows(curves: dict[str, list[Result]]) -> None:
    for found in curves.values():
        for one in found:
            assert one.throughput <= one.scenario.bounds().limit


@pytest.fixture(scope="module")
def nothing() -> Result:
    """The result at more than twice the load that the receiver can throw away."""
    slow = TEST.replace({"receiver.processors.clock": "40 MHz", "offered": "20 Mbit/s"})
    return ns.simulate(slow, precision=0.02)


def test_nothing_has_an_interval(nothing: Result) -> None:
    """With a mean of 4.6 random arrivals over the whole time, at least one would have been seen in 99 % of cases."""
    assert (nothing.throughput, nothing.converged) == (0, True)
    assert nothing.half_width == pytest.approx(4.605 * 64 * 8 / nothing.elapsed, rel=0.01)
    assert nothing.half_width <= 0.02 * nothing.scenario.bounds().limit
    assert nothing.simulated < 2
    assert str(nothing).startswith("UDP_STREAM   0 Mbit/s, below 0.0")
    assert Result.from_json(nothing.to_json()) == nothing


def test_nothing_can_be_compared(nothing: Result) -> None:
    some = ns.simulate(TEST, precision=0.05)
    assert nothing.quotient(some) == (0, pytest.approx(nothing.half_width / some.throughput))
    assert "-4.0" in str(some.compare(nothing))
    assert "+4.0" in str(nothing.compare(some))
    with pytest.raises(ScenarioError, match="nothing was delivered there"):
        some.quotient(nothing)


def test_nothing_is_a_point_of_a_sweep(nothing: Result) -> None:
    axes = {"offered": ["4 Mbit/s", "20 Mbit/s"]}
    found = ns.sweep(nothing.scenario.replace("min_iterations", 1), axes, precision=0.05, progress=False)
    frame = found.to_frame()
    assert not found.status().failed
    assert frame["throughput"].tolist()[1] == 0
    assert frame["half_width"].tolist()[1] > 0


def test_a_connection_that_waits_for_its_timer_is_alive() -> None:
    """The first segment is lost, and sent again after three seconds."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    test = ns.Netperf("TCP_STREAM", pc, pc, duration="20 s", min_iterations=1, max_iterations=1)
    result = ns.simulate(test.replace("link.bit_error_rate", 0.01), precision=0.05)
    assert (result.throughput, result.converged) == (0, False)
    assert result.counts["retransmission timeouts"] >= 2
    assert result.simulated > 19
