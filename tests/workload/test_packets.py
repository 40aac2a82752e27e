"""A host that receives packets: compared with its closed form, and the causes of its limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.accounts import Resource
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.machine import QueueDriverSpec
from netsim.units import MS, US
from netsim.workload.packets.bounds import demand
from netsim.workload.packets.run import PacketsRun, costs
from tests.packet_tools import RECEIVER, SENDER, packets, receivers

MPPS = 10**6
FOUR_NODES = {"server": "xeon-gold-6128"}  # of six cores each
SHORT = {"duration": "3 ms"}


def run(test: ns.Packets, until: int = 2 * MS) -> PacketsRun:
    found = test.build(Environment())
    found.start()
    found.env.run(until)
    found.audit()
    return found


def idle(test: ns.Packets) -> float:
    return 1 - ns.simulate(test, precision=0.01).cpu["host"]


@given(receivers(), st.integers(1, 1500))
@settings(max_examples=80, deadline=None)
def test_nothing_is_faster_than_its_bound(test: ns.Packets, time: int) -> None:
    found = run(test, time * US)  # includes an audit
    weight = test.cores * test.kernel.weight  # a poll counts its packets when it ends
    assert (found.delivered - weight) * 1e12 <= test.bounds().limit * found.env.now
    for name, share in found.accounts().utilisation().items():
        assert 0 <= share <= 1 + 1e-9, name


@given(receivers())
@settings(max_examples=25, deadline=None)
def test_a_burst_is_dealt_with_or_dropped(test: ns.Packets) -> None:
    """All of it, after a while: nothing stays waiting for an interrupt that never comes."""
    test = test.replace({"offered": 10**6, "burst": 500})
    found = run(test, 20 * MS)
    dropped = sum(found.accounts().drops.values())
    assert found.delivered + dropped == sum(one.queue.arrived for one in found.cores)
    assert sum(one.queue.arrived for one in found.cores) == 500 if test.steering == "rss" else True


def test_a_burst_has_no_rate_to_measure() -> None:
    test = packets("linux-drop-raw", burst=1000)
    with pytest.raises(ns.ScenarioError, match=r"^burst: a burst of 1000 packets .*; ns\.rfc2544 measures bursts"):
        ns.simulate(test)
    assert ns.rfc2544(test, [64], trial="1 ms").sizes[0].back_to_back > 0


# ---- a lone packet, and a light load ----


def test_a_lone_packet_takes_its_way() -> None:
    """To memory, until the interval is over, the interrupt's path, its work, a poll, and its own time."""
    test = packets("linux-drop-raw", offered=1000)
    found = run(test, 20 * MS)
    brought = test.server.time(test.action.poll_cycles)
    policy = test.rule()
    way = test.latency + policy.interval + test.message_time + test.interrupt_time + test.poll_time + brought
    queue = found.cores[0].queue
    assert queue.taken == queue.arrived - queue.waiting > 15
    assert queue.longest == way + test.packet_time() + test.server.cache.miss_time  # the ring's first round
    assert found.cores[0].interrupts == queue.taken


@pytest.mark.parametrize("rate", [0.25, 1, 3])
def test_the_idle_share_is_that_of_a_cycle(rate: float) -> None:
    """The first packet of a cycle arrives at most 1 / r after the last cycle, and the interrupt an interval later; then
    everything that arrived is processed: idle = (1 - r c) (T + g) / (T + g + I), g between 0 and 1 / r."""
    test = packets("xdp-drop", offered=int(rate * MPPS))
    each, interval = test.packet_time(), test.rule().interval + test.message_time + test.latency
    work = test.interrupt_time + test.poll_time
    gap = 1e6 / rate
    most, least = ((1 - each / gap) * (interval + wait) / (interval + wait + work) for wait in (gap, 0))
    assert least - 0.03 <= idle(test) <= most + 0.01


