"""Bonded ports: strict round robin, a wire and an interrupt for each port, agreement with the closed form, and no byte
lost or invented whatever the wires do."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Frame
from netsim.ethernet.frame_sizes import frame_size, wire_size
from netsim.machine.driver import Driver
from netsim.scenario import host
from netsim.stack import Bond, BondSpec, UdpReceiver, ip
from netsim.stack.ip import Reassembly
from netsim.stack.udp import UdpFragment
from netsim.units import MS, NS, US
from netsim.workload import Netperf
from netsim.workload.netperf.run import UdpStream
from tests.own_parts import WithParts
from tests.stack.transfer import Transfer

SYSTEM = "linux-2.2.16"
UDP = {"message": "8192 B", "send_buffer": "32768 B", "receive_buffer": "32768 B"}


def pair(test: str, nics: list[str], receiver: list[str] | None = None, **more: object) -> Netperf:
    """A test between hosts with these adapters; the receiver has the same ones by default."""
    pc, other = (host("piii-600", system=SYSTEM, nics=names, bond="linux-2.2.17") for names in (nics, receiver or nics))
    return Netperf(test=test, sender=pc, receiver=other, **more)


def idle(test: Netperf) -> Netperf:
    """The same test with processors and a bus that never limit it."""
    ends = {"sender": test.sender, "receiver": test.receiver}
    fast = {f"{end}.{what}": value for end in ends for what, value in FAST.items()}
    cards = [f"{end}.nics.{number}" for end, host in ends.items() for number in range(len(host.nics))]
    return test.replace(fast | {f"{card}.{what}": value for card in cards for what, value in WIDE.items()})


FAST = {
    "processors.clock": "100 GHz",
    "processors.port_access": "1 ns",
    "memory.read": "100 GB/s",
    "memory.cached": "100 GB/s",
    "memory.write": "100 GB/s",
    "bus.clock": "66 MHz",
    "bus.width": 8,
}
WIDE = {"bus_clock": "66.666667 MHz", "bus_width": 8}


class Port(Driver):
    """A driver that notes the frames it gets."""

    def __init__(self, number: int, log: list[int]) -> None:
        self.number, self.log = number, log

    def straight(self) -> int | None:
        return self.number

    def put(self, frame: Frame) -> None:
        self.log.append(self.number)


def test_frames_go_round_robin_whatever_their_size() -> None:
    log: list[int] = []
    bond = Bond(BondSpec.from_name("linux-2.2.17"), [Port(number, log) for number in range(3)])
    for size in (64, 1518, 64, 64, 1518):
        expected = bond.straight()
        bond.put(Frame(size))
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
    """Five fragments of 1518 bytes and one of 838: with two, three or four ports some ports never get a short one, and
    those that carry only full frames limit all."""
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


def by_address(sender: bool, receiver: bool) -> dict[str, str]:
    """Changes that let these ends' bonds choose the port by the peer's address."""
    return {f"{end}.bond.policy": "address" for end, does in (("sender", sender), ("receiver", receiver)) if does}


def used(bounds: ns.Bounds, way: str) -> list[str]:
    """The wires that the bounds print for one direction."""
    return [line[:line.index("  ")] for line in str(bounds).splitlines() if f" to {way} " in line]


@pytest.mark.parametrize(("sender", "receiver"), [(True, True), (True, False), (False, True)])
def test_the_sending_end_of_a_bond_chooses_the_wires(sender: bool, receiver: bool) -> None:
    test = pair("TCP_STREAM", ["dfe570tx:4/tulip"], link="10base-t")
    bounds = test.replace(by_address(sender, receiver)).bounds()
    assert bounds.limit == pytest.approx(test.bounds().limit / (4 if sender else 1))
    assert len(used(bounds, "receiver")) == (1 if sender else 4)
    assert len(used(bounds, "sender")) == (1 if receiver else 4)


ASKED = {"request": 1400, "response": 1}


@pytest.mark.parametrize(
    ("test", "keys"),
    [("UDP_STREAM", UDP), ("TCP_RR", {**ASKED, "burst": 20, "nodelay": True}), ("UDP_RR", {**ASKED, "burst": 20})],
)
def test_one_peer_has_one_wire_if_bonds_go_by_address(test: str, keys: dict[str, Any]) -> None:
    """As fast as hosts with a single port, in the simulation and in the closed form."""
    four = pair(test, ["dfe570tx:4/tulip"], link="10base-t", **keys).replace(by_address(True, True))
    result = ns.simulate(four.replace("max_iterations", 2), precision=0.02, limit="0.3 s")
    limit = four.bounds().limit
    assert limit == pytest.approx(pair(test, ["dfe570tx:1/tulip"], link="10base-t", **keys).bounds().limit, rel=1e-6)
    assert 0.97 * limit < result.throughput <= 1.001 * limit


@pytest.mark.parametrize("request_size", [1, 5000])
@pytest.mark.parametrize("test", ["TCP_RR", "UDP_RR", "TCP_CRR"])
def test_a_lone_transaction_by_address_is_that_of_one_port(test: str, request_size: int) -> None:
    four, one = (pair(test, [f"dfe570tx:{n}/tulip"], link="10base-t", request=request_size) for n in (4, 1))
    clients = four.replace(by_address(True, True)).bounds().demand["clients"]
    assert clients == one.bounds().demand["clients"]


def test_every_port_has_its_own_wire_and_books() -> None:
    test = pair("UDP_STREAM", ["dfe570tx:3/tulip"], **UDP)
    env = Environment(1)
    run = test.build(env)
    run.start()
    env.run(10**11)
    run.audit()
    accounts = run.accounts()
    sent = [count for name, count in accounts.frames.items() if name.endswith("to receiver")]
    assert len(sent) == 3
    assert max(sent) - min(sent) <= 40  # at most what rings and queues hold
    assert all(driver.interrupts > 100 for driver in run.receiver.drivers)  # type: ignore[attr-defined]


def test_a_card_has_only_so_many_ports() -> None:
    with pytest.raises(ScenarioError, match=r"ports: 5 is not allowed; allowed: 1 to 4"):
        host("piii-600", system=SYSTEM, nics=["dfe570tx:5/tulip"])
    with pytest.raises(ScenarioError, match=r"ports: 2 is not allowed; allowed: 1 to 1"):
        host("piii-600", system=SYSTEM, nics=["3c905b:2/3c59x"])


def test_both_ends_need_as_many_ports() -> None:
    one, two = (host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"] * n, bond="linux-2.2.17") for n in (1, 2))
    message = "^receiver.nics: 2 ports with a bond can't be connected to the sender's one port; allowed: one port, "
    with pytest.raises(ScenarioError, match=message):
        Netperf(test="TCP_STREAM", sender=one, receiver=two)


@pytest.mark.parametrize(("bare", "other"), [("receiver", "sender"), ("sender", "receiver")])
def test_a_missing_bond_is_named(bare: str, other: str) -> None:
    pc = host("piii-600", system=SYSTEM, nics=["dfe570tx:2/tulip"])
    bonded = pc.replace("bond", "linux-2.2.17")
    message = f"{bare}.bond: there is none, but the {other} has one for its 2 ports; allowed: a bond at both hosts, "
    with pytest.raises(ScenarioError, match=message):
        Netperf(test="TCP_STREAM", **{bare: pc, other: bonded})


def test_ports_without_a_bond_are_not_counted_as_one() -> None:
    four, two = (host("piii-600", system=SYSTEM, nics=[f"dfe570tx:{n}/tulip"]) for n in (4, 2))
    message = "receiver.nics: 2 ports without a bond can't be connected to the sender's 4 ports with a bond; allowed: "
    with pytest.raises(ScenarioError, match=message):
        Netperf(test="TCP_STREAM", sender=four.replace("bond", "linux-2.2.17"), receiver=two)


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
        behind, before = (
            port.bus.transfer_time(32, write) + port.bus.away_time(32, write) for port in (card, alone)
        )
        assert behind - before == pytest.approx(alone.bus.clocks(extra), abs=2)
    assert card.bus.access_time(1, 0) > alone.bus.access_time(1, 0)


# ---- whatever the wires do ----


@st.composite
def adapters(draw: st.DrawFn, ports: int) -> list[str]:
    """Cards with this many ports in total."""
    names = []
    while ports:
        card = draw(st.sampled_from(["3c905b/3c59x", "rtl8139/rtl8139", "dfe570tx"]))
        taken = draw(st.integers(1, ports)) if card == "dfe570tx" else 1
        names.append(f"dfe570tx:{taken}/tulip" if card == "dfe570tx" else card)
        ports -= taken
    return names


@st.composite
def cablings(draw: st.DrawFn) -> tuple[list[str], list[str], list[int]]:
    """Both hosts' cards, one to four ports each, and the propagation (ps) of each wire."""
    ports = draw(st.integers(1, 4))
    times = st.lists(st.sampled_from([500 * NS, 20 * US, 500 * US, 3 * MS]), min_size=2 * ports, max_size=2 * ports)
    return draw(adapters(ports)), draw(adapters(ports)), draw(times)


