"""Bonded ports: strict round robin, each port its own wire and interrupt, and what the closed form says of them."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Frame
from netsim.ethernet.frame import frame_size, wire_size
from netsim.scenario import host
from netsim.stack import Bond, ip
from netsim.workload import Netperf

SYSTEM = "linux-2.2.16"
UDP = {"message": "8192 B", "send_buffer": "32768 B", "receive_buffer": "32768 B"}


def pair(test: str, nics: list[str], **more: object) -> Netperf:
    pc = host("piii-600", system=SYSTEM, nics=nics, bonded=True)
    return Netperf(test=test, sender=pc, receiver=pc, **more)


def idle(test: Netperf) -> Netperf:
    """The same with processors that are never in the way, and a bus that isn't either."""
    fast = {f"{end}.{what}": value for end in ("sender", "receiver") for what, value in FAST.items()}
    return test.replace(fast)


FAST = {
    "processors.clock": "100 GHz",
    "processors.interrupt_entry": "1 ns",
    "memory.read": "100 GB/s",
    "memory.cached": "100 GB/s",
    "memory.write": "100 GB/s",
    "bus.clock": "1 GHz",
}


class Port:
    """A driver that notes what it is given."""

    def __init__(self, number: int, log: list[int]) -> None:
        self.number, self.log = number, log

    def straight(self) -> int | None:
        return self.number

    def transmit(self, frame: Frame) -> None:
        self.log.append(self.number)


def test_frames_go_round_robin_whatever_their_size() -> None:
    log: list[int] = []
    bond = Bond([Port(number, log) for number in range(3)])  # type: ignore[misc]
    for size in (64, 1518, 64, 64, 1518):
        expected = bond.straight()
        bond.transmit(Frame(size))
        assert log[-1] == expected
    assert log == [0, 1, 2, 0, 1]


@pytest.mark.parametrize("nics", [["3c905b/3c59x"] * 2, ["dfe570tx:4/tulip"], ["3c905b/3c59x", "dfe570tx:2/tulip"]])
def test_goodput_is_n_times_one_ports_if_the_processors_are_idle(nics: list[str]) -> None:
    test = idle(pair("TCP_STREAM", nics))
    one = 1448 * 8 / test.link.frame_time(1518) * 1e12
    result = ns.simulate(test.replace("max_iterations", 2), precision=0.01, limit="0.3 s")
    assert result.throughput == pytest.approx(test.cables * one, rel=0.005)
    assert result.counts["retransmitted segments"] == 0


@pytest.mark.parametrize(("ports", "share"), [(1, 1.0), (2, 0.9263), (3, 0.9263), (4, 0.9263), (5, None)])
def test_datagrams_of_six_fragments_load_the_ports_unevenly(ports: int, share: float | None) -> None:
    """Five fragments of 1518 bytes and one of 838: with two, three or four ports the short ones never come to some of
    them, and those that carry only full frames set the pace of all."""
    test = pair("UDP_STREAM", ["3c905b/3c59x"] * ports, **UDP)
    sizes = [frame_size(ip.HEADER + n) for n in test.sender.system.ip.fragments(8200, 1500)]
    assert sorted(sizes) == [838, *[1518] * 5]
    even = ports * 8192 / sum(map(wire_size, sizes)) * 100e6
    bounds = test.bounds()
    wires = [bounds.throughput(name) for name in bounds.demand if name.endswith("to receiver")]
    assert len(wires) == ports
    if share is not None:
        assert min(wires) == pytest.approx(share * even, rel=1e-4)
    result = ns.simulate(idle(test).replace("max_iterations", 2), precision=0.01, limit="0.3 s")
    assert result.throughput == pytest.approx(min(wires), rel=0.005)


def test_every_port_has_its_own_wire_and_books() -> None:
    test = pair("UDP_STREAM", ["dfe570tx:3/tulip"], **UDP)
    env = Environment(1)
    run = test.build(env)
    run.start()
    env.run(10**11)
    run.audit()
    books = run.books()
    sent = [count for name, count in books.frames.items() if name.endswith("to receiver")]
    assert len(sent) == 3
    assert max(sent) - min(sent) <= 40  # what may lie in rings and queues
    assert all(driver.interrupts > 100 for driver in run.receiver.drivers)  # type: ignore[attr-defined]


def test_a_card_has_only_so_many_ports() -> None:
    with pytest.raises(ScenarioError, match=r"ports: 5 is not allowed; allowed: 1 to 4"):
        host("piii-600", system=SYSTEM, nics=["dfe570tx:5/tulip"])
    with pytest.raises(ScenarioError, match=r"ports: 2 is not allowed; allowed: 1 to 1"):
        host("piii-600", system=SYSTEM, nics=["3c905b:2/3c59x"])


def test_both_ends_need_as_many_ports() -> None:
    one, two = (host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"] * n, bonded=True) for n in (1, 2))
    with pytest.raises(ScenarioError, match=r"receiver.nics: 2 ports can't be cabled to 1 of the sender"):
        Netperf(test="TCP_STREAM", sender=one, receiver=two)


def test_without_a_bond_only_the_first_port_is_used() -> None:
    pc = host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"] * 2)
    assert Netperf(test="TCP_STREAM", sender=pc, receiver=pc).cables == 1


def test_a_bridge_makes_the_bus_behind_it_slower() -> None:
    card, alone = (
        host("piii-600", system=SYSTEM, nics=[name]).ports()[0] for name in ("dfe570tx/tulip", "lne100tx/tulip")
    )
    clocks = card.adapter.bridge
    assert clocks is not None
    for write, extra in ((False, clocks.read_latency), (True, clocks.write_latency)):
        behind, before = (port.bus.transfer_time(64, write) for port in (card, alone))
        assert behind - before == pytest.approx(alone.bus.clocks(extra), abs=2)
    assert card.bus.access_time(1, 0) > alone.bus.access_time(1, 0)
