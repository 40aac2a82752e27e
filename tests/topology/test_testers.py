"""Testers that receive from hosts: datagrams that a host has cut to the MTU of a tunnel count once."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.stack.udp import UdpFragment
from netsim.topology import tester
from tests.in_networks import FAST, tunnel_between_testers

TOTAL = 1480  # bytes of IP payload


def to_tester(size: int, *, finds: bool = True, offered: str = "4 Mbit/s") -> ns.Flows:
    """Datagrams from a host, through a tunnel, to a tester. Packets up to 1443 bytes fit."""
    load = {"kind": "datagrams", "sender": "left", "receiver": "right", "size": size, "offered": offered}
    test = tunnel_between_testers(testers=["right"], flows={"load": load}, hosts={
        "left": FAST, **tunnel_between_testers().computers})  # fmt: skip
    return test.replace("hosts.left.system.udp.finds_path_mtu", finds)


def sink() -> tester.TesterSink:
    return tester.TesterSink(tester.Tester(Environment(1), "right"), "load")


def fragment(datagram: int, nbytes: int, offset: int = 0) -> UdpFragment:
    return UdpFragment(nbytes + 38, "load", None, nbytes, TOTAL, datagram, offset)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (0, 2, 1, 3)])
def test_a_datagram_counts_once_all_of_it_has_come(order: tuple[int, ...]) -> None:
    """In any order, even among fragments of another one."""
    into = sink()
    pieces = [fragment(datagram, *part) for datagram in (7, 8) for part in ((1408, 0), (72, 1408))]
    counts = []
    for place in order:
        into.put(pieces[place])
        counts.append(into.datagrams)
    assert (counts[0], counts[-1], into.received_bytes, into.incomplete) == (0, 2, 2 * (TOTAL - 8), 0)


def test_what_has_lost_a_fragment_never_counts() -> None:
    """And no more of them are remembered than identifications can tell apart."""
    into = sink()
    for datagram in range(70_000):
        into.put(fragment(datagram, 1408))
    assert (into.datagrams, into.received_bytes, into.incomplete) == (0, 0, 1 << 16)
    into.put(fragment(69_999, 72, 1408))
    assert (into.datagrams, into.incomplete) == (1, (1 << 16) - 1)


@pytest.mark.parametrize(("size", "finds"), [(1415, True), (1416, True), (1472, True), (1472, False)])
def test_what_a_host_sends_through_a_tunnel_arrives_as_often_as_it_was_sent(size: int, finds: bool) -> None:
    test = to_tester(size, finds=finds)
    result = ns.simulate(test, precision=0.01, limit="0.5 s")
    assert result.mbit_per_s == pytest.approx(4, rel=1e-3)
    sent, received = (result.counts[f"datagrams {what}"] for what in ("sent", "received"))
    assert abs(received - sent) <= len(result.iterations)


def test_lost_fragments_are_no_datagrams() -> None:
    """A gateway that is too slow drops packets; each of them takes a datagram along."""
    test = to_tester(1472, offered="40 Mbit/s")
    result = ns.simulate(test, precision=0.02, limit="0.5 s")
    assert 0.5 * test.bounds().limit < result.throughput < test.bounds().limit
    assert result.dropped


def test_bounds_have_the_frames_that_the_host_sends() -> None:
    """Two where the datagram is cut, one where it is not."""
    wire = "wire inside to east"
    whole, cut = (to_tester(1472, finds=finds, offered="40 Mbit/s").bounds().demand for finds in (False, True))
    (there,) = (one for one in whole if one == wire)
    assert whole[there] == pytest.approx(1e12 / 12.5e6 * (1518 + 20) / 1472)
    assert cut[there] == pytest.approx(1e12 / 12.5e6 * (1518 + 20 + 20 + 38) / 1472, rel=1e-3)
