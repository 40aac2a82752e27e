"""Chariot against closed forms: a transaction's turnaround if nothing overlaps, the wire's rate if it is full."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet.frame import FCS, PREAMBLE
from netsim.stack import ComputerSpec
from netsim.units import PS_PER_S
from netsim.workload.chariot.bounds import least_turnaround
from tests.analytic.test_ping_pong import timeless

CARDS = ["3c905b/3c59x", "dfe570tx/tulip", "rtl8139/rtl8139"]
SEGMENT = 1448


def computer(model: str = "piii-600", card: str = "3c905b/3c59x") -> ComputerSpec:
    """A host whose clock is stopped: its interrupt would hit one transaction or another."""
    return ns.host(model, system="linux-2.2.16", nics=[card]).replace(
        {"system.kernel.tick": 0, "system.tcp.delayed_ack_limit": 0}
    )


def gigabit(mtu: int = 9000, times: int = 4) -> ComputerSpec:
    """A host `times` as fast, with an adapter and a bus for 1 Gbit/s and jumbo frames. Its memory is written to at half
    of its `read`."""
    pc = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    memory = {f"memory.{way}": f"{times * pc.get(f'memory.{way}')} B/s" for way in ("read", "cached")}
    nic: dict[str, Any] = {"rate": "1 Gbit/s", "max_frame": 9018, "tx_fifo": "64 KiB", "rx_fifo": "64 KiB"}
    nic |= {"bus_width": 8, "bus_clock": "66.666666 MHz"}
    changes = {"processors.clock": f"{times * 600} MHz", "bus.width": 8, "bus.clock": "66.666666 MHz", **memory}
    return pc.replace(changes | {f"nics.0.{name}": value for name, value in nic.items()})


def chariot(server: ComputerSpec, *clients: ComputerSpec, **changes: Any) -> ns.Chariot:
    given = {"switch": "aceswitch-180", "flow": "download", **changes}
    return ns.Chariot(server=server, clients=clients or (server,), **given)


def jumbo(clients: int, **changes: Any) -> ns.Chariot:
    pc = gigabit()
    return chariot(pc, *[pc] * clients, link="1000base-sx-jumbo", mtu=9000, **changes)


def turnarounds(test: ns.Chariot, number: int) -> list[int]:
    """ps of `number` transactions of the only pair, after the first, by the run's own clock."""
    run = test.build(Environment(seed=1))
    run.start()
    times: list[int] = []
    while len(times) <= number:
        run.env.step()
        if run.pairs[0].transactions > len(times):
            times.append(run.env.now)
    run.audit()
    return [after - before for before, after in pairwise(times)]


# --- one transaction after another, to the picosecond ----------------------------------------------------------------


@pytest.mark.parametrize("flow", ["download", "upload"])
@pytest.mark.parametrize("size", [1, 100, 1000, SEGMENT])
@pytest.mark.parametrize("model", ["piii-600", "p166", "2xpii-400"])
@pytest.mark.parametrize("card", CARDS)
def test_a_transaction_of_one_segment_is_the_sum_of_its_steps(card: str, model: str, size: int, flow: str) -> None:
    test = chariot(computer(model, card), computer(card=card), file_size=size, flow=flow)
    assert turnarounds(test, 5) == [least_turnaround(test, 0, flow)] * 5


@pytest.mark.parametrize("confirmation", [1, 500])
def test_throughput_is_the_file_in_a_turnaround(confirmation: int) -> None:
    test = chariot(computer(), file_size=SEGMENT, confirmation=confirmation)
    whole = least_turnaround(test, 0, "download")
    result = ns.simulate(test, limit="0.5 s")
    assert result.throughput == pytest.approx(SEGMENT * 8 * PS_PER_S / whole, rel=1e-6)
    assert result.bottleneck == "latency"


def test_a_switch_adds_its_latency_each_way() -> None:
    test = chariot(computer(), file_size=1000)
    slower = test.replace("switch.latency", "12 us")
    assert turnarounds(slower, 1)[0] - turnarounds(test, 1)[0] == 2 * (12_000_000 - test.switch.latency)


