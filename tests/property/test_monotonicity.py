"""More of a resource never lowers throughput: exactly in the closed form, within its noise in the simulation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.workload import Netperf

RESOURCES = [("processors.clock", "MHz"), ("memory.read", "MB/s"), ("memory.write", "MB/s")]
CARDS = ["rtl8139/rtl8139", "lne100tx/tulip", "3c905b/3c59x", "eepro100/eepro100"]


def scenario(card: str, test: str = "TCP_STREAM") -> Netperf:
    pc = ns.host("p166", system="linux-2.2.16", nics=[card])
    return Netperf(test=test, sender=pc, receiver=pc, message=8192)


@settings(max_examples=60, deadline=None)
@given(
    card=st.sampled_from(CARDS),
    test=st.sampled_from(["TCP_STREAM", "UDP_STREAM"]),
    side=st.sampled_from(["sender", "receiver"]),
    resource=st.sampled_from(RESOURCES),
    speeds=st.tuples(st.integers(5, 400), st.integers(5, 400)).map(sorted),
)
def test_the_bound_grows_with_every_resource(
    card: str, test: str, side: str, resource: tuple[str, str], speeds: list[int]
) -> None:
    address, unit = resource
    one = scenario(card, test)
    slow, fast = (one.replace(f"{side}.{address}", f"{speed} {unit}").bounds().limit for speed in speeds)
    assert slow <= fast * (1 + 1e-9)


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_the_bound_grows_with_the_bus(card: str, side: str) -> None:
    """The clocks are multiples: otherwise waits rounded to whole clocks may become slightly longer."""
    buses = [("8.25 MHz", 4), ("16.5 MHz", 4), ("33 MHz", 4), ("33 MHz", 8), ("66 MHz", 8)]
    bound = [
        scenario(card).replace({f"{side}.bus.clock": clock, f"{side}.bus.width": width}).bounds().limit
        for clock, width in buses
    ]
    assert bound == sorted(bound)


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_throughput_grows_with_the_processor_until_the_wire_is_full(side: str) -> None:
    fast = ns.host("piii-600", system="linux-2.2.16", nics=["lne100tx/tulip"])
    test = Netperf(test="TCP_STREAM", sender=fast, receiver=fast)
    clocks = ["20 MHz", "100 MHz", "150 MHz", "200 MHz", "400 MHz", "800 MHz"]
    found = [ns.simulate(test.replace(f"{side}.processors.clock", clock), limit="0.5 s").throughput for clock in clocks]
    assert all(more >= 0.995 * less for less, more in pairwise(found))
    assert found[0] < 0.6 * found[-1]
    assert found[-1] == pytest.approx(test.bounds().limit, rel=1e-3)
