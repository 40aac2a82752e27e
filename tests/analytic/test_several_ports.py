"""A server with several cables against closed forms: the throughput of each port's wire, with a bond and without."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.closed_form.load import Demand
from netsim.closed_form.parts import fastest

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
ADDRESS = {"policy": "address", "tx_cycles": 500, "detection": "0 s"}
FLOWS = ["download", "upload"]


def chariot(ports: int, clients: int, bond: Any = None, **changes: Any) -> ns.Chariot:
    server = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * ports, bond=bond)
    given = {"switch": "aceswitch-180", "link": "10base-t", "flow": "download", **changes}
    return ns.Chariot(server=server, clients=[PC] * clients, **given)


def busy(flow: str, port: int) -> str:
    return f"wire server {port} to switch" if flow == "download" else f"wire switch to server {port}"


# Each number of ports with each bond and each flow, and each bond with each flow.
PAIRWISE = [
    (2, 4, None, "download"), (2, 4, ADDRESS, "upload"),
    (3, 6, None, "upload"), (3, 6, ADDRESS, "download"),
    (4, 8, None, "download"), (4, 8, ADDRESS, "upload"),
]  # fmt: skip


@pytest.mark.parametrize(("ports", "clients", "bond", "flow"), PAIRWISE)
def test_clients_fill_all_wires(ports: int, clients: int, bond: Any, flow: str) -> None:
    test = chariot(ports, clients, bond, flow=flow, pairs=2)
    bounds = test.bounds()
    whole = chariot(1, 1).bounds().demand["wire server to switch"]
    assert [bounds.demand[busy(flow, port)] for port in range(ports)] == pytest.approx([whole / ports] * ports)
    result = ns.simulate(test, limit="3 s")
    assert result.throughput == pytest.approx(bounds.limit, rel=3e-3)
    assert all(result.utilisation[busy(flow, port)] > 0.995 for port in range(ports))
    assert result.bottleneck in [busy(flow, port) for port in range(ports)]


@pytest.mark.parametrize("bond", [None, ADDRESS])
def test_a_port_without_clients_carries_nothing(bond: Any) -> None:
    test = chariot(4, 2, bond, pairs=2)
    assert test.bounds().limit == pytest.approx(chariot(2, 2, bond).bounds().limit)
    result = ns.simulate(test, limit="2 s")
    assert result.throughput == pytest.approx(test.bounds().limit, rel=5e-3)
    assert [result.utilisation[busy("download", port)] for port in (2, 3)] == [0, 0]


def test_equal_clients_on_equal_ports_have_equal_bounds() -> None:
    """Both ways at once, where the server's processor decides and prefers one way: no wire needs as long."""
    test = chariot(4, 4, link="100base-tx", flow="bidirectional").replace("server.processors.clock", "100 MHz")
    demand = test.bounds().demand
    for name in ("wire switch to server {}", "wire server {} to switch"):
        first, *others = [demand[name.format(port)] for port in range(4)]  # type: ignore[index]
        assert others == [first] * 3
    assert test.bounds().bottleneck == "server processors"
    slower = test.replace("clients.3.processors.clock", "20 MHz").bounds()
    assert slower.limit <= test.bounds().limit * (1 + 1e-9)


@pytest.mark.parametrize(("slow", "shares"), [(4.0, [0.8, 0.2]), (1.0, [0.5, 0.5])])
def test_shares_are_evened_only_where_that_costs_nothing(slow: float, shares: list[float]) -> None:
    flows: list[Demand] = [{Resource("server", "bus", 0): 1.0}, {Resource("server", "bus", 1): slow}]
    assert fastest(flows, [1, 1], [[0, 1]]) == pytest.approx(shares, rel=1e-4)


def test_unequal_ports_make_unequal_clients() -> None:
    """Three clients on two ports: the one with a port of its own is twice as fast as the others."""
    result = ns.simulate(chariot(2, 3, pairs=2), limit="3 s")
    first, second, third = (
        sum(rate for name, rate in result.pairs.items() if name.startswith(f"client{number}")) for number in (1, 2, 3)
    )
    assert second == pytest.approx(2 * first, rel=0.02)
    assert third == pytest.approx(first, rel=0.02)