def test_a_longer_interval_leaves_more_idle_and_takes_longer() -> None:
    policies = [{"policy": "fixed-interval", "interval": f"{time} us"} for time in (2, 8, 32)]
    results = [ns.simulate(packets(offered=MPPS, driver__moderation=one), precision=0.01) for one in policies]
    assert [one.cpu["host"] for one in results] == sorted((one.cpu["host"] for one in results), reverse=True)
    assert [one.kinds[0].response for one in results] == sorted(one.kinds[0].response for one in results)
    assert not any(sum(one.drops.values()) for one in results)


def test_polling_has_no_interrupts_and_no_idle_time() -> None:
    result = ns.simulate(packets("poll-drop", offered=MPPS), precision=0.01)
    assert (result.counts["interrupts"], result.cpu["host"]) == (0, pytest.approx(1))
    assert result.kinds[0].response < ns.simulate(packets(offered=MPPS), precision=0.01).kinds[0].response
    assert result.cpu_by_name("host")["polling"] > 0.9


# ---- overload ----


def test_one_core_does_what_its_costs_allow() -> None:
    test = packets("linux-drop-raw")
    result = ns.simulate(test, precision=0.01)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=0.01)
    assert result.bottleneck == "host processor 0"
    assert result.dropped.keys() == {"host: receive ring"}
    assert result.counts["interrupts"] == 0  # polls continue forever


def test_a_softirq_ends_after_its_budget_and_ksoftirqd_goes_on() -> None:
    found = run(packets("linux-drop-raw"), 3 * MS).cores[0]
    assert found.squeezed == pytest.approx(found.polls / 5, abs=2)  # 300 packets are five polls of 64
    assert found.interrupts <= 3  # for the first few packets
    assert found.threads == 1
    slow = run(packets("linux-drop-raw", kernel__budget=10**6, kernel__hz=1000), 9 * MS).cores[0]
    assert slow.squeezed == pytest.approx(9 / 2, abs=1)  # every two jiffies


def test_the_thread_takes_over_after_ten_rounds() -> None:
    """Linux 5.17, __do_softirq: `--max_restart` ends the tenth round, not an eleventh."""
    found = run(packets("linux-drop-raw", kernel__restart_time="1 s"), 0)
    while not found.cores[0].threads:
        found.env.run(found.env.now + US)
    assert found.cores[0].squeezed == 10


