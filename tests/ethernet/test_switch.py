"""The switch: its buffers, drops and cost, and its messages about a wrong network."""

from __future__ import annotations

import pytest

from netsim.errors import ScenarioError, SimulationError
from netsim.ethernet import SwitchSpec
from tests.standards.test_switch_timing import Network


def overrun(buffer: int, latency: str = "0 s") -> Network:
    """Frames of 1000 bytes for "c" arrive twice as fast as they can leave, ten from each of "a" and "b"."""
    network = Network(buffer=buffer, max_frame=1518, latency=latency)
    for _ in range(10):
        network.send("a", "c", 1000)
        network.send("b", "c", 1000)
    network.env.run()
    return network


def test_what_finds_no_room_is_dropped_at_the_tail() -> None:
    """Pairs of frames arrive, and one frame leaves between two pairs: after the nth pair the buffer has n + 1 frames,
    including the one on the cable. With room for four, pairs 4 to 10 lose a frame each."""
    network = overrun(4_999)
    assert network.switch.drops == {"port to a": 0, "port to b": 0, "port to c": 7}
    assert network.sinks["c"].frames_arrived == 13
    assert network.switch.frames_arrived == 20


@pytest.mark.parametrize(("buffer", "dropped"), [(1_999, 10), (2_000, 9), (2_999, 9), (10_999, 1), (11_000, 0)])
def test_a_buffer_holds_whole_frames_and_the_one_on_the_cable(buffer: int, dropped: int) -> None:
    assert overrun(buffer).switch.drops["port to c"] == dropped


def test_the_latency_takes_no_buffer() -> None:
    assert overrun(4_999, latency="1 ms").switch.drops["port to c"] == overrun(4_999).switch.drops["port to c"]


def test_a_full_output_does_not_keep_others_from_passing() -> None:
    network = Network("abcd", buffer=2_000, max_frame=1518)
    for _ in range(5):
        for target in "cd":
            network.send("a", target, 1000)
        network.send("b", "c", 1000)
    network.env.run()
    assert network.switch.drops["port to d"] == 0
    assert network.sinks["d"].frames_arrived == 5


def test_room_is_there_again_when_the_last_bit_has_left() -> None:
    time = (8 + 1518) * 8_000  # ps on a cable, without the gap
    for late, dropped in ((time - 1, 1), (time, 0)):
        network = Network(buffer=1_518, max_frame=1518, latency="0 s", rate="1 Gbit/s")
        network.send("a", "c", 1518)
        network.send("b", "c", 1518, late)
        network.env.run()
        assert network.switch.drops["port to c"] == dropped


def test_a_frame_costs_one_event_in_the_switch() -> None:
    network = Network()
    for _ in range(20):
        network.send("a", "b", 1518)
    network.env.run()
    assert network.env.events == 3 * 20  # it enters the switch, it is ready, it arrives


def test_frames_inside_are_those_within_the_latency() -> None:
    network = Network(latency="1 ms")
    for _ in range(3):
        network.send("a", "b", 64)
    network.env.run(until=500_000_000)
    assert (network.switch.frames_arrived, network.switch.frames_sent, network.switch.frames_inside) == (3, 0, 3)
    network.env.run()
    assert (network.switch.frames_arrived, network.switch.frames_sent, network.switch.frames_inside) == (3, 3, 0)


def test_an_address_that_nobody_has_is_a_fault() -> None:
    network = Network()
    network.send("a", "z", 64)
    with pytest.raises(SimulationError, match="switch: no port has address 'z'"):
        network.env.run()


def test_a_buffer_that_holds_no_frame_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"^buffer: 1000 bytes don't hold a frame; allowed: 1518 \(max_frame\)"):
        SwitchSpec(latency="1 us", buffer=1000, max_frame=1518, link_detection="0 s")
    assert SwitchSpec(latency="0 s", buffer=1518, max_frame=1518, link_detection="0 s").latency == 0
