"""pktgen: compared with its closed form, and what stops a sender."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.machine.policy_dim import DimRule
from netsim.units import MS, US
from netsim.workload.pktgen.run import PktgenRun
from tests.packet_tools import RECEIVER, pktgen, pktgens


def run(test: ns.Pktgen, until: int = 5 * MS) -> PktgenRun:
    found = test.build(Environment())
    found.start()
    found.env.run(until)
    found.audit()
    return found


def fixed(interval: str) -> dict[str, Any]:
    return {"driver__moderation": {"policy": "fixed-interval", "interval": interval}}


@given(pktgens(), st.integers(1, 3000))
@settings(max_examples=60, deadline=None)
def test_nothing_is_faster_than_its_bound(test: ns.Pktgen, time: int) -> None:
    found = run(test, time * US)  # includes an audit
    room = test.cores * test.driver.room  # all of it may be cleaned at once
    assert (found.delivered - room) * 1e12 <= test.bounds().limit * found.env.now
    for name, share in found.accounts().utilisation().items():
        assert 0 <= share <= 1, name


@pytest.mark.parametrize(("ring", "interval"), [(64, 50), (256, 100), (512, 120)])
def test_a_short_ring_sends_so_many_per_interval(ring: int, interval: int) -> None:
    """By arithmetic: the capacity besides the reserve, once per interrupt."""
    test = pktgen(driver__tx_ring=ring, **fixed(f"{interval} us"))
    result = ns.simulate(test, precision=0.002)
    assert result.throughput == pytest.approx((ring - 21) / interval * 1e6, rel=1e-3)
    assert result.bottleneck == "host transmit ring" == test.bounds().bottleneck
    assert result.cpu["host"] < 0.95


def test_a_long_ring_sends_as_fast_as_the_processor() -> None:
    """Each packet is handed over and cleaned; an interrupt and a poll are added once per interval."""
    test = pktgen(driver__tx_ring=4096, **fixed("30 us"))
    result = ns.simulate(test, precision=0.002)
    each, interrupt = test.packet_time + test.clean_time, test.interrupt_time + test.poll_time
    assert result.throughput == pytest.approx((1 - interrupt / 30e6) * 1e12 / each, rel=2e-3)
    assert (result.bottleneck, result.cpu["host"]) == ("host processor 0", pytest.approx(1))
    assert result.counts["interrupts"] / result.elapsed == pytest.approx(1e6 / 30, rel=2e-3)
    assert result.counts["clock ticks"] / result.elapsed == pytest.approx(1000, rel=0.02)


def test_several_processors_fill_the_wire() -> None:
    one, four = (ns.simulate(pktgen(1518, cores), precision=0.005) for cores in (1, 4))
    assert one.throughput == pytest.approx(four.throughput, rel=1e-3)
    assert four.throughput == pytest.approx(pktgen().link.frame_rate(1518), rel=2e-3)
    assert four.bottleneck == "wire to receiver"


@pytest.mark.parametrize("cores", [2, 3, 4, 6])
def test_saturated_processors_in_step_are_accounted_for(cores: int) -> None:
    """A sample ends when the first of them has cleaned its ring, and the others have yet to at that time."""
    one, several = (ns.Pktgen(64, count, **RECEIVER) for count in (1, cores))
    results = [ns.simulate(test, precision=0.01) for test in (one, several)]  # includes audits
    assert results[1].throughput == pytest.approx(cores * results[0].throughput, rel=0.05)
    assert results[1].cpu["host"] == pytest.approx(1)


@pytest.mark.parametrize("cores", [1, 4])
@pytest.mark.parametrize("limit", [None, "5 ms", "3.3 ms"])
def test_a_full_wire_is_busy_all_the_time_and_no_longer(limit: str | None, cores: int) -> None:
    """Frames are cut at the edges of the window."""
    result = ns.simulate(pktgen(1518, cores, link="1000base-sx"), limit=limit)
    assert result.utilisation["wire to receiver"] == pytest.approx(1, abs=1e-9)
    assert max(result.utilisation.values()) <= 1


def test_a_narrow_slot_limits() -> None:
    test = pktgen(1518, pcie="pcie-1-x1")
    result = ns.simulate(test, precision=0.005)
    assert result.bottleneck == test.bounds().bottleneck == "host PCIe downstream"
    assert result.throughput == pytest.approx(test.bounds().limit, rel=5e-3)


@pytest.mark.parametrize("cores", [1, 2, 4])
@pytest.mark.parametrize(("device", "queue"), [(500, 0), (0, 800), (300, 800)])
def test_an_adapter_limits_all_queues_together_and_each_of_them(device: int, queue: int, cores: int) -> None:
    times = {"adapter__tx_packet_time": f"{device} ns", "adapter__tx_queue_packet_time": f"{queue} ns"}
    test = pktgen(cores=cores, **times, **fixed("30 us"))
    result = ns.simulate(test, precision=0.005)
    assert result.throughput == pytest.approx(1e9 / max(device, queue / cores), rel=5e-3)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=5e-3)
    assert result.bottleneck == test.bounds().bottleneck == "host nic transmitter"


def test_a_frame_takes_the_adapters_latency() -> None:
    """Descriptors are in use for longer: a ring of which 43 can be used lasts for a shorter part of the time."""
    slow = pktgen(driver__tx_ring=64, adapter__latency="200 us", **fixed("30 us"))
    assert slow.latency == 200 * US + slow.replace("adapter.latency", 0).latency
    assert ns.simulate(slow, precision=0.01).throughput < 43 / 200e-6


def test_doorbells_for_several_packets_cost_less() -> None:
    rates = [ns.simulate(pktgen(burst=burst), precision=0.005).throughput for burst in (1, 4, 32)]
    assert rates == sorted(rates)
    assert rates[2] > 1.2 * rates[0]


def test_frames_of_a_doorbell_share_a_completion_entry_if_the_adapter_writes_one() -> None:
    """mlx5: 88 bytes on the link. Intel's adapters write descriptors back, however many a doorbell brings."""
    test = ns.Pktgen(64, **RECEIVER)
    one, many = (test.replace("burst", burst).link_times[0] for burst in (1, 32))
    assert one - many == pytest.approx(test.pcie.time(10**6) * 88 * 31 / 32 / 10**6, abs=2)
    assert pktgen(burst=32).link_times[0] == pktgen().link_times[0]


