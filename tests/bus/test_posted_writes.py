"""Registers in memory: the bridge takes over a processor's writes; the processor still waits for reads."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.bus import Bus, PciSlot, Transaction
from netsim.engine import Environment
from netsim.machine import Work
from netsim.machine.processor import Processor
from netsim.machine.task import PROCESS, Task
from netsim.units import MS, US
from netsim.workload import Netperf

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("system.kernel.tick", 0)
BUS = PC.ports()[0].bus
assert isinstance(BUS, PciSlot)
READ, WRITE = BUS.access_time(1, 0), BUS.access_time(0, 1)


def accesses(reads: int, writes: int, posted: bool) -> Work:
    return PC.bill().accesses("driver", BUS, reads, writes, way="memory" if posted else "ports").work()


def test_a_posted_write_costs_the_processor_the_bridge_alone() -> None:
    work = accesses(0, 2, posted=True)
    assert work.total == 2 * BUS.chipset.crossing
    assert (work.accesses, work.posted, work.bus) == (0, 2 * WRITE, 2 * WRITE)


def test_a_read_is_waited_for_all_the_same() -> None:
    work = accesses(3, 2, posted=True)
    assert work.total == 3 * READ + 5 * BUS.chipset.crossing
    assert (work.accesses, work.posted, work.bus) == (3 * READ, 2 * WRITE, 3 * READ + 2 * WRITE)


def test_what_is_not_posted_takes_the_bus_as_long() -> None:
    work = accesses(3, 2, posted=False)
    assert work.total == 3 * READ + 2 * WRITE + 5 * BUS.chipset.crossing
    assert (work.accesses, work.posted, work.bus) == (work.bus, 0, accesses(3, 2, posted=True).bus)


@pytest.mark.parametrize(("posted", "wait"), [(True, 0), (False, 100 * US)])
def test_on_a_bus_that_is_taken_only_the_bridge_waits(posted: bool, wait: int) -> None:
    """Another master holds it for 100 us; its latency timer does not expire before."""
    env = Environment()
    bus = Bus(env, BUS.replace("latency_timer", 10_000), "bus")
    bus.request(Transaction(bus.spec.tenure(True, 2048)), 100 * US)
    cpu, done = Processor(env, Resource("cpu", PROCESSOR), [bus.access]), []
    works = [accesses(0, 2, posted)]
    cpu.kick(Task(PROCESS, lambda: works[0] if works else None, lambda: bool(works.clear() or done.append(env.now))))
    env.run(1000 * US)
    assert done == [accesses(0, 2, posted).total + wait]
    assert bus.busy == 100 * US + 2 * WRITE


def test_a_drivers_doorbell_is_posted_where_the_registers_lie_in_memory() -> None:
    pc = PC.replace({"nics.0.driver.tx_reads": 0, "nics.0.driver.tx_writes": 1})
    ports, memory = (
        one.ports()[0].bill_transmit(one.bill(), 1514).work()
        for one in (pc, pc.replace("nics.0.registers", "memory"))
    )
    assert ports.total - memory.total == WRITE
    assert ports.bus == memory.bus == memory.posted


def test_in_a_run_the_processor_has_more_time_and_the_bus_is_as_busy() -> None:
    """Every interrupt has two writes, at a load that leaves both processors idle time."""

    def run(registers: str) -> tuple[int, int, int]:
        pc = PC.replace("nics.0.registers", registers)
        test = Netperf(test="UDP_STREAM", sender=PC, receiver=pc, message=1000, offered="5 Mbit/s")
        run = test.build(Environment(1))
        run.start()
        run.env.run(100 * MS)  # type: ignore[attr-defined]
        run.audit()
        accounts = run.accounts()
        interrupts = accounts.counts["receiver interrupts"]
        return interrupts, accounts.busy["receiver processor 0"]["interrupt"], accounts.occupied["receiver bus"]

    (interrupts, waited, busy), (as_many, posted, as_busy) = run("ports"), run("memory")
    assert interrupts == as_many > 50
    assert waited - posted == pytest.approx(2 * interrupts * WRITE, rel=0.01)
    assert as_busy == busy


def test_the_bound_knows_of_it() -> None:
    test = Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
    test = test.replace({"sender.nics.0.driver.tx_writes": 2, "sender.nics.0.driver.rx_writes": 0})
    memory = test.replace("sender.nics.0.registers", "memory").bounds().demand
    assert memory["sender bus"] == test.bounds().demand["sender bus"]
    assert test.bounds().demand["sender processors"] - memory["sender processors"] == pytest.approx(2 * WRITE)
