"""Half a round trip of a message that fits into one segment is the sum of its steps, and never less when several things
happen at once."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.stack import ComputerSpec, MpiSpec
from netsim.units import PS_PER_S
from netsim.workload.netpipe.bounds import least_half_round_trip
from tests.workload.test_netpipe import trips

MODELS = ["piii-600", "p166", "2xpii-400"]
SIZES = [1, 100, 1000, 1400]
LIBRARIES = ["mpich-1.2.1", "mpipro-1.5"]
ONE_PORT = ["rtl8139/rtl8139", "lne100tx/tulip", "3c905b/3c59x", "eepro100/eepro100", "dfe570tx/tulip"]
BONDS = [["3c905b/3c59x"] * 3, ["dfe570tx:4/tulip"], ["eepro100-dual:2/eepro100"], ["rtl8139/rtl8139"] * 3]


def computer(model: str, nics: list[str]) -> ComputerSpec:
    """A host whose clock is stopped: its interrupt would hit one round trip or another, as would an acknowledgement
    sent with a tick."""
    pc = ns.host(model, system="linux-2.2.16", nics=nics)
    still = {"system.kernel.tick": 0, "system.tcp.delayed_ack_limit": 0}
    return pc.replace({"bond": "linux-2.2.17" if len(pc.ports()) > 1 else None} | still)


def netpipe(size: int, near: ComputerSpec, far: ComputerSpec | None = None, **more: Any) -> ns.NetPipe:
    return ns.NetPipe(sender=near, receiver=far or near, sizes=(size,), **more)


def half_round_trip(test: ns.NetPipe, before: int = 3) -> float:
    """ps, after `before` round trips, by the run's own clock."""
    size = test.sizes[0]
    return (trips(test, size, before + 1).env.now - trips(test, size, before).env.now) / 2


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("card", ["3c905b/3c59x", "dfe570tx/tulip"])
def test_over_a_socket_it_is_the_sum_to_the_picosecond(card: str, model: str, size: int) -> None:
    test = netpipe(size, computer(model, [card]))
    assert half_round_trip(test) == least_half_round_trip(test, size)


@pytest.mark.parametrize("card", ["3c905b/3c59x", "dfe570tx/tulip"])
def test_the_latency_that_is_printed_is_the_sum(card: str) -> None:
    test = netpipe(1, computer("piii-600", [card]))
    latency = ns.simulate(test).latency
    assert latency is not None
    least, pc = least_half_round_trip(test, 1), test.sender
    first = pc.bill().cycles("protocol", pc.system.tcp.acked_cycles).work().total
    # The first message acknowledges nothing, and the mean is that of 64 and more. A sum is rounded to 1 ps.
    assert least - (first + 1) / 128 - 1e-3 <= latency * PS_PER_S <= least + 1e-3


def test_of_unequal_hosts_it_is_the_mean_of_both_ways() -> None:
    near, far = computer("piii-600", ["3c905b/3c59x"]), computer("p166", ["dfe570tx/tulip"])
    one, other = netpipe(100, near, far), netpipe(100, far, near)
    assert half_round_trip(one) == least_half_round_trip(one, 100) == least_half_round_trip(other, 100)


@pytest.mark.parametrize("size", SIZES)
def test_a_header_in_the_same_segment_is_a_read_of_its_own(size: int) -> None:
    test = netpipe(size, computer("piii-600", ["3c905b/3c59x"]), mpi="mpipro-1.5")
    assert half_round_trip(test) == pytest.approx(least_half_round_trip(test, size), abs=5)  # ps: parts are rounded


@pytest.mark.parametrize("mpi", [None, *LIBRARIES])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("nics", [[card] for card in ONE_PORT] + BONDS, ids=lambda nics: f"{len(nics)} {nics[0]}")
def test_it_is_never_less(nics: list[str], model: str, mpi: str | None) -> None:
    for size in SIZES:
        test = netpipe(size, computer(model, nics), mpi=mpi)
        half = half_round_trip(test, before=7)  # all of a bond's ports have had their turn
        assert 0.4 * half < least_half_round_trip(test, size) <= half + 5, size


def test_a_library_that_takes_long_over_a_header_does_so_while_the_message_comes() -> None:
    """A separate header: the receiver's work on it counts only if it takes longer than the message."""
    pc = computer("2xpii-400", ["3c905b/3c59x"])
    library = MpiSpec.from_name("mpich-1.2.1")
    assert library.separate_header
    quick, slow = (library.replace("receive_cycles", cycles) for cycles in (0, 60_000))
    least = [least_half_round_trip(netpipe(1000, pc, mpi=mpi), 1000) for mpi in (quick, slow)]
    assert least[0] < least[1] < least[0] + pc.processors.code_time(60_000)
    for mpi, bound in zip((quick, slow), least, strict=True):
        assert half_round_trip(netpipe(1000, pc, mpi=mpi)) >= bound


def test_a_chip_that_wakes_up_is_in_the_sum() -> None:
    pc = computer("piii-600", ["3c905b/3c59x"])
    slow = pc.replace("nics.0.tx_wake_up", "7 us")
    one, other = netpipe(100, pc), netpipe(100, slow)
    assert least_half_round_trip(other, 100) == least_half_round_trip(one, 100) + 7_000_000
    assert half_round_trip(other) == least_half_round_trip(other, 100)