# --- files of several segments ---------------------------------------------------------------------------------------


def predicted(test: ns.Chariot, segments: int) -> int:
    """ps of a transaction of `segments` full segments between hosts that take no time: both cables and the switch, the
    adapters' first fetch and last store, there and back. If the last segment is acknowledged at once, as every second
    one is, the acknowledgement goes out before the confirmation."""
    pc, link, tcp = test.server, test.link, test.server.system.tcp
    full, small = tcp.frame_size(SEGMENT), tcp.frame_size(test.confirmation)
    ahead = (segments - 1) * link.frame_time(full)
    ack = link.frame_time(tcp.frame_size(0)) if segments % 2 == 0 else 0
    way = sum(2 * (link.time(PREAMBLE + size) + link.delay) + test.switch.latency for size in (full, small))
    nic, memory = pc.nics[0], (full - FCS, small - FCS)
    store = sum(nic.rx_bus_time(pc.slots[0], size) - nic.rx_lead_time(pc.slots[0], link, size) for size in memory)
    first = tcp.frame_size(0) - FCS if ack else small - FCS
    fetch = nic.tx_lead_time(pc.slots[0], full - FCS) + nic.tx_lead_time(pc.slots[0], first)
    return ahead + ack + way + store + fetch


@pytest.mark.parametrize("segments", [1, 2, 3, 5, 9, 20])
def test_confirmations_cost_a_turnaround(segments: int) -> None:
    """With one client, throughput falls short of the wire by the part of a turnaround without the file's frames."""
    pc = timeless(computer()).replace("nics.0.tx_fifo", "64 KiB")
    test = chariot(pc, file_size=segments * SEGMENT, buffer=64_000)
    whole = predicted(test, segments)
    settled = turnarounds(test, 60)[-10:]  # the congestion window has opened
    assert settled == pytest.approx([whole] * 10, abs=1_000 if segments == 1 else 400_000)
    wire = segments * test.link.frame_time(pc.system.tcp.frame_size(SEGMENT))
    result = ns.simulate(test, limit="1 s")
    assert result.throughput == pytest.approx(segments * SEGMENT * 8 * PS_PER_S / whole, rel=2e-3)
    assert result.utilisation["wire server to switch"] == pytest.approx(wire / whole, rel=2e-3, abs=0.02)


# --- the bound -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flow", ["download", "upload"])
def test_four_clients_fill_the_servers_wire(flow: str) -> None:
    """With two pairs each: four pairs could all happen to wait for their confirmations at once."""
    test = jumbo(4, flow=flow, pairs=2)
    result = ns.simulate(test, precision=0.005, limit="1 s")
    assert test.bounds().limit == pytest.approx(989.3e6, rel=1e-4)  # 100,000 bytes in 11 frames of 9018 and one of 1642
    assert result.throughput == pytest.approx(test.bounds().limit, rel=2e-3)
    assert result.bottleneck == ("wire server to switch" if flow == "download" else "wire switch to server")
    alone = ns.simulate(test.replace("pairs", 1), precision=0.005, limit="1 s")
    assert 0.95 * test.bounds().limit < alone.throughput <= test.bounds().limit * 1.0005


def test_one_client_can_not() -> None:
    result = ns.simulate(jumbo(1), precision=0.005, limit="1 s")
    assert result.throughput < 0.8 * jumbo(1).bounds().limit
    assert result.bottleneck == "latency"


def test_the_bound_is_per_transaction() -> None:
    """69 full segments and one of 88 bytes, and an acknowledgement for every two; the confirmation carries the last
    one."""
    test = chariot(computer())
    bounds, link, frame = test.bounds(), test.link, test.server.system.tcp.frame_size
    assert bounds.delivered == 100_000
    data = 69 * link.frame_time(frame(SEGMENT)) + link.frame_time(frame(88))
    assert bounds.demand["wire server to switch"] == bounds.demand["wire switch to client1"] == pytest.approx(data)
    back = 34 * link.frame_time(frame(0)) + link.frame_time(frame(1))
    assert bounds.demand["wire client1 to switch"] == bounds.demand["wire switch to server"] == pytest.approx(back)


