"""When chips begin to send and to store a frame, and when they report it, with the settings of their drivers."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.bus import Bus
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.machine import AdapterSpec
from netsim.nic import Nic
from netsim.units import US

LINK = LinkSpec.from_name("100base-tx")


class Nowhere:
    """The other end of the wire."""

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        """It is there."""


@pytest.mark.parametrize("size", [60, 1514])
def test_the_3c905b_takes_whole_frames_both_ways(size: int) -> None:
    """The wire starts when the whole frame is fetched, and the first byte is stored after the last bit (3c59x.c:
    SetRxThreshold 1536; TxStartThresh is off)."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    nic, bus = pc.nics[0], pc.ports()[0].bus
    assert isinstance(nic, AdapterSpec)
    assert nic.tx_lead_time(bus, size) == bus.transfer_time(16, False) + bus.transfer_time(size, False)
    assert nic.rx_lead_time(bus, LINK, size) == 0


def test_the_82558_interrupts_when_its_queue_has_run_dry() -> None:
    """Each command block suspends the unit, which reports this (CNA) when the frame is in the FIFO: 12 us after the
    doorbell, and not 120 us later, when it has left. Every eighth entry requests a separate interrupt."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["eepro100/eepro100"]).replace("nics.0.tx_wake_up", 0)
    env = Environment(1)
    bus = Bus(env, pc.slots[0], "bus")
    nic = Nic(env, pc.nics[0], bus, pc.slots[0], "pc", 0)
    raised: list[int] = []
    nic.connect(lambda: None, sent=lambda: raised.append(env.now))
    nic.transmitter.interrupt_when_idle = pc.nics[0].driver.interrupt_when_idle
    link = Link(env, LINK, "out")
    link.attach(Nowhere())
    nic.transmitter.link = link
    nic.transmitter.put(Frame(1518), False)
    env.run(1000 * US)
    assert raised == [pc.nics[0].tx_time(pc.slots[0], 1514)]
    assert raised[0] < 20 * US
