"""Hosts that forward: what a frame costs them, what they lose, and where; each number is checked by a closed form."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

import netsim as ns
from netsim.closed_form.forwarded import Carried, passing_time
from netsim.closed_form.outline import frame
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.stack.forwarding import Forwarder
from netsim.stack.forwarding_costs import ForwardingCosts
from netsim.units import MS, PS_PER_S
from netsim.workload.flows.run import FlowsRun
from tests.in_networks import SMALLEST, between_testers, routed
from tests.own_parts import WithParts

LOADS = (2_000, 8_000, 14_000, 20_000, 24_000, 60_000, 148_000)  # frames/s
POLLED = ("masked", "ticks", "constant")


def ran(test: ns.Flows, time: int = 100 * MS) -> FlowsRun:
    run = test.build(Environment(1))
    run.start()
    run.env.run(time)
    run.audit()
    return run


@cache
def delivered(rate: int, polling: str | None) -> float:
    """Frames a second, after a start of 60 ms."""
    run = between_testers(rate, polling).build(Environment(1))
    run.start()
    found = []
    for time in (60 * MS, 160 * MS):
        run.env.run(time)
        run.audit()
        found.append(run.delivered)
    return (found[1] - found[0]) / SMALLEST * 10


def cost(test: ns.Flows) -> int:
    """ps of a router's processor per frame, without interrupts: receive it, send it on, and free its buffer."""
    host = test.computers["gateway"]
    into, out = host.ports()
    taken = into.bill_receive(host.bill(), 60).work().total
    return taken + ForwardingCosts(host, 1).work(60).total + out.bill_free(host.bill(), 1).work().total


def test_a_router_may_send_datagrams_of_its_own() -> None:
    """They wait in the same ring as forwarded frames, and no frame is ever received for them."""
    through = {"kind": "datagrams", "sender": "a", "receiver": "b", "size": 1000}
    test = routed(flows={"through": through, "own": through | {"sender": "gateway"}})
    run = ran(test.replace("links.far.link", "10base-t"), 20 * MS)
    forwarder = run.computers["gateway"].forwarders[1]
    assert forwarder.accepted - forwarder.left < forwarder.driver.waiting


# --- what a frame costs ----------------------------------------------------------------------------------------------


def test_the_bound_is_what_a_frame_costs() -> None:
    test = between_testers()
    bounds = test.bounds()
    assert bounds.bottleneck == "gateway processors"
    assert bounds.limit / 8 / SMALLEST == pytest.approx(PS_PER_S / cost(test))


@pytest.mark.parametrize("polling", POLLED)
@pytest.mark.parametrize("rate", [36_000, 148_000])
def test_a_saturated_router_that_polls_comes_close_to_it(polling: str, rate: int) -> None:
    assert 0.92 < delivered(rate, polling) * cost(between_testers()) / PS_PER_S <= 1


def test_a_frame_alone_takes_the_time_of_each_step() -> None:
    """On a router that polls all the time; in addition at most the current look at both rings, and the next one."""
    test = between_testers(1000, "constant").replace("hosts.gateway.system.kernel.tick", 0)
    run, host = ran(test, 3 * MS), test.computers["gateway"]
    wires = {str(one.name): one for one in run.ledger.links}
    into, out = test.routes()["load"][0].hops  # type: ignore[index]
    alone = Carried([(1, frame(64))], [(1, frame(64))])
    passing = passing_time(host, (0, 1), into.medium, alone, alone, test.mtu)
    begun, left = (wires[str(hop.wire)]._start for hop in (into, out))  # type: ignore[union-attr]
    ports, kernel = host.ports(), host.system.kernel
    looks = sum(2 * port.bill_end(port.bill_entry(host.bill(), kernel)).work().total for port in ports)
    assert 0 <= left - begun - into.crossing(64) - passing <= looks


def test_a_bridge_pays_more_than_a_router() -> None:
    router, bridge = (ran(routed(how, flows={"video": {
        "kind": "datagrams", "sender": "a", "receiver": "b", "offered": "20 Mbit/s"}})) for how in ("ip", "bridge"))
    frames, times = [], []
    for run in (router, bridge):
        frames.append(run.accounts().counts["gateway frames forwarded"])
        (busy,) = (parts for name, parts in run.accounts().busy.items() if name.host == "gateway")
        times.append(busy["forwarding"])
    costs = router.test.computers["gateway"].system.forwarding
    assert costs is not None
    assert frames[0] == frames[1] > 150
    walked = router.test.computers["gateway"].system.ip.filter_tx_cycles  # the firewall's chains for forwarded packets
    assert times[1] / times[0] == pytest.approx(costs.bridge_cycles / (costs.ip_cycles + walked), rel=1e-3)


