"""Pollers: when cards still interrupt, what gets its turn when, and what a frame waits for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.machine import Work
from netsim.machine.backlog import Handler
from netsim.machine.polling import TickPoller
from netsim.stack import Computer
from netsim.units import MS, US
from tests.in_networks import SMALLEST, between_testers
from tests.sink import Nowhere

PROTOCOL = Work((("protocol", 10 * US),), 0)
CALL = Work((("system call", 50 * US),), 0)


class Protocols(Handler):
    """Take PROTOCOL for each frame, and note when they have finished it."""

    def __init__(self, host: Computer) -> None:
        host.handlers["port"] = self
        self.env = host.env
        self.ended: list[float] = []

    def arriving(self, frame: Frame) -> Work:
        return PROTOCOL

    def put(self, frame: Frame) -> None:
        self.ended.append(self.env.now / US)


class Machine:
    """One processor of 1 GHz whose cards are polled, and a process that may be busy."""

    def __init__(self, polling: str, ports: int = 1, **changes: Any) -> None:
        self.env = Environment(1)
        host = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * ports)
        plain: dict[str, Any] = {"system.kernel.tick": 0, "processors.clock": "1 GHz", "memory.bandwidth": None}
        self.host = Computer(self.env, host.replace(plain | {"system.kernel.polling": polling} | changes), "host")
        for number, _ in enumerate(self.host.nics):
            out, into = (Link(self.env, LinkSpec.from_name("100base-tx"), name) for name in ("out", "into"))
            out.attach(Nowhere())
            self.host.plug(number, out, into)
        self.protocols = Protocols(self.host)
        self.calls: list[float] = []
        self.process = self.host.process(self._call, self._called)

    def _call(self) -> Work:
        return CALL

    def _called(self) -> bool:
        self.calls.append(self.env.now / US)
        return True

    def receive(self, frames: int, every: float = 6.72, at: float = 0, number: int = 0) -> None:
        """Frames arrive at intervals in us."""
        for place in range(frames):
            when = round((at + place * every) * US)
            self.env.call_at(when, lambda _: self.host.nics[number].receiver.put(Frame(64, "port")))

    @property
    def interrupts(self) -> int:
        return sum(driver.interrupts for driver in self.host.drivers)


def test_an_interrupt_masks_the_next_until_the_ring_is_empty() -> None:
    machine = Machine("masked")
    machine.receive(20)
    machine.receive(20, every=500, at=5000)
    machine.env.run(20 * MS)
    assert len(machine.protocols.ended) == 40
    assert machine.interrupts == 1 + 20


@pytest.mark.parametrize("polling", ["constant", "ticks"])
def test_cards_that_are_polled_never_interrupt(polling: str) -> None:
    machine = Machine(polling, **{"system.kernel.tick": "1 ms"})
    machine.receive(40, every=50)
    machine.env.run(20 * MS)
    assert (len(machine.protocols.ended), machine.interrupts) == (40, 0)


def test_each_frame_goes_through_the_protocols_before_the_next() -> None:
    """No frame waits between driver and protocols; all waiting frames are on the card."""
    machine = Machine("masked")
    machine.receive(32, every=1)
    machine.env.run(100 * US)
    (indications,) = machine.host.backlogs[1:]
    assert indications.inside <= 1
    assert len(machine.host.nics[0].receiver.ready) > 20


@pytest.mark.parametrize("budget", [4, 8])
def test_a_process_has_a_turn_after_a_budget(budget: int) -> None:
    """One work each time, while frames keep arriving."""
    machine = Machine("masked", **{"system.kernel.polling.budget": budget, "system.kernel.polling.quota": 100})
    machine.host.wake(machine.process)
    machine.receive(2000)
    machine.env.run(10 * MS)
    taken, calls = len(machine.protocols.ended), len(machine.calls)
    assert calls > 20
    assert taken / calls == pytest.approx(budget, rel=0.15)


def test_cards_have_their_turns() -> None:
    """Two cards that are never empty share the capacity by quotas."""
    machine = Machine("masked", ports=2)
    for number in (0, 1):
        machine.receive(1500, number=number)
    machine.env.run(9 * MS)
    one, other = (driver.nic.receiver for driver in machine.host.drivers)
    taken = [nic.frames_arrived - nic.frames_inside - sum(nic.drops.values()) for nic in (one, other)]
    assert min(taken) > 0.8 * max(taken) > 100


def test_without_the_idle_loop_frames_wait_for_the_tick() -> None:
    machine = Machine("ticks", **{"system.kernel.polling.idle": False, "system.kernel.tick": "1 ms"})
    machine.receive(9, every=1000, at=100)
    machine.env.run(12 * MS)
    ended = machine.protocols.ended
    assert len(ended) == 9
    assert all(abs((later - one) - 1000) < 50 for one, later in pairwise(ended))
    assert len({round(one) % 1000 // 100 for one in ended}) <= 2  # soon after a tick, whenever they arrived


def test_in_the_idle_loop_they_wait_for_the_look_at_hand() -> None:
    machine = Machine("constant")
    machine.receive(5, every=1000, at=100)
    machine.env.run(12 * MS)
    port, kernel = machine.host.spec.ports()[0], machine.host.spec.system.kernel
    look = port.bill_end(port.bill_entry(machine.host.bill(), kernel)).work().total / US
    took = [end - (100 + 1000 * place) for place, end in enumerate(machine.protocols.ended)]
    assert max(took) - min(took) <= look
    assert min(took) > 10


def test_the_burst_leaves_processes_their_share() -> None:
    """Half of each tick, while more arrives than can be taken."""
    machine = Machine("ticks", **{"system.kernel.tick": "1 ms", "nics.0.driver.rx_ring": 1000})
    machine.host.wake(machine.process)
    machine.receive(40_000)
    machine.env.run(200 * MS)
    poller = machine.host._poller
    assert isinstance(poller, TickPoller)
    assert 10 < poller.burst < 150
    machine.calls.clear()
    machine.env.run(260 * MS)
    assert len(machine.calls) * 50 / 60_000 == pytest.approx(0.5, abs=0.1)


def test_the_burst_is_as_large_as_it_may_be_where_there_is_time() -> None:
    machine = Machine("ticks", **{"system.kernel.tick": "1 ms", "system.kernel.polling.burst": 20})
    machine.env.run(100 * MS)
    poller = machine.host._poller
    assert isinstance(poller, TickPoller)
    assert poller.burst == 20


def test_cards_that_are_never_empty_have_equal_shares() -> None:
    """A tick that comes in the middle of the idle loop's round does not take a later card's turn."""
    machine = Machine("ticks", ports=2, **{"system.kernel.tick": "1 ms"})
    for number in (0, 1):
        machine.receive(15_000, number=number)
    machine.env.run(100 * MS)
    receivers = [driver.nic.receiver for driver in machine.host.drivers]
    one, other = (nic.frames_arrived - nic.frames_inside - sum(nic.drops.values()) for nic in receivers)
    assert one > 2000
    assert abs(one - other) <= 2 * machine.host.spec.get("system.kernel.polling.quota")  # the current round


def test_a_turn_that_outlasts_its_tick_is_followed_by_the_next_at_once() -> None:
    """The burst shrinks by an eighth each time, until a turn is over before the next tick: only then do processes run
    (FreeBSD 4, kern_poll.c: netisr_pollmore, pending_polls)."""
    machine = Machine("ticks", **{"system.kernel.tick": "1 ms", "nics.0.driver.rx_ring": 2000})
    machine.host.wake(machine.process)
    machine.receive(4000)
    machine.env.run(9 * MS)
    poller = machine.host._poller
    assert isinstance(poller, TickPoller)
    poller.burst = 150
    machine.env.run(25 * MS)
    gap = max(later - one for one, later in pairwise(machine.calls))
    assert gap > 5 * 1000
    assert poller.burst < 60


def test_a_receiver_that_polls_stays_at_its_peak() -> None:
    """In a case where interrupts deliver nothing (tests/stack/test_livelock.py)."""
    test = ns.load("examples/livelock.toml").replace({
        "receiver.processors.clock": "133 MHz", "offered": "20 Mbit/s", "receiver.system.kernel.tick": "1 ms",
        "min_iterations": 1, "max_iterations": 1})  # fmt: skip
    for polling in ("ticks", "constant"):
        polled = test.replace("receiver.system.kernel.polling", polling)
        result = ns.simulate(polled, precision=0.05, limit="0.3 s")
        assert 9e6 < result.throughput < polled.bounds().limit
        assert {place.what for place in result.dropped} <= {"receive ring", "receive fifo"}


# --- on several processors -------------------------------------------------------------------------------------------


def test_on_two_processors_one_at_a_time_polls_as_a_bottom_half() -> None:
    """Interrupts go to the processors in turn, and no frame is in two places."""
    smp = ns.host("2xpii-400", system="linux-2.2.14-smp", nics="3c905b/3c59x")
    machine = Machine("masked", **{"processors": smp.processors, "system": smp.system.replace(
        "kernel.polling", "masked"), "system.kernel.polling": "masked"})  # fmt: skip
    machine.receive(40, every=500)
    machine.env.run(30 * MS)
    assert len(machine.protocols.ended) == 40
    assert machine.interrupts == 40
    busy = [sum(one.busy().values()) for one in machine.host.processors]
    assert busy[0] == pytest.approx(busy[1], rel=0.1)
    assert all(one < two for one, two in pairwise(machine.protocols.ended))


@pytest.mark.parametrize("rate", [100_000, 148_000])
def test_two_processors_under_overload_deliver_what_one_bottom_half_can(rate: int) -> None:
    """Where interrupts leave no time for the rest, masking keeps throughput at its peak, and neither exceeds the
    bound."""
    smp = ns.host("2xpii-400", system="linux-2.2.14-smp", nics=["eepro100/eepro100"] * 2, forwards="ip")
    found = {}
    for polling in (None, "masked"):
        test = between_testers(rate).replace("hosts.gateway", smp)
        test = test.replace("hosts.gateway.system.kernel.polling", polling)
        run: Any = test.build(Environment(1))
        run.start()
        run.env.run(40 * MS)
        run.audit()
        found[polling] = run.delivered
        assert run.delivered / 0.04 * 8 <= test.replace("flows.load.offered", None).bounds().limit
    assert found["masked"] / SMALLEST / 0.04 > 28_000
    assert found["masked"] > 2 * (found[None] or 0)