@pytest.mark.parametrize(("hz", "least", "most"), [(1000, 1, 2), (250, 0, 4)])
def test_the_thread_takes_over_at_a_tick(hz: int, least: int, most: int) -> None:
    """2 ms are two ticks at 1000 Hz, of which the first may come at once, and one at 250 Hz."""
    test = packets("linux-drop-raw", kernel__hz=hz, kernel__restarts=10**6)
    found = run(test, least * MS + MS // 10)
    assert not found.cores[0].threads
    found.env.run(most * MS + MS // 10)
    assert found.cores[0].threads


# ---- when descriptors are returned ----


@pytest.mark.parametrize("returned", ["during", "during-and-after"])
def test_a_ring_as_long_as_a_poll_is_filled_again_during_it(returned: str) -> None:
    """Otherwise each poll but the first finds what came between them: nothing."""
    ring = {"driver__rx_ring": 64, "driver__refill": 16, "driver__returned": returned}
    fixed = {"policy": "fixed-interval", "interval": "20 us"}
    test = packets("linux-drop-raw", driver__moderation=fixed, **ring)
    assert run(test, 1 * MS).delivered == pytest.approx(test.bounds().limit / 1000, rel=0.05)
    assert run(test.replace("driver.returned", "after"), 1 * MS).delivered < 0.5 * test.bounds().limit / 1000


@pytest.mark.parametrize(("returned", "owed"), [("during", 10), ("during-and-after", 0), ("after", 10)])
def test_less_than_a_portion_is_kept(returned: str, owed: int) -> None:
    """Ten packets in one poll, whose descriptors are returned with six more, or after that poll."""
    fixed = {"policy": "fixed-interval", "interval": "20 us"}
    test = packets(burst=10, driver__refill=16, driver__returned=returned, driver__moderation=fixed)
    core = run(test, 1 * MS).cores[0]
    assert (core.delivered, core.returns.owed, core.queue.posted) == (10, owed, 1024 - owed)


def test_drivers_return_descriptors_as_their_sources_do() -> None:
    known = {"mlx5": "after", "ixgbe": "during", "i40e": "during", "e1000e": "during", "igb": "during-and-after"}
    assert {name: QueueDriverSpec.from_name(name).returned for name in known} == known


# ---- the link to memory ----


def test_completions_of_reads_are_as_long_as_the_root_complex_makes_them() -> None:
    test = packets("linux-forward-one-route", 1518)
    whole, cut = (test.replace("server.root_complex.completion", one).link_times
                  for one in ("max_payload", "read_boundary"))  # fmt: skip
    assert whole[0] == cut[0]
    assert whole[1] < cut[1]


def test_the_kernel_forwards_packets_one_by_one_and_a_driver_those_of_a_poll() -> None:
    """A doorbell and a completion entry for each, or for all of them."""
    kernel, driver = (packets("linux-forward-one-route", action__in_driver=one) for one in (False, True))
    assert (kernel.doorbell, driver.doorbell) == (1, 64)
    assert all(one > other for one, other in zip(kernel.link_times, driver.link_times, strict=True))


def test_cores_add_up_until_the_link_to_memory_is_full() -> None:
    results = [ns.simulate(packets(cores=cores, **SHORT), precision=0.01) for cores in range(1, 7)]
    rates = [one.throughput / MPPS for one in results]
    wall = packets().bounds().throughput(results[4].bottleneck) / MPPS
    assert rates[1:3] == pytest.approx([2 * rates[0], 3 * rates[0]], rel=0.02)
    assert rates[3:] == pytest.approx([wall] * 3, rel=0.01)
    wider = ns.simulate(packets(cores=6, pcie="pcie-4-x16", **SHORT), precision=0.01)
    assert wider.throughput > 1.4e6 * wall


def test_an_interrupt_that_never_comes_is_named() -> None:
    never = {"policy": "fixed-interval", "interval": "100 s"}
    said = "nothing was delivered for .*; 19 packets came, 0 were dealt with; no interrupt yet, driver.moderation waits"
    with pytest.raises(ns.SimulationError, match=f"{said} 100 s$"):
        ns.simulate(packets(offered=1000, driver__moderation=never))


def test_a_poll_mode_driver_waits_for_packets_and_not_for_interrupts() -> None:
    assert run(packets("poll-drop", offered=1)).waiting_for() == "1 packet came, 1 was dealt with"


def test_shared_lines_cost_more_the_more_cores_there_are() -> None:
    """With probability (n - 1) / n another core was the last to use a line: it has to be fetched from there."""
    one, two, four = (packets("linux-drop-conntrack", cores=cores).packet_time() for cores in (1, 2, 4))
    line = packets().server.line_transfer
    assert (two - one, four - one) == (line, 3 * line // 2)


def test_lines_that_several_nodes_write_come_from_there() -> None:
    """Of the five others of a node's six cores in twelve, and of the six of the other node."""
    test = ns.Packets("linux-drop-conntrack", 64, 12, **RECEIVER | FOUR_NODES)
    server, lines = test.server, test.action.shared_lines
    assert server.shared_time(lines, 6, range(12)) == lines * (5 * 60_000 + 6 * server.remote_line) // 12
    assert server.shared_time(lines, 0, range(6)) == lines * 5 * 60_000 // 6
    one = test.replace("server.memory.nodes", 1)
    assert one.packet_time(11) == one.packet_time(0) < test.packet_time(0) < test.packet_time(6)
    assert server.shared_time(lines, 0, [5, 6]) == lines * (60_000 + server.remote_line) // 2  # it writes none itself


def test_cores_that_take_no_time_have_no_limit() -> None:
    """In the first node: those of the other one wait for entries."""
    nothing = dict.fromkeys(("driver.poll_rx_cycles", "driver.poll_cycles", "action.cycles", "action.poll_cycles"), 0)
    test = ns.Packets("poll-drop", 64, 8, **RECEIVER | FOUR_NODES).replace(nothing)
    assert test.packet_time(0) == 0 < test.packet_time(7)
    assert demand(test)[Resource("host", "processors")] == 0


def test_flows_are_assigned_to_queues_once() -> None:
    """Each of many cores asks which others are busy."""
    test = packets(steering="rss", cores=4)
    assert test.busy is test.busy
    assert test.used is test.used
    assert test.replace("cores", 2).busy == [0, 1]


@pytest.mark.parametrize(("action", "entry", "lines"), [("xdp-drop", 64, 1), ("xdp-drop", 16, 0.25),
                                                        ("linux-drop-raw", 64, 2)])  # fmt: skip
def test_cores_of_another_node_fetch_entries_and_packets(action: str, entry: int, lines: float) -> None:
    test = ns.Packets(action, 64, 8, **RECEIVER | FOUR_NODES).replace("adapter.rx_completion", entry)
    near, far = test.packet_time(5), test.packet_time(6)
    assert far - near == pytest.approx(lines * test.server.remote_line, abs=1)


def test_cores_of_another_node_add_less() -> None:
    test = ns.Packets("linux-drop-raw", 64, 8, **RECEIVER | FOUR_NODES)
    early, late = ([one.delivered for one in run(test, time).cores] for time in (MS, 4 * MS))
    found = [after - before for after, before in zip(late, early, strict=True)]
    assert found[6] == pytest.approx(found[5] * test.packet_time(5) / test.packet_time(6), rel=0.02)
    assert sum(found) == pytest.approx(test.bounds().limit * 3e-3, rel=0.01)


def test_an_interrupt_of_another_node_takes_longer() -> None:
    test = ns.Packets("linux-drop-raw", 64, 7, offered=7000, **RECEIVER | FOUR_NODES)
    longest = [one.queue.longest for one in run(test, 3 * MS).cores]
    lines = 2 * test.server.remote_line
    assert longest[6] - longest[5] == lines + 2 * test.server.root_complex.remote_time  # its data's write, too


def test_a_poll_mode_driver_takes_fewer_cycles_for_a_packet() -> None:
    for hardware in (RECEIVER, SENDER):
        kernel, polls = (ns.Packets(action, 64, 1, **hardware).packet_time() for action in ("xdp-drop", "poll-drop"))
        assert polls < 0.6 * kernel


def test_a_driver_that_hashes_no_ports_leaves_all_flows_in_one_queue() -> None:
    """They differ only in their ports, and the one core does not share lines with others."""
    alone, hashed = (ns.Packets("linux-drop-conntrack", 64, cores, **SENDER) for cores in (1, 6))
    hashed = hashed.replace("steering", "rss")
    assert [len(flows) for flows in hashed.places] == [0, 0, 0, 0, 0, 240]
    assert hashed.bounds().limit == alone.bounds().limit
    assert run(hashed).delivered == pytest.approx(run(alone).delivered, rel=0.01)
    ports = hashed.replace("driver.hashes_udp_ports", True)  # ethtool -N ... rx-flow-hash udp4 sdfn
    assert min(len(flows) for flows in ports.places) > 20


def test_hashes_reach_sixteen_queues_of_ixgbe_and_filters_more() -> None:
    test = ns.Packets("linux-drop-raw", 64, 24, **SENDER | FOUR_NODES).replace("steering", "rss")
    test = test.replace("driver.hashes_udp_ports", True)
    assert test.busy == [*range(16)]
    assert test.replace("steering", "even").busy == [*range(24)]


def test_hashed_flows_leave_some_cores_less_to_do() -> None:
    load = {"cores": 6, "offered": 20 * MPPS, "flows": 24}
    tests = [packets("linux-drop-raw", steering=way, **load) for way in ("even", "rss")]
    results = [ns.simulate(one, precision=0.01) for one in tests]
    spread = [max(own) - min(own) for own in ([sum(one.values()) for one in r.processors.values()] for r in results)]
    assert spread[0] < 0.02
    assert spread[1] > 0.1


# ---- the cache ----


def test_a_larger_ring_is_slower_where_its_buffers_outgrow_the_cache() -> None:
    small, large = (ns.simulate(packets("xdp-drop-read", cores=6, driver__rx_ring=ring, **SHORT), precision=0.01)
                    for ring in (512, 1024))  # fmt: skip
    assert small.bottleneck == "host PCIe upstream"
    assert large.throughput < 0.7 * small.throughput
    bigger = packets("xdp-drop-read", cores=6, server__cache__size="60 MiB", **SHORT)
    assert ns.simulate(bigger, precision=0.01).throughput == pytest.approx(small.throughput, rel=0.01)


def test_what_is_not_read_misses_nothing() -> None:
    tests = [packets(cores=6, driver__rx_ring=ring, **SHORT) for ring in (512, 1024)]
    rings = [ns.simulate(one, precision=0.01).throughput for one in tests]
    assert rings[0] == pytest.approx(rings[1], rel=0.01)


def test_the_share_that_a_cache_loses() -> None:
    """Nothing up to the number of buffers it holds; with twice as many, 1 - x = exp(-2 x)."""
    cache = packets().server.cache
    most = cache.buffers(4096)
    assert most == 15 * 2**20 // 4096
    assert (cache.lost(most, 4096), cache.lost(2 * most, 4096)) == (0, pytest.approx(0.7968, abs=1e-4))
    assert cache.dma_buffers(4096) == most // 10
    assert cache.lost(100 * most, 4096) == pytest.approx(1)
    tiny = packets("xdp-drop-read", server__cache__size="4095 B")
    assert tiny.server.cache.lost(1, 4096) == 1  # it holds no such line
    assert run(tiny).delivered > 0


# ---- errors ----


def _lose_a_packet(run: PacketsRun) -> None:
    run.cores[0].queue.taken -= 1


def _lose_a_descriptor(run: PacketsRun) -> None:
    run.cores[0].queue.post(-1)


def _work_too_long(run: PacketsRun) -> None:
    run.cores[0].packet_time += 10 * MS


@pytest.mark.parametrize("harm", [_lose_a_packet, _lose_a_descriptor, _work_too_long])
def test_the_audit_finds_what_is_lost(harm: Any) -> None:
    found = run(packets())
    harm(found)
    with pytest.raises(ConservationError):
        found.audit()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"offered": 150 * MPPS}, "offered: 150000000 frames per second are more than the wire carries"),
        ({"link__rate": "600 bit/s"}, "link.rate: 600 bit/s carry less than a frame per second"),
        ({"cores": 3, "flows": 2}, "flows: 2 flows are too few for each of 3 cores; allowed: 3 or more"),
        ({"flows": 5000}, "flows: "),
        ({"action": "xdp-dorp"}, 'action: nothing in packet-actions is called "xdp-dorp" (did you mean "xdp-drop"?)'),
        ({"server__cache__dma_ways": 21}, "server.cache.dma_ways: 21 are too many; allowed: 1 to 20 (ways)"),
        ({"cores": 3, "driver__queues": 2}, "cores: 3 are more than the driver has queues (2: driver.queues)"),
        ({"cores": 3, "adapter__queues": 2}, "cores: 3 are more than the adapter has queues (2: adapter.queues)"),
        ({"cores": 7}, "cores: 7 are more than the server has (6: server.cores)"),
        ({"driver__xdp_buffer": None}, "action: the driver does not support native XDP (driver.xdp_buffer); allowed: "
         "actions without `in_driver`, such as linux-drop-raw"),
        ({"driver": "ixgbe"}, 'driver: "ixgbe" is not a driver for connectx-5, only for 82599; allowed: mlx5, mlx5-5'),
        ({"adapter__fifo": 100}, "adapter.fifo: 100 B can't hold a frame; allowed: 1536 B or more"),
        ({"adapter__rx_completion": "64 KiB", "adapter__rx_write_back": 2}, "adapter.rx_write_back: "),
    ],
)
def test_what_does_not_fit_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError) as error:
        packets(**keys)
    assert str(error.value).startswith(message)


