"""Devices that share the uplink of a PCI Express switch: compared with the closed form, and in turns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import PCIE_DOWNSTREAM, PCIE_UPSTREAM, POSTED_HEADERS
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.units import US
from netsim.workload.dma.run import DmaRun
from netsim.workload.dma.switched_bounds import DEVICE, SWITCH, alone
from netsim.workload.dma.switched_run import SwitchedDmaRun
from tests.workload.test_dma import dma, rate, run, transfers

SHARED = {"model": "gen3-x16", "uplink": "pcie-3-x8"}
FEW = {"posted_headers": 2, "posted_data": 32, "nonposted_headers": 2, "return_time": "300 ns"}


def shared(operation: str, size: int, devices: int = 2, outstanding: int = 64, **changes: Any) -> ns.Dma:
    switch = changes.pop("switch", SHARED)
    return dma(operation, size, devices=devices, outstanding=outstanding, switch=switch, **changes)


@st.composite
def behind_a_switch(draw: st.DrawFn) -> ns.Dma:
    """Any transfers of one device, and of several such devices."""
    test = draw(transfers())
    lanes, generation = draw(st.sampled_from([1, 4, 16])), draw(st.integers(1, 5))
    uplink = {"model": f"pcie-{max(3, generation)}-x{max(4, lanes)}", "lanes": lanes, "generation": generation}
    credits = draw(st.none() | st.just(FEW | {"posted_data": 300, "posted_headers": draw(st.integers(1, 5))}))
    switch = {
        "uplink": uplink | {"max_payload": 4096}, "time": f"{draw(st.integers(0, 200))} ns", "credits": credits,
        "forwarding": draw(st.sampled_from(["cut-through", "store-and-forward"])),
    }  # fmt: skip
    return test.replace({"switch": switch, "devices": draw(st.integers(1, 4))})


@given(behind_a_switch(), st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_nothing_is_faster_than_its_bound(test: ns.Dma, time: int) -> None:
    found = run(test, time * US)  # includes an audit
    assert rate(found) <= test.bounds().limit * (1 + 1e-12)
    assert set(test.bounds().demand) >= set(found.accounts().occupied) - {"IOMMU walkers"}
    for name, ps in found.accounts().occupied.items():
        assert 0 <= ps <= found.env.now, name


@given(behind_a_switch())
@settings(max_examples=20, deadline=None)
def test_a_lone_command_takes_what_the_closed_form_says(test: ns.Dma) -> None:
    """To the picosecond, with tags and credits for all of its packets."""
    changes = {"outstanding": 1, "engine.tags": 1000, "credits": None, "switch.credits": None, "devices": 1}
    test = test.replace(changes)
    assert test.switch is not None
    time, found = alone(test, test.switch), test.build(Environment())
    found.start()
    found.env.run(3 * time + 1)
    assert found.transactions.stays() == {test.operation: 3 * time}


def test_a_packet_crosses_by_hand() -> None:
    """A write of 64 bytes over eight lanes of generation 3 to the switch, and over four from there."""
    test = shared("write", 64, 1, 1, engine__overhead="0 ns", engine__rate=None, engine__write_interval="0 ns")
    test = test.replace("switch.uplink", "pcie-3-x4")
    first, second = test.pcie.time(88), test.switch.uplink.time(88)  # type: ignore[union-attr]
    assert alone(test, test.switch) == 150_000 + second  # type: ignore[arg-type]
    stored = test.replace("switch.forwarding", "store-and-forward")
    assert alone(stored, stored.switch) == first + 150_000 + second  # type: ignore[arg-type]
    fast = test.replace("switch.uplink", "pcie-3-x16")
    assert alone(fast, fast.switch) == first + 150_000  # type: ignore[arg-type]  # it must not run dry


@pytest.mark.parametrize(
    ("test", "bottleneck"),
    [
        (shared("read", 4096), Resource(SWITCH, PCIE_DOWNSTREAM)),
        (shared("write", 4096), Resource(SWITCH, PCIE_UPSTREAM)),
        (shared("write", 4096, 4, switch={"model": "gen3-x16"}), Resource(SWITCH, PCIE_UPSTREAM)),
        (shared("read", 4096, switch={"model": "gen3-x16"}), Resource(DEVICE, PCIE_DOWNSTREAM, 0)),
        (shared("write", 64, switch=SHARED | {"credits": FEW}), Resource(DEVICE, POSTED_HEADERS, 0)),
    ],
)
def test_what_limits_is_reached(test: ns.Dma, bottleneck: Resource) -> None:
    found, bounds = run(test, 60 * US), test.bounds()
    assert bounds.bottleneck == bottleneck
    assert rate(found) == pytest.approx(bounds.limit, rel=0.05)  # including the time to start
    assert found.accounts().utilisation()[bottleneck] > 0.94


@pytest.mark.parametrize(("access", "near"), [("sequential", 0.002), ("random", 0.03)])
def test_walkers_of_an_iommu_limit_all_devices(access: str, near: float) -> None:
    test = shared("write", 300, switch={"model": "gen3-x16"}, iommu="vt-d", window="1 MiB", access=access)
    result, bounds = ns.simulate(test.replace("iommu.walkers", 3)), test.replace("iommu.walkers", 3).bounds()
    assert result.bottleneck == bounds.bottleneck == "IOMMU walkers"
    assert result.throughput == pytest.approx(bounds.limit, rel=near)


def test_the_uplink_is_shared_in_equal_parts() -> None:
    """Three devices, each able to fill it, get a third each, equal within a packet's worth."""
    found = run(shared("write", 1500, 3), 50 * US)
    assert isinstance(found, SwitchedDmaRun)
    both = zip(found.engines, found.switch.ports, strict=True)
    sent = [engine.bytes_written - port.bytes_inside for engine, port in both]
    assert max(sent) - min(sent) <= 2 * 256
    one = run(shared("write", 1500, 1), 50 * US)
    assert found.delivered == pytest.approx(one.delivered, rel=0.02)


