"""Outages as a user writes them: allowed ones, and the times of their effects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.topology.outages import Outage

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
SERVER = ns.host("piii-600", system="linux-2.2.16", nics=["dfe570tx:2/tulip", "3c905b/3c59x"])
EXAMPLE = Path(__file__).parents[2] / "examples" / "failover.toml"


def outage(host: str = "server", port: int = 0, at: str = "1 s", until: str = "2 s") -> dict[str, Any]:
    return {"host": host, "port": port, "at": at, "until": until}


def chariot(*outages: dict[str, Any], **changes: Any) -> ns.Chariot:
    given = {"server": SERVER, "clients": [PC, PC], "duration": "4 s", **changes}
    return ns.Chariot(switch="aceswitch-180", flow="download", outages=outages, **given)


@pytest.mark.parametrize(
    ("outages", "message"),
    [
        ([outage(host="sever")], r'^outages.0.host: no host .* called "sever" \(did you mean "server"\?\)$'),
        ([outage(), outage(host="clients.2")], r"^outages.1.host: .*did you mean \"clients.[01]\""),
        ([outage(port=3)], r"^outages.0.port: 3 has no cable at server; allowed: 0 to 2$"),
        ([outage(host="clients.1", port=1)], r"^outages.0.port: 1 has no cable at clients.1; allowed: 0$"),
        ([outage(port=-1)], r"^outages.0.port: "),
        ([outage(until="1 s")], r"^outages.0.until: 1 s is not after the failure; allowed: more than 1 s$"),
        ([outage(until="5 s")], r"^outages.0.until: 5 s is after the test's end; allowed: up to 4 s$"),
        ([outage(), outage(at="1.5 s", until="3 s")], r"^outages.1.at: 1.5 s: this cable is already down"),
        ([outage(), outage(at="0.5 s", until="3 s")], r"^outages.1.at: 500 ms: this cable is already down"),
    ],
)
def test_wrong_outages(outages: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        chariot(*outages)


def test_outages_of_one_cable_may_follow_each_other_and_of_several_overlap() -> None:
    again, other = outage(at="2 s", until="3 s"), outage(port=1, until="3 s")
    client = outage("clients.0", at="0 s", until="4 s")
    assert chariot(outage(), again, other, client).moments() == {
        0: "client1 port 0 fails",
        1 * 10**12: "server port 0 fails, server port 1 fails",
        2 * 10**12: "server port 0 is back, server port 0 fails",
        3 * 10**12: "server port 0 is back, server port 1 is back",
        4 * 10**12: "client1 port 0 is back",
    }


def test_none_is_what_there_is_without() -> None:
    assert chariot().outages == ()
    assert chariot().moments() == {}


def test_a_bond_on_a_client_is_refused_and_every_port_of_the_server_is_checked() -> None:
    with pytest.raises(ScenarioError, match=r"^clients.1.bond: a client has a single cable .* allowed here: none$"):
        chariot(clients=[PC, PC.replace("bond", "linux-2.2.17")])
    for bond in (None, "linux-2.2.17"):
        server = SERVER.replace({"bond": bond, "nics.1.rate": "10 Mbit/s"})
        with pytest.raises(ScenarioError, match=r"^link.rate: .* than the adapter of server supports \(10000000\)$"):
            chariot(server=server)
        with pytest.raises(ScenarioError, match=r"^mtu: 1500 .* more than the adapter of server accepts \(1517\)$"):
            chariot(server=SERVER.replace({"bond": bond, "nics.1.max_frame": 1517}))


def test_each_port_has_a_cable_and_one_alone_no_number() -> None:
    wires = [(f"wire server {port} to switch", f"wire switch to server {port}") for port in range(3)]
    assert chariot().wires("server") == wires
    assert chariot().wires("client1") == [("wire client1 to switch", "wire switch to client1")]
    assert chariot(server=PC).wires("server") == [("wire server to switch", "wire switch to server")]


def test_the_example() -> None:
    test = ns.load(EXAMPLE)
    assert isinstance(test, ns.Chariot)
    assert test.outages == (Outage(host="server", port=2, at="2 s", until="4 s"),)
    assert test.server.bond is not None
    assert ns.Chariot.from_toml(test.to_toml()) == test
    assert test.replace("outages.0.port", 3).moments()[2 * 10**12] == "server port 3 fails"
