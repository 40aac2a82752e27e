"""Flows in a network: like netperf's tests in the same cases, by closed forms, and from start to stop."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.units import MS, PS_PER_S
from tests.in_networks import ASKED, FAST, PACED, SLOW, STREAM, behind_a_switch, cabled, on_a_segment

QUIET = FAST.replace("system.kernel.tick", 0)
LINK, SWITCH = "100base-tx", "summit48"
OVER_UDP = {"kind": "request-response", "sender": "a", "receiver": "b", "over": "udp"}


def through(switches: int, flow: dict[str, Any], **hosts: Any) -> ns.Flows:
    """Two hosts with this many switches between them."""
    names = ["a", *(f"s{number}" for number in range(switches)), "b"]
    links = {f"l{number}": {"ends": ends} for number, ends in enumerate(pairwise(names))}
    between = {"links": links, "switches": dict.fromkeys(names[1:-1], SWITCH)}
    return ns.Flows({"a": FAST, "b": SLOW} | hosts, {"one": flow}, **between)


# --- compared with other tools ---------------------------------------------------------------------------------------


def alike(flows: ns.Result, rate: float, netperf: ns.Result) -> bool:
    """Whether both agree within their intervals, and each host is equally busy."""
    widths = flows.half_width / flows.throughput + netperf.half_width / netperf.throughput
    busy = zip(flows.cpu.values(), netperf.cpu.values(), strict=True)
    return abs(rate / netperf.throughput - 1) <= widths + 1e-9 and all(abs(one - other) < 0.02 for one, other in busy)


@pytest.mark.parametrize("switches", [0, 1])
@pytest.mark.parametrize(
    ("flow", "test", "keys"),
    [
        (STREAM, "TCP_STREAM", {}),
        ({**PACED, "sender": "a", "receiver": "b"}, "UDP_STREAM", {"message": 1472, "offered": "10 Mbit/s"}),
    ],
)
def test_a_lone_stream_is_netperfs(switches: int, flow: dict[str, Any], test: str, keys: dict[str, Any]) -> None:
    switch = {"switch": SWITCH} if switches else {}
    found, known = (ns.simulate(one, precision=0.01, limit="1 s") for one in (
        through(switches, flow), ns.Netperf(test, FAST, SLOW, **switch, **keys)))  # fmt: skip
    assert alike(found, found.throughput, known)
    assert found.flows[0].half_width == pytest.approx(found.half_width)
    assert ns.Result.from_json(found.to_json()).flows == found.flows


@pytest.mark.parametrize(
    ("flow", "test", "keys"),
    [(STREAM, "TCP_STREAM", {}), ({**PACED, "offered": None, "size": 1435, "sender": "a", "receiver": "b"},
                                  "UDP_STREAM", {"message": 1435})],
)  # fmt: skip
def test_under_ipsec_a_lone_stream_is_netperfs(flow: dict[str, Any], test: str, keys: dict[str, Any]) -> None:
    """IPsec applies to the whole network: all its hosts can do it, in software."""
    esp, added = "3des-cbc/hmac-md5-96", ns.host("piii-600", system="linux-2.2.16", nics="eepro100/eepro100")
    host = added.replace("system.ipsec", "freeswan-1.97")
    network = ns.Flows({"a": host, "b": host}, {"one": flow}, links={"l": {"ends": ("a", "b")}}, ipsec=esp)
    netperf = ns.Netperf(test, host, host, ipsec=esp, **keys)
    found, known = (ns.simulate(one, precision=0.01, limit="0.3 s") for one in (network, netperf))
    assert alike(found, found.throughput, known)
    assert "crypto" in found.cpu_by_name("a")
    assert found.throughput <= network.bounds().limit
    assert ns.Flows.from_toml(network.to_toml()) == network
    with pytest.raises(ns.errors.ScenarioError, match=r"hosts\.a\.system\.ipsec: this system has no IPsec"):
        network.replace("hosts.a.system.ipsec", None)
    card = ns.host("piii-600", system="windows-2000", nics="pro100s/e100bnt5")
    with pytest.raises(ns.errors.ScenarioError, match=r"hosts\.a\.nics\.0\.driver\.ipsec: IPsec by the card is not"):
        network.replace("hosts.a", card)


def test_fragments_are_not_protected_in_transport_mode() -> None:
    host = ns.host("piii-600", system="linux-2.2.16", nics="eepro100/eepro100").replace("system.ipsec", "freeswan-1.97")
    flow = {"kind": "datagrams", "sender": "a", "receiver": "b", "size": 4000}
    links = {"l": {"ends": ("a", "b")}}
    with pytest.raises(ns.errors.ScenarioError, match=r"^ipsec\.mode: 4008 bytes of IP payload are fragmented before"):
        ns.Flows({"a": host, "b": host}, {"one": flow}, links=links, ipsec="3des-cbc/hmac-md5-96")


@pytest.mark.parametrize("over", ["tcp", "udp"])
def test_lone_requests_are_netperfs(over: str) -> None:
    sizes = {"request": 100, "response": 3000}
    flow = {"kind": "request-response", "sender": "a", "receiver": "b", "over": over, **sizes}
    nodelay = {"nodelay": True} if over == "tcp" else {}
    found = ns.simulate(cabled(flow | nodelay), precision=0.01, limit="1 s")
    known = ns.simulate(ns.Netperf(f"{over.upper()}_RR", FAST, SLOW, **sizes, **nodelay), precision=0.01, limit="1 s")
    (one,) = found.flows
    assert one.transactions is not None
    assert one.latencies is not None
    assert known.latencies is not None
    assert alike(found, one.transactions, known)
    assert one.throughput == pytest.approx(one.transactions * 8 * 3100)
    assert one.latencies.median == pytest.approx(known.latencies.median, rel=0.01)
    assert [stage.name for stage in one.latencies.stages] == [stage.name for stage in known.latencies.stages]


def test_on_a_segment_it_is_netperfs_too() -> None:
    shared = {"hub": {"stations": ["a", "b"], "segment": "100base-tx-hub"}}
    test = ns.Flows({"a": FAST, "b": FAST}, {"one": STREAM}, segments=shared)
    found = ns.simulate(test, precision=0.01, limit="0.5 s")
    known = ns.simulate(ns.Netperf("TCP_STREAM", FAST, FAST, segment="100base-tx-hub"), precision=0.01, limit="0.5 s")
    assert alike(found, found.throughput, known)
    assert found.counts["collisions"] > 0


# --- closed forms ----------------------------------------------------------------------------------------------------


def least(test: ns.Flows) -> int:
    """ps of the quickest transaction within a fixed time."""
    run = test.build(Environment(1))
    run.start()
    run.env.run(50 * MS)
    run.audit()
    return min(run.response_logs["one"].times)


@pytest.mark.parametrize("sizes", [(1, 1), (800, 1), (1, 1472)])
def test_each_switch_adds_what_it_takes_to_send_a_frame_once_more(sizes: tuple[int, int]) -> None:
    """Everything else is equal, to the picosecond, as nothing waits and no clock ticks."""
    flow = OVER_UDP | dict(zip(("request", "response"), sizes, strict=True))
    one, two, three = (through(number, flow, a=QUIET, b=QUIET) for number in (1, 2, 3))
    link, switch = one.cables["l0"].link, one.devices["s0"]
    frames = [max(64, size + 46) for size in sizes]  # 8 of UDP, 20 of IP, 18 of Ethernet
    more = sum(link.sending_time(size) + link.delay + switch.latency for size in frames)
    assert least(two) - least(one) == least(three) - least(two) == more


def test_a_slower_link_is_what_datagrams_get() -> None:
    """Each 1472 bytes take 1538 with preamble and gap."""
    test = through(1, {"kind": "datagrams", "sender": "a", "receiver": "b"}).replace("links.l1.link", "10base-t")
    result = ns.simulate(test, precision=0.01, limit="0.5 s")
    assert test.bounds().bottleneck == Resource("l1 to b", "link")
    assert test.bounds().limit == pytest.approx(1e7 * 1472 / 1538)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=0.002)
    assert result.bottleneck == Resource("l1 to b", "link")
    assert result.dropped[next(iter(result.dropped))] > 0
    assert [place.where for place in result.dropped] == ["s0"]


def test_thinking_is_added_to_each_transaction() -> None:
    quick, slow = (through(1, OVER_UDP | {"think": think}, a=QUIET, b=QUIET) for think in (0, "1 ms"))
    assert least(quick) == least(slow)
    runs = [test.build(Environment(1)) for test in (quick, slow)]
    for run in runs:
        run.start()
        run.env.run(100 * MS)
        run.audit()
    time, number = least(quick), len(runs[1].response_logs["one"].times)
    assert abs(number * (time + MS) - 99.5 * MS) <= 0.5 * MS + time + MS  # begun within the first millisecond
    bounds = slow.flow_bounds()["one"]
    assert bounds.bottleneck == Resource("one", "latency")
    assert bounds.limit * (time + MS) / PS_PER_S / 8 / 2 == pytest.approx(1, rel=0.1)


def test_the_bound_is_of_the_fastest_mix() -> None:
    """Two streams out of one card at 100 Mbit/s, and one into it: both directions of the wire are used."""
    flows = {"one": STREAM, "two": {**STREAM, "receiver": "c"}, "back": {**STREAM, "sender": "c", "receiver": "a"}}
    test = behind_a_switch(flows=flows)
    alone = test.flow_bounds()["one"].limit
    assert 1.8 * alone < test.bounds().limit < 2 * alone
    result = ns.simulate(test, precision=0.05, limit="0.2 s")
    assert result.throughput <= test.bounds().limit
    assert all(flow.throughput <= test.flow_bounds()[flow.name].limit for flow in result.flows)


def test_bounds_over_a_grid_are_those_of_each_point() -> None:
    test = behind_a_switch()
    axes = {"flows.video.offered": ["1 Mbit/s", "10 Mbit/s"], "hosts.b.processors.clock": ["100 MHz", "600 MHz"],
            "flows.questions.outstanding": [1, 4], "links.to-a.link.rate": ["10 Mbit/s", "100 Mbit/s"]}  # fmt: skip
    grid = ns.bounds(test, axes)
    for places in product((0, 1), repeat=len(axes)):
        point = {name: values[place] for (name, values), place in zip(axes.items(), places, strict=True)}
        assert grid.limit[places] == test.replace(point).bounds().limit


def test_a_gigabit_server_has_clients_at_100_megabit() -> None:
    """Together, seven of them get more than one of their links carries, and each at most its own link's rate."""
    test = ns.load("examples/flows.toml")
    result = ns.simulate(test, precision=0.05, limit="0.1 s")
    files = {flow.name: flow.throughput for flow in result.flows if flow.name.startswith("file")}
    assert len(files) == 7
    # Each is less certain than their sum, whose parts compensate each other.
    relative = [flow.half_width / flow.throughput for flow in result.flows if flow.half_width is not None]
    assert len(relative) == len(result.flows)
    assert min(relative) > result.half_width / result.throughput
    assert sum(files.values()) > 3e8
    assert result.throughput <= test.bounds().limit
    assert max(files.values()) <= test.flow_bounds()["file1"].limit < 1e8
    assert result.utilisation[Resource("uplink to office", "link")] < 0.9
    lone = ns.Flows(test.hosts, {"questions": test.each["questions"]}, links=test.links, switches=test.switches)
    alone, loaded = ns.simulate(lone, precision=0.05, limit="0.1 s").flows[0].latencies, result.flows[-1].latencies
    assert alone is not None
    assert loaded is not None
    assert alone.mean < loaded.mean / 4


