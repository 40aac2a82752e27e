"""Security gateways: what they enclose, what it costs, what they fragment and reassemble, and what overload does."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.stack import EspSpec
from netsim.stack.forwarding import audit_forwarded
from netsim.stack.tunnel import TunnelFrame
from netsim.stack.tunnel_costs import TunnelCosts
from netsim.units import MS
from tests.in_networks import GATEWAY, PACED, SMALLEST, STREAM, through_a_tunnel, tunnel_between_testers

NS = 1000  # ps
ESP = EspSpec.from_name("3des-cbc/hmac-md5-96").replace("mode", "tunnel")


def ran(test: ns.Flows, until: int = 30 * MS, drained: int = 5 * MS) -> Any:
    run = test.build(Environment(1))
    run.start()
    run.env.run(until)
    for flow in run.flows:
        flow.stop()
    run.env.run(until + drained)
    run.audit()
    return run


def seen(test: ns.Flows, wire: str, until: int = 10 * MS) -> list[Any]:
    """The frames that a link carries."""
    run, frames = test.build(Environment(1)), []
    (link,) = (one for one in run.ledger.links if one.name == f"wire {wire}")
    link.lost = lambda frame: bool(frames.append(frame))
    run.start()
    run.env.run(until)
    run.audit()
    return frames


# --- on the line -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "packets"),
    [
        (18, [20 + 8 + 8 + 48 + 12]),  # 46 bytes and 2 of trailer are 48
        (1000, [20 + 8 + 8 + 1032 + 12]),
        # 1500 bytes: 1504 are enciphered, and 8 + 8 + 1504 + 12 = 1532 don't fit into 1480.
        (1472, [20 + 1480, 20 + 52]),
    ],
)
def test_each_packet_is_enclosed_and_what_does_not_fit_is_cut(payload: int, packets: list[int]) -> None:
    test = tunnel_between_testers(payload)
    outer = seen(test, "line to west")
    assert len(outer) > 2 * len(packets)
    assert all(isinstance(one, TunnelFrame) for one in outer)
    assert {one.size for one in outer} == {max(64, 18 + size) for size in packets}
    whole = len(outer) // len(packets) * len(packets)
    assert [one.number for one in outer[:whole]] == sorted([*range(1, whole // len(packets) + 1)] * len(packets))
    assert {one.size for one in seen(test, "home to right")} == {max(64, 46 + payload)}


def test_senders_that_ask_know_the_path() -> None:
    """KLIPS reports 1443 bytes: TCP's segments are that small, and Linux' datagrams are fragmented beforehand."""
    test = through_a_tunnel(flows={"files": STREAM, "video": PACED | {"sender": "b", "receiver": "a", "size": 3000}})
    assert test.path_mtu(*test.routes()["files"]) == 1443  # type: ignore[misc]
    assert max(frame.size for frame in seen(test, "inside to east")) == 1443 + 18
    assert {frame.size for frame in seen(test, "home to west")} >= {20 + 1416 + 18}
    assert all(one.nbytes == one.total for one in seen(test, "line to west") + seen(test, "line to east"))


def test_one_that_does_not_ask_has_its_packets_cut() -> None:
    windows = ns.host("piii-600", system="windows-2000", nics="pro100s/e100bnt5")
    flows = {"video": PACED | {"sender": "a", "receiver": "b", "size": 1472}, "files": STREAM}
    test = through_a_tunnel(flows=flows).replace("hosts.a", windows)
    outer = Counter(one.total for one in seen(test, "line to west") if one.offset == 0)
    assert max(outer) == 1532  # a datagram's
    run = ran(test)
    assert all(flow.delivered > 0 for flow in run.flows)


# --- costs -----------------------------------------------------------------------------------------------------------


def test_what_a_packet_costs_its_gateways() -> None:
    costs = TunnelCosts(GATEWAY.replace("system.kernel.cycle_factor", 1), ESP, 1500, 1)
    one, other = dict(costs.enclose(1000, (1080,)).parts), dict(costs.open(1000, 1060, whole=True).parts)
    computing = GATEWAY.replace("ipsec", None).processors
    enciphered, hashed = ESP.enciphered(1000), ESP.authenticated(1000)
    assert enciphered == 1008
    assert one["crypto"] == other["crypto"]
    cycles = ESP.cipher.cycles_per_byte * enciphered + ESP.authentication.cycles(hashed, "c", 2)
    assert one["crypto"] == pytest.approx(computing.crypto_time(cycles), abs=2)
    assert other["ipsec"] == computing.code_time(7000)
    assert one["forwarding"] == computing.code_time(1220 + 365)  # including the firewall's chains for forwarded packets
    assert "forwarding" not in other


def test_a_fragment_more_is_a_copy_more() -> None:
    costs = TunnelCosts(GATEWAY, ESP, 1500, 1)
    whole, cut = (costs.enclose(packet, (0,)) for packet in (1443, 1451))
    assert len(costs.frames(1443)) == 1
    assert len(costs.frames(1451)) == 2
    assert dict(cut.parts)["copy"] > 1.4 * dict(whole.parts)["copy"]
    apart, together = (dict(costs.open(1451, 1484, whole=one).parts).get("copy", 0) for one in (False, True))
    assert apart == GATEWAY.memory.copy_time(1484, "memory")
    assert together == 0


@pytest.mark.parametrize(
    ("size", "polling"), [(SMALLEST, None), (1472, None), (SMALLEST, "masked"), (1472, "constant")]
)
def test_a_saturated_gateway_comes_close_to_its_bound(size: int, polling: str | None) -> None:
    test = tunnel_between_testers(size)
    test = test.replace({f"hosts.{name}.system.kernel.polling": polling for name in ("east", "west")})
    bound = test.replace("flows.load.offered", None).bounds()
    assert bound.bottleneck in ("east processors", "west processors")
    load = test.replace("flows.load.offered", f"{round(0.8 * bound.limit)} bit/s")
    run = ran(load, 40 * MS, 30 * MS)
    (flow,) = run.flows
    sent = run.accounts().counts["datagrams sent"] * size
    assert flow.delivered <= sent
    if polling is not None:
        assert flow.delivered == sent
        run = ran(test.replace("flows.load.offered", None), 40 * MS, 0)
        assert 0.85 < run.delivered * 8 / 0.04 / bound.limit <= 1


def test_all_flows_pass_and_none_beats_its_bound() -> None:
    test = through_a_tunnel()
    run = ran(test, 60 * MS, 20 * MS)
    limits = test.flow_bounds()
    for flow in run.flows:
        assert 0 < flow.delivered <= limits[flow.name].limit / 8 * 0.08 + 65_535
    assert min(run.response_logs["questions"].times) >= 10**12 / (limits["questions"].limit / 8 / 1100)
    counts = run.accounts().counts
    east, west = (counts[f"{name} IPsec packets by the host"] for name in ("east", "west"))
    assert east == pytest.approx(west, abs=20)  # some in transit
    assert east > 100


@pytest.mark.parametrize("size", [1000, 1472])
def test_a_lone_question_takes_no_less_than_all_of_its_steps(size: int) -> None:
    asked = {"kind": "request-response", "sender": "a", "receiver": "b", "over": "udp", "think": "1 ms"}
    test = through_a_tunnel(flows={"one": asked | {"request": size, "response": size}})
    test = test.replace({f"hosts.{name}.system.udp.finds_path_mtu": False for name in "ab"})
    run = ran(test, 40 * MS)
    alone = 2 * size / (test.flow_bounds()["one"].limit / 8) * 10**12 - 10**9  # without its think time
    times = run.response_logs["one"].times
    assert len(times) > 5
    assert alone <= min(times) < 1.35 * alone


# --- losses ----------------------------------------------------------------------------------------------------------


def test_what_is_opened_may_find_no_room() -> None:
    """The opener is slower than the line: the packets it has deciphered queue behind incoming frames, and are dropped
    with them."""
    test = tunnel_between_testers(1000, links={"inside": {"ends": ["left", "east.0"]},
        "line": {"ends": ["east.1", "west.1"]}, "home": {"ends": ["west.0", "right"]}})  # fmt: skip
    test = test.replace({"flows.load.offered": "40 Mbit/s", "hosts.east.processors.clock": "2 GHz",
                         "hosts.west.processors.clock": "300 MHz"})  # fmt: skip
    run = ran(test, 150 * MS, 50 * MS)
    opened = next(iter(run.computers["west"].openers.values())).packets
    (flow,) = run.flows
    assert flow.delivered / 1000 < 0.9 * opened
    polled = ran(test.replace("hosts.west.system.kernel.polling", "constant"), 150 * MS, 50 * MS)
    assert polled.delivered > 1.2 * run.delivered


def test_fragments_of_which_one_is_lost_are_given_up() -> None:
    test = tunnel_between_testers(1472).replace({"links.line.link.bit_error_rate": 1e-5,
        "hosts.west.system.ip.reassembly_time": "2 ms"})  # fmt: skip
    run = ran(test, 60 * MS)
    lost = {str(place): count for place, count in run.accounts().drops.items() if count}
    assert lost["west: reassembly"] > 0
    (flow,) = run.flows
    assert 0 < flow.delivered / 1472 < run.accounts().counts["datagrams sent"]


def test_the_audit_finds_what_was_made_up() -> None:
    run = ran(tunnel_between_testers())
    east = run.computers["east"]
    forwarders = [one for one in east.forwarders.values() if one.driver.number == 1]
    forwarders[0].accepted += 1
    with pytest.raises(ConservationError, match="wait to be sent"):
        audit_forwarded(east.drivers[1], forwarders, alone=True)


# --- several, and others in between ----------------------------------------------------------------------------------


def test_a_router_on_the_line_sends_on_what_it_can_not_read() -> None:
    plain = GATEWAY.replace("system.ipsec", None)
    links = {"inside": {"ends": ["left", "east.0"]}, "one": {"ends": ["east.1", "middle.0"]},
             "two": {"ends": ["middle.1", "west.1"]}, "home": {"ends": ["west.0", "right"]}}  # fmt: skip
    test = tunnel_between_testers(1472, hosts={"east": GATEWAY, "west": GATEWAY, "middle": plain}, links=links)
    assert all(isinstance(one, TunnelFrame) for one in seen(test, "two to west"))
    run = ran(test)
    assert run.delivered == run.accounts().counts["datagrams sent"] * 1472 > 0
    counts = run.accounts().counts
    assert counts["middle frames forwarded"] == 2 * counts["datagrams sent"]


def test_one_tunnel_behind_another() -> None:
    links = {"inside": {"ends": ["left", "east.0"]}, "one": {"ends": ["east.1", "middle.0"]},
             "two": {"ends": ["middle.1", "west.1"]}, "home": {"ends": ["west.0", "right"]}}  # fmt: skip
    tunnels = {"one": {"ends": ["middle", "east"], "ipsec": "des-cbc/hmac-md5-96"},
               "two": {"ends": ["middle", "west"], "ipsec": "3des-cbc/hmac-sha-1-96"}}  # fmt: skip
    hosts = dict.fromkeys(("east", "west", "middle"), GATEWAY)
    test = tunnel_between_testers(1000, hosts=hosts, links=links, tunnels=tunnels)
    run = ran(test)
    assert run.delivered == run.accounts().counts["datagrams sent"] * 1000 > 0
    busy = test.bounds().demand
    demand = {str(name): time for name, time in busy.items()}
    both = demand["east processors"] + demand["west processors"]
    assert 0.9 * both < demand["middle processors"] < both


def test_what_begins_at_a_gateway_is_in_clear() -> None:
    flows = {"files": STREAM, "own": {"kind": "stream", "sender": "east", "receiver": "b"}}
    test = through_a_tunnel(flows=flows)
    kinds = Counter(isinstance(one, TunnelFrame) for one in seen(test, "line to west"))
    assert kinds[True] > 0
    assert kinds[False] > 0