def test_a_root_complex_that_cuts_completions_is_slower() -> None:
    test = ns.Pktgen(1518, **RECEIVER).replace("pcie", "pcie-3-x4")
    cut = test.replace("server.root_complex.completion", "read_boundary")
    assert cut.bounds().limit < 0.9 * test.bounds().limit


def test_an_adapter_may_have_its_own_moderation_for_sent_packets() -> None:
    test = ns.Pktgen(64, **RECEIVER)
    rule = test.rule()
    assert (rule.interval, rule.frames) == (16 * US, 32)
    receiving = test.replace("driver.tx_moderation", None).rule()
    assert (receiving.interval, receiving.frames) == (3 * US, 32)
    adaptive = test.replace({"driver": "mlx5-5.4", "kernel": "linux-5.4"})
    assert isinstance(adaptive.rule(), DimRule)


def test_frames_that_are_enough_bring_the_interrupt_sooner() -> None:
    policy = {"policy": "fixed-interval", "interval": "100 us", "frames": 32}
    found = run(pktgen(driver__moderation=policy, adapter__throttle="since-first"))
    packets = found.delivered / found.cores[0].interrupts
    assert 32 <= packets <= 50  # including those that arrive while it is handled


def _lose_a_packet(run: PktgenRun) -> None:
    run.cores[0].queue.cleaned += 1


def _work_too_long(run: PktgenRun) -> None:
    run.cores[0].send_time += 10 * MS


@pytest.mark.parametrize("harm", [_lose_a_packet, _work_too_long])
def test_the_audit_finds_what_is_wrong(harm: Any) -> None:
    found = run(pktgen())
    harm(found)
    with pytest.raises(ConservationError):
        found.audit()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"cores": 7}, "cores: 7 are more than the server has (6: server.cores)"),
        ({"frame": 63}, "frame: "),
        ({"frame": 1519}, "frame: 1519 bytes are more than the link accepts; allowed: up to 1518"),
        (
            {"frame": 1500, "adapter__max_mtu": 1000},
            "frame: 1500 bytes are more than the adapter accepts; allowed: up to 1018",
        ),
        (
            {"driver__tx_ring": 21},
            "driver.tx_ring: 21 descriptors leave no room for a packet; allowed: 22 or more, for tx_reserve = 21",
        ),
        ({"link": "40gbase-sr4"}, "link.rate: 40000000000 bit/s are more than the adapter supports (10000000000)"),
        ({"driver__moderation": {"policy": "ixgb"}}, "driver.moderation"),
    ],
)
def test_what_does_not_fit_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError) as error:
        pktgen(**keys)
    assert str(error.value).startswith(message)
