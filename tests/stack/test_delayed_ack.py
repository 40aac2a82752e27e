"""When data are acknowledged, to the picosecond: after the system's delay, or earlier if an event requires it. (Linux
estimates the delay: see test_estimated_ack.)"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from netsim import catalog
from netsim.scenario import host
from netsim.stack.tcp_costs import TcpCosts
from netsim.units import MS
from tests.stack.test_windows_tcp import Connection

DELAY = 200 * MS
SYSTEMS = ["windows-2000", "windows-nt-4.0"]
BOTH = pytest.mark.parametrize("system", ["linux-2.2.16", "windows-2000"])
ESTIMATED = {"linux-2.2.14-smp", "linux-2.2.16"}


class Pair(Connection):
    """Two equal computers without clock interrupts; small segments are sent without delay."""

    def __init__(self, system: str) -> None:
        pc = host("piii-600", system=system, nics=["3c905b/3c59x"]).replace("system.kernel.tick", "0 s")
        super().__init__(pc, pc, nodelay=True)
        self.sending = TcpCosts(pc).segment(0, 0).total  # ps of the acknowledgement itself

    def until(self, happened: Callable[[], bool]) -> int:
        """Run until that has happened; returns the time (ps)."""
        while not happened():
            self.env.step()
        return self.env.now

    def arrival(self, nbytes: int) -> int:
        """The time when that many bytes have arrived in all (ps)."""
        return self.until(lambda: self.into.input.rcv_nxt == nbytes)

    def ack(self, number: int = 1) -> int:
        """The time when the acknowledgement of this number has been handed to the driver (ps)."""
        return self.until(lambda: self.into.acks_sent == number)


def test_every_system_is_known() -> None:
    assert ESTIMATED | set(SYSTEMS) == set(catalog.names("systems"))


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_lone_segment_waits_for_the_systems_delay(system: str) -> None:
    one = Pair(system)
    one.send(100)
    arrived = one.arrival(100)
    assert one.ack() == arrived + DELAY + one.sending


@pytest.mark.parametrize("system", SYSTEMS)
def test_windows_acknowledges_every_other_segment_of_whatever_size(system: str) -> None:
    """Windows 2000, TcpDelAckTicks; the next segment then waits for its own delay."""
    one = Pair(system)
    one.send(100, 100, 100)
    assert one.arrival(100) < one.arrival(200) == one.ack()
    third = one.arrival(300)
    assert one.ack(2) == third + DELAY + one.sending


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_second_full_segment_is_acknowledged_as_it_arrives(system: str) -> None:
    one = Pair(system)
    one.send(2 * one.into.mss)
    assert one.arrival(one.into.mss) < one.arrival(2 * one.into.mss) == one.ack()


@pytest.mark.parametrize("system", SYSTEMS)
def test_data_sent_back_acknowledge_and_the_next_segment_waits_anew(system: str) -> None:
    one = Pair(system)
    one.send(100)
    one.env.run(one.arrival(100) + MS)
    one.into.send(100, lambda: None)
    one.env.run(one.env.now + DELAY * 3 // 4)
    assert one.out.output.snd_una == 100
    one.send(100)
    arrived = one.arrival(200)
    assert one.into.acks_sent == 0
    assert one.ack() == arrived + DELAY + one.sending


@BOTH
def test_a_window_that_a_read_opens_is_told_of_without_delay(system: str) -> None:
    """A full window, long after its last segment has been acknowledged."""
    one = Pair(system)
    one.send(100_000)
    one.env.run(2 * DELAY)
    told = one.into.acks_sent
    one.read(65535)
    assert one.ack(told + 1) - 2 * DELAY < MS
