"""Interrupts that processors take in turn, and where a process continues when an interrupt wakes it."""

from __future__ import annotations

import netsim as ns
from netsim.engine import Environment
from netsim.machine.caller import Caller
from netsim.machine.task import INTERRUPT, PROCESS, Task
from netsim.machine.work import Work
from netsim.stack import Computer

PC = ns.host("2xpii-400", system="linux-2.2.16", nics=["3c905b/3c59x", "3c905b/3c59x"])
WORK = Work((("protocol", 1000),), 0)


def computer(**changes: object) -> Computer:
    return Computer(Environment(1), PC.replace({"system.kernel.tick": 0} | changes), "pc")


def test_each_interrupt_goes_to_the_next_processor_whatever_port_it_is_of() -> None:
    host = computer()
    taken = []
    for number in (0, 0, 1, 0):
        driver = host.drivers[number]
        driver.interrupt()
        taken.append(host.processors.index(driver.processor))
        host.env.run(host.env.now + 10**9)
    assert taken == [0, 1, 0, 1]
    assert all("interrupt" in cpu.busy() for cpu in host.processors)


def test_the_clock_takes_its_turn() -> None:
    host = computer(**{"system.kernel.tick": "10 ms"})
    host.env.run(10**11)  # ten ticks
    one, other = (cpu.busy()["interrupt"] for cpu in host.processors)
    assert one == other > 0


def test_one_processor_takes_them_all() -> None:
    assert computer(**{"processors.count": 1}).rotation is None


def woken(*busy: tuple[int, int]) -> int:
    """The processor on which a caller that last ran on number 1 continues, if some are busy with a task of a given
    level."""
    host = computer(**{"processors.count": 3})
    todo = [WORK]
    caller = host.caller(lambda: todo.pop() if todo else None, lambda: False)
    assert isinstance(caller, Caller)
    caller.last = host.processors[1]
    for number, level in busy:
        left = [WORK, WORK, WORK]
        task = Task(level, left.pop, lambda left=left: bool(left))  # type: ignore[misc]
        host.processors[number].kick(task)
    host.wake(caller)
    host.env.run(10**6)
    return host.processors.index(caller.last)


def test_a_process_goes_on_where_it_was() -> None:
    assert woken() == 1
    assert woken((0, PROCESS), (2, PROCESS)) == 1


def test_an_interrupt_there_does_not_drive_it_away() -> None:
    assert woken((1, INTERRUPT)) == 1


def test_another_process_there_does() -> None:
    assert woken((1, PROCESS)) == 0
    assert woken((0, PROCESS), (1, PROCESS)) == 2
