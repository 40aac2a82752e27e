"""Bonds and failing links in user-defined networks, compared with the tools that have the same."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.units import MS
from tests.in_networks import FAST, PACED, STREAM, cabled

TWO = ns.host("piii-600", system="linux-2.2.16", nics="dfe570tx:2/tulip", bond="linux-2.2.17")
BY_PEER = TWO.replace("bond.policy", "address")
DATAGRAMS = {"kind": "datagrams", "sender": "a", "receiver": "b", "size": 4000}
ASKED = {"kind": "request-response", "sender": "a", "receiver": "b", "over": "udp", "request": 4000, "response": 100}


def direct(flow: dict[str, Any], **changes: Any) -> ns.Flows:
    """Two hosts with bonds, port to port."""
    links = {f"cable{port}": {"ends": [f"a.{port}", f"b.{port}"]} for port in (0, 1)}
    return ns.Flows(**({"hosts": {"a": TWO, "b": TWO}, "links": links, "flows": {"one": flow}} | changes))


def around(server: ns.Spec = TWO, trunk: str = "round-robin", **changes: Any) -> ns.Flows:
    """A server with a bond and two clients around a switch; the server sends each client a flow."""
    links = {f"up{port}": {"ends": [f"server.{port}", "office"]} for port in (0, 1)}
    links |= {name: {"ends": [name, "office"]} for name in "ab"}
    flows = {f"to-{name}": {"kind": "stream", "sender": "server", "receiver": name} for name in "ab"}
    hosts = {"server": server, "a": FAST, "b": FAST}
    switch = ns.Flows(hosts={"a": FAST, "b": FAST}, flows={"f": STREAM}, switches={"office": "summit48"},
                      links={n: {"ends": [n, "office"]} for n in "ab"}).devices["office"]  # fmt: skip
    given = {"hosts": hosts, "flows": flows, "links": links, "switches": {"office": switch.replace("trunk", trunk)}}
    return ns.Flows(**(given | changes))


def ran(test: ns.Flows, until: int = 60 * MS) -> Any:
    run = test.build(Environment(1))
    run.start()
    run.env.run(until)
    run.audit()
    return run


def carried(run: Any) -> dict[str, int]:
    return {str(link.name): link.frames for link in run.ledger.links}


@pytest.mark.parametrize(("flow", "test"), [(STREAM, "TCP_STREAM"), (DATAGRAMS, "UDP_STREAM")])
def test_port_to_port_it_is_netperfs_pair(flow: dict[str, Any], test: str) -> None:
    size = {"message": 4000} if test == "UDP_STREAM" else {}
    pair = ns.Netperf(test, TWO, TWO, **size)
    network = direct(flow)
    assert network.bounds().limit == pytest.approx(pair.bounds().limit)
    one, other = (ns.simulate(each, precision=0.05, limit="0.3 s").throughput for each in (network, pair))
    assert one == pytest.approx(other, rel=0.05)
    assert one <= network.bounds().limit


def test_frames_go_over_all_links_in_turn() -> None:
    frames = carried(ran(direct(DATAGRAMS)))
    assert frames["wire cable0 to b"] == pytest.approx(frames["wire cable1 to b"], abs=1)
    assert frames["wire cable0 to b"] > 100


@pytest.mark.parametrize("trunk", ["round-robin", "address"])
@pytest.mark.parametrize("server", [TWO, BY_PEER], ids=["in turn", "by peer"])
def test_a_server_at_a_switch(server: ns.Spec, trunk: str) -> None:
    """With either policy at either end both links are used: there are two peers, with a link each."""
    test = around(server, trunk)
    run = ran(test)
    frames, limits = carried(run), test.flow_bounds()
    for way in ("office", "server"):
        assert frames[f"wire up0 to {way}"] == pytest.approx(frames[f"wire up1 to {way}"], rel=0.2)
    for flow in run.flows:
        assert 0 < flow.delivered <= limits[flow.name].limit / 8 * 0.06 + 65_535
    assert run.delivered <= test.bounds().limit / 8 * 0.06 + 2 * 65_535
    if server is BY_PEER:
        assert run.delivered > 0.9 * test.bounds().limit / 8 * 0.06


def test_by_peer_a_lone_flow_has_one_link() -> None:
    test = around(BY_PEER, flows={"one": STREAM | {"sender": "server", "receiver": "b"}})
    frames = carried(ran(test))
    assert frames["wire up0 to office"] > 0
    assert frames["wire up1 to office"] == 0
    assert test.bounds().bottleneck.host != "server"


def test_a_request_in_fragments_over_both_links_takes_no_less_than_its_steps() -> None:
    test = direct(ASKED)
    run = ran(test)
    assert min(run.response_logs["one"].times) >= 4100 / (test.flow_bounds()["one"].limit / 8) * 10**12


# --- links that fail -------------------------------------------------------------------------------------------------


OUTAGE = {"link": "up1", "at": "100 ms", "until": "200 ms"}


@pytest.mark.parametrize("server", [TWO, BY_PEER], ids=["in turn", "by peer"])
def test_a_bond_goes_on_with_what_is_left(server: ns.Spec) -> None:
    server = server.replace("bond.detection", "5 ms")
    links = {name: {"ends": [name, "office"]} for name in "ab"}
    links |= {f"up{port}": {"ends": [f"server.{port}", "office"], "link": "10base-t"} for port in (0, 1)}
    test = around(server, "address", links=links, outages=[OUTAGE], duration="300 ms", max_iterations=2)
    result = ns.simulate(test)
    assert [phase.cause for phase in result.phases] == ["start", "link up1 fails", "link up1 is back"]
    before, during, _ = (phase.throughput for phase in result.phases)
    limit = test.bounds().limit
    assert 0.7 < before / limit <= 1.05
    assert during / limit < 0.55
    assert any("link down" in place for place in result.dropped)


@pytest.mark.parametrize(("changes", "lost"), [({}, 300), ({"hosts.a.bond.detection": "10 ms"}, 30)])
def test_linux_2_2_sends_every_other_frame_into_a_cable_that_is_out(changes: dict[str, Any], lost: int) -> None:
    """Its bond monitors no link. Of 6000 datagrams a second, half are lost until the bond notices."""
    flow = DATAGRAMS | {"size": 1000, "offered": "48 Mbit/s"}
    outage = {"link": "cable1", "at": "20 ms", "until": "120 ms"}
    run = ran(direct(flow, outages=[outage], duration="150 ms").replace(changes), 150 * MS)
    assert sum(run.accounts().drops.values()) == pytest.approx(lost, abs=1)


def test_without_one_nothing_gets_through_until_it_is_back() -> None:
    outage = {"link": "cable", "at": "20 ms", "until": "40 ms"}
    flow = STREAM | {"kind": "datagrams", "offered": "8 Mbit/s", "size": 1000}
    test = ns.Flows({"a": FAST, "b": FAST}, {"one": flow}, links={"cable": {"ends": ["a", "b"]}}, outages=[outage],
                    duration="60 ms")  # fmt: skip
    run = test.build(Environment(1))
    run.start()
    read = []
    for time in (20, 21, 40, 60):
        run.env.run(time * MS)
        run.audit()
        read.append(run.delivered)
    assert read[0] > 15_000
    assert read[1] == pytest.approx(read[0], abs=1000)
    assert read[2] == read[1]
    assert read[3] - read[2] == pytest.approx(20_000, abs=2000)
    assert ns.Flows.from_toml(test.to_toml()) == test


@pytest.mark.parametrize(("until", "causes"), [
    (100 * 10**9 + 1, ["start", "link cable fails, link cable is back"]),
    (100 * 10**9 + 2, ["start", "link cable fails", "link cable is back"]),
    (150 * 10**9 - 1, ["start", "link cable fails"]),
])  # fmt: skip
def test_moments_a_picosecond_apart_begin_one_phase(until: int, causes: list[str]) -> None:
    """Two samples don't fit between them, nor between one and the end."""
    outage = {"link": "cable", "at": "100 ms", "until": f"{until} ps"}
    result = ns.simulate(cabled(PACED | {"sender": "a", "receiver": "b"}, outages=[outage], duration="150 ms"))
    assert [phase.cause for phase in result.phases] == causes
    assert all(phase.end > phase.start for phase in result.phases)
