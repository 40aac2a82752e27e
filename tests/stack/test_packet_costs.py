"""What a packet costs beyond a stream's segment: a firewall's chains, and acknowledgements in segments with data."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.machine import Work
from netsim.stack import ComputerSpec
from netsim.stack.forwarding_costs import ForwardingCosts
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts
from tests.analytic.test_small_messages import computer, half_round_trip, netpipe

US = 10**6  # ps
FILTERS = ("system.ip.filter_rx_cycles", "system.ip.filter_tx_cycles")
PC = computer("piii-600", ["3c905b/3c59x"]).replace({"processors.clock": "1 GHz", "system.kernel.cycle_factor": 1})
OPEN = PC.replace(dict.fromkeys(FILTERS, 0))
GUARDED = PC.replace(dict(zip(FILTERS, (2000, 3000), strict=True)))  # 2 us for each packet received, 3 us for one sent


def more(guarded: Work, plain: Work) -> int:
    return guarded.total - plain.total


def test_a_firewall_looks_at_every_segment() -> None:
    guarded, plain = TcpCosts(GUARDED), TcpCosts(OPEN)
    for length in (0, 1448):
        assert more(guarded.arrival(length, 0), plain.arrival(length, 0)) == 2 * US
        assert more(guarded.segment(length, 0), plain.segment(length, 0)) == 3 * US
    assert more(guarded.answered(1448, 0, 0), plain.answered(1448, 0, 0)) == 5 * US


def test_what_was_checked_before_has_passed_it() -> None:
    guarded, plain = TcpCosts(GUARDED), TcpCosts(OPEN)
    assert more(guarded.check(1448, 0), plain.check(1448, 0)) == 2 * US
    assert guarded.arrival(1448, 0, checked=True).total == plain.arrival(1448, 0, checked=True).total


def test_a_firewall_looks_at_every_fragment() -> None:
    guarded, plain = UdpCosts(GUARDED), UdpCosts(OPEN)
    for fragment in GUARDED.fragments(8200, 1500):
        assert more(*(one.write(fragment, 8200, 0, CALLED) for one in (guarded, plain))) == 3 * US
        assert more(*(one.fragment(fragment.nbytes, 0) for one in (guarded, plain))) == 2 * US
    assert more(guarded.completion(800, 8200, 0), plain.completion(800, 8200, 0)) == 2 * US


@pytest.mark.parametrize(("forwards", "us"), [("ip", 2 + 3 + 3), ("bridge", 0)])
def test_a_router_pays_three_times_and_a_bridge_never(forwards: str, us: int) -> None:
    def gateway(pc: ComputerSpec) -> ForwardingCosts:
        two = pc.replace("nics", ["3c905b/3c59x", "3c905b/3c59x"]).replace("forwards", forwards)
        return ForwardingCosts(two, 1)

    assert more(gateway(GUARDED).work(60), gateway(OPEN).work(60)) == us * US


# ---- acknowledgements ----


def test_a_message_that_acknowledges_the_last_one_costs_that_and_its_timers() -> None:
    plain = PC.replace({"system.tcp.acked_cycles": 0, "system.tcp.alone_cycles": 0})
    expensive = plain.replace({"system.tcp.acked_cycles": 4000, "system.tcp.alone_cycles": 1000})
    one, other = (half_round_trip(netpipe(100, pc)) for pc in (expensive, plain))
    assert one - other == 5 * US


def test_a_segment_without_data_has_a_cost_of_its_own() -> None:
    costs = TcpCosts(PC.replace("system.tcp.ack_rx_cycles", 9000))
    as_data = TcpCosts(PC.replace({"system.tcp.ack_rx_cycles": None, "system.tcp.rx_cycles": 9000}))
    assert costs.arrival(0, 0).total == as_data.arrival(0, 0).total
    assert costs.arrival(1448, 0).total < as_data.arrival(1448, 0).total


def test_a_stream_pays_neither() -> None:
    """Except for its first segment: something is always in transit, and no segment with data comes back."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    test = ns.Netperf("TCP_STREAM", pc, pc)
    ends, costs = ("sender", "receiver"), ("acked", "alone")
    expensive = {f"{end}.system.tcp.{what}_cycles": 100_000 for end in ends for what in costs}
    plain, more_so = (ns.simulate(one, limit="0.2 s", precision=0.02) for one in (test, test.replace(expensive)))
    assert more_so.cpu["sender"] == pytest.approx(plain.cpu["sender"], abs=0.01)
    assert more_so.throughput == pytest.approx(plain.throughput, rel=1e-3)
