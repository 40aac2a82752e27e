"""Exact times of a store-and-forward switch (IEEE 802.1D, RFC 1242): last bit in, latency, first bit out."""

from __future__ import annotations

from typing import Any

import pytest

from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec, Switch, SwitchSpec

BITS = {"10 Mbit/s": 100_000, "100 Mbit/s": 10_000, "1 Gbit/s": 1_000}  # ps of one bit
CABLE = 25_000  # ps
LATENCY = 5_000_000  # ps


class Sink:
    """A station that is called at the last bit, and notes when."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.log: list[tuple[int, Any]] = []
        self.frames_arrived = 0

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Any) -> None:
        self.frames_arrived += 1
        self.log.append((self.env.now, frame))


class Network:
    """A switch with stations "a", "b" ... around it; a frame's port is the name of its destination."""

    def __init__(self, names: str = "abc", rate: str = "100 Mbit/s", **spec: Any) -> None:
        self.env = Environment(seed=1)
        given = {"latency": "5 us", "buffer": "64 KiB", "max_frame": 9018, "link_detection": "0 s", **spec}
        self.spec = SwitchSpec(**given)
        self.switch = Switch(self.env, self.spec)
        self.link = LinkSpec(rate=rate, propagation="25 ns")
        self.into: dict[str, Link] = {}
        self.out: dict[str, Link] = {}
        self.sinks: dict[str, Sink] = {}
        for name in names:
            self.into[name] = Link(self.env, self.link, f"wire {name} to switch")
            self.out[name] = Link(self.env, self.link, f"wire switch to {name}")
            self.switch.learn(name, self.switch.plug(name, self.into[name], self.out[name]))
            self.sinks[name] = Sink(self.env)
            self.out[name].attach(self.sinks[name])

    def send(self, source: str, target: str, size: int, earliest: int = 0) -> Frame:
        frame = Frame(size, target)
        self.into[source].put(frame, earliest)
        return frame

    def arrivals(self, name: str) -> list[int]:
        return [now for now, _ in self.sinks[name].log]


@pytest.mark.parametrize("size", [64, 1518, 9018])
@pytest.mark.parametrize(("rate", "bit"), BITS.items())
def test_a_lone_frame_is_sent_twice_and_waits_the_latency(rate: str, bit: int, size: int) -> None:
    network = Network(rate=rate)
    network.send("a", "b", size)
    network.env.run()
    cable = (8 + size) * 8 * bit + CABLE
    assert network.arrivals("b") == [cable + LATENCY + cable]
    assert network.arrivals("a") == network.arrivals("c") == []


def test_frames_that_follow_each_other_in_follow_each_other_out() -> None:
    network = Network(rate="1 Gbit/s")
    for _ in range(4):
        network.send("a", "b", 1518)
    network.env.run()
    cable, interval = 1526 * 8_000 + CABLE, 1538 * 8_000
    assert network.arrivals("b") == [2 * cable + LATENCY + number * interval for number in range(4)]


def test_a_short_frame_behind_a_long_one_waits_for_the_cable() -> None:
    network = Network(rate="1 Gbit/s")
    network.send("a", "b", 1518)
    network.send("a", "b", 64)
    network.env.run()
    first = 2 * (1526 * 8_000 + CABLE) + LATENCY
    assert network.arrivals("b") == [first, first + (12 + 72) * 8_000]


def test_two_cables_into_one_take_turns_as_their_frames_come_in() -> None:
    network = Network(rate="1 Gbit/s")
    frames = [network.send(source, "c", 1518) for _ in range(3) for source in "ab"]
    network.env.run()
    cable, interval = 1526 * 8_000 + CABLE, 1538 * 8_000
    assert network.arrivals("c") == [2 * cable + LATENCY + number * interval for number in range(6)]
    assert [frame for _, frame in network.sinks["c"].log] == frames
    assert network.out["c"].busy_until(network.env.now) <= 6 * interval


def test_different_outputs_do_not_hinder_each_other() -> None:
    network = Network("abcd", rate="1 Gbit/s")
    network.send("a", "c", 1518)
    network.send("b", "d", 1518)
    network.env.run()
    assert network.arrivals("c") == network.arrivals("d") == [2 * (1526 * 8_000 + CABLE) + LATENCY]