@pytest.mark.parametrize("kind", ["stream", "datagrams"])
def test_old_cards_share_a_coaxial_cable(kind: str) -> None:
    cards = {"a": "ne2000/ne", "b": "3c509/3c509", "c": "ne2000/ne"}
    hosts = {name: ns.host("486dx2-66", system="linux-2.2.16", nics=card) for name, card in cards.items()}
    flows = {"one": {"kind": kind, "sender": "a", "receiver": "b"}, "two": {**ASKED, "sender": "c", "receiver": "b"}}
    test = ns.Flows(hosts, flows, segments={"coax": {"stations": ["a", "b", "c"], "segment": "10base2"}})
    run = test.build(Environment(1))
    run.start()
    run.env.run(300 * MS)
    run.audit()
    assert 100_000 < run.delivered <= test.bounds().limit / 8 * 0.3 + 64 * 1024


# --- from start to stop ----------------------------------------------------------------------------------------------


def test_flows_start_and_stop() -> None:
    test = behind_a_switch(duration="0.2 s").replace({
        "flows.files.start": "50 ms", "flows.files.stop": "100 ms",
        "flows.video.stop": "150 ms", "flows.questions.start": "150 ms",
    })  # fmt: skip
    assert test.moments() == {
        50 * MS: "files starts", 100 * MS: "files stops", 150 * MS: "questions starts, video stops",
    }  # fmt: skip
    run = test.build(Environment(1))
    run.start()
    known = []
    for time in (49, 100, 110, 152, 199):
        run.env.run(time * MS)
        run.audit()
        known.append(dict(run.accounts().pairs))
    before, running, drained, late, end = known
    assert (before["files"], before["questions"]) == (0, 0)
    assert running["files"] > 100_000
    assert drained["files"] - running["files"] <= 200_000  # contents of buffers
    assert late["files"] == end["files"] == drained["files"]
    assert late["video"] == end["video"] > drained["video"]
    assert end["questions"] > late["questions"]


