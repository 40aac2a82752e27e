"""A large message takes as long as a stream of its bytes, and the library's copies after it."""

from __future__ import annotations

from itertools import pairwise

import pytest

import netsim as ns
from netsim.stack import ComputerSpec, MpiSpec
from netsim.units import PS_PER_S
from netsim.workload.netpipe.bounds import most_throughput

SIZE = 1_000_000
STREAM = 90e6  # bit/s


def computer(model: str) -> ComputerSpec:
    return ns.host(model, system="linux-2.2.16", nics=["3c905b/3c59x"])


def netpipe(near: ComputerSpec, far: ComputerSpec, mpi: MpiSpec | None) -> ns.NetPipe:
    return ns.NetPipe(sender=near, receiver=far, sizes=(SIZE,), mpi=mpi)


def library(copies: int) -> MpiSpec:
    return MpiSpec.from_name("mpich-1.2.1").replace("rendezvous_copies", copies)


@pytest.mark.parametrize("mpi", [None, library(0)])
def test_without_a_copy_a_message_is_a_stream(mpi: MpiSpec | None) -> None:
    pc = computer("piii-600")
    assert most_throughput(netpipe(pc, pc, mpi), STREAM) == pytest.approx(STREAM, rel=1e-12)


def test_each_copy_takes_its_time_after_the_stream() -> None:
    """Of the hosts' copies the mean, because messages go both ways."""
    near, far = computer("piii-600"), computer("p166")
    each = sum(end.bill().copy(SIZE, "cache").work().total for end in (near, far)) / 2 / PS_PER_S
    times = [SIZE * 8 / most_throughput(netpipe(near, far, library(copies)), STREAM) for copies in range(4)]
    assert [after - before for before, after in pairwise(times)] == pytest.approx([each] * 3, rel=1e-9)


def test_a_simulated_message_takes_that_much_longer() -> None:
    pc = computer("piii-600")
    with_copy, without = (ns.simulate(netpipe(pc, pc, library(copies))).throughput for copies in (1, 0))
    assert with_copy == pytest.approx(most_throughput(netpipe(pc, pc, library(1)), without), rel=0.01)
