"""A crypto engine on the card: one server for both directions, between the fetch and the wire, and between the last bit
and the store."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import CRYPTO_ENGINE
from netsim.engine import Environment, Idle
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.nic import Nic
from netsim.nic.crypto import CryptoEngine
from netsim.nic.crypto_spec import CryptoSpec
from netsim.stack import Computer
from netsim.stack.tcp import ProtectedSegment
from netsim.units import US
from tests.nic.test_bursts import BUFFER, FAST, PC, SIZE, Far, card

ENGINE: dict[str, Any] = {
    "rate": "100 Mbit/s",
    "packet_time": "3 us",
    "ciphers": ["3des-cbc"],
    "authentications": ["hmac-sha-1-96"],
    "modes": ["transport"],
    "associations": 2,
}
SLOW = {**ENGINE, "rate": "10 Mbit/s"}
FIRMWARE = {"clock": "100 MHz", "tx_cycles": 700, "rx_cycles": 900}  # 7 us per frame sent, 9 us per frame received
NBYTES = 1000  # 80 us plus 3 at 100 Mbit/s, 803 at 10
ROOM: dict[str, Any] = {"tx_fifo": 65536, "tx_frames": 40, "rx_fifo": 65536}
FETCH = PC.nics[0].tx_time(PC.slots[0], BUFFER)
STORE = PC.nics[0].rx_time(PC.slots[0], BUFFER)
WIRE = FAST.time(SIZE + 8) + FAST.delay


def frame(encipher: int = 0, decipher: int = 0, size: int = SIZE) -> Frame:
    one = ProtectedSegment(size, "port", 0, 0, 0, 0, 0, -1)
    one.encipher, one.decipher = encipher, decipher
    return one


def sent(*frames: Frame, **changes: Any) -> tuple[Nic, list[int]]:
    """The arrival times of frames handed over together (ps)."""
    env = Environment()
    nic, far = card(env, **(ROOM | {"crypto": ENGINE} | changes))
    for one in frames:
        nic.transmitter.put(one, False)
    env.run(50_000 * US)
    return nic, far.times


def stored(*frames: tuple[int, Frame], **changes: Any) -> tuple[Nic, list[int]]:
    """The times (ps) when frames whose last bits arrive at these times (us) are in the host's memory, in that order."""
    env = Environment()
    nic, _ = card(env, **(ROOM | {"crypto": ENGINE, "rx_threshold": SIZE} | changes))
    found: list[int] = []
    nic.connect(lambda: found.append(env.now))
    for time, one in frames:
        env.call_at(time * US, nic.receiver.put, one)
    env.run(50_000 * US)
    assert list(nic.receiver.ready) == [one for _, one in frames]
    return nic, found


# ---- the engine ----


def test_it_serves_one_after_the_other_and_keeps_its_books() -> None:
    env = Environment()
    engine = CryptoEngine(env, CryptoSpec(**ENGINE), Resource("pc", CRYPTO_ENGINE, 0))
    one = frame(NBYTES)
    assert engine.put(one, NBYTES, 0) == 83 * US
    assert engine.put(one, NBYTES, 10 * US) == 166 * US
    assert engine.put(one, NBYTES, 200 * US) == 283 * US  # it is idle from 166 on
    assert engine.put(one, NBYTES, 190 * US) == 366 * US
    found = {now: engine.busy_until(now * US) / US for now in (0, 50, 166, 180, 200, 250, 366, 1000)}
    assert found == {0: 0, 50: 50, 166: 166, 180: 166, 200: 166, 250: 216, 366: 332, 1000: 332}


def test_idle_times_that_are_over_are_forgotten() -> None:
    idle = Idle()
    for start in range(0, 1000, 10):
        idle.add(start, start + 5, now=start)
    assert idle.ahead(992) == 3
    assert idle.ahead(995) == 0
    assert len(idle._times) == 1
    idle.add(1000, 1001, now=2000)
    assert not idle._times


# ---- sending ----


def test_a_frame_is_fetched_as_a_whole_and_enciphered_before_the_wire_starts() -> None:
    _, (time,) = sent(frame(NBYTES))
    assert time == FETCH + 83 * US + WIRE


def test_other_frames_go_as_if_it_was_not_there() -> None:
    assert sent(frame(), frame())[1] == sent(frame(), frame(), crypto=None)[1]


