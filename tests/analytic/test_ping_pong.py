"""Half a round trip between hosts that take no time is the time of the wire, the buses and the cable alone."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.ethernet.frame import FCS, PREAMBLE
from netsim.machine import DriverSpec
from netsim.stack import ComputerSpec
from netsim.units import NS, PS_PER_S

SIZES = (1, 64, 500, 1000, 1448, 2896, 4344, 14_480, 28_960)


def timeless(host: ComputerSpec) -> ComputerSpec:
    """With processors and memory that take no time, and a driver that touches no register; no frame is copied."""
    driver = {name: 0 for name in DriverSpec.model_fields if name.endswith(("_reads", "_writes"))}
    driver |= {"rx_copybreak": 0}
    memory = {f"memory.{way}": "1000000 GB/s" for way in ("read", "cached", "write")}
    return host.replace(
        {"processors.clock": "1000000 GHz", "processors.port_access": "0 s", "system.tcp.delayed_ack_limit": 0}
        | memory
        | {f"nics.0.driver.{name}": value for name, value in driver.items()}
        | {"nics.0.tx_threshold": "256 B"}  # a short frame does not wait for the next one
    )


PC = timeless(ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"]))


LINK = ns.NetPipe(sender=PC, receiver=PC).link


def frames(size: int) -> list[int]:
    """The frames of a message: full segments and a rest. If their number is even, the last one is acknowledged at
    once, before the answer."""
    tcp = PC.system.tcp
    full, rest = divmod(size, tcp.mss(1500))
    data = [tcp.frame_size(length) for length in [tcp.mss(1500)] * full + [rest] * bool(rest)]
    return data if len(data) % 2 else [tcp.frame_size(0), *data]


def wire(size: int) -> float:
    """ps from the first bit on the wire to the arrival of a message's last bit."""
    *ahead, last = frames(size)
    return sum(map(LINK.frame_time, ahead)) + LINK.time(PREAMBLE + last) + LINK.delay


def bus(size: int) -> float:
    """ps of the adapters' fetch before the wire may start, and of their store after its last bit."""
    nic, first, last = PC.nics[0], frames(size)[0] - FCS, frames(size)[-1] - FCS
    store = nic.rx_bus_time(PC.slots[0], last) - nic.rx_lead_time(PC.slots[0], LINK, last)
    return nic.tx_lead_time(PC.slots[0], first) + store


@pytest.fixture(scope="module")
def curve() -> dict[int, float]:
    """ps of half a round trip, by size."""
    result = ns.simulate(ns.NetPipe(sender=PC, receiver=PC, sizes=SIZES))
    return {point.size: point.half_round_trip * PS_PER_S for point in result.curve}


@pytest.mark.parametrize("size", SIZES)
def test_half_a_round_trip_is_framing_and_buses(size: int, curve: dict[int, float]) -> None:
    """Exactly for one segment; to 0.4 us for several, since their transfers and those of acknowledgements meet on a
    bus."""
    assert curve[size] == pytest.approx(wire(size) + bus(size), abs=NS if len(frames(size)) == 1 else 400 * NS)
    assert curve[size] > wire(size)


def test_the_bound_is_approached() -> None:
    test = ns.NetPipe(sender=PC, receiver=PC, sizes=(1, 30_000, 2_000_000))
    result = ns.simulate(test)
    assert result.throughput == pytest.approx(test.bounds().limit, rel=1e-3)
    assert result.throughput < test.bounds().limit
