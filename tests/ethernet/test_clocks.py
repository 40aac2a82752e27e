"""The clocks of a link's ends."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Link, LinkSpec
from netsim.workload import Flows
from tests.stream_hosts import stream

LINK = LinkSpec.from_name("100base-tx")
TOLERANT = LINK.replace("clock_tolerance", 1e-4)


def rates(spec: LinkSpec, seeds: int = 200) -> list[int]:
    return [Link(Environment(seed), spec, Resource("receiver", "wire")).spec.rate for seed in range(seeds)]


def test_each_run_draws_a_clock_within_the_tolerance() -> None:
    drawn = rates(TOLERANT)
    assert len(set(drawn)) > 190
    assert all(abs(rate / LINK.rate - 1) <= 1e-4 for rate in drawn)
    assert min(drawn) < LINK.rate * (1 - 9e-5) < LINK.rate * (1 + 9e-5) < max(drawn)
    assert rates(TOLERANT, 3) == rates(TOLERANT, 3)
    assert set(rates(LINK, 3)) == {LINK.rate}


@pytest.mark.parametrize("tolerance", [0.05, 1.5])
def test_no_receiver_follows_a_clock_that_is_too_far_off(tolerance: float) -> None:
    """A sender that is faster than its rate exceeds the closed form's bound by as much."""
    allowed = f"{tolerance} is out of range for the tolerance of a clock; allowed: 0 to 0.001"
    with pytest.raises(ScenarioError, match=f"clock_tolerance: {allowed}"):
        LINK.replace("clock_tolerance", tolerance)
    assert LINK.replace("clock_tolerance", 1e-3).clock_tolerance == 1e-3


def two_senders(tolerance: float) -> Flows:
    """Two testers send as much as a wire takes, through a switch to a third."""
    link = {"model": "100base-tx", "clock_tolerance": tolerance}
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    return Flows(
        {"spare": pc},
        {name: {"kind": "datagrams", "sender": name, "receiver": "r"} for name in "ab"},
        links={f"to-{name}": {"ends": [name, "s"], "link": link} for name in ("a", "b", "r", "spare")},
        switches={"s": "summit48"},
        testers=["a", "b", "r"],
        duration="5 s",
    )


def test_senders_with_exact_clocks_stay_in_step() -> None:
    """The port has room just before the same sender's frames end, each time. The result says so."""
    result = ns.simulate(two_senders(0), precision=0.05, seed=2)
    assert min(one.throughput for one in result.flows) == 0
    assert "stay in step" in str(result)


def test_with_different_clocks_each_has_its_turn() -> None:
    result = ns.simulate(two_senders(1e-4), precision=0, seed=2)
    assert min(one.throughput for one in result.flows) > 0.6 * max(one.throughput for one in result.flows)
    assert "stay in step" not in str(result)


def test_tools_without_cables_have_exact_clocks() -> None:
    with pytest.raises(ScenarioError, match=r"link\.clock_tolerance: 0\.0001 is not allowed"):
        stream(link__clock_tolerance=1e-4)