def test_frames_leave_in_the_order_in_which_they_were_fetched() -> None:
    """Frames in clear wait behind an enciphered one, but need nothing of the engine."""
    nic, times = sent(frame(NBYTES, size=1518), frame(size=1000), frame(size=500), frame(NBYTES, size=1517))
    assert times == sorted(times)
    assert nic.crypto is not None
    assert nic.crypto.busy_until(50_000 * US) == 2 * 83 * US
    assert times[1] - times[0] == FAST.frame_time(1000)
    assert times[2] - times[1] == FAST.frame_time(500)


def test_frames_in_a_row_come_as_fast_as_it_does_them() -> None:
    nic, times = sent(*[frame(NBYTES) for _ in range(5)])
    assert [after - before for before, after in pairwise(times)] == [83 * US] * 4
    assert nic.crypto is not None
    assert nic.crypto.busy_until(50_000 * US) == 5 * 83 * US
    assert nic.transmitter.busy_until(50_000 * US) == FETCH + 5 * 83 * US + FAST.time(SIZE + 8)


@pytest.mark.parametrize(("frames", "fifo"), [(3, 65536), (40, 3 * SIZE)])
def test_what_it_has_not_got_to_keeps_its_place_in_the_fifo(frames: int, fifo: int) -> None:
    """Three frames are fetched at once, each of the others when one has left."""
    env = Environment()
    nic, far = card(env, crypto=SLOW, tx_frames=frames, tx_fifo=fifo)
    for _ in range(5):
        nic.transmitter.put(frame(NBYTES), False)
    env.run(700 * US)
    assert len(nic.transmitter.ring) == 2
    env.run(FETCH + 803 * US + WIRE + 50 * US)
    assert (len(far.times), len(nic.transmitter.ring)) == (1, 1)
    env.run(50_000 * US)
    assert [after - before for before, after in pairwise(far.times)] == [803 * US] * 4


def test_without_room_for_a_second_frame_nothing_overlaps() -> None:
    changes: dict[str, Any] = {"tx_frames": 1, "tx_turnaround": "5 us"}
    nic, times = sent(*[frame(NBYTES) for _ in range(4)], **changes)
    interval = 5 * US + FETCH + 83 * US + FAST.time(SIZE + 8)
    assert [after - before for before, after in pairwise(times)] == [interval] * 3
    assert nic.spec.transmit_interval(PC.slots[0], FAST, frame(NBYTES)) == interval


def test_the_wire_is_not_busy_while_it_waits_for_the_engine() -> None:
    env = Environment()
    nic, _ = card(env, **ROOM, crypto=SLOW)
    for _ in range(5):
        nic.transmitter.put(frame(NBYTES), False)
    link: Any = nic.transmitter.link
    one = FAST.frame_time(SIZE)
    for done, now in ((0, 100), (0, 800), (1, 900), (1, 1500), (2, 1700), (4, 3300), (5, 49_000)):
        env.run(now * US)
        assert link.busy_until(env.now) == done * one


# ---- receiving ----


def test_a_received_frame_is_stored_when_it_is_deciphered() -> None:
    _, (time,) = stored((1, frame(0, NBYTES)))
    assert time == (1 + 83) * US + STORE


def test_it_deciphers_while_frames_are_stored() -> None:
    _, times = stored(*[(1, frame(0, NBYTES))] * 3)
    assert times == [(1 + n * 83) * US + STORE for n in (1, 2, 3)]


def test_what_comes_in_clear_stays_behind_and_costs_it_nothing() -> None:
    nic, times = stored((1, frame(0, NBYTES)), (2, frame()), (3, frame(0, NBYTES)), (400, frame()))
    assert times == [84 * US + STORE, 84 * US + 2 * STORE, 167 * US + STORE, 400 * US + STORE]
    assert nic.crypto is not None
    assert nic.crypto.busy_until(50_000 * US) == 2 * 83 * US