def test_a_test_with_moments_has_phases() -> None:
    test = behind_a_switch(duration="0.2 s", min_iterations=1, max_iterations=1).replace("flows.files.start", "100 ms")
    result = ns.simulate(test)
    assert [phase.cause for phase in result.phases] == ["start", "files starts"]
    assert result.phases[1].throughput > 2 * result.phases[0].throughput
    questions = next(flow for flow in result.flows if flow.name == "questions")
    assert questions.latencies is not None
    assert questions.latencies.count == result.counts["transactions questions"]


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_flow_that_stops_soon_has_begun_before(seed: int) -> None:
    """Flows begin within a millisecond of their start."""
    run = cabled(STREAM | {"start": "5 ms", "stop": "5.2 ms"}).build(Environment(seed))
    run.start()
    run.env.run(20 * MS)
    assert run.delivered > 0


@pytest.mark.parametrize("outstanding", [1, 4])
@pytest.mark.parametrize("think", ["0 s", "100 us"])
@pytest.mark.parametrize("over", ["tcp", "udp"])
def test_requests_that_stop_end(outstanding: int, think: str, over: str) -> None:
    flow = OVER_UDP | {"over": over, "outstanding": outstanding, "think": think, "stop": "10 ms"}
    run = cabled(flow).build(Environment(1))
    run.start()
    run.env.run(30 * MS)
    run.audit()
    assert run.ledger.transactions.all.inside == 0
    before = len(run.response_logs["one"].times)
    run.env.run(60 * MS)
    assert len(run.response_logs["one"].times) == before > 4


