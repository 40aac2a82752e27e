"""iperf3 between current hosts: no faster than its bounds, nothing lost, and the effect of each setting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import DropPlace, Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack.stream_costs import StreamCosts
from netsim.units import MS, US
from netsim.workload.iperf3.run import Iperf3Run
from tests.stream_hosts import HOST, stream, streams


def run(test: ns.Iperf3, until: int = 10 * MS) -> Iperf3Run:
    found = test.build(Environment(1))
    found.start()
    found.env.run(until)
    found.audit()
    return found


def rate(found: Iperf3Run) -> float:
    return found.delivered * 8e12 / found.env.now


@given(streams(), st.integers(1, 2000))
@settings(max_examples=20, deadline=None)
def test_nothing_is_faster_than_its_bound(test: ns.Iperf3, time: int) -> None:
    found = run(test, time * US)  # includes an audit
    assert rate(found) <= test.bounds().limit * (1 + 1e-9)
    accounts = found.accounts()
    for name, share in accounts.utilisation().items():
        assert 0 <= share <= (1.01 if "PCIe" in name else 1), name  # traffic the other way is held up by one frame
    sent, taken = accounts.counts["segments sent"], accounts.counts["segments received"]
    assert taken + sum(accounts.drops.values()) <= sent + accounts.counts["acknowledgements"]


def test_wires_and_slots_have_shares_from_0_to_1_in_any_10_us() -> None:
    """Even though acknowledgements are few, wait for their latency on a nearly idle wire, and hold up data. A frame
    that ends in this time counts in full, although it may begin earlier."""
    test = stream(receiver__server__root_complex__write_time="32768 ps", receiver__kernel__tcp__packet_lines=0.0)
    whole = 1 + test.link.frame_time(test.sizes["sender"]) / (10 * US)
    found = test.build(Environment(1))
    found.start()
    before = found.accounts()
    for time in range(10, 3000, 10):
        found.env.run(time * US)
        now = found.accounts()
        shares = (now - before).utilisation()
        for part in now.occupied:
            assert 0 <= shares[part] <= (1 if "PCIe" in part else whole), (time, part)
        before = now
    assert all(before.frames.values())


def test_a_frame_is_in_memory_once_its_receive_queue_says_so() -> None:
    """On the return path as well, whatever else occupies the slot."""
    found = stream(mtu=1500, streams=2, host__pcie="pcie-3-x4").build(Environment(1))
    found.start()
    for time in range(1, 1000):
        found.env.run(time * US)
        for name, landing in found.shared.landings.items():
            ways = [one.data if name == "receiver" else one.acks for one in found.streams]
            arrived = sum(way.trains.count(found.env.now) for way in ways if way is not None)
            assert landing.moved(found.env.now) == arrived, (time, name)
    assert found.delivered


def test_a_nearly_idle_wire_has_a_share_that_is_positive() -> None:
    changes = {"miss_time": "1 ps", "write_time": "32768 ps"}
    test = stream(receiver__kernel__tcp__packet_lines=0.0).replace(
        {f"receiver.server.root_complex.{name}": time for name, time in changes.items()}
    )
    result = ns.simulate(test, precision=0.5, warm_up="1 ms", sample="1 ms", limit="20 ms", wall_limit="60 s")
    assert all(0 <= share <= 1 for share in result.utilisation.values())


@given(streams())
@settings(max_examples=5, deadline=None)
def test_a_run_repeats_itself(test: ns.Iperf3) -> None:
    assert run(test, 2 * MS).accounts() == run(test, 2 * MS).accounts()


@pytest.mark.parametrize(("link", "mtu"), [("1000base-t", 1500), ("10gbase-sr", 1500), ("10gbase-sr", 9000)])
def test_a_slow_wire_is_full(link: str, mtu: int) -> None:
    """It is as fast as its frames allow: the payload's share of a frame's time."""
    test = stream(link, mtu)
    payload = (mtu - 52) / (mtu + 38)
    assert test.bounds().limit == pytest.approx(test.link.rate * payload, rel=1e-6)
    found = run(test, 40 * MS)
    assert rate(found) == pytest.approx(test.bounds().limit, rel=0.05)


def test_what_waits_below_tcp_is_a_millisecond_of_the_rate() -> None:
    """TCP small queues: a fast sender keeps that much, or a MiB, in the adapter of a slow wire."""
    sender = run(stream("1000base-t", 1500), 100 * MS).streams[0].sender
    assert 0.5e5 < sender.output.device.segments * 1448 < 2.5e5


def test_segments_of_one_kind_need_what_the_items_add_up_to() -> None:
    """A receiver on one core that never sleeps spends the listed costs on each segment, and at most this plus
    interrupts, calls and acknowledgements."""
    test = stream()
    found = run(test, 40 * MS)
    costs = StreamCosts(test.receiver, test.mtu)
    least = test.bounds().demand[next(one for one in test.bounds().demand if one == "receiver processor 0")]
    spent = found.streams[0].receiver.core.spent.total / found.streams[0].receiver.tcp.copied
    assert least < spent < least + costs.copy_times[1] * 1.3


def test_every_offload_helps() -> None:
    """In the order in which they are usually switched on."""
    off = {"host__tso": False, "host__gro": False, "host__arfs": False}
    steps = [
        stream(mtu=1500, **off),
        stream(mtu=1500, host__arfs=False),
        stream(mtu=9000, host__arfs=False),
        stream(mtu=9000),
    ]
    rates = [rate(run(test, 20 * MS)) for test in steps]
    assert rates == sorted(rates)
    assert rates[-1] > 3 * rates[0]


def test_merged_packets_are_longer_with_gro() -> None:
    merged, single = (run(stream(mtu=1500, receiver__gro=gro)).accounts().counts for gro in (True, False))
    assert single["segments received"] == single["packets received"]
    assert merged["segments received"] > 10 * merged["packets received"]


def test_streams_share_the_wire() -> None:
    found = run(stream(streams=4), 30 * MS)
    rates = [one.receiver.tcp.copied for one in found.streams]
    assert rate(found) > 0.93 * found.test.bounds().limit
    assert max(rates) < 1.5 * min(rates)
    assert not sum(found.accounts().drops.values())


def test_a_short_ring_drops_and_what_was_dropped_is_sent_again() -> None:
    found = run(stream(receiver__driver__rx_ring=32), 30 * MS)
    counts = found.accounts().counts
    dropped = sum(found.accounts().drops.values())
    assert 0 < dropped <= counts["TCP retransmissions"] + 20  # the last losses are noticed later
    assert found.streams[0].receiver.tcp.duplicates <= counts["TCP retransmissions"]


@pytest.mark.parametrize("pcie", ["pcie-1-x4", "pcie-1-x8", "pcie-2-x4"])
def test_a_slot_that_drops_frames_is_full_all_the_same(pcie: str) -> None:
    """Segments lost twice are sent a third time without waiting for a timeout, and nothing else is."""
    found = run(stream(mtu=1500, host__pcie=pcie), 300 * MS)
    counts, dropped = found.accounts().counts, sum(found.accounts().drops.values())
    assert rate(found) > 0.98 * found.test.bounds().limit
    assert counts["TCP timeouts"] == 0 < dropped
    assert dropped - 50 < counts["TCP retransmissions"] <= dropped  # the last losses are noticed later


@pytest.mark.parametrize("mtu", [1500, 9000])
@pytest.mark.parametrize("length", [100, 1024, 4096, 8192, 16_384])
def test_every_call_costs_its_time(length: int, mtu: int) -> None:
    """Even those that fill a packet or empty a segment together. The sender's core is the limit for the shortest."""
    found = run(stream(mtu=mtu, length=length), 40 * MS)
    assert rate(found) <= found.test.bounds().limit
    if length == 100:
        assert rate(found) > 0.9 * found.test.bounds().limit


