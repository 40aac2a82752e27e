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
from netsim.machine.backlog import Handler
from netsim.stack import Computer
from netsim.units import US
from netsim.workload import Netperf

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("system.kernel.tick", 0)
UDP = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, send_buffer=32768, receive_buffer=32768)

POLICIES: list[tuple[dict[str, object], int]] = [  # with the wait of a lone frame (us)
    ({"policy": "none"}, 0),
    ({"policy": "absolute-delay", "delay": "100 us"}, 100),
    ({"policy": "packet-delay", "delay": "100 us"}, 100),
    ({"policy": "packet-delay", "delay": "100 us", "limit": "60 us"}, 60),
    ({"policy": "minimum-gap", "gap": "100 us"}, 0),
    ({"policy": "count-or-time", "frames": 4, "time": "100 us"}, 100),
    ({"policy": "count-or-gap", "frames": 4, "gap": "100 us"}, 0),
    ({"policy": "adaptive", "gap": "100 us", "frames": 10, "period": "1 ms"}, 0),
]


class Sink(Handler):
    """Accepts frames without any work, and notes when."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.times: list[int] = []

    def arriving(self, frame: Frame) -> None:
        self.times.append(self.env.now)

    def put(self, frame: Frame) -> None:
        raise AssertionError("nothing is to be done for it")


def received(arrivals: Sequence[int], size: int = 1518, **driver: Any) -> tuple[Computer, list[int]]:
    """A computer whose card receives frames at these times (us), and the times when its protocols get them."""
    env = Environment(1)
    computer = Computer(env, PC.replace({f"nics.0.driver.{name}": value for name, value in driver.items()}), "host")
    computer.handlers["port"] = sink = Sink(env)
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


def test_a_gap_is_counted_from_the_interrupt_before() -> None:
    """The first frame is reported at once, the second when the gap is over or a third completes the count."""
    gap = {"policy": "count-or-gap", "frames": 2, "gap": "500 us"}
    _, (first, second) = received([1000, 1100], rx_moderation=gap)
    assert second - first == 500 * US
    _, (first, second, third) = received([1000, 1100, 1200], rx_moderation=gap)
    assert 200 * US <= second - first <= third - first < 250 * US


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
    other.handlers["port"] = Sink(env)
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
    computer.handlers["port"] = Sink(env)
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
        ({"policy": "count-or-gap", "frames": 4, "gap": "2 ms"}, 4.0),
        ({"policy": "count-or-gap", "frames": 64, "gap": "492 us"}, 4.0),
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
