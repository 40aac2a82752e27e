"""When a transmit ring stops taking frames, and when it continues."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.machine import QUEUED, DriverSpec
from netsim.stack import Computer
from netsim.units import US


class Nowhere:
    """The other end of the wire."""

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        """It is there."""


# Entries in use (Linux 2.2.16: tulip.c tulip_start_xmit and tulip_interrupt; eepro100.c TX_QUEUE_LIMIT and
# TX_QUEUE_UNFULL; 3c59x.c boomerang_start_xmit and vortex_interrupt; rtl8139.c rtl8129_start_xmit).
MARKS = {"tulip": (15, 13), "eepro100": (28, 23), "3c59x": (16, 15), "rtl8139": (4, 3)}


@pytest.mark.parametrize("name", MARKS)
def test_a_ring_stops_and_goes_on_where_its_driver_says(name: str) -> None:
    assert DriverSpec.from_name(name).marks == MARKS[name]


LIMITS = [(0, 1, (8, 7)), (3, 2, (5, 3)), (20, 1, (1, 0)), (7, 5, (1, 0))]


@pytest.mark.parametrize(("reserve", "room", "marks"), LIMITS)
def test_at_least_one_entry_is_used(reserve: int, room: int, marks: tuple[int, int]) -> None:
    changes = {"tx_ring": 8, "tx_reserve": reserve, "tx_room": room}
    assert DriverSpec.from_name("rtl8139").replace(changes).marks == marks


def test_frames_wait_until_there_is_room_for_several() -> None:
    """A ring that stops at 5 and continues at 3: one freed entry admits nothing, two do."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["eepro100/eepro100"])
    pc = pc.replace({"nics.0.driver.tx_ring": 8, "nics.0.driver.tx_reserve": 3, "nics.0.driver.tx_room": 2})
    pc = pc.replace({"nics.0.driver.tx_interrupt": {"policy": "every-nth", "n": 100}, "nics.0.tx_done": "sent"})
    pc = pc.replace({"nics.0.driver.interrupt_when_idle": False, "nics.0.tx_wake_up": 0})
    env = Environment(1)
    host = Computer(env, pc, "host")
    driver, transmitter = host.drivers[0], host.nics[0].transmitter
    transmitter.link = Link(env, LinkSpec.from_name("100base-tx"), "out")
    transmitter.link.attach(Nowhere())
    driver._entry = 1  # no frame asks for an interrupt
    ports = []
    for _ in range(6):
        ports.append(driver.straight())
        driver.put(Frame(1518))
    assert ports == [0, 0, 0, 0, 0, QUEUED]
    waiting = []
    for frame in range(1, 4):  # one is in transit for 123 us
        env.run(round((10 + 124 * frame) * US))
        transmitter.reclaim()
        driver.look_for_room()
        waiting.append((transmitter.queued, len(driver.queue)))
    assert waiting == [(4, 1), (3, 1), (3, 0)]
