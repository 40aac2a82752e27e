"""NDIS's rule for serialised miniports: one lock per port, held while frames are indicated; frames handed down
meanwhile follow in order, under the same lock (netsim.machine.serialised)."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.machine import Task, Work
from netsim.machine.backlog import Handler
from netsim.machine.serialised import SerialisedDriver
from netsim.machine.task import DEFERRED
from netsim.stack import Computer
from netsim.units import US
from tests.own_parts import WithParts

PROTOCOL = Work((("protocol", 50 * US),), 0)
ANSWER = Work((("protocol", 7 * US),), 0)
SIZE = 1000  # bytes of each frame, with FCS
NAME = "host nic 0 miniport lock"


def spec(ports: int = 1, **changes: Any) -> ns.ComputerSpec:
    """Two processors of 1 GHz under Windows 2000, with a cycle of 1000 ps, without clock interrupts."""
    exact = {"processors.count": 2, "processors.clock": "1 GHz", "processors.relative_cpi": 1}
    plain: dict[str, Any] = {"system.kernel.tick": 0, "memory.bandwidth": None}
    for number in range(ports):  # with accesses the next frame's would wait for the bus
        own = {"serialised": True, "tx_reads": 0, "tx_writes": 0}
        plain |= {f"nics.{number}.driver.{name}": value for name, value in own.items()}
    host = ns.host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"] * ports)
    return host.replace(exact | plain | changes)


class Protocols(Handler):
    """Take PROTOCOL for each frame, note when they begin and end, and then call `then`."""

    def __init__(self, host: Computer, port: str, then: Any = lambda: None) -> None:
        host.handlers[port] = self
        self.env, self._then = host.env, then
        self.begun: list[int] = []
        self.ended: list[int] = []

    def arriving(self, frame: Frame) -> Work:
        self.begun.append(self.env.now)
        return PROTOCOL

    def put(self, frame: Frame) -> None:
        self.ended.append(self.env.now)
        self._then()


class Noting(SerialisedDriver):
    """Notes which frame its card is handed, and when."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.handed: list[tuple[int, str]] = []

    def dequeue(self) -> None:
        self.handed.append((self._calendar.now, self.queue[0].port))
        super().dequeue()


class Nowhere:
    """The far end of a cable."""

    frames_arrived = 0

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        pass


class Machine:
    """A host whose ports have cables that lead nowhere."""

    def __init__(self, **changes: Any) -> None:
        self.env = WithParts(Noting)
        self.host = Computer(self.env, spec(**changes), "host")
        for number, _ in enumerate(self.host.nics):
            out, into = (Link(self.env, LinkSpec.from_name("100base-tx"), name) for name in ("out", "into"))
            out.attach(Nowhere())
            self.host.plug(number, out, into)

    @property
    def handed(self) -> list[tuple[int, str]]:
        """The frames handed to the first port's card, with their times."""
        driver = self.host.drivers[0]
        assert isinstance(driver, Noting)
        return driver.handed

    def receive(self, time: float, number: int = 0, port: str = "port") -> None:
        """The card of this number has received a frame at this time (us)."""
        self.env.call_at(round(time * US), self.host.nics[number].receiver.put, Frame(SIZE, port))

    def send(self, time: float, processor: int, name: str, number: int = 0) -> None:
        """Deferred work on a processor hands a frame down at this time (us)."""
        works = iter([Work((("protocol", 0),), 0)])

        def end() -> bool:
            self.host.drivers[number].put(Frame(SIZE, name))
            return False

        task = Task(DEFERRED, lambda: next(works, None), end)
        self.env.call_at(round(time * US), self.host.processors[processor].kick, task)

    def run(self) -> None:
        self.env.run(20_000 * US)

    @property
    def transmit(self) -> int:
        """ps of the driver for each frame sent."""
        port = self.host.spec.ports()[0]
        return port.bill_transmit(self.host.bill(), SIZE - 4).work().total


def test_only_what_is_serialised_has_a_lock() -> None:
    machine = Machine(ports=2, **{"nics.1.driver.serialised": False})
    assert [isinstance(one, SerialisedDriver) for one in machine.host.drivers] == [True, False]
    assert [str(lock.name) for lock in machine.host.locks] == [NAME]
    assert [one.straight() for one in machine.host.drivers] == [-1, 1]  # NDIS queues, and the driver does not


def test_a_processor_alone_has_no_other_to_exclude() -> None:
    assert Machine(**{"processors.count": 1}).host.locks == []


def test_protocols_work_inside_the_lock_of_the_port_that_received() -> None:
    """The lock is held for the whole deferred call: for each frame the driver's part and the protocols'."""
    machine = Machine()
    protocols = Protocols(machine.host, "port")
    for number in range(3):
        machine.receive(1000 + number)
    machine.run()
    port, bill = machine.host.spec.ports()[0], machine.host.bill
    entry = port.bill_entry(bill(), machine.host.spec.system.kernel).work().total
    received = port.bill_receive(bill(), SIZE - 4).work().total
    assert len(protocols.ended) == 3
    assert machine.host.drivers[0].interrupts == 1
    assert machine.host.locks[0].held_until(machine.env.now) == entry + 3 * (received + PROTOCOL.total)


