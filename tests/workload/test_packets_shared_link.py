"""Several cores whose queues share an adapter's link to memory: nothing is lost unless something is saturated."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.explore.rfc2544 import frame_trial
from netsim.units import MS
from tests.packet_tools import FIXED, POLICIES, packets
from tests.workload.test_packets import run

SLOTS = ["pcie-3-x4", "pcie-3-x8", "pcie-3-x16", "pcie-4-x16", "pcie-5-x16"]
XL710 = {"adapter": "xl710", "driver": "i40e", "link": "40gbase-sr4"}


def mean(test: ns.Packets) -> float:
    """The mean time (ps) of a packet. None may be dropped."""
    accounts = run(test, 6 * MS).accounts()  # includes an audit
    assert not sum(accounts.drops.values())
    return accounts.stays["packet"] / accounts.ended["packet"]


@st.composite
def light(draw: st.DrawFn) -> ns.Packets:
    """Up to 60 per cent of what the slowest slot and the cores can do."""
    policies = st.sampled_from([{"policy": name} for name in POLICIES] + [FIXED])
    action = draw(st.sampled_from(["xdp-drop", "linux-drop-raw", "linux-drop-conntrack", "linux-forward-one-route"]))
    test = packets(action, draw(st.sampled_from([64, 512, 1518])), draw(st.integers(1, 4)), pcie=SLOTS[0])
    changes = {
        "server.clock": draw(st.sampled_from(["2 GHz", "3.6 GHz"])), "driver.moderation": draw(policies),
        "adapter.fifo": draw(st.sampled_from(["32 KiB", "512 KiB"])),
    }  # fmt: skip
    test = test.replace(changes)
    return test.replace("offered", int(draw(st.floats(0.05, 0.6)) * min(test.bounds().limit, test.rate)))


@given(light())
@settings(max_examples=30, deadline=None)
def test_nothing_is_lost_in_any_slot_and_a_faster_one_is_no_slower(test: ns.Packets) -> None:
    """An interrupt may come one packet of its queue sooner or later, with one core, too."""
    means = [mean(test.replace("pcie", slot)) for slot in SLOTS]
    assert all(faster <= slower + test.apart for slower, faster in pairwise(means))


@pytest.mark.parametrize(("action", "cores", "slots"), [
    ("linux-drop-conntrack", 4, ["pcie-3-x8", "pcie-4-x16", "pcie-5-x16"]),
    ("linux-forward-one-route", 3, ["pcie-3-x8", "pcie-5-x16"]),
])  # fmt: skip
@pytest.mark.parametrize("adapter", [{}, XL710])
def test_half_of_what_the_cores_can_do_arrives(
    action: str, cores: int, slots: list[str], adapter: dict[str, Any]
) -> None:
    test = packets(action, 512, cores, **adapter, offered=2_500_000)
    for slot in slots:
        result = ns.simulate(test.replace("pcie", slot), precision=0.01)
        assert result.throughput == pytest.approx(2_500_000, rel=0.01)
        assert not sum(result.drops.values())


@pytest.mark.parametrize("interval", ["0 us", "20 us"])
def test_neither_more_cores_nor_a_higher_clock_lose_packets(interval: str) -> None:
    fixed = {"policy": "fixed-interval", "interval": interval}
    test = packets("linux-forward-one-route", 1518, **XL710, offered=1_300_000, driver__moderation=fixed)
    for cores in (2, 3, 4, 6):
        for clock in ("3.6 GHz", "6 GHz"):
            assert mean(test.replace({"cores": cores, "server.clock": clock})) > 0  # and nothing is dropped


@pytest.mark.parametrize("slot", ["pcie-3-x16", "pcie-4-x16"])
@pytest.mark.parametrize("frame", [64, 512, 1518])
def test_two_cores_forward_twice_as_much_as_one_without_loss(slot: str, frame: int) -> None:
    """One forwards 1.77 million packets of any size, by RFC 2544."""
    test = packets("linux-forward-one-route", frame, 2, pcie=slot)
    assert frame_trial(test, 3_400_000, 68_000).loss == 0
    assert frame_trial(test, 4_000_000, 80_000).loss > 0.05


@pytest.mark.parametrize("cores", [2, 4, 6])
def test_an_overloaded_link_moves_what_it_can(cores: int) -> None:
    """Its share is never above 1, and what does not find room is dropped."""
    test = packets("xdp-drop", 512, cores, pcie="pcie-3-x4")
    assert test.bounds().bottleneck == "host PCIe upstream"
    accounts = run(test, 4 * MS).accounts()
    assert accounts.utilisation()["host PCIe upstream"] == pytest.approx(1, rel=0.01)
    assert accounts.delivered * 1e12 / accounts.elapsed == pytest.approx(test.bounds().limit, rel=0.05)
    assert sum(accounts.drops.values()) > test.room
