"""Routes through hosts, and refusals for forwarding hosts and for testers."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from tests.in_networks import FAST, STREAM, between_testers, routed


def gateway(ports: int = 2, forwards: str | None = "ip", model: str = "piii-600") -> ns.ComputerSpec:
    return ns.host(model, system="linux-2.2.16", nics=["3c905b/3c59x"] * ports, forwards=forwards)


def links(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {f"l{number}": {"ends": pair} for number, pair in enumerate(pairs)}


CHAIN = links(("a", "r1.0"), ("r1.1", "r2.0"), ("r2.1", "b"))


def test_a_way_leads_through_hosts_that_forward() -> None:
    hosts = {"a": FAST, "b": FAST, "r1": gateway(), "r2": gateway(forwards="bridge")}
    there, back = ns.Flows(hosts, {"files": STREAM}, links=CHAIN).routes()["files"]  # type: ignore[misc]
    assert [str(hop.wire) for hop in there.hops] == ["wire l0 to r1", "wire l1 to r2", "wire l2 to b"]
    assert [(hop.near, hop.far) for hop in back.hops] == [(hop.far, hop.near) for hop in there.hops[::-1]]
    assert [leg.ports for leg in there.legs] == [(0, 0), (1, 0), (1, 0)]


def test_it_is_the_one_over_the_fewest_wires() -> None:
    """A longer route comes first by name."""
    hosts = {"a": FAST, "b": FAST, "r": gateway(3), "q": gateway()}
    wires = links(("a", "r.0"), ("r.1", "q.0"), ("q.1", "s"), ("r.2", "s"), ("s", "b"))
    test = ns.Flows(hosts, {"files": STREAM}, links=wires, switches={"s": "summit48"})
    assert [hop.by for hop in test.routes()["files"][0].hops] == ["links.l0", "links.l3", "links.l4"]  # type: ignore[index]


def test_hosts_that_do_not_forward_are_no_way() -> None:
    with pytest.raises(ns.ScenarioError, match=r"flows\.files\.receiver: no path from \"a\"; allowed: r1"):
        ns.Flows({"a": FAST, "b": FAST, "r1": gateway(forwards=None), "r2": gateway()}, {"files": STREAM}, links=CHAIN)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"hosts.gateway.nics": ["3c905b/3c59x"]}, r"hosts\.gateway\.forwards: a host with one port has nowhere .*"),
    ({"hosts.gateway.system.forwarding": None}, r'hosts\.gateway\.forwards: "ip": the costs of forwarding .*'),
    ({"hosts.gateway.forwards": "ipx"}, r"hosts\.gateway\.forwards: .*"),
    ({"testers": ["left", "gateway"]}, r'testers\.1: "gateway" is already the name of something else; .*'),
    ({"testers": ["left", "right", "up"]}, r"testers\.2: not connected; .*"),
    ({"testers": ["left", "right", "a.b"]}, r'testers\.2: "a\.b" is not a name; .*'),
    ({"flows.load": {"sender": "left", "receiver": "right"}},
     r'flows\.load\.kind: "stream" is not allowed from or to a tester; allowed: datagrams'),
    ({"flows.load.size": 1473}, r"flows\.load\.size: 1473 bytes don't fit into one frame, .*; allowed: 1 to 1472"),
    ({"hosts.gateway.system.kernel.polling": "mask"}, r'hosts\.gateway\.system\.kernel\.polling: nothing in .*'),
    ({"hosts.gateway.system.kernel.polling": "constant", "hosts.gateway.processors.count": 2},
     r'hosts\.gateway\.system\.kernel\.polling: "constant" is modelled for one .*; allowed on several: "masked"'),
    ({"hosts.gateway.system.kernel.polling": "ticks", "hosts.gateway.system.kernel.tick": 0},
     r'hosts\.gateway\.system\.kernel\.tick: 0 is not allowed with "ticks" polling; .*'),
    ({"hosts.gateway.system.kernel.polling": "constant",
      "hosts.gateway.nics.1.driver.rx_moderation": {"policy": "absolute-delay", "delay": "1 us"}},
     r'hosts\.gateway\.nics\.1\.driver\.rx_moderation: with "constant" polling there are no .*'),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_what_can_not_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}$"):
        between_testers(1000).replace(changes)


def test_bridges_form_no_loop() -> None:
    """Routers may form one."""
    wires = links(("a", "s"), ("s", "r1.0"), ("s", "r2.0"), ("r1.1", "t"), ("r2.1", "t"), ("t", "b"))
    for how in ("ip", "bridge"):
        hosts = {"a": FAST, "b": FAST, "r1": gateway(forwards=how), "r2": gateway(forwards=how)}
        switches = dict.fromkeys("st", "summit48")
        if how == "bridge":
            with pytest.raises(ns.ScenarioError, match=r"links\.l\d: closes a loop of switches or bridges .*"):
                ns.Flows(hosts, {"files": STREAM}, links=wires, switches=switches)
        else:
            assert ns.Flows(hosts, {"files": STREAM}, links=wires, switches=switches).routes()["files"] is not None


def test_both_ports_of_a_bridge_on_one_segment_are_a_loop() -> None:
    shared = {"coax": {"stations": ["a", "gateway.0", "gateway.1", "b"], "segment": "100base-tx-hub"}}
    with pytest.raises(ns.ScenarioError, match=r"segments\.coax\.stations: .*each once"):
        routed(links={}, segments=shared)


@pytest.mark.parametrize("keys", [{}, {"segment": "100base-tx-hub"}])
def test_nothing_passes_through_a_host_of_another_tool(keys: dict[str, Any]) -> None:
    with pytest.raises(ns.ScenarioError, match=r'^receiver\.forwards: "ip": no host forwards in this test; .*'):
        ns.Netperf("TCP_STREAM", FAST, gateway(), **keys)


def test_a_host_keeps_forwarding_under_another_name() -> None:
    assert routed().replace("hosts.gateway", "piii-600").computers["gateway"].forwards == "ip"
