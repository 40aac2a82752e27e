"""netperf's TCP_RR and UDP_RR: what a transaction is, what bounds it, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.results.result import Result

PC = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
QUICK = {"precision": 0.02, "limit": "1 s"}


def requests(test: str = "TCP_RR", **keys: Any) -> ns.Netperf:
    return ns.Netperf(test, PC, PC, **keys)


# --- findings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["TCP_RR", "UDP_RR"])
def test_one_at_a_time_is_the_reciprocal_of_the_latency(test: str) -> None:
    result = ns.simulate(requests(test), **QUICK)
    assert result.latencies is not None
    assert result.throughput * result.latencies.mean == pytest.approx(1, rel=1e-3)
    assert (result.bottleneck, result.scenario.unit.name) == ("latency", "TPS")
    assert 0.6 < result.bottleneck_share < 1


def test_a_byte_each_way_is_netpipes_round_trip() -> None:
    trip = ns.simulate(ns.NetPipe(PC, PC, sizes=(1,)), precision=0.01).latency
    result = ns.simulate(requests(nodelay=True), **QUICK)
    assert trip is not None
    assert result.latencies is not None
    assert result.latencies.median == pytest.approx(2 * trip, rel=0.02)


@pytest.mark.parametrize("test", ["TCP_RR", "UDP_RR"])
def test_so_many_are_under_way(test: str) -> None:
    """Little's law, with the times of single transactions."""
    result = ns.simulate(requests(test, request=200, response=300, burst=5), **QUICK)
    assert result.latencies is not None
    assert result.throughput * result.latencies.mean == pytest.approx(6, rel=0.01)
    assert result.throughput <= result.scenario.bounds().limit


def test_more_at_once_are_more_per_second_until_a_processor_is_busy() -> None:
    one, four, many = (ns.simulate(requests(burst=burst, nodelay=True), **QUICK) for burst in (0, 3, 31))
    assert 2 * one.throughput < four.throughput < 1.05 * many.throughput
    assert (one.bottleneck, many.bottleneck.kind) == ("latency", "processors")


def test_sizes_may_be_unequal() -> None:
    """Between equal hosts, a long request with a short response takes as long as the reverse."""
    there, back = (ns.simulate(requests(**sizes), **QUICK).throughput
                   for sizes in ({"request": 1400, "response": 10}, {"request": 10, "response": 1400}))  # fmt: skip
    assert there == pytest.approx(back, rel=0.02)
    assert there < ns.simulate(requests(request=10, response=10), **QUICK).throughput


def test_nagle_waits_for_an_acknowledgement_and_nodelay_for_nothing() -> None:
    """The remainder after three full segments is less than half a full one."""
    held, sent = (ns.simulate(requests(response=5000, nodelay=nodelay), **QUICK) for nodelay in (False, True))
    assert held.throughput < 120
    assert held.bottleneck == "latency"  # a timer: no resource is needed for more than a few hundredths of the time
    assert sent.throughput > 1000


def test_an_exact_way_between_hosts_of_one_speed() -> None:
    """Stages of both directions: the wire's is arithmetic, and all stages add up to the total time."""
    test = requests("UDP_RR", request=1000, response=1000)
    found = ns.simulate(test, **QUICK).latencies
    assert found is not None
    stages = {stage.name: stage for stage in found.stages}
    size = 8 + 14 + 20 + 8 + 1000 + 4  # preamble, headers of Ethernet, IP and UDP, FCS
    assert stages["wire"].median == pytest.approx(2 * (size * 80e-9 + test.link.delay / 1e12), rel=1e-6)
    assert sum(stage.mean for stage in found.stages) == pytest.approx(found.mean, rel=1e-9)
    assert sum(stage.tail for stage in found.stages) >= found.percentiles[-1].time * 0.999


def test_moderation_is_a_stage() -> None:
    """A delay of 50 us delays each incoming frame, and nothing else."""
    after = {"policy": "absolute-delay", "delay": "50 us"}
    test = requests()
    plain = ns.simulate(test, **QUICK).latencies
    held = ns.simulate(test.replace("sender.nics.0.driver.rx_moderation", after), **QUICK).latencies
    assert plain is not None
    assert held is not None
    longer = {one.name: two.median - one.median for one, two in zip(plain.stages, held.stages, strict=True)}
    assert max(longer, key=lambda name: longer[name]) == "interrupt and driver"
    assert longer["interrupt and driver"] == pytest.approx(50e-6, rel=0.1)


def test_a_lost_datagram_is_asked_for_no_more() -> None:
    test = requests("UDP_RR", burst=2).replace("link.bit_error_rate", 1e-6)
    lost = r"UDP does not repeat lost requests and responses, as TCP would; dropped: wire to receiver: bit errors \d"
    with pytest.raises(ns.SimulationError, match=rf"no frame sent for .*; 3 transactions are under way; {lost}"):
        ns.simulate(test.replace("duration", "20 s"), precision=0)


def test_tcp_sends_it_again() -> None:
    result = ns.simulate(requests().replace("link.bit_error_rate", 1e-5), precision=0.2, limit="20 s")
    assert result.latencies is not None
    assert result.counts["retransmission timeouts"] > 0
    assert result.latencies.most > 0.19


# --- the result ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result() -> Result:
    return ns.simulate(requests(burst=3), **QUICK)


def test_it_is_printed_and_kept(result: Result) -> None:
    lines = {line.split()[0]: line for line in str(result).splitlines()}
    assert {"latency", "median", "tail"} <= lines.keys()
    assert "99 % " in lines["latency"]
    assert "interrupt and driver" in lines["tail"]
    assert Result.from_json(result.to_json()) == result
    assert json.loads(result.to_json())["latencies"]["stages"][2]["name"] == "wire"
    record = result.to_record()
    assert record["latencies.p99.low"] <= record["latencies.p99"] <= record["latencies.p99.high"]
    assert record["latencies.wire.tail"] > 0
    shown = result._repr_html_()
    assert "take no longer than" in shown
    assert "slowest 1 %" in shown


@pytest.mark.parametrize("what", ["latencies", "stages", "breakdown"])
def test_it_is_drawn(result: Result, what: str) -> None:
    assert result.plot(what).get_xlabel()


def test_streams_have_none() -> None:
    stream = ns.simulate(ns.Netperf("TCP_STREAM", PC, PC), **QUICK)
    assert stream.latencies is None
    assert "latencies" not in stream.to_record()
    with pytest.raises(ScenarioError, match="latencies"):
        stream.plot("latencies")


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"test": "TCP_CC"}, r'test: "TCP_CC" is not allowed .*did you mean "TCP_'),
        ({"test": "TCP_R"}, r'test: "TCP_R" is not allowed \(did you mean "TCP_RR"\?\)'),
        ({"message": 64}, "message: does not apply to TCP_RR; allowed for TCP_STREAM and UDP_STREAM"),
        ({"offered": "1 Mbit/s"}, "offered: does not apply to TCP_RR"),
        ({"test": "TCP_STREAM", "burst": 1}, "burst: does not apply to TCP_STREAM; allowed for TCP_RR and UDP_RR"),
        ({"test": "UDP_RR", "nodelay": True}, "nodelay: does not apply to UDP_RR, as UDP has no Nagle algorithm"),
        ({"test": "UDP_RR", "response": 70_000}, "response: 70000 bytes don't fit into a datagram"),
        ({"request": 1000, "burst": 100}, "burst: 101 requests of 1000 bytes don't fit .*; allowed: 0 to 31"),
        ({"request": 0}, "request: 0"),
    ],
)
def test_what_makes_no_sense_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        requests(**keys)
