"""What an interrupt handler reads and writes, the order in which it processes its rings, and the causes for freeing."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.stack import Computer, ComputerSpec
from netsim.units import US
from tests.sink import Sink

# Reads and writes of an interrupt that finds a cause in its only pass, and of a further pass (the drivers' interrupt
# routines in Linux 2.2.16): tulip CSR5 read and written, read again finding nothing, then CSR8; 3c59x (2.2.17) status,
# acknowledgements of cause and latch, status; the others read and write their status twice.
ACCESSES = {
    "dfe570tx/tulip": ((3, 2), (1, 1)),
    "rtl8139/rtl8139": ((2, 2), (1, 1)),
    "3c905b/3c59x": ((2, 2), (1, 2)),
    "eepro100/eepro100": ((2, 2), (1, 1)),
}


class Nowhere:
    """The other end of the wire."""

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        """It is there."""


def pc(nic: str, ports: int = 1, **changes: Any) -> ComputerSpec:
    spec = ns.host("piii-600", system="linux-2.2.16", nics=[nic] * ports).replace("system.kernel.tick", 0)
    addresses = {name.replace("__", "."): value for name, value in changes.items()}
    kernel = {f"system.{at}": value for at, value in addresses.items() if at.startswith("kernel.")}
    driver = {at: value for at, value in addresses.items() if not at.startswith("kernel.")}
    return spec.replace(kernel | {f"nics.{n}.{at}": value for n in range(ports) for at, value in driver.items()})


def received(spec: ComputerSpec, *arrivals: tuple[float, int]) -> tuple[Computer, list[int]]:
    """A computer whose ports have stored frames at these times (us), and the port of each frame in the order of
    hand-up."""
    env = Environment(1)
    computer = Computer(env, spec, "host")
    computer.handlers["port"] = sink = Sink()
    for time, port in arrivals:
        env.call_at(round(time * US), stored, computer.nics[port].receiver)
    env.run(50_000 * US)
    return computer, sink.log


def stored(receiver: Any) -> None:
    """A frame is in host memory."""
    receiver.ready.append(Frame(1518, "port"))
    receiver.room -= 1518 if receiver.ring_of_bytes else 1
    receiver.interrupt()


def busy(computer: Computer) -> dict[str, int]:
    return computer.processors[0].busy()


def price(spec: ComputerSpec, reads: int, writes: int) -> int:
    """ps that the processor waits for register accesses."""
    port = spec.ports()[0]
    way, width = port.adapter.registers, port.adapter.register_width
    return spec.bill().accesses("driver", port.bus, reads, writes, 0, way, width).work().total


@pytest.mark.parametrize("nic", ACCESSES)
def test_an_interrupt_has_the_accesses_that_its_driver_makes(nic: str) -> None:
    spec = pc(nic)
    computer, _ = received(spec, (100, 0))
    bill = spec.bill().interrupt(spec.system.kernel.handler_cycles)
    own = bill.cycles("interrupt", spec.nics[0].driver.interrupt_cycles).work().total
    assert busy(computer)["interrupt"] == own + price(spec, *ACCESSES[nic][0])
    assert computer.drivers[0].interrupts == 1


@pytest.mark.parametrize("nic", ACCESSES)
@pytest.mark.parametrize("gap", [1, 7])
def test_what_comes_meanwhile_makes_one_more_pass(nic: str, gap: float) -> None:
    """Whether or not the loop over the ring still finds the frame (1 us later), its cause is in the status."""
    spec = pc(nic, driver__rx_cycles=1500, kernel__buffer_cycles=3000)  # 5 us each
    once, twice = (received(spec, *arrivals)[0] for arrivals in ([(100, 0)], [(100, 0), (100 + gap, 0)]))
    assert twice.drivers[0].interrupts == 1
    assert busy(twice)["interrupt"] - busy(once)["interrupt"] == price(spec, *ACCESSES[nic][1])


def test_frames_found_by_the_loop_make_one_pass_together() -> None:
    """Three frames arrive while the first one is taken: the status shows them once, and nothing afterwards."""
    spec = pc("dfe570tx/tulip", driver__rx_cycles=6000)
    once, more = (received(spec, *[(100 + n, 0) for n in range(count)])[0] for count in (1, 4))
    assert busy(more)["interrupt"] - busy(once)["interrupt"] == price(spec, 1, 1)


def test_the_rtl8139_is_asked_once_more_than_it_has_frames() -> None:
    """ChipCmd before each frame, and once when there is none; RxBufPtr is written for each (rtl8139.c, rtl8129_rx)."""
    spec = pc("rtl8139/rtl8139")
    arrivals = [(100 + n, 0) for n in range(3)]
    driver = sum(busy(received(spec, *arrivals)[0])[name] for name in ("driver", "copy"))
    without = spec.replace({"nics.0.driver.rx_reads": 0, "nics.0.driver.rx_writes": 0, "nics.0.driver.rx_end_reads": 0})
    other = sum(busy(received(without, *arrivals)[0])[name] for name in ("driver", "copy"))
    assert driver - other == price(spec, 3 + 1, 3)


@pytest.mark.parametrize(("before", "after", "order"), [(1200, 6000, [0, 1]), (7200, 0, [1, 0])])
def test_a_frame_is_up_before_its_buffer_is_replaced(before: int, after: int, order: list[int]) -> None:
    """The other port interrupts 14 us after the first: while the first ring is refilled, or before its frame is up."""
    spec = pc("3c905b/3c59x", 2, driver__rx_cycles=before, kernel__buffer_cycles=after)
    computer, log = received(spec, (100, 0), (114, 1))
    assert log == order
    assert computer.frames_handled == 2


@pytest.mark.parametrize(("refill", "room"), [("entry", 31), ("ring", 30)])
def test_entries_are_free_again_one_by_one_or_all_together(refill: str, room: int) -> None:
    """With two frames in a ring of 32, after the first has been taken."""
    spec = pc("3c905b/3c59x", driver__refill=refill, driver__rx_cycles=6000)
    env = Environment(1)
    computer = Computer(env, spec, "host")
    computer.handlers["port"] = Sink()
    receiver = computer.nics[0].receiver
    receiver.ready.append(Frame(1518, "port"))
    receiver.room -= 1
    stored(receiver)
    env.run(25 * US)
    assert (receiver.room, len(receiver.ready)) == (room, 0)
    env.run(100 * US)
    assert receiver.room == 32


@pytest.mark.parametrize(("frees", "left"), [("any", 0), ("transmit", 1)])
def test_a_received_frame_frees_a_sent_one_for_drivers_that_free_at_any_interrupt(frees: str, left: int) -> None:
    asks = {"policy": "every-nth", "n": 8}
    spec = pc("eepro100/eepro100", driver__frees=frees, driver__tx_interrupt=asks, driver__interrupt_when_idle=False)
    env = Environment(1)
    computer = Computer(env, spec, "host")
    computer.handlers["port"] = Sink()
    link = Link(env, LinkSpec.from_name("100base-tx"), "out")
    link.attach(Nowhere())
    computer.nics[0].transmitter.link = link
    driver = computer.drivers[0]
    driver._entry = 1  # the entry asks for no interrupt
    env.call_at(10 * US, driver.put, Frame(1518, "elsewhere"))
    env.call_at(500 * US, stored, computer.nics[0].receiver)
    env.run(1000 * US)
    assert computer.nics[0].transmitter.queued == left
