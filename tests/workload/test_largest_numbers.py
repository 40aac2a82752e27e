"""No accepted number makes a bound slow, or takes memory in proportion: the highest value is as fast as any."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.units import GIB, QUANTITIES

EXAMPLES = Path(__file__).parents[2] / "examples"
AT_ONCE = 1.0  # s of processor time; each takes some hundredths


@pytest.mark.parametrize(
    ("name", "address", "value"),
    [
        ("netbench", "mix.sizes.3", GIB),
        ("perform3", "file_sizes.7", GIB),
        ("serverbench", "mix.processor.reply", GIB),
        ("serverbench", "mix.random_read.records", QUANTITIES["count"].highest),
        ("chariot", "file_size", GIB),
        ("p166", "receiver.processors.count", QUANTITIES["parts"].highest),
        ("p166", "receiver.nics.0.driver.tx_ring", QUANTITIES["ring"].highest),
    ],
)
def test_bounds_answer_at_once(name: str, address: str, value: int) -> None:
    test = ns.load(EXAMPLES / f"{name}.toml")
    begun = process_time()
    bounds = test.replace(address, value).bounds()
    assert process_time() - begun < AT_ONCE
    assert bounds.limit > 0
    with pytest.raises(ScenarioError, match=f"^{address}: .* is out of range"):
        test.replace(address, value + 1)


@pytest.mark.parametrize("name", ["p166", "netpipe", "chariot", "serverbench"])
@pytest.mark.parametrize("mtu", [1, 20, 40, 52, 53, 67])
def test_an_mtu_holds_the_longest_headers_and_data(name: str, mtu: int) -> None:
    """TCP's headers with timestamps are 52 bytes; every IP module accepts 68 (RFC 791, 3.2)."""
    test = ns.load(EXAMPLES / f"{name}.toml")
    with pytest.raises(ScenarioError, match=f"^mtu: {mtu} is out of range for an MTU; allowed: 68 B to 65535 B$"):
        test.replace("mtu", mtu)
    assert test.replace("mtu", 68).bounds().limit > 0


@pytest.mark.parametrize("change", [{}, {"test": "UDP_STREAM", "message": 100, "offered": "100 kbit/s"}])
def test_the_smallest_mtu_simulates(change: dict[str, object]) -> None:
    test = ns.load(EXAMPLES / "p166.toml").replace(change | {"mtu": 68})
    assert ns.simulate(test, precision=0.3, limit="50 ms").throughput > 0


def test_a_timeout_that_is_waited_for_again_and_again_is_above_zero() -> None:
    test = ns.load(EXAMPLES / "p166.toml")
    with pytest.raises(ScenarioError, match=r"min_timeout: .* allowed: 1 us to 1000000 s$"):
        test.replace("sender.system.tcp.min_timeout", "0 s")
    shortest = test.replace("sender.system.tcp.min_timeout", "1 us")
    assert ns.simulate(shortest, precision=0.3, limit="50 ms").throughput > 0
