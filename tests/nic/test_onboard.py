"""A processor on the card: one server for both directions, between the doorbell and the fetch, and between the last bit
and the store."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.resource import ONBOARD
from netsim.bus import Bus
from netsim.engine import Environment
from netsim.ethernet import Frame, LinkSpec
from netsim.nic import Nic
from netsim.nic.onboard import Onboard
from netsim.nic.onboard_spec import OnboardSpec
from netsim.units import US
from netsim.workload import Netperf
from netsim.workload.netpipe.bounds import least_half_round_trip
from tests.analytic.test_small_messages import half_round_trip, netpipe
from tests.nic.test_bursts import SIZE, sent, stored

FIRMWARE = {"clock": "100 MHz", "tx_cycles": 700, "rx_cycles": 900}  # 7 us per frame sent, 9 us per frame received
WHOLE: dict[str, Any] = {"onboard": FIRMWARE, "tx_threshold": SIZE}
PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("system.kernel.tick", 0)


def with_firmware(**changes: Any) -> ns.ComputerSpec:
    changed = {"onboard": FIRMWARE, "tx_threshold": SIZE, **changes}
    return PC.replace({f"nics.0.{name}": value for name, value in changed.items()})


def test_it_serves_in_order_and_keeps_its_books() -> None:
    env = Environment()
    onboard = Onboard(env, OnboardSpec(**FIRMWARE), Resource("pc", ONBOARD, 0))
    assert onboard.put(Frame(SIZE), onboard.tx_time) == 7 * US
    assert onboard.put(Frame(SIZE), onboard.rx_time) == 16 * US
    assert onboard.busy_until(10 * US) == 10 * US
    env.run(100 * US)
    assert onboard.put(Frame(SIZE), onboard.tx_time) == 107 * US
    assert onboard.busy_until(103 * US) == 19 * US


def test_a_frame_waits_for_the_firmware_before_it_is_fetched() -> None:
    (_, (at_once,)), (_, (later,)) = sent(1, tx_threshold=SIZE), sent(1, **WHOLE)
    assert later - at_once == 7 * US


def test_frames_in_a_row_come_as_fast_as_the_firmware_does_them() -> None:
    slow = {**FIRMWARE, "tx_cycles": 3000}
    nic, times = sent(5, onboard=slow, tx_threshold=SIZE)
    assert [after - before for before, after in pairwise(times)] == [30 * US] * 4
    assert nic.onboard is not None
    assert nic.onboard.busy_until(10_000 * US) == 5 * 30 * US


def test_a_frame_received_is_stored_when_the_firmware_is_done_with_it() -> None:
    nic, times = stored([1, 50], onboard=FIRMWARE)
    store = nic.spec.rx_bus_time(nic.receiver.seen, SIZE - 4)
    assert times == [(1 + 9) * US + store, (50 + 9) * US + store]


def test_the_firmware_goes_on_while_frames_are_stored() -> None:
    """Storing takes longer than the firmware, which has the next frame ready by that time."""
    nic, times = stored([1, 1, 1], onboard=FIRMWARE)
    store = nic.spec.rx_bus_time(nic.receiver.seen, SIZE - 4)
    assert store > 9 * US
    assert times == [(1 + 9) * US + n * store for n in (1, 2, 3)]


def test_a_card_that_stores_and_forwards_begins_after_the_last_bit() -> None:
    spec, link = with_firmware(rx_threshold="128 B").nics[0], LinkSpec.from_name("100base-tx")
    plain = PC.nics[0].replace("rx_threshold", "128 B")
    assert spec.rx_lead_time(PC.slots[0], link, 1514) == 0 < plain.rx_lead_time(PC.slots[0], link, 1514)


def test_what_the_firmware_has_not_got_to_fills_the_cards_memory() -> None:
    env = Environment()
    slow = with_firmware(rx_fifo=4 * SIZE, onboard={**FIRMWARE, "rx_cycles": 100_000})
    nic = ns.stack.Computer(env, slow, "host").nics[0]
    for _ in range(6):
        nic.receiver.put(Frame(SIZE, "port"))
    assert nic.drops == {"receive ring": 0, "receive fifo": 2}
    assert nic.receiver.frames_inside == 4


def test_an_idle_chip_does_not_say_so_while_the_firmware_has_a_frame() -> None:
    """The first frame has left while the second one's firmware is still working."""
    env = Environment()
    slow = with_firmware(onboard={**FIRMWARE, "tx_cycles": 50_000})
    computer = ns.stack.Computer(env, slow, "host")
    other = ns.stack.Computer(env, PC, "other")
    link = LinkSpec.from_name("100base-tx")
    out, back = ns.ethernet.Link(env, link, "out"), ns.ethernet.Link(env, link, "back")
    computer.nics[0].plug(out, back)
    other.nics[0].plug(back, out)
    other.nics[0].receiver.room = 0  # it drops them all
    transmitter = computer.nics[0].transmitter
    raised: list[int] = []
    transmitter.interrupt = lambda: raised.append(env.now)
    transmitter.interrupt_when_idle = True
    for _ in range(2):
        transmitter.put(Frame(SIZE, "port"), False)
    env.run(5000 * US)
    assert len(raised) == 1
    assert raised[0] > 1000 * US