def test_two_ports_have_nothing_to_do_with_each_other() -> None:
    """The team has no lock: two processors indicate at the same time, except for a register that both read."""
    machine = Machine(ports=2)
    protocols = [Protocols(machine.host, f"port {number}") for number in (0, 1)]
    for number in (0, 1):
        machine.receive(1000, number, f"port {number}")
    machine.run()
    (one,), (other,) = (found.begun for found in protocols)
    assert abs(one - other) < PROTOCOL.total / 10
    assert all(not lock.waited_until(machine.env.now) for lock in machine.host.locks)


def test_a_frame_that_finds_the_port_free_goes_at_once_by_the_processor_that_sends() -> None:
    machine = Machine()
    machine.send(1000, 1, "a")
    machine.run()
    assert machine.handed == [(1000 * US + machine.transmit, "a")]
    busy = machine.host.processors[1].busy()
    assert busy["driver"] + busy["cache transfers"] == machine.transmit
    assert machine.host.locks[0].held_until(machine.env.now) >= machine.transmit


def test_what_is_handed_down_while_it_indicates_follows_in_order_by_who_has_the_lock() -> None:
    machine = Machine()
    protocols = Protocols(machine.host, "port")
    machine.receive(1000)
    machine.receive(1001)
    for number, name in enumerate("ab"):  # before the third, the card's interrupt for the first would come
        machine.send(1035 + 5 * number, 1, name)
    machine.run()
    assert protocols.begun[0] < 1035 * US < protocols.ended[0]
    last = protocols.ended[1]  # indications go first
    assert machine.handed == [(last + n * machine.transmit, name) for n, name in enumerate("ab", 1)]
    assert "driver" not in machine.host.processors[1].busy()


def test_answers_are_made_in_the_call_and_sent_behind_it() -> None:
    """Work that a protocol defers is done before the next frame is taken from the ring, still under the lock; the frame
    it hands down is sent when the driver has returned."""
    machine = Machine()
    host = machine.host
    works: list[Work] = []
    made: list[int] = []

    def sent() -> bool:
        made.append(machine.env.now)
        host.drivers[0].put(Frame(SIZE, "answer"))
        return False

    answer = host.deferred(lambda: works.pop() if works else None, sent)

    def answers() -> None:
        works.append(ANSWER)
        host.defer(answer)

    protocols = Protocols(host, "port", answers)
    machine.receive(1000)
    machine.receive(1001)
    machine.run()
    received = host.spec.ports()[0].bill_receive(host.bill(), SIZE - 4).work().total
    assert made == [end + ANSWER.total for end in protocols.ended]
    assert protocols.begun[1] == made[0] + received
    assert machine.handed == [(made[1] + n * machine.transmit, "answer") for n in (1, 2)]


def test_a_call_that_finds_the_port_busy_spins() -> None:
    """Another processor hands a frame down; the interrupt's second part waits only for that."""
    machine = Machine(**{"nics.0.driver.tx_cycles": 200_000})
    protocols = Protocols(machine.host, "port")
    machine.send(1000, 1, "a")
    machine.receive(1050)
    machine.run()
    assert machine.handed[0][0] == 1000 * US + machine.transmit
    spun = machine.host.processors[0].busy()["spin"]
    assert 0 < spun < machine.transmit
    assert machine.host.locks[0].waited_until(machine.env.now) == {"receive": spun}
    assert protocols.begun[0] > machine.handed[0][0]


@pytest.mark.parametrize(("late", "interrupts"), [(20, 1), (120, 2)])
def test_interrupts_are_let_through_when_the_driver_has_returned(late: int, interrupts: int) -> None:
    """A frame that arrives while protocols work is found in the ring; one that arrives while NDIS hands frames down
    causes a separate interrupt."""
    machine = Machine(**{"nics.0.driver.tx_cycles": 200_000})
    protocols = Protocols(machine.host, "port")
    machine.receive(1000)
    machine.send(1040, 1, "a")
    machine.receive(1000 + late)
    while len(protocols.begun) < 2:
        machine.env.step()
    assert machine.host.drivers[0].interrupts == interrupts
    assert bool(machine.handed) == (interrupts == 2)


def test_what_finds_the_ring_full_waits_for_buffers_to_come_back() -> None:
    machine = Machine(**{"nics.0.driver.tx_ring": 2})
    for number in range(5):
        machine.send(1000, 1, str(number))
    machine.run()
    assert [name for _, name in machine.handed] == list("01234")
    assert not machine.host.drivers[0].queue
