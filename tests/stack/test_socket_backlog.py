"""While a process is inside a call on a TCP socket, incoming segments are checked, and wait until it leaves (Linux 2.2:
tcp_v4_rcv)."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.machine import Work
from netsim.stack import TcpSocket
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_costs import TcpCosts
from netsim.workload import Netperf
from netsim.workload.netperf.run import TcpStream
from tests.own_parts import WithParts
from tests.stack.test_windows_tcp import Connection
from tests.stack.transfer import PC, SECOND, TEST

SLOW = TEST.replace("receiver.processors.clock", "20 MHz")  # saturated


class WaitedFor(TcpSocket):
    """Notes the largest number of waiting segments; checks that none is taken in while the socket is locked from
    outside."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.longest = 0

    def arriving(self, frame: TcpSegment) -> Work:
        locked, work = self.locked, super().arriving(frame)
        assert frame.waits == locked
        return work

    def put(self, frame: TcpSegment) -> None:
        super().put(frame)
        self.longest = max(self.longest, len(self.backlog))

    def take_in(self, frame: TcpSegment) -> None:
        assert not self.locked or any(call._releasing for call in (self.read, self.write))
        super().take_in(frame)


class Watch:
    """A run between two such sockets."""

    def __init__(self, test: Netperf) -> None:
        self.env = WithParts(WaitedFor)
        self.run = TcpStream(self.env, test)
        self.run.start()

    @property
    def longest(self) -> dict[str, int]:
        return {"out": self.run.out.longest, "into": self.run.into.longest}  # type: ignore[attr-defined]


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
    """The same work at another time: a saturated receiver is as fast with the backlog as without, except for its
    sleeps. How many frames share an interrupt makes no difference to it here."""
    slow = SLOW.replace("receiver.system.kernel.cold_cycles", 0)
    with_it = ns.simulate(slow, limit="2 s")
    without = ns.simulate(slow.replace("receiver.system.tcp.backlog", False), limit="2 s")
    assert min(with_it.cpu["receiver"], without.cpu["receiver"]) > 0.98
    assert with_it.throughput == pytest.approx(without.throughput, rel=0.03)


@pytest.mark.parametrize("nic", ["lne100tx/tulip", "3c905b/3c59x"])
def test_what_waits_is_checked_before_and_paid_for_once(nic: str) -> None:
    """First the checksum and a share of the cycles, later the rest."""
    plain = {"system.tcp.check_share": 0.25, "system.ip.filter_rx_cycles": 0, "system.kernel.cycle_factor": 1}
    pc = PC.replace("nics", [nic]).replace(plain)
    costs, cycles = TcpCosts(pc), pc.system.tcp.rx_cycles
    check, rest = dict(costs.check(1448, 0).parts), dict(costs.arrival(1448, 0, checked=True).parts)
    whole = dict(costs.arrival(1448, 0).parts)
    assert check["protocol"] == pc.processors.code_time(cycles / 4)
    assert rest == {"protocol": pc.processors.code_time(cycles * 3 / 4)}
    assert check.get("checksum") == whole.get("checksum")
    assert sum(check.values()) + sum(rest.values()) == pytest.approx(sum(whole.values()), abs=2)


def test_what_a_process_leaves_behind_is_deferred_works() -> None:
    """The process left its call while another processor checked the segment."""
    one = Connection(PC, PC)
    one.into.locked = True
    one.send(100)
    while not one.into.backlog:
        one.env.step()
    assert one.into.input.rcv_nxt == 0
    one.into.locked = False
    one.into.put(one.into.backlog.popleft())
    one.env.run(one.env.now + SECOND)
    assert one.into.input.rcv_nxt == 100
    assert not one.into.backlog
