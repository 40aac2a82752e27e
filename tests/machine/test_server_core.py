"""A processor of a server: softirqs take it from the process, and all its time is accounted for."""

from __future__ import annotations

from netsim.engine import Environment
from netsim.machine import Cost, ServerCore
from netsim.machine.tally import COPY, NETDEVICE


def test_a_softirq_makes_the_process_wait_as_long_as_it_takes() -> None:
    env, ended = Environment(), list[int]()
    core = ServerCore(env)
    core.process.add(Cost({COPY: 100}))
    core.run(lambda: ended.append(env.now))
    env.call_at(30, lambda _: core.occupy(40))
    env.call_at(60, lambda _: core.occupy(10))  # after the first one
    env.run(1000)
    assert ended == [150]
    assert core.spent.times[COPY] == core.spent.total == 100


def test_a_process_begins_when_the_softirq_is_over() -> None:
    env, ended = Environment(), list[int]()
    core = ServerCore(env)
    core.softirq.add(Cost({NETDEVICE: 25}), 2)
    core.occupy(core.softirq.total)
    assert not core.idle
    core.process.add(Cost({COPY: 7}))
    core.run(lambda: ended.append(env.now))
    env.run(1000)
    core.softirq_over()
    assert ended == [57]
    assert core.spent.times[NETDEVICE] == 50
    assert core.idle
