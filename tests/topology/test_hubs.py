"""A server with clients on hubs: the stations' places, refusals, accounts, and the meaning of a segment's share."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.results.bottleneck import bottleneck
from netsim.stack import NcpRequest
from tests.named import by_resource
from tests.on_hubs import Exchanges, NcpTest, TcpTest, ask_all

SECOND = 10**12  # ps
NIC, LAN = "etherjet-100/ibmfent", "etherjet-100/e100b-lan"
PC = ns.host("pc-750-166", system="windows-nt-4.0", nics=[NIC])
SERVER = ns.host("netfinity-5500", system="windows-nt-4.0", nics=[NIC] * 4)
NT = ns.netware_host("pc-350-133", system="csnw-nt-4.0", nics=[NIC])
NETWARE = ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN] * 4)


def tcp(**changes: Any) -> TcpTest:
    return TcpTest(**{"server": SERVER, "client": PC, "clients": 8, **changes})


def ncp(**changes: Any) -> NcpTest:
    return NcpTest(**{"server": NETWARE, "client": NT, "clients": 8, **changes})


# --- stations' places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [tcp(clients=6), ncp(clients=6)])
def test_each_port_has_a_segment_and_clients_go_to_them_in_turn(test: Any) -> None:
    run = test.build(Environment(1))
    assert [segment.name for segment in run.segments] == [f"wire segment {number}" for number in range(4)]
    names = [[mac.name for mac in segment.macs] for segment in run.segments]
    assert names == [
        ["server", "client1", "client5"], ["server", "client2", "client6"], ["server", "client3"], ["server", "client4"]
    ]  # fmt: skip
    server = run.hosts["server"]
    assert [segment.macs[0].station for segment in run.segments] == [nic.receiver for nic in server.nics]
    assert list(run.hosts) == ["server", *test.client_names]


def test_a_card_may_have_several_ports() -> None:
    two = SERVER.replace("nics", ["dfe570tx:3/tulip", NIC])
    test = tcp(server=two, clients=5)
    assert (test.ports, test.on_segment(0), test.on_segment(3)) == (4, ("client1", "client5"), ("client4",))
    Exchanges(run := test.build(Environment(1)), 3, [(100, 100)])
    run.env.run(SECOND // 100)
    assert [segment.frames > 0 for segment in run.segments] == [False, False, False, True]


def test_stations_have_a_cable_each_or_are_along_one() -> None:
    assert {mac.position for mac in tcp().build(Environment(1)).segments[0].macs} == {20}
    server, client = (one.replace("nics.0.rate", "10 Mbit/s") for one in (SERVER.replace("nics", [NIC]), PC))
    along = tcp(server=server, client=client, clients=3, segment="10base2", spacing=7)
    assert [mac.position for mac in along.build(Environment(1)).segments[0].macs] == [0, 7, 14, 21]


def test_frames_stay_on_their_segment() -> None:
    """A client's frames, and the server's frames to it: more than six, and none on any other segment."""
    run = tcp().build(Environment(1))
    done = Exchanges(run, 6, [(100, 4096)] * 3)
    run.env.run(SECOND)
    run.audit()
    assert len(done.answered) == 3
    assert [segment.frames > 6 for segment in run.segments] == [False, False, True, False]
    assert sum(segment.frames for segment in run.segments) == run.segments[2].frames


def test_a_server_replies_where_the_request_came_in() -> None:
    run = ncp().build(Environment(1))
    for one in run.workstations[2:4]:
        ask_all(one, [NcpRequest("read", asked=3000)])
    run.env.run(SECOND // 10)
    run.audit()
    assert [one.read_bytes for one in run.workstations] == [0, 0, 3000, 3000, 0, 0, 0, 0]
    assert [segment.frames for segment in run.segments] == [0, 0, 4, 4]


def test_clients_open_the_connections() -> None:
    """With timestamps if the clients request them."""
    asks = PC.replace("system.tcp.timestamps", True)
    near, far = tcp(client=asks).build(Environment(1)).connect(0, "pair")
    assert (near.spec.timestamps, far.spec.timestamps) == (True, True)
    near, far = tcp(server=SERVER.replace("system.tcp.timestamps", True)).build(Environment(1)).connect(0, "pair")
    assert (near.spec.timestamps, far.spec.timestamps) == (False, False)


def test_a_scenario_is_read_back() -> None:
    for test in (tcp(spacing=30), ncp(clients=60)):
        assert type(test).from_toml(test.to_toml()) == test


# --- mistakes --------------------------------------------------------------------------------------------------------


def refused(make: Any, address: str, *words: str) -> None:
    with pytest.raises(ScenarioError) as error:
        make()
    assert error.value.address == address
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("make", [tcp, ncp])
@pytest.mark.parametrize("address", ["server", "client"])
def test_a_host_needs_an_adapter(make: Any, address: str) -> None:
    refused(lambda: make().replace(f"{address}.nics", []), f"{address}.nics", "at least one adapter")


@pytest.mark.parametrize("make", [tcp, ncp])
@pytest.mark.parametrize("address", ["server.nics.3", "client.nics.0"])
def test_every_adapter_does_the_segments_rate(make: Any, address: str) -> None:
    slow = lambda: make().replace(f"{address}.rate", "10 Mbit/s")  # noqa: E731
    refused(slow, "segment.rate", "100000000 bit/s", address.partition(".")[0], "10000000")


@pytest.mark.parametrize("address", ["server.nics.3", "client.nics.0"])
def test_every_adapter_and_the_segment_take_the_mtu(address: str) -> None:
    refused(lambda: tcp().replace(f"{address}.max_frame", 1517), "mtu", "1500 bytes make frames of 1518", "(1517)")
    refused(lambda: tcp(mtu=1501), "mtu", "1519 bytes, more than the adapter accepts (1518)")
    refused(lambda: tcp().replace("segment.mtu", 1499), "mtu", "more than the segment accepts (1517)")
    assert tcp().replace({"segment.mtu": 1400, "mtu": 1400}).mtu == 1400


@pytest.mark.parametrize("address", ["server", "client"])
def test_frames_of_the_core_protocol_are_taken_both_ways(address: str) -> None:
    """The size that both agree on: 1407 + 63 of a request + 30 + 18 is the largest frame."""
    largest = {f"{one}.system.ncp.largest": 1408 for one in ("server", "client")}
    assert ncp().replace({**largest, f"{address}.system.ncp.largest": 1407})
    refused(lambda: ncp().replace(largest), "server.system.ncp.largest", "1408 bytes make frames of 1519", "(1518)")
    refused(lambda: ncp().replace({**largest, "client.system.ncp.largest": 1409}), "server.system.ncp.largest")
    refused(lambda: ncp().replace({**largest, "server.system.ncp.largest": 1409}), "client.system.ncp.largest")


@pytest.mark.parametrize("address", ["server", "client"])
def test_what_cards_on_a_segment_do_not_do_is_refused(address: str) -> None:
    bonded = lambda: tcp().replace(f"{address}.bond", "intel-ans-nt4")  # noqa: E731
    refused(bonded, f"{address}.bond", "bonds are not modelled on a shared segment", "none")
    secret = {f"{address}.system": "windows-2000", f"{address}.ipsec": "3des-cbc/hmac-sha-1-96"}
    refused(lambda: tcp().replace(secret), f"{address}.ipsec", "IPsec is not modelled on a shared segment", "none")
    nic = f"{address}.nics.0"
    cutting = {f"{nic}.tx_segmentation": True, f"{nic}.tx_checksum": True, f"{nic}.driver.tx_checksum": "nic"}
    large = {**cutting, f"{nic}.driver.large_send": 8192}
    assert tcp().replace(cutting)
    words = "segmentation by the card is not modelled on a shared segment"
    refused(lambda: tcp().replace(large), f"{nic}.driver.large_send", words, "allowed here: 0")


def test_a_cable_too_long_for_the_slot_time_is_refused() -> None:
    """At 100 Mbit/s the slot minus the jam is 4.8 us for the round trip."""
    assert tcp(spacing=100).spacing == 100
    refused(lambda: tcp(spacing=150), "spacing", "150 m between stations", "allowed: 4.8 us or less")


# --- accounts ---------------------------------------------------------------------------------------------------------


def test_books_have_every_segment() -> None:
    run = tcp().build(Environment(1))
    for client in range(8):
        Exchanges(run, client, [(500, 20_000)] * 3)
    run.env.run(SECOND)
    accounts = run.read_accounts(7, {"transactions": 24})
    assert accounts.delivered == 7
    assert accounts.counts["transactions"] == 24
    assert accounts.counts["collisions"] == sum(segment.collisions for segment in run.segments) > 0
    assert accounts.counts["frames deferred"] == sum(segment.deferrals for segment in run.segments) > 0
    for number, segment in enumerate(run.segments):
        assert accounts.frames[f"wire segment {number}"] == segment.frames > 0
        assert 0 < accounts.occupied[f"wire segment {number}"] < SECOND
        assert f"wire segment {number}: excess collisions" in accounts.drops


def test_what_is_read_and_written_has_been_there() -> None:
    for kind in ("read", "write"):
        run = ncp().build(Environment(1))
        ask_all(run.workstations[0], [NcpRequest("read", asked=10), NcpRequest("write", sent=10)])
        run.env.run(SECOND)
        run.audit()
        setattr(run.workstations[0], {"read": "read_bytes", "write": "written_bytes"}[kind], 11)
        with pytest.raises(ConservationError, match="10 sent and 10 got by the server"):
            run.audit()


def test_all_have_moved_what_each_has() -> None:
    run = ncp().build(Environment(1))
    ask_all(run.workstations[0], [NcpRequest("read", asked=3000)])
    ask_all(run.workstations[1], [NcpRequest("write", sent=20)])
    run.env.run(SECOND)
    run.audit()
    assert run.moved.nbytes == 3020
    run.moved.nbytes += 1
    with pytest.raises(ConservationError, match="3021 bytes read and written by all, 3020 by each"):
        run.audit()


@pytest.mark.parametrize(("name", "share", "decides"), [
    ("wire segment 3", 0.91, True), ("wire segment 3", 0.89, False), ("wire segment", 0.91, True),
    ("wire client1 to switch", 0.95, False), ("wire client1 to switch", 0.995, True),
])  # fmt: skip
def test_a_segment_decides_from_a_lower_share_on(name: str, share: float, decides: bool) -> None:
    """Whatever its number: stations that wait after collisions leave part of it unused."""
    accounts = Accounts(elapsed=1000, occupied=by_resource({name: int(share * 1000), "server bus": 300}))
    assert (bottleneck(accounts)[0] == name) == decides