# ---- pause frames ----


@given(receivers(), st.integers(20, 150))
@settings(max_examples=20, deadline=None)
def test_a_pause_keeps_what_would_be_lost(test: ns.Packets, time: int) -> None:
    """Any adapter's FIFO holds the frames in transit when the pause begins."""
    paused = test.replace("pause", "802.3x")
    found = run(paused, time * US)  # includes an audit
    assert not sum(found.accounts().drops.values())
    assert (found.delivered - test.cores * test.kernel.weight) * 1e12 <= paused.bounds().limit * found.env.now
    for name, share in found.accounts().utilisation().items():
        assert 0 <= share <= 1 + 1e-9, name


def test_a_short_ring_takes_more_from_a_fifo_that_waits_for_it() -> None:
    """Without a pause the adapter drops what finds no descriptor; with one it keeps it, even if it never has to ask for
    the pause."""
    fixed = {"policy": "fixed-interval", "interval": "64 us"}
    test = packets("linux-drop-raw", offered=4_000_000, driver__rx_ring=128, driver__moderation=fixed)
    plain, paused = (ns.simulate(one, precision=0.01) for one in (test, test.replace("pause", "802.3x")))
    assert plain.throughput < 0.7 * 4e6
    assert paused.throughput == pytest.approx(4e6, rel=0.01)
    assert paused.counts["pause frames"] == 0


