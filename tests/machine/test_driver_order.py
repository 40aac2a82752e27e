"""The order in which frames of several ports are handed up: a handler that suspends another finishes first."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.stack import Computer
from tests.sink import Sink

US = 10**6  # ps


def order(gap: float, ports: int = 2, **changes: object) -> list[int]:
    """The ports in the order in which their frames are handed up, one after another every `gap` us."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * ports, bond="linux-2.2.17")
    pc = pc.replace({address.replace("__", "."): value for address, value in changes.items()}) if changes else pc
    env = Environment(1)
    host = Computer(env, pc, "host")
    host.handlers["port"] = sink = Sink()
    for number, nic in enumerate(host.nics):
        env.call_at(round((1000 + gap * number) * US), nic.receiver.put, Frame(1518, "port"))
    env.run(5000 * US)
    assert host.frames_handled == ports
    assert sum(host.processors[0].busy().values()) + host.processors[0].idle_until_now() == env.now
    return sink.log


def test_frames_far_apart_keep_their_order() -> None:
    assert order(200, ports=4) == [0, 1, 2, 3]


def test_of_frames_that_come_close_together_the_last_is_first() -> None:
    assert order(1, ports=4) == [3, 2, 1, 0]


def test_without_nesting_handlers_wait_for_each_other() -> None:
    assert order(1, ports=4, system__kernel__nested_interrupts=False) == [0, 1, 2, 3]


@pytest.mark.parametrize("nested", [True, False])
def test_what_an_interrupt_costs_does_not_depend_on_it(nested: bool) -> None:
    """A frame costs the same whether it is handed up early or late."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2, bond="linux-2.2.17")
    env = Environment(1)
    host = Computer(env, pc.replace({"system.kernel.nested_interrupts": nested, "system.kernel.tick": 0}), "host")
    host.handlers["port"] = Sink()
    env.call_at(US, host.nics[0].receiver.put, Frame(1518, "port"))
    env.run(1000 * US)
    port = pc.ports()[0]
    bill = port.bill_interrupt(pc.bill())
    assert sum(host.processors[0].busy().values()) == port.bill_receive(bill, 1514).work().total


def test_a_frame_is_handed_up_before_its_line_is_let_through_again() -> None:
    """Four of five accesses to the 8259A precede the handler (Linux 2.2: mask_and_ack_8259A, enable_8259A_irq)."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("processors.port_access", "10 us")
    port, kernel = pc.ports()[0], pc.system.kernel
    bill = pc.bill().interrupt_entry(kernel.handler_cycles).cycles("interrupt", port.driver.interrupt_cycles)
    reads, writes = port.driver.interrupt_reads, port.driver.interrupt_writes
    bill.accesses("interrupt", port.bus, reads, writes, way=port.adapter.registers)
    up = port.bill_take(bill, 1514).work().total / US
    changes: dict[str, object] = {"processors__port_access": "10 us", "system__kernel__tick": 0}
    assert order(up - 4, **changes) == [1, 0]  # the second one may wait for the bus, less long than that
    assert order(up + 1, **changes) == [0, 1]
