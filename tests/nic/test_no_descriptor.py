"""A frame that finds no free descriptor waits in the receive FIFO; it is lost if there is no room for it there."""

from __future__ import annotations

from typing import Any

from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.nic import Nic
from netsim.units import US
from tests.nic.test_bursts import BUFFER, SIZE, card


def filled(frames: int, room: int, **changes: Any) -> tuple[Environment, Nic]:
    """A card that has received frames, with `room` free entries in its ring."""
    env = Environment()
    nic, _ = card(env, **changes)
    nic.receiver.room = room
    for number in range(frames):
        env.call_at((1 + 50 * number) * US, nic.receiver.put, Frame(SIZE))
    env.run(1000 * US)
    return env, nic


def test_it_waits_until_the_driver_has_refilled_the_ring() -> None:
    env, nic = filled(5, 2, rx_fifo=16_384)
    receiver = nic.receiver
    assert (len(receiver.ready), receiver.frames_inside, receiver.room) == (2, 5, 0)
    receiver.refill(receiver.ready.popleft())
    env.run(2000 * US)
    assert (len(receiver.ready), receiver.room) == (2, 0)
    assert receiver.frames_inside == 4
    assert not any(receiver.drops.values())


def test_it_is_stored_at_once_then() -> None:
    env, nic = filled(2, 1, rx_fifo=16_384)
    stored: list[int] = []
    nic.connect(lambda: stored.append(env.now))
    nic.receiver.refill(nic.receiver.ready.popleft())
    env.run(2000 * US)
    assert stored == [1000 * US + nic.spec.rx_time(nic.receiver.seen, BUFFER)]


def test_those_that_find_the_fifo_full_are_lost() -> None:
    """Two frames wait in 4 KB; a third has no room."""
    _, nic = filled(5, 1, rx_fifo=4096)
    assert len(nic.receiver.ready) == 1
    assert nic.receiver.drops == {"receive ring": 2, "receive fifo": 0}


def test_a_fifo_smaller_than_a_frame_can_only_pass_it_on() -> None:
    _, nic = filled(2, 1, rx_fifo=1024, rx_threshold=256, rx_burst=1024)
    assert len(nic.receiver.ready) == 1
    assert nic.receiver.drops == {"receive ring": 1, "receive fifo": 0}


def test_a_ring_of_bytes_counts_them() -> None:
    """Room for two frames, and for most of a third."""
    env = Environment()
    nic, _ = card(env, rx_fifo=4096)
    nic.receiver.ring_of_bytes, nic.receiver.room = True, 3 * SIZE - 1
    for number in range(3):
        env.call_at((1 + 50 * number) * US, nic.receiver.put, Frame(SIZE))
    env.run(1000 * US)
    assert (len(nic.receiver.ready), nic.receiver.room) == (2, SIZE - 1)
    nic.receiver.refill(nic.receiver.ready.popleft())
    env.run(2000 * US)
    assert (len(nic.receiver.ready), nic.receiver.room) == (2, SIZE - 1)