def test_a_pause_that_is_never_needed_changes_nothing() -> None:
    """Whether simulated frame by frame or all at once: the same accounts, except for counts of pauses and of frames
    being moved."""
    test = packets("linux-drop-raw", offered=10**6)
    plain, paused = (run(one).accounts() for one in (test, test.replace("pause", "802.3x")))
    assert paused.counts.pop("pause frames") == 0
    for name, ps in plain.occupied.items():
        assert paused.occupied[name] == pytest.approx(ps, rel=0.02)
    assert replace(paused, occupied={}) == replace(plain, occupied={})


def test_loss_becomes_waiting() -> None:
    """The processor is as busy, and processes as many packets; a packet waits for a full ring and a full FIFO."""
    test = packets("linux-drop-raw", offered=6 * MPPS)
    plain, paused = (run(one, 8 * MS).accounts() for one in (test, test.replace("pause", "802.3x")))
    assert sum(plain.drops.values()) > 1000
    assert sum(paused.drops.values()) == 0 < paused.counts["pause frames"]
    assert paused.delivered == pytest.approx(plain.delivered, rel=0.01)
    waits = paused.stays["packet"] / paused.ended["packet"]
    full = (test.driver.rx_ring + 0.75 * test.room) * test.packet_time()
    assert 3 * plain.stays["packet"] / plain.ended["packet"] < waits < full