def test_one_device_behind_a_switch_is_a_device_with_a_longer_way() -> None:
    """If the uplink is as fast as the device's own link, the switch only adds delay."""
    behind, plain = (shared("read", 1500, 1, 1), dma("read", 1500, switch_time="150 ns"))
    assert run(behind).transactions.stays() == run(plain).transactions.stays()


def test_more_devices_never_move_less_and_a_faster_uplink_neither() -> None:
    moved = [run(shared("read", 512, devices), 30 * US).delivered for devices in (1, 2, 4)]
    assert moved == sorted(moved)
    uplinks = [shared("read", 512, 4, switch=SHARED | {"uplink": f"pcie-3-x{lanes}"}) for lanes in (4, 8, 16)]
    moved = [run(one, 30 * US).delivered for one in uplinks]
    assert moved[1] == pytest.approx(2 * moved[0], rel=0.05)
    assert moved[2] >= moved[1]


def test_a_lost_packet_is_noticed() -> None:
    found: DmaRun = shared("write", 1500).build(Environment())
    found.start()
    found.env.run(20 * US)
    found.engines[0].bytes_written += 64
    with pytest.raises(ConservationError, match="bytes written"):
        found.audit()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"switch": None}, "devices: 2 need a switch; allowed here: 1"),
        ({"switch.uplink.max_payload": 128}, "switch.uplink.max_payload: 128 B are less than pcie.max_payload"),
        ({"switch.credits": FEW | {"posted_data": 8}}, "switch.credits.posted_data: 8 don't hold a packet of 256 B"),
        ({"switch.forwarding": "cut"}, 'switch.forwarding: "cut" is not allowed'),
    ],
)
def test_messages(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        shared("write", 1500).replace(changes)
    assert str(error.value).startswith(message)
