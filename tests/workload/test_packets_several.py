"""Several adapters of a host, which may share a switch's uplink, and compressed completion entries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.errors import ScenarioError
from netsim.units import MS, US
from tests.packet_tools import packets, receivers
from tests.workload.test_packets import run

SWITCH = {"model": "gen3-x16"}


def rate(test: ns.Packets, time: int = MS) -> float:
    return run(test, time).delivered * 1e12 / time


@given(receivers(), st.integers(1, 3), st.sampled_from([None, "pcie-3-x4", "pcie-3-x16"]), st.booleans(),
       st.integers(1, 200))  # fmt: skip
@settings(max_examples=20, deadline=None)
def test_nothing_is_faster_than_its_bound(
    test: ns.Packets, adapters: int, uplink: str | None, compressed: bool, time: int
) -> None:
    switch = None if uplink is None else SWITCH | {"uplink": uplink}
    test = test.replace({"cores": adapters * test.cores if adapters < 3 else 3, "adapters": adapters, "switch": switch})
    test = test.replace("adapter.compression", "mlx5" if compressed else None)
    found = run(test, time * US)  # includes an audit
    weight = test.cores * test.kernel.weight  # a poll counts its packets when it ends
    assert (found.delivered - weight) * 1e12 <= test.bounds().limit * found.env.now
    occupied = found.accounts().occupied
    assert set(occupied) <= set(test.bounds().demand)
    for name, share in found.accounts().utilisation().items():
        assert 0 <= share <= 1 + 1e-9, name


def test_adapters_in_slots_of_their_own_do_not_disturb_each_other() -> None:
    one, two = packets(cores=2), packets(cores=4, adapters=2)
    assert rate(two) == pytest.approx(2 * rate(one), rel=1e-6)
    assert two.bounds().demand["host PCIe upstream 0"] == one.bounds().demand["host PCIe upstream"] / 2


def test_behind_a_switch_they_share_its_uplink() -> None:
    """Two adapters, each able to fill it, get half of it each."""
    one = packets(cores=6, switch=SWITCH)
    two = packets(cores=6, adapters=2, switch=SWITCH)
    assert two.bounds().bottleneck == "switch PCIe upstream"
    assert rate(two) == pytest.approx(two.bounds().limit, rel=0.01)
    assert rate(two) == pytest.approx(rate(one), rel=0.01)
    found = run(two)
    halves = [sum(core.delivered for core in found.cores[at : at + 3]) for at in (0, 3)]
    assert halves[0] == pytest.approx(halves[1], rel=0.01)
    assert found.accounts().occupied["switch PCIe upstream"] > 0.99 * found.env.now
    assert ns.simulate(two, precision=0.01).bottleneck == "switch PCIe upstream"


def test_a_wider_uplink_is_no_slower_and_a_switch_adds_its_time() -> None:
    rates = [rate(packets(cores=6, adapters=2, switch=SWITCH | {"uplink": f"pcie-{one}"})) for one in
             ("3-x4", "3-x8", "3-x16", "4-x16")]  # fmt: skip
    assert rates == sorted(rates)
    near, far = packets(offered=1000, burst=1), packets(offered=1000, burst=1, switch=SWITCH)
    gained = run(far).longest - run(near).longest
    assert gained == pytest.approx(2 * 150_000, abs=2)  # delay of its packet and of its interrupt


# ---- compressed completions ----


def test_an_entry_takes_its_part_of_a_session() -> None:
    """For 64 packets of 60 bytes: a title and eight blocks of 64 bytes, each a write with 24 bytes around it."""
    adapter, pcie = packets().adapter, packets().pcie
    each = 84 + 24 / 8  # data, and the read of eight descriptors
    a_million = pcie.time(10**6) / 1e6

    def wire(name: str | None, apart: float = 0, **changes: Any) -> float:
        own = {f"compression.{key}": value for key, value in changes.items()}
        return adapter.replace({"compression": name} | own).rx_upstream(pcie, 64, apart) / a_million

    assert wire(None) == pytest.approx(each + 88, abs=0.1)
    assert wire("mlx5") == pytest.approx(each + 9 * 88 / 64, abs=0.1)
    assert wire("mlx5", session=32) == pytest.approx(each + 5 * 88 / 32, abs=0.1)
    assert wire("mlx5", session=8) == pytest.approx(each + 2 * 88 / 8, abs=0.1)
    assert wire("mlx5", session=9) == pytest.approx(each + 3 * 88 / 9, abs=0.1)
    assert wire("mlx5-enhanced", session=28) == pytest.approx(each + 4 * 88 / 28, abs=0.1)
    assert wire("mlx5", apart=1_000_001) == pytest.approx(each + 88, abs=0.1)  # each closes its session


def test_it_lifts_the_limit_of_the_slot() -> None:
    plain, short = packets(cores=6, pcie="pcie-3-x8"), packets(cores=6, pcie="pcie-3-x8", adapter__compression="mlx5")
    assert (plain.bounds().bottleneck, short.bounds().bottleneck) == ("host PCIe upstream",) * 2
    assert rate(short) == pytest.approx(rate(plain) * plain.link_times[0] / short.link_times[0], rel=0.02)
    assert rate(short) > 1.6 * rate(plain)


def test_a_packet_waits_until_its_session_closes() -> None:
    """On average for half of it; a lone packet does not wait."""
    busy, rare = (packets(offered=rate) for rate in (10**7, 10**5))
    both = [one.replace("adapter.compression", "mlx5").latency - one.latency for one in (busy, rare)]
    entry = busy.adapter.rx_upstream(busy.pcie, 64) - busy.replace("adapter.compression", "mlx5").link_times[0]
    assert both == [63 * 100_000 // 2 - entry, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"adapters": 2, "cores": 3}, "adapters: 2 do not divide 3 cores evenly; allowed: a divisor of 3"),
        ({"adapters": 2, "cores": 6, "driver.queues": 2}, "cores: 6 are 3 for each adapter, more than the driver has "
         "queues (2: driver.queues); allowed: up to 4"),
        ({"adapters": 2, "cores": 2, "pause": "802.3x"}, "pause: only with one adapter; allowed here: none"),
        ({"switch": SWITCH | {"credits": "sandy-bridge-ep"}}, 'switch.credits: credits are modelled only for'),
        ({"switch": SWITCH, "switch.uplink.max_payload": 128}, "switch.uplink.max_payload: 128 B are less than"),
        ({"adapter.compression": "mlx5", "adapter.rx_write_back": 4}, "adapter.compression: only for completion"),
    ],
)
def test_messages(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        packets().replace(changes)
    assert str(error.value).startswith(message)
