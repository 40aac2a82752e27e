"""Hosts with TCP and UDP whose processor moves frames: what is reported, and when."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec, SegmentSpec
from netsim.machine.backlog import Handler
from netsim.machine.device import QUEUED
from netsim.stack import Computer, ComputerSpec
from tests.told_mac import ToldMac

US = 10**6  # ps
SEGMENT = SegmentSpec.from_name("10base2")


def pc(nic: str, **changes: object) -> ComputerSpec:
    """A 486 under Linux without clock interrupts; `__` in a name stands for a dot."""
    host = ns.host("486dx2-66", system="linux-2.2.16", nics=nic)
    own = {f"nics.0.{name.replace('__', '.')}": value for name, value in changes.items()}
    return host.replace({"system.kernel.tick": 0, "bus.refresh_interval": 0} | own)


class Station(Handler):
    """Such a computer on a medium that behaves as told."""

    def __init__(self, spec: ComputerSpec, duration: int = 1200 * US) -> None:
        self.env = Environment(1)
        self.host = Computer(self.env, spec, "pc", half_duplex=True)
        self.mac = ToldMac(self.env, duration)
        self.host.nics[0].join(self.mac, SEGMENT)
        self.driver = self.host.drivers[0]
        self.port = spec.ports()[0]
        self.taken: list[int] = []
        self.freed_at: list[int] = []
        self.host.handlers["pc"] = self

    def arriving(self, frame: Frame) -> None:
        self.taken.append(self.env.now)

    def freed(self, frame: Frame) -> None:
        self.freed_at.append(self.env.now)

    def send(self, _: object = None) -> None:
        self.driver.put(Frame(1518, "far", self))

    def receive(self, at: int, size: int = 1518) -> None:
        assert self.mac.station is not None
        self.env.call_at(at, self.mac.station.put, Frame(size, "pc"))

    def bill(self, name: str, *arguments: object) -> int:
        return int(getattr(self.port, f"bill_{name}")(self.host.bill(), *arguments).work().total)


@pytest.mark.parametrize("nic", ["ne2000/ne", "smc-elite16/wd", "3c509/3c509", "etherexpress16/eexpress"])
def test_a_frame_is_a_work_of_its_own_and_its_buffer_free_when_it_is_moved(nic: str) -> None:
    """The card then has the frame and begins to send; the frame has left long after."""
    station = Station(pc(nic))
    assert station.driver.straight() == QUEUED
    station.send()
    moved = station.bill("transmit", 1514)
    station.env.run(moved + US)
    assert station.freed_at == station.mac.times == [moved]
    assert station.host.processors[0].idle_until_now() == US


def test_a_bus_master_frees_it_when_it_is_gone() -> None:
    station = Station(pc("at1500/lance"))
    assert station.driver.straight() == 0
    station.send()
    station.env.run(5000 * US)
    assert station.freed_at[0] > station.mac.times[0] + 1200 * US


@pytest.mark.parametrize("masked", [True, False])
def test_the_cards_own_interrupts_wait_while_a_frame_is_handed_over(masked: bool) -> None:
    """8390.c: disable_irq_nosync to enable_irq in ei_start_xmit. Otherwise the handler interrupts it."""
    station = Station(pc("ne2000/ne", driver__tx_masked=masked))
    station.send()
    station.receive(100 * US, 64)
    moved = station.bill("transmit", 1514)
    assert moved > 400 * US
    station.env.run(moved + 5000 * US)
    handling = station.port.handling_time(station.host.bill, station.driver.costs, 60)
    if masked:
        assert station.mac.times == [moved]
    else:
        assert station.mac.times[0] >= moved + handling
    assert station.taken[0] >= moved + handling  # protocols see it after the bottom half that sends


def test_after_an_overrun_the_card_takes_nothing_for_ten_milliseconds() -> None:
    """8390.c, ei_rx_overrun: the chip is stopped, the handler waits for 10 ms, and reads the frames in the ring."""
    station = Station(pc("ne2000/ne", driver__rx_ring_bytes=6 * 256))
    for at in (100, 200, 5000, 9000, 30_000):
        station.receive(at * US)
    station.env.run(60_000 * US)
    assert station.host.nics[0].drops == {"receive buffer": 3}  # the second found no room, two arrived meanwhile
    assert len(station.taken) == 2
    assert station.taken[0] > 10_000 * US
    assert station.host.processors[0].busy()["driver"] > 10_000 * US


def test_other_cards_go_on_by_themselves() -> None:
    station = Station(pc("3c509/3c509"))
    for at in (100, 200, 5000, 9000, 30_000):
        station.receive(at * US)
    station.env.run(60_000 * US)
    assert station.host.nics[0].drops == {"receive buffer": 1}
    assert len(station.taken) == 4


@pytest.mark.parametrize(("nic", "summed"), [("smc-elite16/wd", True), ("ne2000/ne", False), ("at1500/lance", True)])
def test_a_sum_taken_while_the_frame_is_moved_is_not_taken_again(nic: str, summed: bool) -> None:
    driver = pc(nic).nics[0].driver
    assert driver.sums(1514) is summed


def test_on_a_cable_of_its_own_it_sends_and_receives_at_once() -> None:
    """An invented card: those of the catalogue are half duplex."""
    link = LinkSpec.from_name("10base-t")
    spec = pc("ne2000/ne", duplex="full")
    env = Environment(1)
    near, far = (Computer(env, spec, name) for name in ("near", "far"))
    there, back = (Link(env, link, name) for name in ("there", "back"))
    near.plug(0, there, back)
    far.plug(0, back, there)
    stations = []
    for host in (near, far):
        host.handlers["pc"] = one = Taking()
        stations.append(one)
        host.drivers[0].put(Frame(1518, "pc"))
    env.run(10_000 * US)
    assert [one.count for one in stations] == [1, 1]
    assert there.frames == back.frames == 1
    assert near.nics[0].wire == "there"


class Taking(Handler):
    """A handler that counts."""

    count = 0

    def arriving(self, frame: Frame) -> None:
        self.count += 1
