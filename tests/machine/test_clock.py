"""The clock interrupts whatever else happens, as often as the system specifies, and the accounts include its time."""

from netsim.accounts import Resource
from netsim.accounts.resource import PROCESSOR
from netsim.engine import Environment
from netsim.machine.clock import Clock
from netsim.machine.processor import Processor
from netsim.machine.task import PROCESS, Task
from netsim.machine.work import Work

TICK, TIME = 1000, 7


def test_it_interrupts_every_tick():
    env = Environment(1)
    cpu = Processor(env, Resource("cpu", PROCESSOR), [lambda duration: 0])
    long = Work((("application", 10**9),), 0)
    cpu.kick(Task(PROCESS, lambda: long, lambda: True))
    Clock(env, TICK, Work((("interrupt", TIME),), 0), cpu, "host")
    env.run(100 * TICK)
    assert cpu.busy()["interrupt"] in range(99 * TIME, 100 * TIME + 1)
    assert sum(cpu.busy().values()) == env.now


def test_hosts_ticks_are_not_in_step():
    firsts = []
    for name in ("a", "b"):
        env = Environment(1)
        cpu = Processor(env, Resource("cpu", PROCESSOR), [lambda duration: 0])
        Clock(env, TICK, Work((("interrupt", TIME),), 0), cpu, name)
        env.step()
        firsts.append(env.now)
    assert firsts[0] != firsts[1]
    assert all(0 <= first < TICK for first in firsts)