@pytest.mark.parametrize(("bond", "trunk"), [("round-robin", "address"), ("address", "round-robin")])
def test_each_end_distributes_as_it_likes(bond: str, trunk: str) -> None:
    """One client: its frames take all ports in turn, or all take one."""
    test = chariot(2, 1, ADDRESS | {"policy": bond}).replace("switch.trunk", trunk)
    shares = {"address": [1.0, 0.0], "round-robin": [0.5, 0.5]}
    one = chariot(1, 1).bounds().demand
    run = ns.simulate(test, limit="1 s", precision=0.05)
    for way, policy in (("wire server {} to switch", bond), ("wire switch to server {}", trunk)):
        whole = one[way.replace(" {}", "")]
        found = [run.utilisation[way.format(port)] for port in (0, 1)]
        for port, share in enumerate(shares[policy]):
            assert test.bounds().demand[way.format(port)] == pytest.approx(share * whole)
            assert found[port] == pytest.approx(share * sum(found), rel=0.03)


def test_every_port_is_a_card_of_its_own() -> None:
    """A slow card bounds its own client, and not the other."""
    fast = chariot(2, 2, link="100base-tx")
    slow = fast.replace({"server.nics.1.tx_frames": 1, "server.nics.1.tx_turnaround": "1 ms"})
    assert 0.5 * fast.bounds().limit < slow.bounds().limit < 0.6 * fast.bounds().limit
    result = ns.simulate(slow, limit="0.5 s", precision=0.02)
    assert result.throughput < slow.bounds().limit
    assert result.pairs["client2 download"] < 0.15 * result.pairs["client1 download"]


@pytest.mark.parametrize(("ports", "parts"), [(1, [1.0]), (2, [1 / 2, 1 / 2]), (3, [2 / 3, 1 / 3])])
def test_interrupts_that_are_spread_load_each_processor_with_its_ports(ports: int, parts: list[float]) -> None:
    test = chariot(ports, 6).replace({"server.processors.count": 2, "server.system.tcp.backlog": False})
    first, spread = (
        test.replace("server.system.kernel.interrupts", way).bounds().demand for way in ("first", "spread")
    )
    assert "server processor 1" not in first
    found = [ps for name, ps in spread.items() if name.startswith("server processor ")]
    assert found == pytest.approx([part * first["server processor 0"] for part in parts], rel=1e-4)


@pytest.mark.parametrize("bond", [None, ADDRESS])
@pytest.mark.parametrize("flow", FLOWS)
def test_a_serialised_port_bounds_what_several_processors_can_do(flow: str, bond: Any) -> None:
    """Its lock is always held, by the driver and by protocols that handle received frames; the other port works in
    parallel. The costs of NDIS and the bond outside the lock are small here."""
    changes: dict[str, Any] = {
        "processors.count": 4,
        "system.kernel.interrupts": "spread",
        "system.kernel.big_lock": False,
        "system.kernel.ring_work": "deferred",
        "system.tcp.backlog": False,
    }
    for port in (0, 1):
        costs = {"serialised": True, "tx_cycles": 60_000, "rx_cycles": 60_000}
        changes |= {f"nics.{port}.driver.{name}": value for name, value in costs.items()}
    test = chariot(2, 4, flow=flow, link="100base-tx", pairs=2)
    test = test.replace("server", test.server.replace(changes).replace("bond", bond))
    result = ns.simulate(test, precision=0.01, limit="1 s")
    assert test.bounds().bottleneck == "server nic 0 miniport lock"
    assert min(result.utilisation[f"server nic {port} miniport lock"] for port in (0, 1)) > 0.95
    assert 0.8 * test.bounds().limit < result.throughput < test.bounds().limit
    assert result.cpu["server"] < 0.9
