"""How long a run with bit errors has to be."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.accounts import Accounts, DropPlace, Resource
from netsim.ethernet.link import BIT_ERRORS
from netsim.measure.rare_losses import losses_known
from netsim.units import PS_PER_S

WIRE = Resource("receiver", "wire")


def accounts(lost: int, frames: int, **timeouts: int) -> Accounts:
    """The accounts of ten seconds."""
    counts = {name.replace("_", " "): count for name, count in timeouts.items()}
    drops = {DropPlace(WIRE.host, BIT_ERRORS): lost}
    return Accounts(elapsed=10 * PS_PER_S, frames={WIRE: frames}, drops=drops, counts=counts)


@pytest.mark.parametrize(
    ("lost", "expected", "known"),
    [(10, 1000.0, True), (9, 1000.0, False), (3, 3.9, True), (2, 3.9, False), (0, 0.5, True)],
)
def test_ten_frames_are_lost_or_as_many_as_whole_tests_would_lose(lost: int, expected: float, known: bool) -> None:
    assert losses_known(accounts(lost, 100_000), expected, 0.05) == known


@pytest.mark.parametrize(
    ("lost", "timeouts", "known"),
    [
        (100, 0, True),  # 0.2 of 100 retransmissions are lost, which would cost 0.04 s of 10: 0.4 %
        (200, 0, False),  # 0.8 are, which would cost 0.16 s: more than a quarter of the 5 %
        (1000, 9, False),
        (1000, 10, True),
    ],
)
def test_timeouts_are_seen_if_they_cost_a_part_of_the_interval(lost: int, timeouts: int, known: bool) -> None:
    seen = accounts(lost, 100_000, retransmission_timeouts=timeouts)
    assert losses_known(seen, 1e6, 0.05) == known


def test_nothing_waits_for_timeouts_without_tcp() -> None:
    assert losses_known(accounts(1000, 100_000), 1e6, 0.05)


def test_a_mean_contains_the_timeouts_after_lost_retransmissions() -> None:
    """Without them the stream is a quarter faster: of 94 losses a second about one is that of a retransmission, which
    stops the stream for a fifth of a second."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
    test = ns.Netperf("TCP_STREAM", pc, pc).replace({"link.bit_error_rate": 1e-6, "max_iterations": 2})
    result = ns.simulate(test, precision=0.2)
    assert result.mbit_per_s - result.half_width / 1e6 < 78
    assert result.counts["retransmission timeouts"] >= 8  # those before the samples are not counted
