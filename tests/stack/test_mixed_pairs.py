"""A system with timestamps and one without: the end that opens the connection decides for both (RFC 1323, 3.2)."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.scenario import Scenario
from netsim.stack import ComputerSpec, TcpSocket
from netsim.workload import Chariot, Netperf, NetPipe
from netsim.workload.netpipe.bounds import least_half_round_trip
from tests.analytic.test_small_messages import half_round_trip
from tests.stack.transfer import SECOND

WITH = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("system.kernel.tick", 0)
WITHOUT = WITH.replace({"system.tcp.timestamps": False, "system.tcp.sack": False})
PAIRS = [(WITH, WITHOUT, 1448), (WITHOUT, WITH, 1460), (WITH, WITH, 1448), (WITHOUT, WITHOUT, 1460)]


@pytest.mark.parametrize(("opener", "other", "segment"), PAIRS)
def test_one_answers_as_it_is_asked(opener: ComputerSpec, other: ComputerSpec, segment: int) -> None:
    answering = other.answering(opener)
    assert answering.system.tcp.mss(1500) == opener.system.tcp.mss(1500) == segment
    assert answering.replace("system.tcp.timestamps", other.system.tcp.timestamps) == other  # nothing else differs


def netperf(opener: ComputerSpec, other: ComputerSpec) -> Scenario:
    return Netperf(test="TCP_STREAM", sender=opener, receiver=other)


def netpipe(opener: ComputerSpec, other: ComputerSpec) -> Scenario:
    return NetPipe(sender=opener, receiver=other, sizes=(100_000,))


def download(opener: ComputerSpec, other: ComputerSpec) -> Scenario:
    return Chariot(server=opener, clients=(other,), switch="aceswitch-180", flow="download")


def upload(opener: ComputerSpec, other: ComputerSpec) -> Scenario:
    return Chariot(server=opener, clients=(other,), switch="aceswitch-180", flow="upload")


@pytest.mark.parametrize("tool", [netperf, netpipe, download, upload])
@pytest.mark.parametrize(("opener", "other", "segment"), PAIRS[:2])
def test_both_ends_have_equal_segments(opener: ComputerSpec, other: ComputerSpec, segment: int, tool: object) -> None:
    """In Chariot the server opens, whichever end sends the files; in the other tools the sender opens."""
    run = tool(opener, other).build(Environment(1))  # type: ignore[operator]
    assert [one.mss for one in _ends(run)] == [segment] * 2


def _ends(run: object) -> tuple[TcpSocket, TcpSocket]:
    pair = run.pairs[0] if hasattr(run, "pairs") else run
    return (pair.near, pair.far) if hasattr(pair, "near") else (pair.out, pair.into)  # type: ignore[attr-defined]


@pytest.mark.parametrize("tool", [netperf, download, upload])
@pytest.mark.parametrize(("opener", "other", "segment"), PAIRS[:2])
def test_twice_the_segment_is_acknowledged(
    opener: ComputerSpec, other: ComputerSpec, segment: int, tool: object
) -> None:
    """A receiver that assumed too large a segment would wait for a third one; with too small a segment it would not
    wait. The end of a call makes a shorter one."""
    run = tool(opener, other).build(Environment(1))  # type: ignore[operator]
    run.start()
    run.env.run(SECOND // 5)
    run.audit()
    out, into = _ends(run)
    assert out.segments_sent > 1000
    assert 2 * segment * into.acks_sent == pytest.approx(out.output.snd_una, rel=0.04)


@pytest.mark.parametrize("tool", [netperf, netpipe, download, upload])
@pytest.mark.parametrize(("opener", "other", "segment"), PAIRS[:2])
def test_the_bound_has_the_same_segments(opener: ComputerSpec, other: ComputerSpec, segment: int, tool: object) -> None:
    """The bound equals that of two systems like the opener's; their other differences cost nothing."""
    mixed, alike = tool(opener, other), tool(opener, opener)  # type: ignore[operator]
    assert mixed.bounds().demand == pytest.approx(alike.bounds().demand)
    assert ns.simulate(mixed, limit="0.3 s", precision=0.02).throughput <= mixed.bounds().limit * 1.0005


@pytest.mark.parametrize(("near", "far", "_"), PAIRS[:2])
def test_small_messages_have_the_same_headers_both_ways(near: ComputerSpec, far: ComputerSpec, _: int) -> None:
    test = NetPipe(sender=near, receiver=far, sizes=(100,))
    assert half_round_trip(test) == least_half_round_trip(test, 100)
