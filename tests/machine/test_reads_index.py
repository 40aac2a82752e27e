"""A driver that reads the card's index of received frames once for each interrupt, and one that reads it again."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.stack import Computer
from netsim.units import NS, US
from tests.sink import TimedSink

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c985b/acenic-0.44"]).replace({
    "system.kernel.tick": 0, "nics.0.driver.rx_moderation": {"policy": "none"}, "nics.0.onboard": None,
})  # fmt: skip
LATER = 3000  # us: when a third frame causes an interrupt in any case


def received(reads_index: str, gap: int) -> tuple[Computer, list[int]]:
    """A computer that receives three frames, the second `gap` (ns) after the first, and when they go up."""
    env = Environment(1)
    computer = Computer(env, PC.replace("nics.0.driver.reads_index", reads_index), "host")
    computer.handlers["port"] = sink = TimedSink(env)
    for time in (1000 * US, 1000 * US + gap * NS, LATER * US):
        env.call_at(time, computer.nics[0].receiver.put, Frame(64, "port"))
    env.run(50_000 * US)
    assert computer.drivers[0].frames_inside == computer.nics[0].receiver.frames_inside == 0
    return computer, sink.times


GAPS = range(1000, 16_000, 200)  # ns: from well within the handler to well after it


def test_read_again_it_leaves_nothing() -> None:
    assert all(received("again", gap)[1][1] < 1100 * US for gap in GAPS)


def test_read_once_it_leaves_what_is_reported_meanwhile_to_the_next_interrupt() -> None:
    found = [received("once", gap) for gap in GAPS]
    left = [computer.drivers[0].interrupts for computer, times in found if times[1] > LATER * US]
    taken = [computer.drivers[0].interrupts for computer, times in found if times[1] < 1200 * US]
    assert len(left) + len(taken) == len(found)
    assert left
    assert set(left) == {2}  # the first frame's, and the third's
    assert {2, 3} >= set(taken) >= {3}


@pytest.mark.parametrize("gap", [500, 1_000_000])
def test_both_ways_cost_the_same(gap: int) -> None:
    """With one interrupt for two frames, or one for each: only the steps differ."""
    once, again = (received(way, gap)[0].processors[0].busy() for way in ("once", "again"))
    assert once == pytest.approx(again, rel=1e-4)