BYTES = 60 * 1448 + 100


def transfer(cabling: tuple[list[str], list[str], list[int]], losses: set[tuple[str, int]]) -> Transfer:
    near, far, propagation = cabling
    test = pair("TCP_STREAM", near, far)
    return Transfer(BYTES, lambda name, count, _: (name, count) in losses, test=test, propagation=propagation)


@settings(max_examples=40, deadline=None)
@given(cablings(), st.sets(st.tuples(st.sampled_from(["data", "ack"]), st.integers(0, 90)), max_size=12))
def test_a_transfer_is_whole_whatever_is_lost_and_late(
    cabling: tuple[list[str], list[str], list[int]], losses: set[tuple[str, int]]
) -> None:
    """Every byte arrives and is read once, as the transfer itself checks byte by byte; nothing arrives after it."""
    done = transfer(cabling, losses).complete(seconds=2000)
    done.env.run(done.env.now + 10**12)
    done.run.audit()
    assert done.run.into.read_bytes == BYTES
    assert done.run.out.segments_sent >= 61
    assert all(link.frames > 0 for link in done.run.ledger.links[::2])


def test_wires_of_unequal_length_put_segments_out_of_order() -> None:
    """Confirms that the property above is tested with segments that do arrive out of order."""
    lengths = [500 * NS, 500 * NS, 500 * US, 500 * NS, 3 * MS, 500 * NS]
    cards = ["3c905b/3c59x", "dfe570tx:2/tulip"]
    done = transfer((cards, cards, lengths), set()).complete()
    assert done.run.into.input.out_of_order > 5
    assert done.run.out.output.duplicate_acks > 5


