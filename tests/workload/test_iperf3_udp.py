"""iperf3 over UDP: what is offered, what is delivered, and what happens to the rest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import TX_RING
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.units import MS, US
from netsim.workload.iperf3.run import Iperf3Run
from netsim.workload.iperf3.udp_ends import UdpEnds
from tests.stream_hosts import stream, streams


def datagrams(bitrate: str, mtu: int = 1500, **changes: Any) -> ns.Iperf3:
    """One stream of datagrams at a rate."""
    return stream(mtu=mtu, protocol="udp", bitrate=bitrate, **changes)


def run(test: ns.Iperf3, until: int = 10 * MS) -> Iperf3Run:
    found = test.build(Environment(1))
    found.start()
    found.env.run(until)
    found.audit()
    return found


def ends(found: Iperf3Run) -> UdpEnds:
    """The ends of the only stream."""
    (one,) = found.streams
    assert isinstance(one, UdpEnds)
    return one


OF_TCP = {"congestion": None, "sender.tso": True, "receiver.tso": True,
          "sender.tcp_wmem": "4 MiB", "receiver.tcp_rmem": "6 MiB"}  # as if never set


@given(
    streams(), st.sampled_from([16, 500]), st.sampled_from(["1 Mbit/s", "3 Gbit/s", "100 Gbit/s"]),
    st.sampled_from(["10 KiB", "208 KiB"]), st.integers(1, 700),
)  # fmt: skip
@settings(max_examples=10, deadline=None)
def test_no_more_is_delivered_than_is_offered_or_possible(
    tcp: ns.Iperf3, length: int, bitrate: str, room: str, time: int
) -> None:
    buffers = {"sender.wmem_default": room, "receiver.rmem_default": room}
    test = tcp.replace({"length": length, "protocol": "udp", "bitrate": bitrate} | OF_TCP | buffers)
    found = run(test, time * US)  # includes an audit
    once = test.streams * test.mss  # a datagram allowed by its rate is sent whole
    assert found.delivered <= test.bounds().limit * time * US / 8e12 * (1 + 1e-9) + once
    accounts = found.accounts()
    for name, share in accounts.utilisation().items():
        assert 0 <= share <= (1.01 if "PCIe" in name else 1), name
    counts = accounts.counts
    assert counts["datagrams received"] + counts["datagrams lost"] <= counts["datagrams sent"]
    assert counts["datagrams lost"] <= sum(accounts.drops.values())


def test_a_rate_that_both_ends_can_do_is_delivered() -> None:
    found = run(datagrams("1 Gbit/s"), 40 * MS)
    assert found.delivered * 8e12 / found.env.now == pytest.approx(1e9, rel=0.03)
    assert ends(found).times.lost == 0


def test_datagrams_are_as_long_as_segments_unless_told_otherwise() -> None:
    assert datagrams("1 Gbit/s").mss == 1448
    assert datagrams("1 Gbit/s", length=1472).sizes["sender"] == 1518
    assert datagrams("1 Gbit/s", length=16).sizes["sender"] == 64
    assert stream(protocol="udp").offered == 10**6


def test_what_the_pacing_timer_lets_out_at_once_needs_room_at_the_receiver() -> None:
    """At 5 Gbit/s a millisecond's datagrams leave in a burst; the default buffer holds about 90 of those that the
    receiver can't read meanwhile."""
    lost = [ends(run(datagrams("5 Gbit/s", receiver__rmem_default=size), 20 * MS)).times.lost
            for size in ("208 KiB", "2 MiB")]  # fmt: skip
    assert lost[0] > 100
    assert lost[1] == 0


def test_a_shorter_timer_makes_shorter_bursts() -> None:
    lost = [ends(run(datagrams("5 Gbit/s", pacing_timer=time), 20 * MS)).times.lost for time in ("1 ms", "100 us")]
    assert lost[1] < lost[0] / 5


def test_beyond_what_a_receiver_can_do_the_rest_is_dropped_at_its_socket() -> None:
    found = run(datagrams("100 Gbit/s"), 20 * MS)
    one, counts = ends(found), found.accounts().counts
    under_way = counts["datagrams sent"] - counts["datagrams received"] - one.receiver.dropped
    assert one.receiver.dropped > counts["datagrams received"] / 10
    assert 0 <= under_way < 1024 + 2 * 92
    assert one.sender.core.spent.total > 0.98 * found.env.now  # the sender never waits


def test_a_send_buffer_holds_the_sender_up() -> None:
    """On a slow wire, it waits until its data in transit are half of its buffer."""
    found = run(datagrams("10 Gbit/s", link="1000base-t"), 30 * MS)
    assert found.delivered * 8e12 / found.env.now == pytest.approx(1e9 * 1448 / 1514 * 0.984, rel=0.02)
    assert ends(found).times.lost == 0
    assert ends(found).sender.wakeups > 30


def test_byte_queue_limits_keep_most_of_it_out_of_the_ring() -> None:
    """The bytes sent between two completions (16 us: tx-usecs) stay in the ring and keep the wire full, and the rest
    waits in the discipline."""
    held = []
    for bql in (True, False):
        found = run(datagrams("30 Gbit/s", 9000, link="10gbase-sr", sender__bql=bql), 10 * MS)
        device = ends(found).sender.device
        held.append(device.held)
        assert found.shared.ports["sender"].sent(found.env.now) * 9038 * 8 > 0.85 * 10e-3 * 10e9
        if device.limits is not None:
            assert 20_000 < device.limits.limit < 100_000  # 16 us of the wire; the send buffer holds 117,000
            assert device.limits.in_ring <= device.limits.limit + 9014
    assert held[0] > 100
    assert held[1] == 0


