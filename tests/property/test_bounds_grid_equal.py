"""Whatever is swept, the closed form at all points at once equals the closed form at each point, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.spec.field_types import quantity_at
from netsim.units import QUANTITIES, Exact
from tests.packet_tools import packets, pktgen
from tests.stream_hosts import stream

T = TypeVar("T")
LINUX = "linux-2.2.16"
PC = ns.host("piii-600", system=LINUX, nics=["3c905b/3c59x"])
P166 = ns.host("p166", system=LINUX, nics=["rtl8139/rtl8139"])
DUAL = ns.host("2xpii-400", system="windows-2000", nics=["pro100s/e100bnt5"])
SERVER = ns.netware_host("compaq-cp3301", system="netware-3.11", nics=["plx-sonic/plx-sonic-lan"])
WORKSTATION = ns.netware_host("ast-premium-5", system="netx-3", nics=["ne2000/ne2000-odi"])
SLOW = WORKSTATION.replace("nics.0.driver.rx_cycles", 9000)
BIG = {"send_buffer": 32768, "receive_buffer": 32768}
PCIE = {"pcie": "pcie-3-x8", "root_complex": "sandy-bridge-ep", "engine": "nfp-6000"}
SCENARIOS = {
    "Pktgen": pktgen(cores=2),
    "Iperf3": stream(streams=2),
    "Packets": packets("linux-forward-one-route", cores=2, offered=10**6),
    "Dma": ns.Dma("write-read", 1500, outstanding=4, **PCIE),
    "TCP_STREAM": ns.Netperf(test="TCP_STREAM", sender=PC, receiver=DUAL),
    "protected": ns.Netperf(test="TCP_STREAM", sender=DUAL, receiver=DUAL, ipsec="3des-cbc/hmac-sha-1-96"),
    "UDP_STREAM": ns.Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, **BIG),
    "NetPIPE": ns.NetPipe(sender=PC, receiver=P166, mpi="mpich-1.2.1"),
    "Chariot": ns.Chariot(server=DUAL, clients=[PC], switch="aceswitch-180", flow="download"),
    "two kinds": ns.Chariot(server=DUAL, clients=[PC, DUAL], switch="aceswitch-180", flow="upload"),
    "Perform3": ns.Perform3(server=SERVER, workstations=[WORKSTATION, SLOW, WORKSTATION]),
}
WORDS = {
    "sender.nics.0.driver": ["3c59x", "3c90x", "tulip"],
    "sender.system.ip.last_fragment_first": [True, False],
    "receiver.processors": [{"model": "piii-600", "count": 2}, "p166"],
    "receiver.system": [LINUX, "windows-2000"],
    "receiver.bus": ["pci-32-33", "pci-64-66"],
    "server.bus": ["eisa", "isa-16"],
    "flow": ["download", "bidirectional"],
    "segment": ["10base2", "10base-t-hub"],
    "sender.memory.bandwidth": ["none", "300 MB/s"],
}


def has(test: ns.Scenario, address: str) -> bool:
    return any(f"{one}.".startswith(f"{address}.") for one in test.addresses())


ALIKE = "processors"  # NetPIPE's bounds need the same number at both ends
NUMBERS = {name: [at for at in test.addresses() if quantity_at(test, at)] for name, test in SCENARIOS.items()}
NUMBERS["NetPIPE"] = [at for at in NUMBERS["NetPIPE"] if not at.endswith(f"{ALIKE}.count")]
CHOICES = {name: [at for at in WORDS if has(test, at)] for name, test in SCENARIOS.items()}
CHOICES["NetPIPE"] = [at for at in CHOICES["NetPIPE"] if not at.endswith(ALIKE)]


@st.composite
def numbers(draw: st.DrawFn, test: ns.Scenario, address: str) -> list[object]:
    """Some numbers around the present one, within its range."""
    rule, now = QUANTITIES[quantity_at(test, address)], test.get(address) or 0
    factors = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(7, 5), Fraction(3), Fraction(40)])
    found = [now * draw(factors) + draw(st.integers(0, 3)) for _ in range(draw(st.integers(2, 4)))]
    inside = [max(min(one, rule.highest or one), rule.lowest) for one in found]
    return [Exact(int(one)) if rule.whole else float(one) for one in inside]


@st.composite
def axes(draw: st.DrawFn, name: str) -> dict[str, list[object]]:
    test = SCENARIOS[name]
    chosen = draw(st.lists(st.sampled_from(NUMBERS[name]), min_size=1, max_size=2, unique=True))
    found = {address: draw(numbers(test, address)) for address in chosen}
    word = draw(st.none() | st.sampled_from(CHOICES[name])) if CHOICES[name] else None
    return found | ({word: WORDS[word]} if word and not any(one.startswith(f"{word}.") for one in found) else {})


def attempt(work: Callable[[], T]) -> tuple[T | None, str]:
    """The result, or the error."""
    try:
        return work(), ""
    except ns.ScenarioError as error:
        return None, str(error)


def loop(test: ns.Scenario, given: dict[str, list[object]]) -> list[object]:
    """Bounds, or the error, at each point."""
    points = [dict(zip(given, point, strict=True)) for point in product(*given.values())]
    found = [attempt(lambda point=point: test.replace(point).bounds()) for point in points]
    return [error if bounds is None else bounds for bounds, error in found]


def check(test: ns.Scenario, given: dict[str, list[object]]) -> None:
    alone = loop(test, given)
    errors = [one for one in alone if isinstance(one, str)]
    grid, refused = attempt(lambda: ns.bounds(test, given))
    if grid is None:
        assert refused in errors
        return
    assert sum(failure.points for failure in grid.failures) == len(errors)
    assert {str(failure.error) for failure in grid.failures} <= {*errors}
    frame = grid.to_frame()
    for number, found in enumerate(alone):
        row = frame.iloc[number]
        assert grid.failed.ravel()[number] == isinstance(found, str)
        if isinstance(found, str):
            assert row["bottleneck"] is None
            assert row[["throughput", *(f"demand.{name}" for name in grid.demand)]].isna().all()
            continue
        assert (row["throughput"], row["bottleneck"]) == (found.limit, found.bottleneck)
        assert {name for name in grid.demand if row[f"demand.{name}"] == row[f"demand.{name}"]} == {*found.demand}
        for name, ps in found.demand.items():
            assert (row[f"demand.{name}"], row[f"throughput.{name}"]) == (ps, found.throughput(name)), name


@pytest.mark.parametrize("name", SCENARIOS)
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_the_grid_is_the_loop(name: str, data: st.DataObject) -> None:
    check(SCENARIOS[name], data.draw(axes(name)))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        # sizes and number of the last fragments
        ("UDP_STREAM", {"message": [1, 1472, 1473, 2952, 65507, 70000], "mtu": [576, 1500]}),
        # segments handed over together, in a loop
        ("TCP_STREAM", {"mtu": [300, 576, 1500], "receiver.processors.count": [1, 2, 3]}),
        # more than any card accepts, with a link that would carry it
        ("TCP_STREAM", {"mtu": [1500, 1501], "link.mtu": [1500, 9000], "receiver.nics.0.max_frame": [1518, 9018]}),
        # elements of a list, too
        ("NetPIPE", {"sizes.0": [2, 3]}),
        # numbers beyond what a float or 64 bits can hold
        ("TCP_STREAM", {"sender.nics.0.tx_turnaround": [Exact(2**53 + 1), Exact(2**60 + 3)], "mtu": [576, 1500]}),
        ("TCP_STREAM", {"sender.processors.port_access": ["4 ms", Exact(2**70)], "mtu": [576, 1500]}),
        ("Chariot", {"file_size": [1, 32_767, 10**9, 10**12 + 1], "server.processors.clock": ["100 MHz", "3 GHz"]}),
        # a different split of a transfer
        ("Dma", {"pcie.max_payload": [128, 256, 300], "offset": [0, 4000, 5000]}),
        ("Dma", {"pcie.lanes": [1, 8], "pcie.generation": [2, 3], "size": [64, 1500]}),
        # the smaller of the server's and the workstation's counts
        ("Perform3", {"server.system.ncp.largest": [512, 1024], "workstations.1.system.ncp.largest": [512, 1400]}),
    ],
)
def test_points_that_go_different_ways(name: str, given: dict[str, list[object]]) -> None:
    check(SCENARIOS[name], given)
