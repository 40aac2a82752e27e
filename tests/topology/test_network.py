"""Networks: routes, and refusals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.accounts.resource import LINK, Resource
from netsim.ethernet import LinkSpec
from netsim.topology.routes import Hop, WireEnd, routes
from tests.in_networks import FAST, STREAM, behind_a_switch, on_a_segment

TWO_PORTS = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2)
NE2000 = ns.host("486dx2-66", system="linux-2.2.16", nics="ne2000/ne")
TWO_SWITCHES = dict.fromkeys(("office", "hall"), "summit48")
GIGABIT = {"ends": ["a", "office"], "link": "1000base-sx"}


def ends(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {f"l{number}": {"ends": pair} for number, pair in enumerate(pairs)}


def test_a_way_leads_over_switches() -> None:
    links = ends(("a", "office"), ("office", "hall"), ("hall", "lab"), ("lab", "b"), ("hall", "c"))
    test = behind_a_switch(links=links, switches=dict.fromkeys(("office", "hall", "lab"), "summit48"))
    there, back = test.routes()["files"]
    assert [str(hop.wire) for hop in there.hops] == [
        "wire l0 to office", "wire l1 to hall", "wire l2 to lab", "wire l3 to b",
    ]  # fmt: skip
    assert [(hop.near, hop.far) for hop in back.hops] == [(hop.far, hop.near) for hop in there.hops[::-1]]
    link, switch = test.cables["l0"].link, test.devices["office"]
    sent = link.sending_time(1518) + link.delay
    assert sum(hop.crossing(1518) for hop in there.hops) == 4 * sent + 3 * switch.latency


def test_a_host_with_two_ports_uses_the_one_that_leads_there() -> None:
    hosts = {"a": TWO_PORTS, "b": FAST, "c": FAST}
    flows = {"files": STREAM, "more": {**STREAM, "receiver": "c"}}
    test = behind_a_switch(hosts=hosts, flows=flows, switches={}, links=ends(("a.0", "c"), ("a.1", "b")))
    assert {name: there.ports for name, (there, _) in test.routes().items()} == {"files": (1, 0), "more": (0, 0)}
    result = ns.simulate(test, precision=0.05, limit="0.1 s")
    assert min(flow.throughput for flow in result.flows) > 85e6


def test_one_host_on_a_segment_and_on_a_link() -> None:
    hosts = {"a": TWO_PORTS, "b": FAST, "c": FAST}
    flows = {"files": STREAM, "more": {**STREAM, "receiver": "c"}}
    segments = {"hub": {"stations": ["a.1", "b"], "segment": "10base-t-hub"}}
    test = behind_a_switch(hosts=hosts, flows=flows, switches={}, links=ends(("a.0", "c")), segments=segments)
    assert test.on_segments("a") == {1}
    result = ns.simulate(test, precision=0.05, limit="0.2 s")
    files, more = (flow.throughput for flow in result.flows)
    assert 5e6 < files < 1e7
    assert more > 85e6


def test_hops_begin_at_each_end() -> None:
    hops = on_a_segment().hops()
    assert {end: len(found) for end, found in hops.items()} == {WireEnd(name, 0): 2 for name in "abc"}


BONDED = {"a": TWO_PORTS.replace("bond", "linux-2.2.17"), "b": FAST, "c": FAST}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"links": ends(("a", "offic"), ("b", "office"), ("c", "office"))},
     r'links\.l0\.ends\.1: no host or switch is called "offic" \(did you mean "office"\?\)'),
    ({"links": ends(("a", "office"), ("b", "office"))},
     r"hosts\.c: not connected; allowed: connected to a link or a segment"),
    ({"links": ends(("a", "b"), ("c", "a"))},
     r'links\.l1\.ends\.1: "a" is already used by links\.l0\.ends\.0; allowed: no other port of this host'),
    ({"hosts": {"a": TWO_PORTS, "b": FAST, "c": FAST}, "links": ends(("a.0", "b"), ("a.0", "c"))},
     r'links\.l1\.ends\.0: "a\.0" is already used by links\.l0\.ends\.0; allowed: a\.1'),
    ({"hosts": {"a": TWO_PORTS, "b": FAST, "c": FAST}},
     r'links\.to-a\.ends\.0: "a" has 2 ports; allowed: a\.0, a\.1'),
    ({"links": ends(("a.1", "office"), ("b", "office"), ("c", "office"))},
     r'links\.l0\.ends\.0: "a\.1" is not a port; allowed: a\.0'),
    ({"links": ends(("office", "office"), ("a", "office"), ("b", "office"), ("c", "office"))},
     r'links\.l0\.ends: both ends are "office"; allowed: two different hosts or switches'),
    ({"links": ends(("a", "b"), ("c", "office"))},
     r'flows\.questions\.receiver: no path from "c"; allowed: none \(no other host can be reached\)'),
    ({"links": ends(("b", "hall"), ("a", "office"), ("c", "office")), "switches": TWO_SWITCHES},
     r'flows\.files\.receiver: no path from "a"; allowed: c'),
    ({"links": ends(("office", "hall"), ("hall", "office"), ("a", "office"), ("b", "office"), ("c", "office")),
      "switches": TWO_SWITCHES},
     r"links\.l[01]: closes a loop of switches or bridges \(spanning tree is not modelled\); .*"),
    ({"switches": TWO_SWITCHES}, r"switches\.hall: not connected; allowed: .*"),
    ({"switches": {"office": "summit48", "a": "summit48"}}, r"switches\.a: a host already has this name; allowed: .*"),
    ({"links": {"up": GIGABIT, **ends(("b", "office"), ("c", "office"))}},
     r"links\.up\.link\.rate: 1000000000 bit/s are more than the adapter of hosts\.a supports \(100000000\)"),
    ({"mtu": 9000}, r"mtu: 9000 bytes .*"),
    ({"hosts": {"a": NE2000, "b": FAST, "c": FAST}}, r"links\.to-a\.link: the adapter of hosts\.a is half duplex, .*"),
    ({"hosts": {"a": FAST.replace("nics", []), "b": FAST, "c": FAST}}, r"hosts\.a\.nics: \[\] is not allowed; .*"),
    ({"hosts": BONDED, "links": ends(("a.0", "office"), ("b", "office"), ("c", "office"))},
     r"hosts\.a\.bond: a\.1 has no link; allowed: a link at each port"),
    ({"hosts": BONDED, "switches": TWO_SWITCHES, "links": ends(
        ("a.0", "office"), ("b", "office"), ("c", "office"), ("a.1", "hall"), ("hall", "office"))},
     r"hosts\.a\.bond: links\.l3 differs from links\.l0; allowed: identical links, .*"),
    ({"hosts": BONDED, "links": ends(("a.0", "office"), ("b", "office"), ("c", "office")) | {
        "slow": {"ends": ["a.1", "office"], "link": "10base-t"}}},
     r"hosts\.a\.bond: links\.slow differs from links\.l0; .*"),
    ({"hosts": BONDED | {"b": TWO_PORTS}, "links": ends(("a.0", "b.0"), ("a.1", "b.1"), ("c", "office"))},
     r"hosts\.a\.bond: b, at the other end, has no bond with the same number of ports; allowed: a switch, .*"),
    ({"hosts": BONDED, "links": ends(("b", "office"), ("c", "office"), ("a.0", "office")),
      "segments": {"s": {"stations": ["a.1", "d"], "segment": "100base-tx-hub"}}},
     r'segments\.s\.stations\.1: no host or switch is called "d"; .*'),
    ({"hosts": {"a": BONDED["a"].replace("forwards", "ip"), "b": FAST, "c": FAST},
      "links": ends(("a.0", "office"), ("a.1", "office"), ("b", "office"), ("c", "office"))},
     r"hosts\.a\.bond: a host that forwards can't have a bond, because .*; allowed here: none"),
    ({"outages": [{"link": "to-d", "at": "1 s", "until": "2 s"}]},
     r'outages\.0\.link: no link is called "to-d" \(did you mean "to-[abc]"\?\)'),
    ({"outages": [{"link": "to-a", "at": "1 s", "until": "2 min"}]},
     r"outages\.0\.until: 120 s is after the test's end; allowed: up to 60 s"),
    ({"outages": [{"link": "to-a", "at": "1 s", "until": "3 s"}, {"link": "to-a", "at": "2 s", "until": "4 s"}]},
     r"outages\.1\.at: 2 s: this cable is already down from 1 s to 3 s"),
    ({"links": ends(("a", "office")), "segments": {"s": {"stations": ["b", "office"], "segment": "100base-tx-hub"}}},
     r'segments\.s\.stations\.1: "office" is a switch, which is full duplex and can.t be on a segment; allowed: hosts'),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}$"):
        behind_a_switch(**changes)


@pytest.mark.parametrize(
    ("stations", "message"),
    [
        (["a"], r'segments\.coax\.stations: \["a"\] is not allowed; allowed: two hosts or more, each once'),
        (["a", "b", "d"], r'segments\.coax\.stations\.2: no host or switch is called "d"; allowed: a, b, c'),
        (["a", "b", "a"], r'segments\.coax\.stations\.2: "a" is already used by segments\.coax\.stations\.0; .*'),
    ],
)
def test_stations_that_do_not_fit_are_refused(stations: list[str], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}$"):
        on_a_segment(segments={"coax": {"stations": stations, "segment": "100base-tx-hub"}})


def test_a_way_may_be_as_long_as_it_likes() -> None:
    """Longer than the limit of Python's nested calls."""
    way = [WireEnd("a", 0), *(WireEnd(f"s{number}") for number in range(2000)), WireEnd("b", 0)]
    link, hops = LinkSpec.from_name("100base-tx"), dict[WireEnd, list[Hop]]()
    for number, pair in enumerate(pairwise(way)):
        for near, far in (pair, pair[::-1]):
            hop = Hop(f"links.l{number}", near, far, Resource(str(number), LINK), link, 0, None)
            hops.setdefault(near, []).append(hop)
    found = routes(hops, way[:1], way[-1:])
    assert found is not None
    assert [hop.far for hop in found[0].hops] == way[1:]
    assert [hop.far for hop in found[1].hops] == way[-2::-1]