# --- livelock --------------------------------------------------------------------------------------------------------


def test_interrupts_give_one_peak_and_then_less_and_less() -> None:
    found = [delivered(rate, None) for rate in LOADS]
    top = found.index(max(found))
    assert 0 < top < len(LOADS) - 2
    assert all(one == pytest.approx(rate, rel=0.01) for rate, one in zip(LOADS[:top], found, strict=False))
    assert all(later < one for one, later in pairwise(found[top:]) if one > 100)
    assert found[-1] < 0.02 * found[top]


def on_ticks(**changes: object) -> float:
    """Frames a second, for a router with 600 MHz that is offered more than it can forward."""
    test = between_testers(97_000, "ticks", "600 MHz")
    test = test.replace({address.replace("__", "."): value for address, value in changes.items()})
    return ran(test).delivered / SMALLEST * 10


RING = "hosts__gateway__nics__1__driver__tx_ring"
SHARE = "hosts__gateway__system__kernel__polling__user_share"
IDLE = "hosts__gateway__system__kernel__polling__idle"


def test_frames_sent_during_a_tick_are_freed_during_that_tick() -> None:
    """Every round of the poller looks at both cards, so the ring need not hold all frames of a tick."""
    assert on_ticks(**{IDLE: False, RING: 16}) > 2 * 16 * 1000
    assert on_ticks(**{IDLE: False, RING: 16}) == pytest.approx(on_ticks(**{IDLE: False, RING: 256}), rel=0.01)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_a_router_without_processes_makes_use_of_their_share(share: float) -> None:
    assert on_ticks(**{SHARE: share}) == pytest.approx(on_ticks(), rel=0.015)


def test_frames_that_cost_less_are_not_fewer() -> None:
    filtered = {f"hosts__gateway__system__ip__filter_{way}_cycles": 0 for way in ("rx", "tx")}
    assert on_ticks(**{SHARE: 0.3}, **filtered) > on_ticks(**{SHARE: 0.3})


@pytest.mark.parametrize("polling", POLLED)
def test_polling_keeps_it_level(polling: str) -> None:
    found = [delivered(rate, polling) for rate in LOADS]
    most = max(found)
    assert all(one == pytest.approx(min(rate, most), rel=0.05) for rate, one in zip(LOADS, found, strict=True))
    assert most > 1.5 * max(delivered(rate, None) for rate in LOADS)


LOST = [(None, 50_000, "backlog"), ("masked", 60_000, "receive ring"), ("constant", 60_000, "receive ring")]


@pytest.mark.parametrize(("polling", "rate", "place"), LOST)
def test_what_is_lost_has_cost_most_or_nothing(polling: str | None, rate: int, place: str) -> None:
    drops = ran(between_testers(rate, polling)).accounts().drops
    assert drops[f"gateway: {place}"] > 0.7 * sum(drops.values()) > 1000  # type: ignore[index]


def test_a_slow_wire_fills_the_transmit_queue() -> None:
    """101 frames wait for it, besides those in the ring."""
    test = between_testers(30_000, "constant", clock="600 MHz").replace("links.out.link", "10base-t")
    run = ran(test)
    accounts = run.accounts()
    assert accounts.drops["gateway: transmit queue 1"] > 500  # type: ignore[index]
    assert accounts.drops["gateway: transmit queue 0"] == 0  # type: ignore[index]
    driver = run.computers["gateway"].drivers[1]
    assert 101 <= driver.waiting <= 101 + driver.spec.tx_ring
    assert run.delivered / SMALLEST * 10 == pytest.approx(1e7 / 8 / 84, rel=0.02)
    assert test.bounds().bottleneck == "wire out to right"


