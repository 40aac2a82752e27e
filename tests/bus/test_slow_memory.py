"""Memory, or the link to it, that is slower than the bus: what masters write and read in turn, and both at once."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.bus import Bus, PciSlot, Transaction
from netsim.engine import Environment
from netsim.storage import ControllerSpec
from netsim.storage.dma import ControllerDma
from netsim.units import MS, US
from netsim.workload import Netperf

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]).replace("system.kernel.tick", 0)
BUS = PC.ports()[0].bus
assert isinstance(BUS, PciSlot)
WRITE = BUS.access_time(0, 1)
_NS = 1000
SLOW = BUS.replace({"chipset.memory_rate": "10 MB/s", "chipset.post": "96 B"})  # 100 ns for a byte; the bus: 132 MB/s


def writes(times: list[int], nbytes: int = 64, slot: PciSlot = SLOW) -> list[int]:
    """When writes end that begin at these times (ps) on a bus."""
    env, ends = Environment(), []
    bus = Bus(env, slot, "bus")
    for time in times:
        dma = Transaction(slot.tenure(True, 2048), done=lambda _: ends.append(env.now))
        dma.written = nbytes
        env.call_at(time, lambda _, dma=dma: bus.request(dma, slot.transfer_time(nbytes, True)))
    env.run()
    assert bus.busy_until(env.now) >= (ends[-1] - times[-1])
    return ends


def test_a_write_finds_the_room_that_earlier_ones_leave() -> None:
    """Three of 64 bytes have 96 bytes of room: the second one waits until 32 bytes are gone, the third one until
    another 64 are."""
    alone = SLOW.transfer_time(64, True)
    assert alone < 64 * 100 * _NS
    first, second, third = writes([0, 0, 0], slot=SLOW.replace("latency_timer", 250))
    assert first == alone
    assert (second, third) == (pytest.approx(3_200 * _NS, abs=1), pytest.approx(9_600 * _NS, abs=1))


def test_a_processor_may_have_the_bus_while_a_write_waits_for_room() -> None:
    """The second write waits from 1.6 to 6.4 us, and its latency timer runs out at 3 us."""
    env, slot, ends = Environment(), SLOW, []
    bus = Bus(env, slot, "bus")
    for time, nbytes in ((0, 96), (1 * US, 64)):
        dma = Transaction(slot.tenure(True, 2048), done=lambda _: ends.append(env.now))
        dma.written = nbytes
        env.call_at(time, lambda _, dma=dma: bus.request(dma, slot.transfer_time(dma.written, True)))
    env.run(4 * US)
    assert bus.access(WRITE) == 0
    env.run(1000 * US)
    assert ends == [slot.transfer_time(96, True), pytest.approx(6_400 * _NS, abs=1)]
    assert bus.busy_until(env.now) == ends[0] + ends[1] - 1 * US


def test_memory_empties_it_meanwhile() -> None:
    alone, later = SLOW.transfer_time(64, True), 100 * US
    assert writes([0, later]) == [alone, later + alone]


def test_a_lone_write_takes_what_its_closed_form_says() -> None:
    for nbytes in (4, 96, 97, 333, 1514):
        for rate in ("10 MB/s", "37 MB/s", "131 MB/s"):
            slot = SLOW.replace("chipset.memory_rate", rate)
            assert writes([0], nbytes, slot) == [slot.transfer_time(nbytes, True)]


def test_memory_as_fast_as_the_bus_needs_no_account_of_it() -> None:
    assert Bus(Environment(), BUS, "bus").posted is None
    assert Bus(Environment(), BUS.replace("chipset.link", "100 MB/s"), "bus").posted is not None


def test_a_disk_controllers_writes_fill_it_too() -> None:
    env, spec, ends = Environment(), ControllerSpec.from_name("serveraid-ii"), []
    dma = ControllerDma(env, spec, Bus(env, SLOW, "bus"), spec.sees(SLOW), "dma")
    for _ in range(20):
        dma.move(96, True, lambda _: ends.append(env.now), None)
    env.run()
    assert 20 * spec.bus_time(spec.sees(SLOW), 96, True) < ends[-1] == pytest.approx((20 * 96 - 96) * 100 * _NS, abs=1)


def test_short_frames_are_stored_no_faster_than_memory_takes_them() -> None:
    """In simulation and closed form alike, although each frame alone fits the buffer."""
    test = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=60).replace(
        {"receiver.chipset.link": "3 MB/s", "receiver.chipset.post": "256 B", "duration": "50 ms"}
    )
    bounds, most = test.bounds(), 3e6 * 8 * 60 / (60 + 42)
    assert bounds.bottleneck == "receiver bus"
    assert bounds.limit == pytest.approx(most)
    run = test.build(Environment(1))
    run.start()
    run.env.run(50 * MS)  # type: ignore[attr-defined]
    run.audit()
    assert run.accounts().occupied["receiver bus"] == pytest.approx(50 * MS, rel=0.05)


# ---- a master's reads ----

AWAY = SLOW.replace({"chipset.miss": "retry", "latency_timer": 250})


def reads(slot: PciSlot, masters: int, nbytes: int = 256, rounds: int = 20) -> tuple[int, int]:
    """When the last of several controllers has read so often, and for how long they had the bus (ps)."""
    env, spec = Environment(), ControllerSpec.from_name("serveraid-ii").replace("burst", nbytes)
    bus = Bus(env, slot, "bus")
    for number in range(masters):
        dma = ControllerDma(env, spec, bus, spec.sees(slot), f"dma {number}")
        for _ in range(rounds):
            dma.move(nbytes, False, lambda _: None, None)
    env.run()
    return env.now, bus.busy_until(env.now)


def test_masters_that_read_at_once_share_memory() -> None:
    """Each waits for it off the bus, and others have the bus meanwhile, but not the memory."""
    lines = 20 * 256 * 100 * _NS
    alone, busy = reads(AWAY, 1)
    assert lines < alone < 1.3 * lines
    for masters in (2, 4):
        end, taken = reads(AWAY, masters)
        assert masters * lines <= end < 1.05 * masters * lines + alone - lines
        assert taken == masters * busy


def test_one_that_reads_alone_waits_no_longer() -> None:
    spec = ControllerSpec.from_name("serveraid-ii").replace("burst", 256)
    seen = spec.sees(AWAY)
    assert reads(AWAY, 1)[0] == 20 * (spec.bus_time(seen, 256, False) + spec.away_time(seen, 256, False))


def test_a_master_that_is_held_keeps_the_others_off_memory() -> None:
    assert Bus(Environment(), SLOW, "bus").fetched is None


def test_adapters_share_the_link_and_the_bound_knows() -> None:
    """Four EtherExpress Pro/100 of 100 Mbit/s behind a link of 15 MB/s, which is 120 Mbit/s."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["eepro100/eepro100"] * 4, bond="linux-2.2.17")
    test = ns.Netperf("UDP_STREAM", pc, pc, message="1472 B", send_buffer="64 KiB", receive_buffer="64 KiB").replace({
        "sender.processors.clock": "6 GHz", "receiver.processors.clock": "6 GHz",
        "sender.chipset": "intel-840", "sender.chipset.link": "15 MB/s", "sender.memory.bandwidth": "3 GB/s",
    })  # fmt: skip
    bound = test.bounds().limit
    found = ns.simulate(test, precision=0.02)
    assert 0.9 * bound < found.throughput <= bound <= 120e6
    assert found.bottleneck == "sender bus"
