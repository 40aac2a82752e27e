"""Whatever is sent back and forth, a larger message takes longer, and the same seed gives the same curve."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from benchmarks.cases import ADAPTERS, SYSTEM

# One more byte can save an interrupt, if one more frame arrives while the previous one is handled, or the copy of a
# small frame: two sizes close to each other may therefore change places by this much (s).
ONE_INTERRUPT = 10e-6


@settings(max_examples=20, deadline=None)
@given(
    adapter=st.sampled_from(ADAPTERS),
    mpi=st.sampled_from([None, "mpich-1.2.1", "mpipro-1.5"]),
    sizes=st.sets(st.integers(1, 20_000), min_size=2, max_size=5).map(sorted),
    seed=st.integers(0, 2**32),
)
def test_half_a_round_trip_grows_with_the_message(adapter: str, mpi: str | None, sizes: list[int], seed: int) -> None:
    pc = ns.host("piii-600", system=SYSTEM, nics=[adapter])
    test = ns.NetPipe(sender=pc, receiver=pc, mpi=mpi, sizes=sizes)
    result = ns.simulate(test, seed=seed)
    times = [point.half_round_trip for point in result.curve]
    assert all(more > less - ONE_INTERRUPT for less, more in pairwise(times))
    assert ns.simulate(test, seed=seed) == result
    assert result.throughput <= test.bounds().limit


def test_twice_the_message_takes_longer() -> None:
    pc = ns.host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    result = ns.simulate(ns.NetPipe(sender=pc, receiver=pc, sizes=[2**n for n in range(17)]))
    assert all(a.half_round_trip < b.half_round_trip for a, b in pairwise(result.curve))


@pytest.mark.parametrize("mpi", [None, "mpipro-1.5"])
def test_a_faster_processor_is_never_slower(mpi: str | None) -> None:
    pc = ns.host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    test = ns.NetPipe(sender=pc, receiver=pc, mpi=mpi, sizes=[1, 30_000])
    clocks = ["300 MHz", "600 MHz", "1200 MHz"]
    found = [ns.simulate(test.replace("sender.processors.clock", clock)) for clock in clocks]
    assert all(a.latency > b.latency for a, b in pairwise(found))
    assert all(a.throughput <= 1.005 * b.throughput for a, b in pairwise(found))