@pytest.mark.parametrize("wire", ["link", "segment"])
def test_the_full_wire_behind_it_is_the_bottleneck(wire: str) -> None:
    """Not the queue before the wire, although that loses frames; as behind a switch."""
    flow = {"kind": "datagrams", "sender": "a", "receiver": "b", "offered": "20 Mbit/s"}
    test = routed(flows={"load": flow})
    if wire == "link":
        test = test.replace("links.far.link", "10base-t")
    else:
        near, shared = {"ends": ["a", "gateway.0"]}, {"stations": ["gateway.1", "b"], "segment": "10base-t-hub"}
        test = test.replace({"links": {"near": near}, "segments": {"far": shared}})
    result = ns.simulate(test, precision=0.05, limit="0.5 s")
    assert result.bottleneck == test.bounds().bottleneck == ("wire far to b" if wire == "link" else "wire far segment")
    assert [*result.dropped] == ["gateway: transmit queue 1"]


def test_each_port_has_a_queue_before_its_own_wire() -> None:
    """A lone one has no number."""
    places = [place for place in ran(routed()).accounts().drops if place.what == "transmit queue"]
    assert {str(place): str(place.ahead) for place in places} == {
        "a: transmit queue": "wire near to gateway", "b: transmit queue": "wire far to gateway",
        "gateway: transmit queue 0": "wire near to a", "gateway: transmit queue 1": "wire far to b",
    }  # fmt: skip


# --- throughput of a router ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forwards", ["ip", "bridge"])
def test_all_flows_pass(forwards: str) -> None:
    test = routed(forwards)
    run = ran(test)
    limits = test.flow_bounds()
    for flow in run.flows:
        assert 0 < flow.delivered <= limits[flow.name].limit / 8 * 0.1 + 65_535
    assert run.delivered <= test.bounds().limit / 8 * 0.1 + 3 * 65_535
    assert min(run.response_logs["questions"].times) >= PS_PER_S / (limits["questions"].limit / 8 / 1100)
    forwarders = run.computers["gateway"].forwarders
    assert {number: one.driver.number for number, one in forwarders.items()} == {0: 0, 1: 1}


def test_several_senders_and_receivers_share_it() -> None:
    """Two senders and two receivers behind switches get as much as one of each."""
    links = {f"to-{name}": {"ends": [name, "cabinet"]} for name in ("left", "more")}
    links |= {"in": {"ends": ["cabinet", "gateway.0"]}, "out": {"ends": ["gateway.1", "hall"]}}
    links |= {f"from-{name}": {"ends": ["hall", name]} for name in ("right", "other")}
    load = {"kind": "datagrams", "size": SMALLEST, "offered": "2.88 Mbit/s"}
    names = ("left", "more", "right", "other")
    flows = {name: load | {"sender": near, "receiver": far} for name, near, far in (
        ("one", "left", "right"), ("two", "more", "other"))}  # fmt: skip
    switches = dict.fromkeys(("cabinet", "hall"), "summit48")
    test = between_testers(None, "masked", testers=names, links=links, flows=flows, switches=switches)
    run = ran(test)
    one, two = (flow.delivered / SMALLEST * 10 for flow in run.flows)
    assert one + two == pytest.approx(delivered(60_000, "masked"), rel=0.08)
    assert one == pytest.approx(two, rel=0.1)


def test_old_cards_forward_between_two_coaxial_cables() -> None:
    gateway = ns.host("486dx2-66", system="linux-2.2.16", nics=["ne2000/ne"] * 2, forwards="ip")
    hosts = {name: ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x") for name in "ab"}
    shared = {"one": {"stations": ["a", "gateway.0"], "segment": "10base2"},
              "two": {"stations": ["gateway.1", "b"], "segment": "10base2"}}  # fmt: skip
    test = routed(hosts=hosts | {"gateway": gateway}, links={}, segments=shared)
    run = ran(test, 400 * MS)
    assert 0 < run.delivered <= test.bounds().limit / 8 * 0.4 + 65_535
    (busy,) = (parts for name, parts in run.accounts().busy.items() if name.host == "gateway")
    assert busy["programmed I/O"] > busy["forwarding"] > 0


def test_frames_that_are_sent_on_are_others() -> None:
    """The forwarded frame is a new one, so what the first sender's adapter has noted stays unchanged."""
    taken = []

    class Noting(Forwarder):
        def sent_on(self, frame: Frame, twin: Frame) -> None:
            taken.append((frame, twin))

    run = routed().build(WithParts(Noting))
    run.start()
    run.env.run(5 * MS)
    assert taken
    for one, twin in taken:
        assert one is not twin
        assert type(one) is type(twin)
        assert (one.size, one.port) == (twin.size, twin.port)