@pytest.mark.parametrize("size", [1, 1000])
def test_half_a_round_trip_is_longer_by_the_firmwares_time(size: int) -> None:
    test = netpipe(size, with_firmware())
    assert half_round_trip(test) == least_half_round_trip(test, size)
    free = netpipe(size, with_firmware(onboard={**FIRMWARE, "tx_cycles": 0, "rx_cycles": 0}))
    assert half_round_trip(test) == half_round_trip(free) + (7 + 9) * US


def test_it_is_named_where_it_is_the_bottleneck() -> None:
    slow = with_firmware(onboard={**FIRMWARE, "tx_cycles": 20_000})
    test = Netperf(test="UDP_STREAM", sender=slow, receiver=PC, message=8192, send_buffer=32768)
    assert test.bounds().bottleneck == "sender nic 0 onboard"
    result = ns.simulate(test, limit="0.3 s")
    assert result.bottleneck == "sender nic 0 onboard"
    assert result.throughput == pytest.approx(test.bounds().limit, rel=0.01)


def test_both_directions_share_it() -> None:
    """TCP: data one way and acknowledgements the other; the busy share is what the frames need, including those that
    wait in a ring of 16."""
    test = Netperf(test="TCP_STREAM", sender=with_firmware(), receiver=with_firmware())
    env = Environment(1)
    run = test.build(env)
    run.start()
    env.run(10**11)
    run.audit()
    accounts = run.accounts()
    needed = 7 * accounts.frames["wire to receiver"] + 9 * accounts.frames["wire to sender"]
    assert accounts.occupied["sender nic 0 onboard"] / US == pytest.approx(needed, abs=16 * 7)


@pytest.mark.parametrize(
    ("ring", "checksum", "cycles"),
    [("card", "host", 700), ("host", "host", 950), ("card", "nic", 1000), ("host", "nic", 1250)],
)
def test_the_firmware_does_what_the_driver_asks(ring: str, checksum: str, cycles: int) -> None:
    """A descriptor fetched from the host and a checksum take the firmware's time, in closed form and simulation."""
    own = {"onboard": {**FIRMWARE, "tx_ring_cycles": 250, "tx_checksum_cycles": 300}, "tx_checksum": True}
    asked = {"driver.tx_ring_in": ring, "driver.tx_checksum": checksum}
    spec = with_firmware(**own, **asked).nics[0]
    env, slot = Environment(), PC.slots[0]
    onboard = Nic(env, spec, Bus(env, slot, "bus"), spec.sees(slot), "pc", 0).onboard
    assert onboard is not None
    assert onboard.tx_time == cycles * US / 100
    plain = with_firmware(**{"driver.tx_ring_in": ring}).nics[0]
    asking, unasked = (one.tx_latency(slot, Frame(SIZE)) for one in (spec, plain))
    assert asking - unasked == (cycles - 700) * US / 100


def test_a_descriptor_on_the_card_takes_no_bus() -> None:
    """In closed form and simulation: the processor has written it there."""
    there, here = (with_firmware(**{"driver.tx_ring_in": ring}) for ring in ("card", "host"))
    slot = PC.slots[0]
    descriptor = slot.transfer_time(here.nics[0].tx_descriptor, False)
    assert descriptor > 0
    assert here.nics[0].tx_bus_time(slot, SIZE) - there.nics[0].tx_bus_time(slot, SIZE) == descriptor
    with_it, without = map(bus_time_of_a_frame, (here, there))
    assert with_it - without == pytest.approx(descriptor, rel=0.02)


def bus_time_of_a_frame(sender: ns.ComputerSpec) -> float:
    """ps for which the sender's bus is occupied, by datagrams that each fit into a frame, and by nothing else."""
    env = Environment(1)
    run = Netperf(test="UDP_STREAM", sender=sender, receiver=PC, message=1000, send_buffer=32768).build(env)
    run.start()
    env.run(10**11)
    accounts = run.accounts()
    return accounts.occupied["sender bus"] / accounts.frames["wire to receiver"]
