"""Any small network with any flows: nothing is missing, and neither a flow nor all of them exceed their bound."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import LATENCY
from netsim.engine import Environment
from netsim.ethernet import SwitchSpec
from netsim.units import MS, PS_PER_S
from netsim.workload.flows.flow_spec import DatagramsSpec, FlowSpec, RequestsSpec
from netsim.workload.flows.run import FlowsRun

CARDS = ["3c905b/3c59x", "eepro100/eepro100", "rtl8139/rtl8139", "dfe570tx:1/tulip"]
HOSTS = [
    *(ns.host(model, system="linux-2.2.16", nics=card) for model in ("piii-600", "p166") for card in CARDS),
    ns.host("proliant-6400r", system="linux-2.2.14-smp", nics="pro1000f/e1000").replace("nics.0.medium", None),
    ns.host("2xpii-400", system="linux-2.2.14-smp", nics="eepro100/eepro100"),
    ns.host("ml530", system="windows-2000", nics="pro100s/e100bnt5"),
]
GATEWAYS = [
    *(ns.host("p166", system="linux-2.2.16", nics=[card] * 2) for card in CARDS[:3]),
    ns.host("486dx2-66", system="linux-2.2.16", nics=["ne2000/ne"] * 2),
    ns.host("2xpii-400", system="linux-2.2.14-smp", nics=["eepro100/eepro100"] * 2),
]
SWITCH = SwitchSpec.from_name("summit48")
RATES = st.sampled_from(["10base-t", "100base-tx"])
TIME = 40 * MS
KINDS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("stream"), "message": st.sampled_from([1000, 32_768])}),
    st.fixed_dictionaries(
        {"kind": st.just("datagrams"), "size": st.integers(1, 5000)},
        optional={"offered": st.sampled_from(["100 kbit/s", "5 Mbit/s", "80 Mbit/s"])},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("request-response"), "over": st.sampled_from(["tcp", "udp"]),
         "request": st.integers(1, 1300), "response": st.integers(1, 3000), "outstanding": st.integers(1, 3),
         "think": st.sampled_from(["0 s", "300 us"])},
    ),
)  # fmt: skip


@st.composite
def networks(draw: st.DrawFn) -> ns.Flows:
    names = [f"h{number}" for number in range(draw(st.integers(2, 4)))]
    hosts = {name: draw(st.sampled_from(HOSTS)) for name in names}
    flows = {f"f{number}": draw(_flow(names)) for number in range(draw(st.integers(1, 4)))}
    between = draw(st.sampled_from([_tree, _shared]))(draw, names)
    return ns.Flows(hosts, flows, **between)


@st.composite
def forwarding(draw: st.DrawFn) -> ns.Flows:
    """Two sides, each a switch or a segment, with a forwarding host between them that is also an end of flows."""
    sides = [["h0"], ["h1"]]
    for number in range(2, draw(st.integers(2, 4))):
        sides[draw(st.integers(0, 1))].append(f"h{number}")
    hosts = {name: draw(st.sampled_from(HOSTS)) for side in sides for name in side}
    gateway = draw(st.sampled_from(GATEWAYS)).replace("forwards", draw(st.sampled_from(["ip", "bridge"])))
    if gateway.processors.count == 1 and gateway.nics[0].moved_by == "adapter":
        polling = draw(st.sampled_from([None, "masked", "ticks", "constant"]))
        gateway = gateway.replace("system.kernel.polling", polling)
    flows = {f"f{number}": draw(_flow([*hosts, "gateway"])) for number in range(draw(st.integers(1, 4)))}
    links: dict[str, Any] = {}
    segments: dict[str, Any] = {}
    for number, side in enumerate(sides):
        ends = [*side, f"gateway.{number}"]
        if gateway.nics[0].moved_by == "processor" or draw(st.booleans()):
            rate = "10base-t-hub" if gateway.nics[0].rate < 10**8 else "100base-tx-hub"
            segments[f"hub{number}"] = {"stations": ends, "segment": rate}
        else:
            rates = {f"l{number}-{place}": (draw(RATES), end) for place, end in enumerate(ends)}
            links |= {name: {"ends": (end, f"s{number}"), "link": rate} for name, (rate, end) in rates.items()}
    switches = {f"s{number}": "summit48" for number in (0, 1) if f"hub{number}" not in segments}
    return ns.Flows(hosts | {"gateway": gateway}, flows, links=links, segments=segments, switches=switches)


@st.composite
def enclosing(draw: st.DrawFn) -> ns.Flows:
    """Two sides with a security gateway each, and perhaps a router between them."""
    policy = draw(st.sampled_from(["des-cbc/hmac-md5-96", "3des-cbc/hmac-md5-96", "3des-cbc/hmac-sha-1-96"]))
    names = ["east", *(["middle"] if draw(st.booleans()) else []), "west"]
    gateways = {}
    for name in names:
        gateway = draw(st.sampled_from(GATEWAYS)).replace({"forwards": "ip", "system.ipsec": "freeswan-1.97"})
        if gateway.processors.count == 1 and gateway.nics[0].moved_by == "adapter":
            gateway = gateway.replace("system.kernel.polling", draw(st.sampled_from([None, "ticks"])))
        gateways[name] = gateway
    hosts = {name: draw(st.sampled_from(HOSTS)) for name in ("h0", "h1")}
    every = [("h0", "east.0"), *((f"{one}.1", f"{other}.0") for one, other in pairwise(names)), ("west.1", "h1")]
    slow = any(one.nics[0].moved_by == "processor" for one in gateways.values())
    wires = {
        f"w{number}": {"stations": ends, "segment": "10base-t-hub"} if slow else {"ends": ends, "link": draw(RATES)}
        for number, ends in enumerate(every)
    }
    flows = {f"f{number}": draw(_flow(["h0", "h1"])) for number in range(draw(st.integers(1, 3)))}
    tunnels = {"vpn": {"ends": ["east", "west"], "ipsec": policy}}
    return ns.Flows(hosts | gateways, flows, tunnels=tunnels, **{"segments" if slow else "links": wires})


@st.composite
def bonded(draw: st.DrawFn) -> ns.Flows:
    """A host with a bond, cabled to a switch, or port to port to another host; a link may fail."""
    card = draw(st.sampled_from(["dfe570tx:2/tulip", "dfe570tx:3/tulip"]))
    server = ns.host(draw(st.sampled_from(["piii-600", "p166"])), system="linux-2.2.16", nics=card, bond="linux-2.2.17")
    server = server.replace("bond.policy", draw(st.sampled_from(["round-robin", "address"])))
    ports, hosts = len(server.ports()), {"h0": server}
    if draw(st.booleans()):
        hosts["h1"] = server
        links = {f"up{port}": {"ends": [f"h0.{port}", f"h1.{port}"]} for port in range(ports)}
        switches: dict[str, Any] = {}
    else:
        hosts |= {f"h{number}": draw(st.sampled_from(HOSTS)) for number in range(1, draw(st.integers(2, 4)))}
        links = {f"up{port}": {"ends": [f"h0.{port}", "s"]} for port in range(ports)}
        links |= {name: {"ends": [name, "s"]} for name in hosts if name != "h0"}
        switches = {"s": SWITCH.replace("trunk", draw(st.sampled_from(["round-robin", "address"])))}
    flows = {f"f{number}": draw(_flow([*hosts])) for number in range(draw(st.integers(1, 4)))}
    outages = [{"link": "up1", "at": "10 ms", "until": "30 ms"}] if draw(st.booleans()) else []
    return ns.Flows(hosts, flows, links=links, switches=switches, outages=outages)


@st.composite
def chains(draw: st.DrawFn) -> ns.Flows:
    """Wires one after the other, with switches and perhaps a forwarding host between them, and requests in several
    frames."""
    hosts = {name: draw(st.sampled_from(HOSTS[:4])) for name in ("h0", "h1")}
    between = [(f"s{number}",) * 2 for number in range(draw(st.integers(1, 3)))]
    switches = {name: "summit48" for name, _ in between}
    if draw(st.booleans()):
        forwards = draw(st.sampled_from(["ip", "bridge"]))
        hosts["gateway"] = draw(st.sampled_from(GATEWAYS[:3])).replace("forwards", forwards)
        between.insert(draw(st.integers(0, len(between))), ("gateway.0", "gateway.1"))
    ends = pairwise([("", "h0"), *between, ("h1", "")])
    links = {f"w{n}": {"ends": (near, far), "link": draw(RATES)} for n, ((_, near), (far, _)) in enumerate(ends)}
    flow = {"kind": "request-response", "sender": "h0", "receiver": "h1", "over": draw(st.sampled_from(["tcp", "udp"]))}
    sizes = {name: draw(st.integers(1, 6000)) for name in ("request", "response")}
    return ns.Flows(hosts, {"f0": flow | sizes}, links=links, switches=switches)


def _tree(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """Switches, each connected to an earlier one, and hosts at any of them."""
    switches = [f"s{number}" for number in range(draw(st.integers(1, 3)))]
    trunks = [(one, draw(st.sampled_from(switches[:number]))) for number, one in enumerate(switches) if number]
    cables = [(name, draw(st.sampled_from(switches))) for name in names]
    used = {switch for ends in (*trunks, *cables) for switch in ends}
    links = {f"l{n}": {"ends": ends, "link": draw(RATES)} for n, ends in enumerate([*trunks, *cables])}
    return {"links": links, "switches": {one: "summit48" for one in switches if one in used}}


def _shared(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    segment = draw(st.sampled_from(["10base-t-hub", "100base-tx-hub"]))
    return {"segments": {"hub": {"stations": draw(st.permutations(names)), "segment": segment}}}


def _flow(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    pair = st.permutations(names).map(lambda order: {"sender": order[0], "receiver": order[1]})
    return st.builds(lambda one, other: one | other, pair, KINDS)


def _ahead(test: ns.Flows, flow: FlowSpec) -> int:
    """Bytes that may arrive before their full cost has been spent: acknowledgements of a window, a first datagram, or
    anything between one process and the next."""
    if isinstance(flow, DatagramsSpec):
        return flow.size
    window = test.computers[flow.receiver].system.tcp.receive_buffer
    return flow.outstanding * (flow.request + flow.response) if isinstance(flow, RequestsSpec) else window


def _check_times(test: ns.Flows, run: FlowsRun) -> None:
    """No request takes less than a lone one."""
    for name, flow in test.each.items():
        if isinstance(flow, RequestsSpec) and flow.outstanding == 1:
            alone = test.flow_bounds()[name].demand[Resource(name, LATENCY)] * flow.piece - flow.think
            assert all(time >= alone - 1 for time in run.response_logs[name].times)


@given(test=st.one_of(networks(), forwarding(), enclosing(), bonded()), seed=st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_nothing_goes_missing_and_no_bound_is_beaten(test: ns.Flows, seed: int) -> None:
    run = test.build(Environment(seed))
    run.start()
    run.env.run(TIME)
    run.audit()
    seconds, alone = TIME / PS_PER_S, test.flow_bounds()
    ahead = {name: _ahead(test, flow) for name, flow in test.each.items()}
    for flow in run.flows:
        assert flow.delivered <= alone[flow.name].limit / 8 * seconds + ahead[flow.name]
    assert run.delivered <= test.bounds().limit / 8 * seconds + sum(ahead.values())
    _check_times(test, run)
    assert ns.Flows.from_toml(test.to_toml()) == test


@given(test=chains())
@settings(max_examples=30, deadline=None)
def test_no_request_beats_its_bound_over_fast_and_slow_wires(test: ns.Flows) -> None:
    run = test.build(Environment(1))
    run.start()
    run.env.run(TIME)
    _check_times(test, run)
