"""Servers with clients against closed networks: mean-value analysis where its assumptions hold, and the disks' limits.

With transactions of exponential length, and clients that need nothing else for long, the server is a machine-repairman
model: n customers that pause, each on a machine of its own, and one or two processors with a queue.
"""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.queueing import Station, asymptotes, mva
from netsim.units import PS_PER_S
from tests.on_servers import server_bench, weights

CYCLES = 1_000_000  # 2 ms
EXPONENTIAL = weights(processor=1).replace({"processor.cycles": CYCLES, "processor.length": "exponential",
                                            "client_cycles": 400_000})  # fmt: skip


def repair(clients: int, processors: int) -> ns.Result:
    test = server_bench(clients, mix=EXPONENTIAL, server__processors__count=processors, server__system__kernel__tick=0)
    return ns.simulate(test, precision=0.01, warm_up="100 ms", sample="20 ms", limit="12 s", seed=3)


@pytest.fixture(scope="module")
def alone() -> tuple[float, float]:
    """s that one client's transaction holds the server's processor, and s that it spends elsewhere."""
    result = repair(1, 1)
    demand = result.utilisation["server processor 0"] / result.throughput
    return demand, 1 / result.throughput - demand


@pytest.mark.parametrize(("processors", "clients"), [(1, 2), (1, 4), (1, 8), (1, 16), (2, 2), (2, 4), (2, 8), (2, 16)])
def test_a_server_is_the_machine_repairmans(alone: tuple[float, float], processors: int, clients: int) -> None:
    """The demand on the processors is the measured one, since many transactions share interrupts; the pause is that of
    a lone client."""
    result = repair(clients, processors)
    demand = processors * result.cpu["server"] / result.throughput
    assert demand == pytest.approx(alone[0], rel=0.05)
    expected = mva({"processors": Station(demand, processors)}, clients, think=alone[1])
    assert result.throughput == pytest.approx(expected.throughput, abs=result.half_width)
    assert result.throughput == pytest.approx(expected.throughput, rel=0.015)
    high = asymptotes({"processors": Station(demand, processors)}, clients, think=alone[1]).high
    assert result.throughput < high + result.half_width


@pytest.mark.parametrize(("level", "disks"), [(0, 3), (0, 6), (5, 4)])
def test_disks_do_no_more_than_they_can(level: int, disks: int) -> None:
    """Random records, a sixteenth of them in memory: each miss is at least one disk's command, which can't be faster
    than one without a seek, and takes about a third of the stroke and half a turn."""
    mix = weights(random_read=1).replace("random_read.cycles", 10_000)
    changes = {"server__storage__level": level, "server__storage__disks": disks}
    test = server_bench(16, mix=mix, data_segment=2**26, server__memory__size=73 * 2**20, **changes)
    result = ns.simulate(test, precision=0.02, warm_up="500 ms", sample="50 ms", limit="4 s")
    disk, counts = test.server.storage.disk, result.counts
    least = disk.overhead + disk.transfer_time(4096)
    misses = counts["file cache misses"] / result.elapsed
    assert result.throughput * 4 == pytest.approx(misses / (1 - (result.hit_ratio or 0)), rel=0.02)
    assert misses <= disks * PS_PER_S / least
    assert misses <= disks * PS_PER_S / (least + disk.rotation // 4)
    assert misses * least / PS_PER_S / disks < result.utilisation["server disks"] <= 1
    assert result.throughput <= test.bounds().limit
    assert result.harmonic_mean == pytest.approx(result.throughput, rel=0.05)


def test_a_mix_is_as_fast_as_the_weighted_harmonic_mean_of_its_kinds() -> None:
    """Of the rates of clients that did only one kind, each as slow as here; exact except for transactions cut by the
    edges of the window."""
    result = ns.simulate(server_bench(8), precision=0.01, limit="2 s")
    mean = 1 / sum(kind.share / kind.rate for kind in result.kinds)
    ended = sum(kind.count for kind in result.kinds)
    assert result.harmonic_mean == pytest.approx(mean)
    slowest = max(kind.response for kind in result.kinds) / (8 / mean)
    assert abs(mean - ended / result.elapsed) <= 2 * 8 * slowest / ended * mean
