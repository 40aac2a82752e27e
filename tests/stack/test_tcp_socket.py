"""A TCP socket as a program sees it: what a read() returns, and what TCP_NODELAY changes."""

from __future__ import annotations

from typing import Any

import pytest

from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.machine import Ticks
from netsim.stack import Computer, TcpSocket, connect
from tests.stack.transfer import PC

SECOND = 10**12


class Connection:
    """Two computers with a cable, a socket at each end."""

    def __init__(self, **options: Any) -> None:
        self.env = env = Environment(1)
        self.a, self.b = Computer(env, PC, "a"), Computer(env, PC, "b")
        there, back = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("there", "back"))
        self.a.nics[0].plug(there, back)
        self.b.nics[0].plug(back, there)
        self.out: TcpSocket
        self.into: TcpSocket
        self.out, self.into = connect(self.a, self.b, 1500, "test", **options)
        self.reads: list[int] = []

    def read(self, *limits: int) -> None:
        """Call read() once for each limit, one after another."""
        if limits:
            self.into.receive(limits[0], lambda nbytes: (self.reads.append(nbytes), self.read(*limits[1:]))[1])


def test_a_read_takes_no_more_than_it_asks_for() -> None:
    one = Connection()
    one.out.send(1448, lambda: None)
    one.env.run(SECOND)
    one.read(40, 1000, 5000)
    one.env.run(2 * SECOND)
    assert one.reads == [40, 1000, 408]
    assert one.into.read_bytes == 1448
    assert not one.into.input.queue


def test_a_read_takes_what_is_there_of_several_segments() -> None:
    one = Connection()
    one.out.send(3 * 1448, lambda: None)
    one.env.run(SECOND)
    one.read(1448 + 40, 10_000)
    one.env.run(2 * SECOND)
    assert one.reads == [1488, 2 * 1448 - 40]


def test_a_segments_memory_is_freed_with_its_last_byte() -> None:
    one = Connection()
    one.out.send(1448, lambda: None)
    one.env.run(SECOND)
    held = one.into.input.memory
    one.read(1447)
    one.env.run(2 * SECOND)
    assert one.into.input.memory == held > 1448
    one.read(1)
    one.env.run(3 * SECOND)
    assert one.into.input.memory == 0


@pytest.mark.parametrize("nodelay", [False, True])
def test_nodelay_sends_what_nagle_keeps_back(nodelay: bool) -> None:
    """The second of two small writes waits for the acknowledgement of the first, which is delayed to a tick of the
    clock (except that of the connection's first data)."""
    one = Connection(nodelay=nodelay)
    arrivals: list[int] = []
    one.out.send(100, lambda: None)
    one.into.receive(100, lambda _: None)
    tick = 10**10  # ps
    ticks = Ticks(one.env, tick, "b")
    one.env.run(ticks.after(SECOND // 2, 1) + tick // 10)
    one.out.send(100, lambda: one.out.send(100, lambda: None))

    def received(_: int) -> None:
        arrivals.append(one.env.now)
        one.into.receive(100, received)

    one.into.receive(100, received)
    one.env.run(SECOND)
    apart = arrivals[1] - arrivals[0]
    assert (apart < SECOND // 1000) == nodelay
    assert nodelay or arrivals[1] > ticks.after(arrivals[0], 1)