def test_an_upload_is_a_download_with_the_ends_changed() -> None:
    near, far = computer(), computer("p166")
    down, up = chariot(near, far).bounds().demand, chariot(far, near, flow="upload").bounds().demand
    other = {"server": "client1", "client1": "server"}
    assert down == {" ".join(other.get(word, word) for word in name.split()): ps for name, ps in up.items()}


def test_clients_share_what_the_server_needs() -> None:
    pc = computer()
    one, four = (chariot(pc, *[pc] * number).bounds().demand for number in (1, 4))
    for name, ps in one.items():
        alike = [other for other in four if other == name or name.replace("client1", "client3") == other]
        assert four[alike[-1]] == pytest.approx(ps / (4 if "client1" in name else 1))


def test_a_slow_client_does_not_bound_the_others() -> None:
    """Four equal pairs would be as slow as four times the slow one, but the others continue without it."""
    fast, slow = gigabit(), gigabit().replace("processors.clock", "20 MHz")
    link = {"link": "1000base-sx-jumbo", "mtu": 9000}
    whole = chariot(fast, fast, fast, fast, slow, **link).bounds()
    alone = chariot(fast, slow, **link).bounds()
    assert alone.bottleneck == "client1 processors"
    assert 4 * alone.limit < whole.limit == pytest.approx(989.3e6, rel=1e-4)
    assert whole.demand["client4 processors"] <= max(whole.demand.values()) * (1 + 1e-9)


def test_the_bound_of_both_ways_is_for_the_parts_that_are_fastest() -> None:
    """If the server's processor is the bottleneck, the cheaper way is preferred; if both wires are, each has half."""
    pc = computer()
    both = chariot(pc, pc, flow="bidirectional")
    wires = [both.bounds().demand[name] for name in ("wire server to switch", "wire switch to server")]
    assert wires[0] == pytest.approx(wires[1])
    slow = both.replace({"server.processors.clock": "30 MHz", "server.nics.0.driver.rx_cycles": 20_000})
    ways = [slow.replace("flow", flow).bounds().limit for flow in ("download", "upload")]
    assert slow.bounds().bottleneck == "server processors"
    assert slow.bounds().limit == pytest.approx(max(ways), rel=1e-5)
    assert min(ways) < 0.95 * max(ways)


def test_parts_are_even_where_that_costs_nothing() -> None:
    pc, slow = computer(), computer("p166")
    demand = chariot(pc, pc, slow, pc).bounds().demand
    parts = [demand[f"wire switch to client{number}"] / demand["wire server to switch"] for number in (1, 2, 3)]
    assert parts == pytest.approx([1 / 3] * 3, rel=1e-4)


@pytest.mark.parametrize("host", ["server processors", "client1 processors"])
def test_every_call_is_in_the_bound(host: str) -> None:
    """Ten calls for the file and six for the confirmation, against one each."""
    pc = computer()
    one = chariot(pc, file_size=1000, confirmation=600, buffer=1000)
    many = one.replace("buffer", 100)
    call = pc.bill().cycles("system call", pc.system.kernel.system_call_cycles).work().total
    more = many.bounds().demand[host] - one.bounds().demand[host]
    assert more == pytest.approx((10 + 6 - 2) * call)


@pytest.mark.parametrize(
    ("host", "way", "segments"),
    [("server", "tx", 70), ("server", "rx", 35), ("client1", "tx", 35), ("client1", "rx", 70)],
)
def test_every_segment_is_in_the_bound(host: str, way: str, segments: int) -> None:
    """70 with the file; 34 acknowledgements and the confirmation in return."""
    alike = {"system.kernel.cycle_factor": 1, "system.tcp.ack_cycles": None, "system.tcp.ack_rx_cycles": None}
    test = chariot(computer().replace(alike))
    address = f"{'clients.0' if host == 'client1' else host}.system.tcp.{way}_cycles"
    more = test.replace(address, test.get(address) + 6000).bounds().demand[f"{host} processors"]
    assert more - test.bounds().demand[f"{host} processors"] == pytest.approx(segments * 10_000_000, abs=segments)