RESERVE = 17  # descriptors (mlx5's tx_reserve)
LESS_ROOM = {"sender__bql": False, "sender__wmem_default": "8 MiB"}


def test_a_ring_for_one_datagram_is_full_until_its_completion_is_announced() -> None:
    """The datagram is fetched and sent, the adapter waits `sent_interval`, and its interrupt finds the core idle: the
    next datagram follows then, and not before."""
    test = datagrams("100 Gbit/s", sender__driver__tx_ring=RESERVE + 1, **LESS_ROOM)
    costs = test.datagram_costs(test.sender)
    cycle = int(test.bounds().demand[Resource("sender", TX_RING)]) + costs.idle.total + costs.idle_exit.total
    assert test.sender.stream_driver.sent_interval < cycle < 1.3 * test.sender.stream_driver.sent_interval
    found = run(test)
    port, before = found.shared.ports["sender"], found.accounts()
    sent = port.sent(found.env.now)
    found.env.run(10 * MS + 100 * cycle)
    assert port.sent(found.env.now) == sent + 100
    assert (found.accounts() - before).utilisation()[Resource("sender", TX_RING)] == 1


def test_a_larger_ring_never_sends_less() -> None:
    """Until the process is slower than the ring, each interval sends what the ring holds."""
    rooms = (1, 2, 4, 8, 16, 1000)
    tests = [datagrams("100 Gbit/s", sender__driver__tx_ring=RESERVE + room, **LESS_ROOM) for room in rooms]
    found = [run(test) for test in tests]
    sent = [one.shared.ports["sender"].sent(one.env.now) for one in found]
    assert sent == sorted(sent)
    assert sent[3] == pytest.approx(8 * sent[0], rel=0.15)
    assert found[0].accounts().counts["held by a full ring"] > 0
    assert found[-1].accounts().counts["held by a full ring"] == 0
    limits = [test.bounds().limit for test in tests]
    assert limits == sorted(limits)


def test_softirqs_that_never_end_share_the_processor_with_the_process() -> None:
    """With a small budget they are soon left to ksoftirqd, and the process gets its slices."""
    changes = {"receiver__kernel__budget": 1, "receiver__kernel__restarts": 1, "receiver__gro": False}
    found = run(stream(mtu=1500, **changes), 15 * MS)
    assert found.accounts().counts["receiver ksoftirqd"] > 0
    assert found.delivered > 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"length": 1473}, "length: 1473 B is not allowed; allowed over udp: 16 to 1472 B"),
        ({"length": 15}, "length: 15 B is not allowed; allowed over udp: 16 to 1472 B"),
        ({"protocol": "tcp"}, "bitrate: does not apply to tcp; allowed with protocol udp"),
        ({"protocol": "tcp", "bitrate": None, "pacing_timer": "50 us"}, "pacing_timer: does not apply to tcp"),
        ({"protocol": "tcp", "bitrate": None, "receiver.rmem_default": "1 MiB"}, "rmem_default: does not apply to tcp"),
        ({"congestion": "cubic"}, "congestion: does not apply to udp; allowed with protocol tcp"),
        ({"sender.tcp_wmem": "1 MiB"}, "sender.tcp_wmem: does not apply to udp; allowed with protocol tcp"),
        ({"sender.tso": False}, "sender.tso: does not apply to udp; allowed with protocol tcp"),
        ({"receiver.rmem_default": 100}, "rmem_default: 100 B is not allowed; allowed: 4 KiB to 1 GiB"),
        ({"protocol": "sctp"}, "protocol"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        datagrams("1 Gbit/s").replace(changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_datagram_takes_the_latency_of_both_adapters(end: str) -> None:
    at_once = {"policy": "fixed-interval", "interval": "0 us"}
    test = datagrams("100 Mbit/s", host__driver__moderation=at_once, host__bql=False)
    near, far = (ends(run(test.replace(f"{end}.adapter.latency", time), 21 * MS)).times for time in ("0 us", "300 us"))
    assert far.transit_sum - near.transit_sum == pytest.approx(300 * US * near.received, rel=0.005)


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_datagram_finds_cores_asleep(end: str) -> None:
    """The pacing timer finds the sender's core idle, before a datagram is sent; an interrupt the receiver's."""
    found = [ns.simulate(datagrams("100 Mbit/s").replace(f"{end}.server.idle_exit", time), precision=0.05)
             for time in ("0 us", "50 us")]  # fmt: skip
    assert found[1].cpu[end] > found[0].cpu[end] + 0.02
    later = found[1].kinds[0].response - found[0].kinds[0].response
    assert later > 20e-6 if end == "receiver" else found[1].throughput == pytest.approx(1e8, rel=0.02)


def test_jitter_is_no_kind_of_transaction() -> None:
    """Nor has an open test a mean over kinds."""
    result = ns.simulate(datagrams("100 Mbit/s", streams=2), limit="20 ms", precision=0.5)
    assert [(one.name, one.share) for one in result.kinds] == [("transit", 1.0)]
    assert result.jitter is not None
    assert 0 < result.jitter < result.kinds[0].response
    assert result.harmonic_mean is None
    assert "\njitter " in str(result)
    assert result.to_record()["jitter"] == result.jitter
    assert ns.Result.from_json(result.to_json()) == result
    assert ns.simulate(ns.load("examples/iperf3-100g.toml"), limit="2 ms", precision=0.5).jitter is None
