"""Interrupt moderation between a chip and its driver: how long a frame waits in a computer, and that frames the driver
has seen are not reported again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.stack import Computer
from netsim.units import US
from netsim.workload import Netperf
from tests.sink import TimedSink

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("system.kernel.tick", 0)
UDP = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, send_buffer=32768, receive_buffer=32768)

POLICIES: list[tuple[dict[str, object], int]] = [  # with the wait of a lone frame (us)
    ({"policy": "none"}, 0),
    ({"policy": "absolute-delay", "delay": "100 us"}, 100),
    ({"policy": "packet-delay", "delay": "100 us"}, 100),
    ({"policy": "packet-delay", "delay": "100 us", "limit": "60 us"}, 60),
    ({"policy": "minimum-gap", "gap": "100 us"}, 0),
    ({"policy": "count-or-time", "frames": 4, "time": "100 us"}, 100),
    ({"policy": "adaptive", "gap": "100 us", "frames": 10, "period": "1 ms"}, 0),
]


def received(arrivals: Sequence[int], size: int = 1518, **driver: Any) -> tuple[Computer, list[int]]:
    """A computer whose card receives frames at these times (us), and the times when its protocols get them."""
    env = Environment(1)
    computer = Computer(env, PC.replace({f"nics.0.driver.{name}": value for name, value in driver.items()}), "host")
    computer.handlers["port"] = sink = TimedSink(env)
    for time in arrivals:
        env.call_at(time * US, computer.nics[0].receiver.put, Frame(size, "port"))
    env.run(50_000 * US)
    assert len(sink.times) == len(arrivals)
    return computer, sink.times


@pytest.mark.parametrize(("policy", "wait"), POLICIES)
def test_a_lone_frame_waits(policy: dict[str, object], wait: int) -> None:
    _, at_once = received([1000])
    computer, times = received([1000], rx_moderation=policy)
    assert times[0] - at_once[0] == wait * US
    assert computer.drivers[0].interrupts == 1
    assert computer.spec.nics[0].driver.rx_moderation.wait == wait * US


@pytest.mark.parametrize("arrival", [1130, 1450, 1900])
def test_a_clock_ticks_whenever_a_frame_comes(arrival: int) -> None:
    """Frames of 1.5 KB that arrive within a period are reported at its end, unless a second one completes the count."""
    clock = {"policy": "count-or-tick", "frames": 2, "period": "1 ms"}
    (at_once,) = received([1000])[1]
    (lone,) = received([arrival], rx_moderation=clock)[1]
    arrived = at_once + (arrival - 1000) * US
    assert 0 <= lone - 2000 * US < 30 * US
    first, second, third = received([arrival - 100, arrival - 50, arrival], rx_moderation=clock)[1]
    assert first < arrived
    assert 0 <= second - first < 30 * US
    assert third == lone


def test_a_lone_frame_sent_waits() -> None:
    """Until its buffer is freed: the driver learns of it only through the interrupt."""
    assert freed({"policy": "absolute-delay", "delay": "70 us"}) - freed({"policy": "none"}) == 70 * US


def freed(policy: dict[str, object]) -> int:
    """The time when the buffer of a lone frame is returned to its owner (ps)."""
    env = Environment(1)
    driver = {"nics.0.driver.tx_interrupt": {"policy": "every-frame"}, "nics.0.driver.tx_moderation": policy}
    computer = Computer(env, PC.replace(driver), "host")
    _plug(env, computer)
    owner = Owner(env)
    computer.drivers[0].put(Frame(1518, "port", owner))
    env.run(10_000 * US)
    (time,) = owner.times
    return time


class Owner:
    """The owner of sent frames: notes when they are freed."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.times: list[int] = []

    def freed(self, frame: Frame) -> None:
        self.times.append(self.env.now)