# --- results, and what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [behind_a_switch(), on_a_segment()])
def test_a_result_has_each_flow(test: ns.Flows) -> None:
    result = ns.simulate(test, precision=0.05, limit="0.1 s")
    assert [flow.name for flow in result.flows] == ["files", "questions", "video"]
    assert abs(sum(flow.throughput for flow in result.flows) - result.throughput) <= result.half_width
    assert result.to_record()["flows.video.throughput"] == pytest.approx(1e7, rel=0.05)
    assert ns.Result.from_json(result.to_json()) == result
    assert f"flow    questions{result.flows[1].throughput / 1e6:>9.2f} Mbit/s" in str(result)
    assert result.kinds == ()
    assert set(test.bounds().demand) - set(result.resources().index) == set()


def test_a_request_that_fits_no_buffer_is_said_to_be_lost_there() -> None:
    test = through(0, {**OVER_UDP, "request": 65507, "response": 1})
    told = r"one: 1 transactions are under way; UDP does not repeat lost .*; dropped: b: socket buffer 1$"
    with pytest.raises(ns.SimulationError, match=told):
        ns.simulate(test.replace("duration", "1 s"))


@pytest.fixture(scope="module")
def stalled() -> ns.Result:
    """Two iterations: a timeout after a bit error stops one of them, and its window ends a little later."""
    pc = FAST
    flow = {"kind": "request-response", "sender": "a", "receiver": "b", "request": 1, "response": 20000}
    link = {"ends": ["a", "b"], "link": {"model": "100base-tx", "bit_error_rate": 3e-6}}
    flows = {"x": {**flow, "think": "100 us", "nodelay": True}, "y": {**flow, "think": "1 ms", "nodelay": True}}
    test = ns.Flows({"a": pc, "b": pc}, flows, links={"l": link}, duration="2 s", max_iterations=2)
    return ns.simulate(test, precision=0.05, seed=2)