@pytest.mark.parametrize("mtu", [1500, 9000])
def test_the_shortest_calls_cost_nearly_all_time(mtu: int) -> None:
    """A byte each: both bounds are the time of a call."""
    test = stream(mtu=mtu, length=1)
    call = StreamCosts(test.sender, mtu).call.total
    for host in ("sender", "receiver"):
        assert test.bounds().demand[Resource(host, PROCESSOR, 0)] / test.mss == pytest.approx(call, rel=0.01)


def test_frames_lost_on_the_wire_are_sent_again() -> None:
    found = run(stream("10gbase-sr", 1500, link__bit_error_rate=1e-8), 300 * MS)
    counts, drops = found.accounts().counts, found.accounts().drops
    lost = drops[DropPlace("wire to receiver", "bit errors")]
    assert 10 < lost == sum(drops.values())
    assert lost - 3 <= counts["TCP retransmissions"] <= lost
    assert counts["segments received"] < counts["segments sent"]


def test_a_later_acknowledgement_stands_for_a_lost_one() -> None:
    found = run(stream("10gbase-sr", 1500, link__bit_error_rate=1e-5), 1000 * MS)
    accounts = found.accounts()
    lost, sent = accounts.drops[DropPlace("wire to sender", "bit errors")], accounts.counts["acknowledgements"]
    assert lost > 0
    assert sent - lost - 1 <= found.streams[0].sender.acks <= sent - lost