def test_a_pause_has_to_begin_and_end_within_the_fifo() -> None:
    pause = {"quanta": 10, "high": 0.5, "low": 0.5, "response": 0}
    with pytest.raises(ns.ScenarioError, match=r"^pause: begins at 4096 and ends at 4096 of 8192 frames"):
        packets(pause=pause)


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(("device", "queue"), [(1000, 0), (0, 1600), (1000, 1600)])
def test_packets_leave_as_fast_as_the_adapter_sends(device: int, queue: int, cores: int) -> None:
    """The others have no descriptor left in the transmit ring, after the processor has worked on them."""
    times = {"adapter__tx_packet_time": f"{device} ns", "adapter__tx_queue_packet_time": f"{queue} ns"}
    test = packets("linux-forward-one-route", cores=cores, offered=4 * MPPS, **times, **SHORT)
    result = ns.simulate(test, precision=0.005)
    assert result.throughput == pytest.approx(1e9 / max(device, queue / cores), rel=5e-3)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=5e-3)
    assert result.bottleneck == test.bounds().bottleneck == "host nic transmitter"
    assert result.dropped["host: transmit ring"] > 500


def test_packets_are_received_as_fast_as_the_adapter_does() -> None:
    test = packets(cores=2, offered=4 * MPPS, adapter__rx_packet_time="1 us")
    result = ns.simulate(test, precision=0.005, warm_up="10 ms", limit="20 ms")
    assert result.throughput == pytest.approx(MPPS, rel=5e-3)
    assert set(result.dropped) == {"host: adapter's FIFO"}
    assert result.bottleneck == test.bounds().bottleneck == "host nic receiver"