def _plug(env: Environment, computer: Computer) -> None:
    out, back = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("out", "back"))
    other = Computer(env, PC, "other")
    other.handlers["port"] = TimedSink(env)
    computer.nics[0].plug(out, back)
    other.nics[0].plug(back, out)


# ---- what was seen is not reported again ----


def test_frames_that_come_while_the_handler_runs_cause_no_interrupt_of_their_own() -> None:
    """The second frame arrives 1 us after the first, whose handler takes longer and finds it."""
    computer, times = received([1000, 1001], size=64, rx_moderation={"policy": "absolute-delay", "delay": "1 us"})
    assert computer.drivers[0].interrupts == 1
    assert times[1] - times[0] < 20 * US


def seen(**tx: Any) -> int:
    """The total number of interrupts: a sent frame is reported 500 us after it is done; one received earlier is
    reported at once."""
    env = Environment(1)
    driver = {"nics.0.driver.tx_interrupt": {"policy": "every-frame"}, "nics.0.driver.interrupt_when_idle": False}
    policy = {"policy": "packet-delay", "delay": "500 us", **tx}
    computer = Computer(env, PC.replace(driver | {"nics.0.driver.tx_moderation": policy}), "host")
    computer.handlers["port"] = TimedSink(env)
    _plug(env, computer)
    owner = Owner(env)
    computer.drivers[0].put(Frame(1518, "port", owner))
    env.call_at(300 * US, computer.nics[0].receiver.put, Frame(1518, "port"))
    env.run(10_000 * US)
    assert len(owner.times) == 1
    assert owner.times[0] < 400 * US  # in the received frame's interrupt
    return computer.drivers[0].interrupts


def test_what_another_interrupt_has_found_is_not_reported_again() -> None:
    assert seen() == 1


def test_unless_the_timer_runs_on() -> None:
    assert seen(runs_on=True) == 2


# ---- under load ----


@pytest.mark.parametrize(
    ("policy", "frames"),
    [
        ({"policy": "none"}, 1.0),
        ({"policy": "absolute-delay", "delay": "400 us"}, 4.0),
        ({"policy": "minimum-gap", "gap": "500 us"}, 4.0),
        ({"policy": "count-or-time", "frames": 4, "time": "2 ms"}, 4.0),
        ({"policy": "count-or-tick", "frames": 4, "period": "20 ms"}, 4.0),
        ({"policy": "count-or-tick", "frames": 64, "period": "492 us"}, 4.0),
        ({"policy": "adaptive", "gap": "500 us", "frames": 40, "period": "10 ms"}, 4.0),
        ({"policy": "adaptive", "gap": "500 us", "frames": 100, "period": "10 ms"}, 1.0),
    ],
)
def test_how_many_frames_share_an_interrupt(policy: dict[str, object], frames: float) -> None:
    """With one frame every 123 us; a few more, as a handler also finds frames that arrive while it runs, and fewer in
    the first period of an adaptive policy."""
    env = Environment(1)
    run = UDP.replace("receiver.nics.0.driver.rx_moderation", policy).build(env)
    run.start()
    env.run(3 * 10**11)
    run.audit()
    accounts = run.accounts()
    assert 0.97 * frames <= accounts.frames["wire to receiver"] / accounts.counts["receiver interrupts"] <= frames * 1.3


def test_without_an_end_a_restarted_delay_stops_a_receiver() -> None:
    """Its ring fills up without an interrupt, and the frames are lost, as on the card."""
    env = Environment(1)
    run = UDP.replace("receiver.nics.0.driver.rx_moderation", {"policy": "packet-delay", "delay": "1 ms"}).build(env)
    run.start()
    env.run(10**11)
    run.audit()
    assert run.accounts().drops["receiver: receive ring"] > 100


def test_a_misspelt_policy_is_told_which_there_are() -> None:
    with pytest.raises(ScenarioError, match="minimum-gap"):
        PC.replace("nics.0.driver.rx_moderation", {"policy": "minimum-gab", "gap": "1 us"})
