"""A chip that hands frames over by an index: its driver finds no frame before being notified of it (`rx_seen`), and
frees no sent frame before (`tx_seen`)."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.stack import Computer
from netsim.units import MS, US
from tests.nic.test_moderation import PC, POLICIES, UDP, Owner, _plug, received
from tests.sink import TimedSink

REPORTED = PC.replace("nics.0.rx_seen", "reported")
LATE = {"policy": "absolute-delay", "delay": "500 us"}


def machine(rx_seen: str, tx_seen: str = "done", **driver: Any) -> tuple[Computer, TimedSink]:
    """A computer that receives a frame at 1000 us, and may be interrupted for others."""
    env = Environment(1)
    changes = {"nics.0.rx_seen": rx_seen, "nics.0.tx_seen": tx_seen, "nics.0.driver.rx_moderation": LATE}
    computer = Computer(env, PC.replace(changes | {f"nics.0.driver.{name}": on for name, on in driver.items()}), "host")
    computer.handlers["port"] = sink = TimedSink(env)
    _plug(env, computer)
    env.call_at(1000 * US, computer.nics[0].receiver.put, Frame(64, "port"))
    return computer, sink


@pytest.mark.parametrize(("seen", "about", "interrupts"), [("stored", 1120, 1), ("reported", 1510, 2)])
def test_an_interrupt_for_a_frame_sent(seen: str, about: int, interrupts: int) -> None:
    """It comes at about 1100 us. A driver that looks at the frames finds the stored one, which is then not reported; a
    driver that is handed an index still gets the old one."""
    computer, sink = machine(seen, tx_interrupt={"policy": "every-frame"})
    env = computer.env
    env.call_at(1100 * US, lambda _: computer.drivers[0].put(Frame(64, "port")))
    env.run(10 * MS)
    assert sink.times == [pytest.approx(about * US, abs=20 * US)]
    assert computer.drivers[0].interrupts == interrupts


@pytest.mark.parametrize(("seen", "interrupts"), [("done", 1), ("reported", 2)])
def test_a_frame_sent_is_freed_when_it_is_reported(seen: str, interrupts: int) -> None:
    """It is done soon, and reported 500 us later. In between an interrupt for a received frame occurs, in which the
    driver finds it by its status, but not by an index."""
    policies = {"tx_interrupt": {"policy": "every-frame"}, "tx_moderation": LATE, "interrupt_when_idle": False}
    computer, _ = machine("stored", **policies, rx_moderation={"policy": "none"}, tx_seen=seen)
    env, owner = computer.env, Owner(computer.env)
    env.call_at(800 * US, lambda _: computer.drivers[0].put(Frame(64, "port", owner)))
    env.run(10 * MS)
    (time,) = owner.times
    assert time == pytest.approx((1010 if seen == "done" else 1320) * US, abs=20 * US)
    assert computer.drivers[0].interrupts == interrupts


def test_a_frame_that_is_not_reported_is_inside() -> None:
    """It is neither with the driver nor lost: the accounts need this."""
    for seen in ("stored", "reported"):
        computer, sink = machine(seen)
        computer.env.run(1300 * US)
        assert computer.frames_inside == computer.nics[0].receiver.frames_inside == 1
        assert len(computer.nics[0].receiver.ready) == (seen == "stored")
        computer.env.run(10 * MS)
        assert computer.frames_inside == 0
        assert len(sink.times) == 1


@pytest.mark.parametrize(("policy", "wait"), POLICIES)
def test_a_lone_frame_waits_as_long(policy: dict[str, object], wait: int) -> None:
    received_at = [received([1000], rx_moderation=rx)[1][0] for rx in ({"policy": "none"}, policy)]
    env = Environment(1)
    computer = Computer(env, REPORTED.replace("nics.0.driver.rx_moderation", policy), "host")
    computer.handlers["port"] = sink = TimedSink(env)
    env.call_at(1000 * US, computer.nics[0].receiver.put, Frame(1518, "port"))
    env.run(10 * MS)
    assert sink.times == [received_at[1]] == [received_at[0] + wait * US]


def test_what_a_driver_finds_is_not_taken_off_the_count() -> None:
    """Two frames every 246 us, in an endless stream: every second one is reported, whenever the driver looks."""
    policy = {"policy": "count-or-time", "frames": 2, "time": "2 ms"}
    test = UDP.replace({"receiver.nics.0.rx_seen": "reported", "receiver.nics.0.driver.rx_moderation": policy})
    env = Environment(1)
    run = test.build(env)
    run.start()
    for part in range(1, 50):
        env.run(part * 4 * MS)
        run.audit()
    accounts = run.accounts()
    assert accounts.counts["receiver interrupts"] == pytest.approx(accounts.frames["wire to receiver"] / 2, abs=2)


@pytest.mark.parametrize("ring", ["interrupt", "deferred"])
def test_a_stream_gets_through(ring: str) -> None:
    pc = REPORTED.replace({"nics.0.driver.rx_moderation": LATE, "system.kernel.ring_work": ring})
    result = ns.simulate(ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc), limit="0.2 s")
    assert result.throughput == pytest.approx(94e6, rel=0.01)
