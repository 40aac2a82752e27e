"""A receive FIFO smaller than a frame overflows if the bus does not empty it in time, and the frame is lost."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import RECEIVER
from netsim.bus import Bus, Transaction
from netsim.bus.tenure import NEVER, Tenure
from netsim.engine import Environment
from netsim.ethernet import Frame, LinkSpec
from netsim.nic import Receiver
from netsim.units import US
from netsim.workload import Netperf

PC = ns.host("486dx-33", system="linux-2.2.16", nics="at1500/lance").replace("bus.refresh_interval", "0 s")
WIRE = LinkSpec.from_name("10base-t")
SIZE = 1518
BYTE = WIRE.time(1)
ROOM = (128 - 16) * BYTE  # ps in which the FIFO fills, from the threshold on


def station(**changes: Any) -> tuple[Environment, Receiver, Bus]:
    """The receiving half of a card whose FIFO has 128 B, on a bus of its own."""
    pc = PC.replace(changes)
    env, slot, spec = Environment(), pc.slots[0], pc.nics[0]
    bus = Bus(env, slot, Resource("pc", "bus"))
    receiver = Receiver(spec, bus, spec.sees(slot), Resource("pc", RECEIVER, 0))
    receiver.link_spec, receiver.room = WIRE, 100
    return env, receiver, bus


def hold(env: Environment, bus: Bus, at: int, time: int) -> None:
    """Another master has the bus for this `time` (ps)."""
    env.call_at(at, lambda _: bus.request(Transaction(Tenure(0, NEVER)), time))


def outcome(env: Environment, receiver: Receiver) -> tuple[int, int, int]:
    """Run; returns the frames in memory, those lost, and the free entries of the ring."""
    env.run(20_000 * US)
    assert receiver.frames_arrived == receiver.frames_inside + sum(receiver.drops.values())
    return len(receiver.ready), receiver.drops["receive fifo"], receiver.room


@pytest.mark.parametrize(("arbitration", "lost"), [(4, 0), (40, 0), (100, 1), (400, 1)])
def test_a_bus_slower_than_the_wire_loses_long_frames(arbitration: int, lost: int) -> None:
    env, receiver, bus = station(**{"bus.arbitration": arbitration})
    raised: list[int] = []
    receiver.interrupt = lambda: raised.append(env.now)
    env.call_at(0, receiver.put, Frame(SIZE))
    assert outcome(env, receiver) == (1 - lost, lost, 99 + lost)
    assert len(raised) == 1 - lost
    if lost:  # the FIFO fills at the difference of both rates, and the transfer is over when it is full
        stored = receiver.seen.transfer_time(SIZE - 4, True, 16)
        assert bus.busy == pytest.approx(ROOM / (1 - SIZE * BYTE / stored), rel=1e-6)


def test_short_frames_pass_a_bus_that_loses_long_ones() -> None:
    """64 B fit in the FIFO; of 300 B, the bus takes enough in time."""
    env, receiver, _ = station(**{"bus.arbitration": 100})
    for number, size in enumerate((64, SIZE, 300, SIZE, 64)):
        env.call_at(number * 2000 * US, receiver.put, Frame(size))
    assert outcome(env, receiver) == (3, 2, 97)


def highest(receiver: Receiver, bus: Bus, size: int) -> int:
    """The most bytes in the FIFO while a chip stores a frame burst by burst, each once its bytes are there."""
    slot, spec = bus.spec, receiver.spec
    now = stored = most = 0
    while stored < size - 4:
        nbytes = min(spec.rx_burst, size - 4 - stored)
        now = max(now, (stored + nbytes) * BYTE)
        arbitrated = now + slot.clocks(slot.arbitration)  # type: ignore[attr-defined]
        most = max(most, min(arbitrated // BYTE, size) - stored)
        now += slot.transfer_time(nbytes, True, spec.rx_burst)
        stored += nbytes
    return most


@pytest.mark.parametrize("arbitration", [4, 60, 80, 88, 95, 100, 120, 200])
def test_so_does_a_chip_that_stores_burst_by_burst(arbitration: int) -> None:
    """Unless it is a matter of one burst."""
    for size in (64, 300, 800, SIZE):
        env, receiver, bus = station(**{"bus.arbitration": arbitration})
        most = highest(receiver, bus, size)
        env.call_at(0, receiver.put, Frame(size))
        lost = outcome(env, receiver)[1]
        assert lost == (most > 128) or abs(most - 128) <= 16


@pytest.mark.parametrize(("spare", "lost"), [(1 * US, 0), (-1 * US, 1)])
def test_a_wait_for_the_bus_may_be_as_long_as_the_fifo_allows(spare: int, lost: int) -> None:
    env, receiver, bus = station()
    hold(env, bus, 0, ROOM - spare)
    env.call_at(0, receiver.put, Frame(SIZE))
    assert outcome(env, receiver) == (1 - lost, lost, 99 + lost)


@pytest.mark.parametrize(("spare", "lost"), [(1 * US, 0), (-5 * US, 1)])
def test_so_may_a_wait_in_mid_frame(spare: int, lost: int) -> None:
    env, receiver, bus = station()
    env.call_at(0, receiver.put, Frame(SIZE))
    hold(env, bus, 100 * US, ROOM - spare)
    assert outcome(env, receiver) == (1 - lost, lost, 99 + lost)


def test_a_wait_after_the_last_bit_may_be_longer() -> None:
    env, receiver, bus = station()
    lead = receiver.receive_lead(SIZE)
    env.call_at(0, receiver.put, Frame(SIZE))
    hold(env, bus, lead - ROOM // 2, 10 * ROOM)
    assert outcome(env, receiver) == (1, 0, 99)


def test_a_card_that_catches_up_may_wait_often() -> None:
    """The waits together are three times as long as the FIFO allows."""
    env, receiver, bus = station()
    env.call_at(0, receiver.put, Frame(SIZE))
    for number in range(12):
        hold(env, bus, number * 50 * US, ROOM // 4)
    assert outcome(env, receiver) == (1, 0, 99)


def test_a_fifo_with_room_for_a_frame_waits_for_the_bus() -> None:
    env, receiver, bus = station(**{"nics.0.rx_fifo": 1518, "bus.arbitration": 400})
    hold(env, bus, 0, 10 * ROOM)
    env.call_at(0, receiver.put, Frame(SIZE))
    assert outcome(env, receiver) == (1, 0, 99)


def test_lost_frames_are_in_the_accounts() -> None:
    """The ledger audits them."""
    test = Netperf("UDP_STREAM", PC, PC, segment="10base2", message=1472, send_buffer="64 KiB")
    test = test.replace({"receiver.bus.arbitration": 100, "offered": "2 Mbit/s"})
    result = ns.simulate(test, precision=0.5, limit="0.1 s")
    assert result.throughput == 0
    assert {place.what for place, count in result.dropped.items() if count} == {"receive fifo"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rx_fifo": "8 B"}, "nics.0.rx_fifo: 8 B is too small for rx_threshold, 16 B; allowed: 16 B or more"),
        ({"tx_burst": 256}, "nics.0.tx_fifo: 136 B is too small for tx_burst, 256 B; allowed: 256 B or more"),
        (
            {"tx_threshold": 2048, "tx_fifo": "1 KiB"},
            "nics.0.tx_fifo: 1024 B is too small for tx_threshold, 2048 B; allowed: 1518 B, a frame, or more",
        ),
        (
            {"onboard": {"clock": "10 MHz", "tx_cycles": 1, "rx_cycles": 1}},
            "nics.0.rx_fifo: 128 B is too small for max_frame, 1518 B; allowed: 1518 B, a frame, or more",
        ),
    ],
)
def test_a_fifo_holds_what_its_chip_waits_for(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.ScenarioError) as caught:
        PC.replace({f"nics.0.{name}": value for name, value in changes.items()})
    assert str(caught.value) == message