def test_an_idle_processor_takes_its_time_to_resume() -> None:
    times = [ns.simulate(packets(offered=1000, server__idle_exit=time), precision=0.01).kinds[0].response
             for time in ("0 us", "5 us")]  # fmt: skip
    assert times[1] - times[0] == pytest.approx(5e-6, rel=1e-3)


def test_a_long_packet_takes_several_buffers_of_the_cache() -> None:
    driver = packets().driver
    assert [driver.stride(False, size) for size in (60, 256, 257, 1514)] == [256, 256, 512, 1536]
    assert driver.stride(True, 1514) == 4096


def test_a_poll_mode_driver_has_no_xdp_buffer() -> None:
    long = SENDER | {"link": {"model": "10gbase-sr", "mtu": 9000}}
    with pytest.raises(ns.ScenarioError, match=r"^driver.xdp_buffer: 2048 B do not hold a packet of 2996 B"):
        ns.Packets("xdp-drop", 3000, 1, **long)
    test = ns.Packets("poll-drop", 3000, 1, **long).replace("action.reads", True)
    short, none = (costs(test.replace("driver.xdp_buffer", size), 0) for size in (64, None))
    assert (short.lost, short.kept) == (none.lost, none.kept)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"driver.xdp_buffer": 1000}, "driver.xdp_buffer: 1000 B do not hold a packet of 1514 B; allowed: 1514 B or"),
        ({"driver.refill": 2000}, "driver.refill: 2000 descriptors at once are more than the ring has; allowed: 1 to"),
        ({"adapter.rx_write_back": 200, "driver.rx_ring": 100},
         "adapter.rx_write_back: 200 descriptors at once are more than the ring has; allowed: 1 to 100"),
        ({"adapter.tx_write_back": 200, "driver.tx_ring": 100},
         "adapter.tx_write_back: 200 descriptors at once are more than the ring has; allowed: 1 to 100"),
    ],
)  # fmt: skip
def test_an_impossible_driver_is_refused_in_a_line(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ns.ScenarioError) as caught:
        packets("xdp-drop", 1518).replace(changes)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_e1000e_has_a_single_queue_and_no_xdp() -> None:
    small = SENDER | {"pcie": "pcie-1-x1", "adapter": "82574", "driver": "e1000e", "link": "1000base-t"}
    for action, cores, said in (("xdp-drop", 1, r"^action: .*XDP"), ("linux-drop-raw", 2, r"^cores: 2 .* \(1: driver")):
        with pytest.raises(ns.ScenarioError, match=said):
            ns.Packets(action, 64, cores, **small)
    assert ns.Packets("poll-drop", 64, 1, **small).bounds().limit > 0  # its driver is another one
    assert ns.Packets("linux-drop-raw", 64, 2, adapters=2, **small).queues == 1
