"""While a process is inside a call on a TCP socket, what comes in waits until it leaves (Linux 2.2)."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.stack import TcpSocket
from netsim.workload import Netperf
from netsim.workload.netperf.run import TcpStream
from tests.stack.transfer import TEST

SLOW = TEST.replace("receiver.processors.clock", "50 MHz")  # saturated


class Watch:
    """A run that notes how many segments a socket has waiting, and that it takes none in while it is locked from
    outside."""

    def __init__(self, test: Netperf) -> None:
        self.env = Environment(1)
        self.run = TcpStream(self.env, test)
        self.longest = {"out": 0, "into": 0}
        for name in self.longest:
            self._watch(name, getattr(self.run, name))
        self.run.start()

    def _watch(self, name: str, socket: TcpSocket) -> None:
        arriving, put = socket.arriving, socket.put

        def noted(frame):  # type: ignore[no-untyped-def]
            locked, work = socket.locked, arriving(frame)
            assert (work is None) == locked
            self.longest[name] = max(self.longest[name], len(socket.backlog))
            return work

        def taken(frame):  # type: ignore[no-untyped-def]
            assert not socket.locked or any(call._releasing for call in (socket.read, socket.write))
            put(frame)

        socket.arriving, socket.put = noted, taken  # type: ignore[method-assign]


@pytest.mark.parametrize(("test", "end"), [(TEST, "out"), (SLOW, "into")], ids=["writing", "reading"])
def test_segments_wait_while_the_process_is_inside(test: Netperf, end: str) -> None:
    watch = Watch(test)
    watch.env.run(2 * 10**11)
    watch.run.audit()
    assert 0 < watch.longest[end] <= 22  # not more than the window


def test_they_pile_up_where_the_processor_is_saturated() -> None:
    watch = Watch(SLOW)
    watch.env.run(2 * 10**11)
    assert watch.longest["into"] > 5


def test_nothing_is_left_when_the_process_sleeps() -> None:
    watch = Watch(TEST)
    into = watch.run.into
    for _ in range(20_000):
        watch.env.step()
        if into.read.entry.slept:
            assert not into.locked
            assert not into.backlog


def test_a_system_without_it_takes_segments_in_at_once() -> None:
    without = {f"{end}.system.tcp.backlog": False for end in ("sender", "receiver")}
    watch = Watch(SLOW.replace(without))
    watch.env.run(10**11)
    assert watch.longest == {"out": 0, "into": 0}


def test_it_costs_nothing_of_its_own() -> None:
    """The same work, at another time: a saturated receiver is as fast with it as without, but for its sleeps."""
    with_it = ns.simulate(SLOW, limit="0.4 s")
    without = ns.simulate(SLOW.replace("receiver.system.tcp.backlog", False), limit="0.4 s")
    assert min(with_it.cpu["receiver"], without.cpu["receiver"]) > 0.98
    assert with_it.throughput == pytest.approx(without.throughput, rel=0.03)