def test_what_is_shut_out_of_one_iteration_has_the_widest_interval() -> None:
    """Two loads in step fill a switch with room for one frame: either gets everything, by chance."""
    loads = {f"from-{name}": {"kind": "datagrams", "sender": name, "receiver": "c", "offered": "60 Mbit/s"}
             for name in "ab"}  # fmt: skip
    test = behind_a_switch(flows=loads, switches={"office": {"model": "summit48", "buffer": "1518 B"}})
    turns = ns.simulate(test, seed=3, precision=0.01, limit="0.5 s")
    one, other = turns.flows
    assert turns.fairness == 0.5
    assert one.throughput == other.throughput == pytest.approx(3e7)
    assert one.half_width == other.half_width > one.throughput
    none, whole = ns.simulate(test, seed=1, precision=0.01, limit="0.5 s").flows
    assert (none.throughput, whole.throughput) == (0, pytest.approx(6e7))
    assert none.half_width is not None
    assert none.half_width > 8 * 1472  # an upper limit: not one datagram in a second


def test_the_limit_of_a_stream_that_delivers_nothing_is_of_a_segment() -> None:
    """One byte would be far less than any delivery. The others deliver datagrams and transactions."""
    assert behind_a_switch().flow_pieces == {"files": 1448, "video": 1472, "questions": 1100}


@pytest.mark.parametrize(("more", "name"), [({}, "video offered load"), ({"film": {"sender": "a"}}, "offered load")])
def test_a_delivered_load_limits_its_run(more: dict[str, Any], name: str) -> None:
    """As in the closed form; several loads do so together."""
    test = behind_a_switch(flows={"video": PACED} | {film: PACED | changes for film, changes in more.items()})
    result = ns.simulate(test, precision=0.05, limit="0.2 s")
    assert (result.bottleneck, result.bottleneck.kind) == (name, test.bounds().bottleneck.kind)
    assert f"limited by {name} (100.0 % delivered)" in str(result)
    assert ns.Result.from_json(result.to_json()) == result


def test_flows_add_up_to_the_total_even_if_iterations_differ(stalled: ns.Result) -> None:
    first, second = (one.edges[-1] - one.edges[0] for one in stalled.samples)
    assert first != second
    assert sum(flow.throughput for flow in stalled.flows) == pytest.approx(stalled.throughput, rel=1e-12)
    assert stalled.pairs == {flow.name: pytest.approx(flow.throughput) for flow in stalled.flows}
    for flow in stalled.flows:
        assert flow.transactions == pytest.approx(flow.throughput / 8 / 20001, rel=1e-9)


def test_two_transactions_have_stages() -> None:
    """The middle fifth of two is empty."""
    pc = FAST
    flow = {"kind": "request-response", "sender": "a", "receiver": "b", "request": 100, "response": 100}
    flows = {"q": {**flow, "think": "400 ms", "start": "100 ms"}}
    links = {"l": {"ends": ["a", "b"]}}
    test = ns.Flows({"a": pc, "b": pc}, flows, links=links, duration="600 ms", min_iterations=1, max_iterations=1)
    result = ns.simulate(test)
    (flow_result,) = result.flows
    assert flow_result.latencies is not None
    assert flow_result.latencies.count == 2
    assert "NaN" not in result.to_json()
    assert ns.Result.from_json(result.to_json()) == result


# --- stages through switches -----------------------------------------------------------------------------------------


def stages_of(flow: ns.Result, name: str) -> dict[str, float]:
    (found,) = (one.latencies for one in flow.flows if one.name == name)
    assert found is not None
    assert sum(stage.mean for stage in found.stages) == pytest.approx(found.mean, rel=1e-9)
    return {stage.name: stage.mean for stage in found.stages}


@pytest.mark.parametrize("over", ["tcp", "udp"])
def test_what_switches_take_is_a_stage(over: str) -> None:
    """Where nothing waits: the frame once more on each further cable, and each switch's latency."""
    flow = OVER_UDP | {"over": over, "request": 500, "response": 500}
    without, one, two = (through(number, flow, a=QUIET, b=QUIET) for number in (0, 1, 2))
    none, single, double = (stages_of(ns.simulate(test, precision=0.1), "one") for test in (without, one, two))
    link, switch = one.cables["l0"].link, one.devices["s0"]
    size = 500 + 18 + 20 + (8 if over == "udp" else 32)
    each = 2 * (link.sending_time(size) + link.delay + switch.latency) / 1e12
    assert "switch" not in none
    assert single["switch"] == pytest.approx(each, rel=1e-6)
    assert double["switch"] == pytest.approx(2 * each, rel=1e-6)
    assert single["wire"] == pytest.approx(none["wire"], rel=1e-6)
    assert double["interrupt and driver"] == pytest.approx(none["interrupt and driver"], rel=0.1)