def test_nothing_is_stored_before_its_last_bit() -> None:
    """A card that starts storing frames in clear early does not do so with frames it has to decipher."""
    env = Environment()
    nic, _ = card(env, crypto=ENGINE, rx_threshold=128)
    link = LinkSpec.from_name("100base-tx")
    found: list[int] = []
    nic.connect(lambda: found.append(env.now))
    into = Link(env, link, "into")
    into.attach(nic.receiver)
    nic.receiver.link_spec = link
    last_bit = into.put(frame(0, NBYTES), 0) + link.delay
    env.run(50_000 * US)
    assert nic.spec.rx_lead_time(PC.slots[0], link, BUFFER) > 0
    assert found == [last_bit + 83 * US + nic.spec.rx_time(PC.slots[0], BUFFER)]
    clear, protected = frame(), frame(0, NBYTES)
    assert nic.spec.rx_latency(PC.slots[0], link, protected) == found[0] - last_bit
    assert nic.spec.rx_latency(PC.slots[0], link, clear) < STORE


def test_frames_that_wait_for_it_fill_the_cards_memory() -> None:
    env = Environment()
    nic, _ = card(env, crypto=SLOW, rx_fifo=4 * SIZE)
    for _ in range(6):
        nic.receiver.put(frame(0, NBYTES))
    assert nic.drops == {"receive ring": 0, "receive fifo": 2}
    assert nic.receiver.frames_inside == 4


def test_firmware_comes_first() -> None:
    _, times = stored(*[(1, frame(0, NBYTES))] * 2, onboard=FIRMWARE)
    assert times == [(1 + 9 + n * 83) * US + STORE for n in (1, 2)]
    _, clear = stored(*[(1, frame())] * 2, onboard=FIRMWARE)
    assert clear == stored(*[(1, frame())] * 2, onboard=FIRMWARE, crypto=None)[1]
    _, (time,) = sent(frame(NBYTES), onboard=FIRMWARE)
    assert time == 7 * US + FETCH + 83 * US + WIRE


# ---- both directions ----


def test_both_directions_take_turns_in_the_order_in_which_they_come() -> None:
    """One frame is fetched first, two arrive meanwhile, and the second frame to send is fetched after them."""
    env = Environment()
    nic, far = card(env, **ROOM, crypto=ENGINE, rx_threshold=SIZE)
    found: list[int] = []
    nic.connect(lambda: found.append(env.now))
    nic.transmitter.put(frame(NBYTES), False)
    for time in (1, 2):
        env.call_at(time * US, nic.receiver.put, frame(0, NBYTES))
    env.call_at(30 * US, lambda _: nic.transmitter.put(frame(NBYTES), False))
    env.run(50_000 * US)
    turns = [FETCH + n * 83 * US for n in (1, 2, 3, 4)]
    assert far.times == [turns[0] + WIRE, turns[3] + WIRE]
    assert found == [turns[1] + STORE, turns[2] + STORE]


def test_each_port_has_its_own() -> None:
    two = PC.replace({"nics.0.max_ports": 2, "nics.0.ports": 2, "nics.0.crypto": ENGINE})
    nics = Computer(Environment(), two, "host").nics
    assert nics[0].crypto is not nics[1].crypto


# ---- the driver ----


def test_a_frame_that_waited_above_the_ring_costs_the_driver_its_part_too() -> None:
    env = Environment()
    changes = {"crypto": ENGINE, "driver.ipsec": "nic", "driver.ipsec_tx_cycles": 7000, "driver.tx_ring": 1}
    pc = Computer(env, PC.replace({f"nics.0.{name}": value for name, value in changes.items()}), "pc")
    out, back = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("out", "back"))
    out.attach(Far(env))
    pc.nics[0].plug(out, back)
    driver = pc.drivers[0]
    for encipher in (0, NBYTES, 0, NBYTES):
        driver.put(frame(encipher))
    env.run(50_000 * US)
    costs = [driver.port.bill_transmit(pc.bill(), BUFFER, encipher).work().total for encipher in (False, True)]
    assert {key >> 1 & 1: work.total for key, work in driver._restart_works.items()} == dict(enumerate(costs))
    assert costs[1] - costs[0] == pytest.approx(pc.bill().cycles("driver", 7000).work().total, abs=1)  # ps


@pytest.mark.parametrize("which", ["sender", "receiver"])
def test_a_card_that_is_not_asked_behaves_as_one_without(which: str) -> None:
    plain = ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
    idle = plain.replace(f"{which}.nics.0.crypto", ENGINE)
    one, other = (ns.simulate(test, limit="0.1 s") for test in (plain, idle))
    assert one.throughput == other.throughput
    assert one.events == other.events
    assert other.utilisation[f"{which} nic 0 crypto engine"] == 0
