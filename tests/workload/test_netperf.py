"""netperf at an offered load: datagrams at even intervals, all delivered while there is capacity, never more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack import UdpSender
from netsim.units import MS, PS_PER_S
from netsim.workload import Netperf
from netsim.workload.netperf.run import UdpStream
from tests.own_parts import WithParts

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
UDP = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, send_buffer=32768, receive_buffer=32768)


def offered(load: str, **more: object) -> Netperf:
    return UDP.replace({"offered": load, **more})


class NotingSender(UdpSender):
    """Notes when each datagram is begun."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.begun: list[int] = []

    def send(self, then: Callable[[], None]) -> None:
        self.begun.append(self.host.env.now)
        super().send(then)


class Paced:
    """A run with such a sender."""

    def __init__(self, test: Netperf, until: int) -> None:
        self.run = UdpStream(WithParts(NotingSender), test)
        self.begun: list[int] = self.run.out.begun  # type: ignore[attr-defined]
        self.run.start()
        self.run.env.run(until)
        self.run.audit()


def interval(test: Netperf) -> int:
    """ps between two datagrams."""
    assert test.offered is not None
    return round(test.message_size * 8 * PS_PER_S / test.offered)


@pytest.mark.parametrize("load", ["1 Mbit/s", "33 Mbit/s", "80 Mbit/s"])
def test_datagrams_begin_at_even_intervals(load: str) -> None:
    test = offered(load)
    begun = Paced(test, 300 * MS).begun
    assert {after - before for before, after in pairwise(begun)} == {interval(test)}
    assert len(begun) == (300 * MS - begun[0]) // interval(test) + 1


@pytest.mark.parametrize("load", [1e6, 33e6, 80e6])
def test_what_is_offered_is_delivered_while_there_is_capacity(load: float) -> None:
    result = ns.simulate(offered(f"{load} bit/s"))
    assert result.throughput == pytest.approx(load, rel=1e-3)
    assert not result.dropped


def test_a_bond_has_more_capacity() -> None:
    three = PC.replace({"nics": ["3c905b/3c59x"] * 3, "bond": "linux-2.2.17"})
    result = ns.simulate(offered("200 Mbit/s", sender=three, receiver=three), limit="0.3 s")
    assert result.throughput == pytest.approx(200e6, rel=2e-3)


def test_beyond_the_wire_it_is_as_without_a_pace() -> None:
    beyond, free = (ns.simulate(test, limit="0.3 s").throughput for test in (offered("150 Mbit/s"), UDP))
    assert beyond == pytest.approx(free, rel=1e-3)
    assert beyond < 96e6


@settings(max_examples=25, deadline=None)
@given(
    load=st.integers(1, 400),
    message=st.sampled_from([100, 1472, 8192, 30_000]),
    slow=st.sampled_from(["60 MHz", "600 MHz"]),
)
def test_never_more_than_is_offered(load: int, message: int, slow: str) -> None:
    """At no point in time: a sender that has fallen behind only catches up."""
    test = offered(f"{load} Mbit/s", message=message).replace("sender.processors.clock", slow)
    paced = Paced(test, 40 * MS)
    first, step = paced.begun[0], interval(test)
    assert all(begun >= first + number * step for number, begun in enumerate(paced.begun))
    assert paced.run.into.received_bytes * 8 <= load * 1e6 * (40 * MS - first) / PS_PER_S + message * 8


def test_a_sender_that_falls_behind_catches_up() -> None:
    """As soon as it can: datagrams that were due while the process slept are then sent back to back."""
    test = offered("40 Mbit/s")
    env = Environment(1)
    run = UdpStream(env, test)
    run.start()
    env.run(20 * MS)
    out, sent = run.out, run.out.datagrams
    out._buffered += 10**6  # the socket is full: the process sleeps
    env.run(120 * MS)
    assert out.datagrams == sent
    out._buffered -= 10**6
    run.sender.wake(out._process)
    env.run(320 * MS)
    assert run.out.datagrams * interval(test) == pytest.approx(320 * MS, rel=0.02)


@pytest.mark.parametrize("name", ["TCP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"])
def test_only_datagrams_have_a_pace(name: str) -> None:
    with pytest.raises(ScenarioError, match=f"^offered: does not apply to {name}; allowed for UDP_STREAM$"):
        Netperf(test=name, sender=PC, receiver=PC, offered="10 Mbit/s")
    with pytest.raises(ScenarioError) as error:
        offered("10 Mbit/s").replace("test", "TCP_STREAM")
    assert error.value.address == "offered"


def test_a_default_message_that_fits_into_no_datagram_is_told() -> None:
    """netperf takes the size of the send buffer, too, and its datagrams are refused (EMSGSIZE)."""
    text = r"^message: the default is the size of the send buffer, and 65535 bytes don't fit into a datagram; allowed: "
    with pytest.raises(ScenarioError, match=text):
        Netperf(test="UDP_STREAM", sender=PC, receiver=PC)
    with pytest.raises(ScenarioError, match=r"^message: 65535 bytes don't fit into a datagram"):
        Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=65535)


@pytest.mark.parametrize("load", ["0 Mbit/s", "-1 Mbit/s", "5 MHz", "fast"])
def test_a_load_is_a_bit_rate(load: str) -> None:
    with pytest.raises(ScenarioError, match=r"^offered: "):
        offered(load)