def test_a_wire_that_loses_everything_delivers_nothing() -> None:
    found = run(stream(link__bit_error_rate=1.0), 20 * MS)
    assert found.delivered == 0
    assert found.accounts().drops[DropPlace("wire to receiver", "bit errors")] > 0


def test_a_small_buffer_limits_the_window() -> None:
    """Half of it is a window, and one window is sent per round trip."""
    small, large = (run(stream(mtu=1500, receiver__tcp_rmem=size), 30 * MS) for size in ("128 KiB", "6 MiB"))
    assert small.streams[0].sender.output.out <= 65_536 // 1448
    assert rate(small) < 0.9 * rate(large)


@pytest.mark.parametrize("size", ["4 KiB", "17 KiB"])
def test_segments_are_no_longer_than_half_of_a_small_window(size: str) -> None:
    """A window shorter than a jumbo frame's segment doesn't stop the stream."""
    test = stream(receiver__tcp_rmem=size)
    assert test.mss == test.receiver.tcp_rmem // 2 // 2
    assert test.sizes["sender"] == test.mss + 52 + 18
    found = run(test, 3 * MS)
    assert rate(found) > 0.2e9
    assert found.streams[0].sender.output.out <= 2


def test_a_window_that_opens_unheard_is_asked_for() -> None:
    """One of these streams' acknowledgements that open a shut window gets lost; nothing else would come."""
    found = run(stream("10gbase-sr", 1500, receiver__tcp_rmem="4 KiB", link__bit_error_rate=1e-5), 4000 * MS)
    before = found.delivered
    found.env.run(6000 * MS)
    assert found.delivered > before


def test_a_window_of_two_segments_leaves_them_whole() -> None:
    for size, mss in (("35 KiB", 8948), ("34 KiB", 8704)):
        assert stream(receiver__tcp_rmem=size).mss == mss
    assert stream(mtu=576, receiver__tcp_rmem="4 KiB").mss == 524


