"""TCP over a long path that loses frames at random: the window follows from the congestion control alone.

Sources: Mathis, Semke, Mahdavi and Ott, "The macroscopic behavior of the TCP congestion avoidance algorithm" (CCR 27,
1997): a mean window of sqrt(3 / (2 b p)) segments, if it grows by one segment for each window of acknowledgements of b
segments each; RFC 8312, 5.1: CUBIC's, 1.054 (RTT / p)^0.75, or Reno's if that is larger (4.2).
"""

from __future__ import annotations

import math

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.scenario import StreamRun
from netsim.units import PS_PER_S
from tests.stream_hosts import stream

FRAME, SEGMENT = 1518, 1448  # bytes
PC = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")


def bit_errors(lost: float) -> float:
    """The bit error rate that loses this share of full frames."""
    return -math.expm1(math.log1p(-lost) / (8 * FRAME))


def window(test: ns.Scenario, round_trip: float, seconds: int) -> float:
    """The mean window (segments) over that time, after a tenth of it as a start."""
    run = test.build(Environment(1))
    assert isinstance(run, StreamRun)
    run.start()
    run.env.run(seconds * PS_PER_S // 10)
    before = run.delivered
    run.env.run(seconds * PS_PER_S * 11 // 10)
    run.audit()
    return (run.delivered - before) / SEGMENT / seconds * round_trip


@pytest.mark.parametrize(("lost", "seconds"), [(0.003, 200), (0.01, 100), (0.03, 100)])
def test_linux_2_2(lost: float, seconds: int) -> None:
    """The window grows by a segment for each window of acknowledgements, of two segments each."""
    long = {"link.propagation": "10 ms", "link.bit_error_rate": bit_errors(lost)}
    buffers = {"sender.system.tcp.send_buffer": "512 KiB", "receiver.system.tcp.receive_buffer": "512 KiB"}
    found = window(ns.Netperf("TCP_STREAM", PC, PC).replace(long | buffers), 0.0202, seconds)
    assert found == pytest.approx(math.sqrt(3 / 4 / lost), rel=0.1)


def lossy(congestion: str, round_trip: float, lost: float) -> ns.Iperf3:
    changes = {"congestion": congestion, "duration": "1 h", "link.bit_error_rate": bit_errors(lost)}
    return stream("10gbase-sr", 1500).replace(changes | {"link.propagation": f"{round_trip * 500} ms"})


@pytest.mark.parametrize(("lost", "seconds"), [(0.001, 200), (0.01, 100)])
@pytest.mark.parametrize("congestion", ["reno", "cubic"])
def test_linux_5_over_a_short_path(congestion: str, lost: float, seconds: int) -> None:
    """The window grows with the segments acknowledged; CUBIC's is no smaller than Reno's."""
    found = window(lossy(congestion, 0.02, lost), 0.02, seconds)
    assert found == pytest.approx(math.sqrt(3 / 2 / lost), rel=0.15)


def test_cubic_over_a_long_path() -> None:
    """The law assumes losses at equal intervals; at random ones the mean is somewhat larger."""
    law = 1.054 * (0.1 / 3e-4) ** 0.75
    assert law < window(lossy("cubic", 0.1, 3e-4), 0.1, 600) < 1.35 * law
