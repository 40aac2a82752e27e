"""The switch's trunk: conversations keep their ports and their order, and move only if they must."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim.ethernet import Frame, Trunk
from netsim.ethernet.switch import SwitchPort
from tests.standards.test_switch_timing import Network


class Port(SwitchPort):
    """Only records the frames, without a link behind it."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def put(self, frame: Frame) -> None:
        self.frames.append(frame)


def trunk(ports: int, policy: str = "address") -> tuple[Trunk, list[Port]]:
    all_of_it = [Port() for _ in range(ports)]
    return Trunk(all_of_it, policy), all_of_it


def place(trunk: Trunk, ports: list[Port], conversation: int) -> int:
    """The port that a frame of a conversation leaves on."""
    frame = Frame(64)
    trunk.conversation(conversation).put(frame)
    (number,) = (number for number, port in enumerate(ports) if frame in port.frames)
    return number


def places(trunk: Trunk, ports: list[Port], conversations: int) -> list[int]:
    return [place(trunk, ports, number) for number in range(conversations)]


def test_conversations_go_to_ports_in_turn_and_stay_there() -> None:
    four, ports = trunk(4)
    assert places(four, ports, 10) == places(four, ports, 10) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]


def test_only_those_of_a_failed_port_move_and_to_all_others() -> None:
    four, ports = trunk(4)
    before = places(four, ports, 16)
    four.down(2)
    during = places(four, ports, 16)
    assert [number for number in range(16) if during[number] != before[number]] == [2, 6, 10, 14]
    assert [during[number] for number in (2, 6, 10, 14)] == [0, 1, 3, 0]
    four.up(2)
    assert places(four, ports, 16) == before


def test_a_conversation_that_begins_in_an_outage_has_a_port_too() -> None:
    two, ports = trunk(2)
    two.down(1)
    assert place(two, ports, 1) == 0
    two.up(1)
    assert place(two, ports, 1) == 1


def test_frames_in_turn_go_to_the_ports_that_are_up() -> None:
    three, ports = trunk(3, "round-robin")
    assert [place(three, ports, 7) for _ in range(6)] == [0, 1, 2] * 2
    three.down(0)
    assert Counter(place(three, ports, number) for number in range(8)) == {1: 4, 2: 4}


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=12), st.sampled_from(["address", "round-robin"]))
def test_nothing_goes_to_a_port_that_is_down_unless_all_are(changes: list[tuple[int, bool]], policy: str) -> None:
    three, ports = trunk(3, policy)
    down: set[int] = set()
    for number, up in changes:
        (three.up if up else three.down)(number)
        (down.discard if up else down.add)(number)
        used = set(places(three, ports, 9))
        assert used == ({0, 1, 2} - down or {0, 1, 2})


@pytest.mark.parametrize("policy", ["address", "round-robin"])
def test_a_trunk_in_a_switch(policy: str) -> None:
    network = Network("abcd", max_frame=1518)
    behind = Trunk(network.switch.ports[2:], policy)  # c and d
    for number, name in enumerate(("x", "y")):
        network.switch.learn(name, behind.conversation(number))
    sent = {name: [network.send(source, name, 1000) for _ in range(4)] for source, name in (("a", "x"), ("b", "y"))}
    network.env.run()
    got = {name: [frame for _, frame in network.sinks[name].log] for name in "cd"}
    if policy == "address":
        assert got == {"c": sent["x"], "d": sent["y"]}
    else:
        assert {name: len(frames) for name, frames in got.items()} == {"c": 4, "d": 4}
