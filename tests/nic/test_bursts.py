"""An adapter's DMA engine that a bridge sends away between its bursts: meanwhile the bus is free for others, but the
engine is not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.bus import Bus, Transaction
from netsim.engine import Environment
from netsim.ethernet import Frame, Link, LinkSpec
from netsim.machine import DriverSpec
from netsim.nic import Nic
from netsim.units import US
from netsim.workload import Netperf

# The first data of a read arrive in the 16th clock; an engine sent away returns 33 clocks after its last attempt began.
HOLDS: dict[str, Any] = {
    "decode": 4, "memory_time": "360 ns", "miss": "hold", "read": 0, "read_line": 0, "read_multiple": 0,
    "post": "1 MiB", "memory_rate": "10 GB/s", "crossing": "150 ns",
}  # fmt: skip
PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
PC = PC.replace({"chipset": HOLDS, "bus.clock": "33 MHz"})
AWAY: dict[str, Any] = {"retry_clocks": 33, "miss": "retry", "tx_descriptor": 0}
GAP = PC.slots[0].clocks(33) - PC.slots[0].clocks(1 + 1 + 4 + 1)  # ps of this off the bus
FAST = LinkSpec.from_name("1000base-sx")
SIZE = 1518
BUFFER = SIZE - 4


class Far:
    """The other end of the wire."""

    frames_arrived = 0

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.times: list[int] = []

    def receive_lead(self, size: int) -> int:
        return 0

    def put(self, frame: Frame) -> None:
        self.times.append(self.env.now)


def card(env: Environment, link: LinkSpec = FAST, **changes: Any) -> tuple[Nic, Far]:
    """A card of 1 Gbit/s on a separate bus, and the receiver of its frames. It sends nothing before it is asked to."""
    slot = PC.replace("chipset.miss", changes.pop("miss", "hold")).slots[0]
    spec = PC.nics[0].replace({"rate": "1 Gbit/s", **changes})
    nic, far = Nic(env, spec, Bus(env, slot, "bus"), spec.sees(slot), "pc", 0), Far(env)
    out, back = (Link(env, link, name) for name in ("out", "back"))
    out.attach(far)
    nic.plug(out, back)
    nic.receiver.room = 100
    return nic, far


def sent(frames: int, **changes: Any) -> tuple[Nic, list[int]]:
    """The arrival times of several frames (ps)."""
    env = Environment()
    nic, far = card(env, **changes)
    for _ in range(frames):
        nic.transmitter.put(Frame(SIZE), False)
    env.run(10_000 * US)
    return nic, far.times


# ---- sending ----


def test_a_lone_frame_starts_later_by_the_gaps_up_to_the_threshold() -> None:
    """512 of its bytes in four bursts of 128. The wire is slow enough for the rest to follow in time."""
    common: dict[str, Any] = {"tx_burst": 128, "tx_threshold": 512, "tx_descriptor": 0}
    common["link"] = LinkSpec.from_name("10base-t")
    (_, (at_once,)), (_, (later,)) = sent(1, **common), sent(1, **{**common, **AWAY})
    assert later - at_once == pytest.approx(4 * PC.slots[0].clocks(33 - 12), abs=4)  # memory takes 12 clocks


def test_the_fifo_does_not_run_dry() -> None:
    """The last byte is there when the wire needs it: the engine's time for twelve bursts, preamble and delay."""
    nic, (time,) = sent(1, tx_burst=128, tx_threshold=0, **AWAY)
    engine = nic.spec.tx_time(nic.transmitter.seen, BUFFER)
    assert engine == pytest.approx(nic.spec.tx_bus_time(nic.transmitter.seen, BUFFER) + 12 * GAP, abs=12)
    assert time == engine + FAST.time(8) + FAST.delay


def test_the_next_fetch_waits_for_the_engine() -> None:
    nic, times = sent(5, tx_burst=128, **AWAY, tx_fifo=8192, tx_frames=4)
    interval = nic.spec.tx_time(nic.transmitter.seen, BUFFER)
    assert interval == pytest.approx(nic.spec.tx_bus_time(nic.transmitter.seen, BUFFER) + 12 * GAP, abs=12)
    assert [after - before for before, after in pairwise(times)] == [interval] * 4
    assert nic.spec.transmit_interval(nic.transmitter.seen, FAST, Frame(SIZE)) == interval


def test_the_bus_is_taken_for_the_bursts_alone() -> None:
    nic, _ = sent(5, tx_burst=128, **AWAY)
    assert nic.transmitter.bus.busy == 5 * nic.spec.tx_bus_time(nic.transmitter.seen, BUFFER)