def test_a_queue_in_a_switch_is_not_the_drivers() -> None:
    pc = FAST
    asked = {"kind": "request-response", "sender": "a", "receiver": "b", "request": 100, "response": 100}
    flows = {"bulk": {"kind": "stream", "sender": "b", "receiver": "a"}, "q": {**asked, "nodelay": True}}
    links = {"la": {"ends": ["a", "sw"], "link": "10base-t"}, "lb": {"ends": ["b", "sw"]}}
    result = ns.simulate(ns.Flows({"a": pc, "b": pc}, flows, links=links, switches={"sw": "summit48"}), precision=0.05)
    stages = stages_of(result, "q")
    assert stages["switch"] > 0.95 * sum(stages.values())
    assert stages["interrupt and driver"] < 100e-6


def test_hosts_of_different_options_talk_each_as_they_can() -> None:
    """Timestamps belong to a connection, not to a host."""
    windows = ns.host("piii-600", system="windows-2000", nics=["pro100s/e100bnt5"])
    flows = {f"{one}{two}": {"sender": one, "receiver": two} for one, two in ("ab", "ba", "ac")}
    run = behind_a_switch(hosts={"a": FAST, "b": windows, "c": FAST}, flows=flows).build(Environment(1))
    sizes = {flow.name: (flow.out.mss, flow.into.mss) for flow in run.flows}  # type: ignore[attr-defined]
    with_timestamps, without = FAST.mss(1500), windows.mss(1500)
    assert with_timestamps == without - 12
    assert sizes == {
        "ab": (with_timestamps, with_timestamps), "ba": (without, without), "ac": (with_timestamps, with_timestamps),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"flows": {}}, r"flows: \{\} is not allowed; allowed: at least one flow"),
        ({"flows.files.sender": "d"}, r'flows\.files\.sender: no host is called "d"; allowed: a, b, c'),
        ({"flows.files.receiver": "a"}, r'flows\.files\.receiver: "a" is the sender; allowed: another host'),
        ({"flows.files.stop": "0 s"}, r"flows\.files\.stop: .*"),
        ({"flows.files.start": "2 s", "flows.files.stop": "1 s"},
         r"flows\.files\.stop: 1 s is not after the start; allowed: more than 2 s"),
        ({"flows.files.start": "60 s"}, r"flows\.files\.start: 60 s is not within the test; allowed: up to 60 s"),
        ({"flows.files.stop": "61 s"}, r"flows\.files\.stop: 61 s is not within the test; allowed: up to 60 s"),
        ({"flows.video.size": "64 KiB"}, r"flows\.video\.size: 65536 bytes don't fit into a datagram; .*"),
        ({"flows.questions.over": "udp", "flows.questions.request": 65508},
         r"flows\.questions\.request: 65508 bytes .*"),
        ({"flows.questions.over": "udp", "flows.questions.nodelay": True},
         r"flows\.questions\.nodelay: does not apply to UDP, which has no Nagle algorithm; allowed: false, .*"),
        ({"flows.questions.outstanding": 1000},
         r"flows\.questions\.outstanding: 1000 requests of 100 bytes don't fit into half of the send buffer; .*"),
        ({"flows.files.kind": "streams"},
         r'flows\.files\.kind: "streams" is not allowed \(did you mean "stream"\?\); .*'),
        ({"flows.files": {"kind": "stream", "sender": "a", "receiver": "b", "size": 3}},
         r"flows\.files\.size: no such key; allowed: kind, sender, receiver, start, stop, message"),
    ],
)  # fmt: skip
def test_what_no_flow_can_do_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError, match=f"^{message}$"):
        behind_a_switch().replace(changes)


def test_a_flow_reads_as_a_file_has_it() -> None:
    assert ns.Flows.from_toml(behind_a_switch().to_toml()).each["questions"] == behind_a_switch().each["questions"]
    assert behind_a_switch(flows={"q": ASKED}).get("flows.q.outstanding") == 1
