"""What a driver does differently with an MTU above the standard one, and its cost for a buffer that it takes back."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.stack import Computer
from netsim.units import US
from tests.sink import TimedSink

PC = ns.host("ml530", system="linux-2.2.14-smp", nics=["3c985b/acenic"])


@pytest.mark.parametrize(("link", "jumbo", "posted"), [
    ("1000base-sx", 48, 64), ("1000base-sx-jumbo", 48, 48), ("1000base-sx-jumbo", None, 64),
])  # fmt: skip
def test_a_ring_of_larger_buffers_may_have_fewer(link: str, jumbo: int | None, posted: int) -> None:
    env = Environment()
    computer = Computer(env, PC.replace("nics.0.driver.rx_ring_jumbo", jumbo), "pc")
    computer.plug(0, *(Link(env, LinkSpec.from_name(link), name) for name in ("out", "into")))
    assert computer.nics[0].receiver.room == posted


@pytest.mark.parametrize(("link", "tick"), [("1000base-sx", 120), ("1000base-sx-jumbo", 30)])
def test_moderation_may_differ_as_well(link: str, tick: int) -> None:
    """A frame is reported at the clock's next tick."""
    env = Environment()
    computer = Computer(env, PC.replace("nics.0.driver", "acenic-0.44"), "pc")
    computer.plug(0, *(Link(env, LinkSpec.from_name(link), name) for name in ("out", "into")))
    computer.handlers["port"] = sink = TimedSink(env)
    env.call_at(241 * US, computer.nics[0].receiver.put, Frame(64, "port"))
    env.run(10**9)
    (time,) = sink.times
    assert 0 < time - (241 // tick + 1) * tick * US < 20 * US


def test_a_buffer_taken_back_costs_its_writes() -> None:
    (port,) = PC.ports()
    plain, clears = (PC.replace("nics.0.driver.free_writes", writes).ports()[0] for writes in (0, 2))
    less, more = (one.bill_free(PC.bill(), 3).work() for one in (plain, clears))
    assert more.posted - less.posted == port.bus.access_time(0, 6)
    assert more.total - less.total == port.bus.crossing_time(6)