def test_data_that_stayed_in_the_cache_cost_less() -> None:
    """Devices may fill two of eleven ways; with all ways nothing is evicted."""
    few, all_ways = (run(stream(receiver__server__cache__dma_ways=ways), 30 * MS) for ways in (1, 11))
    assert rate(few) < rate(all_ways)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"streams": 7}, "streams: 7 are too many for the sender's cores; allowed: 1 to 6"),
        ({"mtu": 9979}, "mtu: 9979 is more than the sender's adapter accepts; allowed: 576 to 9978"),
        ({"receiver.adapter.max_mtu": 1000}, "mtu: 1500 is more than the receiver's adapter accepts"),
        ({"mtu": 300}, "mtu: 300 is not allowed; allowed: 576 or more"),
        ({"receiver.kernel": "linux-4.18"}, "kernel.tcp: the costs of streams are not known for this kernel"),
        ({"sender.driver": "ixgbe"}, "known for this driver; allowed: a table, as in mlx5-5.4"),
        ({"sender.adapter.rate": "10 Gbit/s"}, "link.rate: 100000000000 bit/s are more than the adapter of sender"),
        ({"sender.adapter": "82599"}, 'sender.driver: "mlx5-5.4" is not a driver for 82599, only for connectx-5,'),
        ({"streams": 3, "sender.driver.queues": 2},
         "streams: 3 are too many for the sender's queues; allowed: 1 to 2 (driver.queues)"),
        ({"receiver.tcp_rmem": 100}, "tcp_rmem: 100 B is not allowed; allowed: 4 KiB to 1 GiB"),
        ({"length": "1 GiB"}, "length: 1073741824 B is not allowed; allowed over tcp: 1 to 16777216 B"),
        ({"congestion": "bbr"}, "congestion"),
        ({"receiver.driver.rx_ring": 7}, "driver.refill: 8 descriptors at once are more than the ring has"),
        ({"sender.adapter.tx_write_back": 99, "sender.driver.tx_ring": 50}, "sender.adapter.tx_write_back: 99 desc"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_line(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        ns.Iperf3(HOST, HOST, link="100gbase-sr4").replace(changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


AT_ONCE = {"policy": "fixed-interval", "interval": "0 us"}
BUFFER = {"link": "10gbase-sr", "mtu": 1500, "receiver__tcp_rmem": "64 KiB", "host__driver__moderation": AT_ONCE}


def test_data_and_acknowledgements_take_the_latency_of_both_adapters() -> None:
    """As long as a path of the same length: a small window fills either."""
    slow, far = (ns.simulate(stream(**BUFFER, **changes), precision=0.01)
                 for changes in ({"host__adapter__latency": "250 us"}, {"link__propagation": "500 us"}))  # fmt: skip
    assert slow.throughput == pytest.approx(far.throughput, rel=0.03)
    assert slow.kinds[0].response == pytest.approx(far.kinds[0].response, rel=0.03)


@pytest.mark.parametrize("arfs", [True, False])
@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_an_idle_core_takes_its_time_to_resume(end: str, arfs: bool) -> None:
    """Once for an interrupt, and once more for a process that has another core."""
    asleep = {f"{end}__server__idle_exit": "100 us"}
    awake, slow = (ns.simulate(stream(**BUFFER, host__arfs=arfs, **changes), precision=0.01)
                   for changes in ({}, asleep))  # fmt: skip
    times = 1 if arfs else 2
    assert slow.kinds[0].response - awake.kinds[0].response > 60e-6 * times
    assert slow.throughput < 0.5 * awake.throughput


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("sender.adapter.tx_packet_time", "sender nic transmitter"),
        ("sender.adapter.tx_queue_packet_time", "sender nic transmitter"),
        ("receiver.adapter.rx_packet_time", "receiver nic receiver"),
    ],
)
@pytest.mark.parametrize("streams", [1, 2])
def test_an_adapter_that_is_slow_limits(address: str, named: str, streams: int) -> None:
    test = stream(streams=streams).replace(address, "5 us")
    result = ns.simulate(test, precision=0.02)
    each = streams if "queue" in address else 1
    assert test.bounds().limit == pytest.approx(each * test.mss * 8 / 5e-6)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=0.03)
    assert result.bottleneck == test.bounds().bottleneck == named
