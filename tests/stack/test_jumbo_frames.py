"""Jumbo frames (9018 bytes): an mtu of 9000 on a link that carries it."""

from __future__ import annotations

import pytest

import netsim as ns
from benchmarks.cases import gigabit
from netsim.ethernet import LinkSpec
from netsim.workload import Netperf
from tests.stack.test_windows_tcp import SYSTEM

LINK = LinkSpec.from_name("1000base-sx").replace("mtu", "9000 B")
ROOM = {"nics.0.max_frame": 9018, "nics.0.tx_fifo": "32 KiB", "nics.0.rx_fifo": "32 KiB"}
FAST = {"processors.clock": "3 GHz", "memory.read": "2 GB/s", "memory.write": "2 GB/s"}
LINUX = gigabit("piii-600").replace(ROOM | FAST)
# With a send buffer of less than two segments the sender would wait for acknowledgements that the receiver delays.
WINDOWS = LINUX.replace(SYSTEM | {"system.tcp.send_buffer": 65535})


def throughput(host: ns.ComputerSpec, mtu: int, **changes: object) -> ns.Result:
    test = Netperf(test="TCP_STREAM", sender=host, receiver=host, link=LINK, mtu=mtu, **changes)  # type: ignore[arg-type]
    return ns.simulate(test, limit="0.1 s")


@pytest.mark.parametrize(("host", "window"), [(LINUX, 3 * 8948), (WINDOWS, 4 * 8960)], ids=["Linux", "Windows"])
def test_there_is_a_window_of_some_segments(host: ns.ComputerSpec, window: int) -> None:
    tcp = host.system.tcp
    assert tcp.window(0, tcp.mss(9000)) == window


@pytest.mark.parametrize("host", [LINUX, WINDOWS], ids=["Linux", "Windows"])
def test_they_carry_more_for_less(host: ns.ComputerSpec) -> None:
    small, large = throughput(host, 1500, message=65536), throughput(host, 9000, message=65536)
    assert large.counts["retransmitted segments"] == large.counts["segments beyond the window"] == 0
    segments = [one.counts["segments sent"] / (one.throughput * one.elapsed) for one in (small, large)]
    assert segments[1] < segments[0] / 5
    assert large.throughput > 1.02 * small.throughput
    assert large.throughput < 1.001 * 8960 / 9038 * 1e9
    cpu = [one.cpu["receiver"] / one.throughput for one in (small, large)]
    assert cpu[1] < 0.8 * cpu[0]


@pytest.mark.parametrize("counts", ["memory", "payload"])
@pytest.mark.parametrize("buffer", ["16 KiB", "65535 B"])
def test_whatever_the_send_buffer_nothing_stands_still(buffer: str, counts: str) -> None:
    host = LINUX.replace({"system.tcp.send_buffer": buffer, "system.socket.counts": counts})
    assert throughput(host, 9000).throughput > 200e6