@pytest.mark.parametrize("done", ["fetched", "sent"])
def test_a_buffer_is_free_when_the_engine_is_done_with_it(done: str) -> None:
    env = Environment()
    nic, _ = card(env, tx_burst=128, **AWAY, tx_done=done)
    frame = Frame(SIZE)
    nic.transmitter.put(frame, True)
    env.run(1000 * US)
    assert frame.done == (nic.spec.tx_time(nic.transmitter.seen, BUFFER) if done == "fetched" else frame.last_bit)


@pytest.mark.parametrize(("burst", "restarts"), [(128, 0), (256, 1)])
def test_a_fetch_of_short_bursts_is_cut_at_no_cost(burst: int, restarts: int) -> None:
    """17 clocks and 32 or 64 of data, with a latency timer of 64: then the bus goes to another master for 1 us."""
    env = Environment()
    nic, _ = card(env, tx_burst=burst)
    bus = nic.transmitter.bus
    nic.transmitter.put(Frame(SIZE), False)
    env.call_at(1 * US, lambda _: bus.request(Transaction(PC.slots[0].tenure(False, 64)), 1 * US))
    env.run(1000 * US)
    assert bus.busy == nic.spec.tx_bus_time(PC.slots[0], BUFFER) + 1 * US + restarts * PC.slots[0].clocks(17)


def test_descriptors_fetched_together_share_their_bursts() -> None:
    """Four descriptors of 16 bytes in 17 clocks and 16 of data, each status of 4 bytes in 5 and 1."""
    nic, times = sent(5, tx_descriptors=4, tx_status=4)
    one, each = sent(5, tx_status=4)
    per_frame = PC.slots[0].clocks(17 + 379) + PC.slots[0].clocks(17 + 16) // 4 + PC.slots[0].clocks(5 + 1)
    assert nic.transmitter.bus.busy == 5 * per_frame
    assert one.transmitter.bus.busy == 5 * PC.slots[0].clocks(17 + 379 + 17 + 4 + 5 + 1)
    assert times[-1] < each[-1]


def test_frames_that_are_stored_first_wait_for_all_of_it() -> None:
    """There is a threshold of 512 bytes, but a frame of more than 1,000 does not use it."""
    spec, slot = PC.nics[0].replace({"tx_threshold": 512, "tx_stored": 1000, "tx_descriptor": 0}), PC.slots[0]
    assert [spec.tx_lead_time(slot, size) for size in (1000, 1001)] == [
        slot.transfer_time(size, False, spec.tx_burst) for size in (512, 1001)
    ]


# ---- receiving ----

BACK: dict[str, Any] = {"retry_clocks": 33, "miss": "retry", "rx_threshold": 0}


def stored(times: list[int], **changes: Any) -> tuple[Nic, list[int]]:
    """The times (ps) when frames that arrive at these times (us) are in the host's memory."""
    env = Environment()
    nic, _ = card(env, rx_fifo=65536, **changes)
    found: list[int] = []
    nic.connect(lambda: found.append(env.now))
    for time in times:
        env.call_at(time * US, nic.receiver.put, Frame(SIZE))
    env.run(10_000 * US)
    assert len(nic.receiver.ready) == len(found) == len(times)
    return nic, found


def test_a_frame_is_there_when_the_engine_has_had_its_descriptor() -> None:
    nic, (time,) = stored([1], **BACK)
    assert time == 1 * US + nic.spec.rx_bus_time(nic.receiver.seen, BUFFER) + GAP
    assert nic.spec.rx_time(nic.receiver.seen, BUFFER) == time - 1 * US


def test_descriptors_fetched_together_are_waited_for_once() -> None:
    nic, (time,) = stored([1], **BACK, rx_descriptors=4)
    assert time == 1 * US + nic.spec.rx_bus_time(nic.receiver.seen, BUFFER) + GAP // 4


def test_the_next_frame_is_stored_after_that() -> None:
    nic, times = stored([1, 2, 3], **BACK)
    assert times == [1 * US + n * nic.spec.rx_time(nic.receiver.seen, BUFFER) for n in (1, 2, 3)]
    assert nic.receiver.bus.busy == 3 * nic.spec.rx_bus_time(nic.receiver.seen, BUFFER)