class NotingReceiver(UdpReceiver):
    """Notes which fragments of each datagram arrived."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.came: dict[int, list[UdpFragment]] = {}

    def put(self, frame: UdpFragment) -> None:
        self.came.setdefault(frame.datagram, []).append(frame)
        super().put(frame)


class NotingReassembly(Reassembly):
    """Notes which datagrams were complete."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.whole: list[int] = []

    def add(self, datagram: int, *more: Any) -> bool:
        complete = super().add(datagram, *more)
        if complete:
            self.whole.append(datagram)
        return complete


class Fragments:
    """The receiver of a UDP test, observed: which fragments of each datagram arrived, and which datagrams were
    complete."""

    def __init__(self, test: Netperf, propagation: list[int], lost: list[set[int]]) -> None:
        self.env = WithParts(NotingReceiver, NotingReassembly)
        self.run = UdpStream(self.env, test)
        self.came: dict[int, list[UdpFragment]] = self.run.into.came  # type: ignore[attr-defined]
        self.complete: list[int] = self.run.into.reassembly.whole  # type: ignore[attr-defined]
        self._numbers = Counter[int]()
        for wire, (link, ps) in enumerate(zip(self.run.ledger.links, propagation, strict=True)):
            link.spec = link.spec.replace("propagation", f"{ps} ps")
            link.lost = lambda _, wire=wire: self._count(wire) in lost[wire // 2]
        self.run.start()

    def _count(self, wire: int) -> int:
        self._numbers[wire] += 1
        return self._numbers[wire]


@settings(max_examples=30, deadline=None)
@given(
    cablings(),
    st.lists(st.sets(st.integers(1, 150), max_size=30), min_size=4, max_size=4),
    st.sampled_from(["16 KiB", "256 KiB"]),
)
def test_no_datagram_is_delivered_with_a_fragment_missing(
    cabling: tuple[list[str], list[str], list[int]], lost: list[set[int]], memory: str
) -> None:
    """Every complete datagram is delivered, unless reassembly has given some up for lack of memory."""
    near, far, propagation = cabling
    test = pair("UDP_STREAM", near, far, **UDP).replace("receiver.system.ip.reassembly_memory", memory)
    watched = Fragments(test, propagation, lost)
    watched.env.run(20 * MS)
    watched.run.audit()
    into = watched.run.into
    sizes = sorted(test.sender.system.ip.fragments(8200, 1500))
    whole = {number for number, frames in watched.came.items() if sorted(one.nbytes for one in frames) == sizes}
    assert len(watched.complete) == len(set(watched.complete))
    assert set(watched.complete) <= whole
    assert into.datagrams + into.queued + into.drops["socket buffer"] == len(watched.complete)
    assert all(len(set(map(id, frames))) == len(frames) <= 6 for frames in watched.came.values())
    if not into.reassembly.drops["reassembly"]:
        assert set(watched.complete) == whole
        assert into.reassembly.incomplete == len(watched.came) - len(whole)