@pytest.mark.parametrize(("burst", "restarts"), [(128, 0), (256, 1)])
def test_a_store_of_short_bursts_is_cut_at_no_cost(burst: int, restarts: int) -> None:
    """5 clocks and 32 or 64 of data, with a latency timer of 64."""
    env = Environment()
    nic, _ = card(env, rx_burst=burst, rx_fifo=65536)
    bus = nic.receiver.bus
    nic.receiver.put(Frame(SIZE))
    env.call_at(1 * US, lambda _: bus.request(Transaction(PC.slots[0].tenure(False, 64)), 1 * US))
    env.run(1000 * US)
    assert bus.busy == nic.spec.rx_bus_time(PC.slots[0], BUFFER) + 1 * US + restarts * PC.slots[0].clocks(5)


def test_statuses_are_stored_one_by_one() -> None:
    nic, times = stored([1, 100], rx_descriptors=4, rx_status=4)
    per_frame = PC.slots[0].clocks(5 + 379) + PC.slots[0].clocks(17 + 16) // 4 + PC.slots[0].clocks(5 + 1)
    assert times == [1 * US + per_frame, 100 * US + per_frame]
    assert nic.receiver.bus.busy == 2 * per_frame


def test_a_train_of_bursts_ends_with_its_status() -> None:
    """At a frame's last bit, `rx_threshold` bytes and the status remain."""
    spec = PC.nics[0].replace({"rx_burst": 128, "rx_threshold": 128, "rx_status": 4, "rx_descriptors": 4})
    left = spec.rx_time(PC.slots[0], BUFFER) - spec.rx_lead_time(PC.slots[0], LinkSpec.from_name("100base-tx"), BUFFER)
    assert left == PC.slots[0].clocks(5 + 32) + PC.slots[0].clocks(5 + 1)


# ---- in a test ----


def gigabit(**changes: Any) -> Netperf:
    card = {"nics.0.rate": "1 Gbit/s", "nics.0.bus_width": 8, "nics.0.bus_clock": "66.666667 MHz"}
    pc = PC.replace(card | {"bus": "pci-64-66"})
    test = Netperf(test="UDP_STREAM", sender=pc, receiver=pc, link="1000base-sx", message=8192, send_buffer=32768)
    fast: dict[str, Any] = {"processors.clock": "10 GHz"}
    fast |= {f"memory.{way}": "10 GB/s" for way in ("read", "cached", "write")}
    fast |= {f"nics.0.driver.{name}": 0 for name in DriverSpec.model_fields if name.endswith(("_reads", "_writes"))}
    changes = {name if "." in name else f"nics.0.{name}": value for name, value in changes.items()}
    hosts = {f"{side}.{address}": value for side in ("sender", "receiver") for address, value in fast.items()}
    return test.replace(hosts | {f"sender.{name}": value for name, value in changes.items()})


def test_the_engine_is_named_where_it_is_the_bottleneck() -> None:
    slow = gigabit(tx_burst=128, retry_clocks=80, **{"chipset.miss": "retry"})
    assert slow.bounds().bottleneck == "sender nic 0 transmitter"
    result = ns.simulate(slow, limit="0.1 s")
    assert result.bottleneck == "sender nic 0 transmitter"
    assert result.bottleneck_share > 0.99
    assert result.throughput == pytest.approx(slow.bounds().limit, rel=0.01)
    assert result.utilisation["wire to receiver"] < 0.8
    assert result.utilisation["sender bus"] < 0.6


def test_a_bridge_that_prefetches_little_takes_the_bus_longer() -> None:
    """A read of 64 bytes takes 2 + 3 + 7 clocks and 8 of data on this bus, and the rest of 360 ns away from it."""
    cut = gigabit(tx_burst=2048, **{"chipset.read_multiple": 64})
    (port,) = cut.sender.ports()
    assert port.adapter.tx_bus_time(port.bus, BUFFER) > 23 * port.bus.clocks(12 + 8)
    assert port.adapter.tx_gaps(port.bus, BUFFER) == pytest.approx(25 * (360_000 - 7 * 15_000), abs=2)
    whole = cut.replace("sender.chipset.read_multiple", 0).bounds()
    assert cut.bounds().throughput("sender bus") < 0.6 * whole.throughput("sender bus")
    assert cut.bounds().throughput("receiver bus") == whole.throughput("receiver bus")


def test_plain_reads_are_cut_where_memory_read_multiple_is_not() -> None:
    whole = gigabit(tx_burst=2048, **{"chipset.read": 64})
    plain = whole.replace("sender.nics.0.read_commands", "read")
    multiple = whole.replace("sender.nics.0.read_commands", "multiple")
    assert plain.bounds().limit < whole.bounds().limit == multiple.bounds().limit
