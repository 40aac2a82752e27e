"""A bond that works under a lock: what a user sees of it, who waits for it and what it costs.

The bonds here take so many cycles that the lock is what decides. What else costs much is said here too, so that it does
not follow the fits in models/.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Link, LinkSpec
from netsim.stack import Computer, TcpSocket, connect
from netsim.stack.tcp_costs import TcpCosts
from netsim.workload.chariot.run import ChariotRun

LOCK = "server bond lock"
LEAVE = ("leave", "leave", False)  # receive, send, answers
SPIN = ("spin", "spin", False)
CLIENT = ns.host("piii-550", system="windows-2000", nics=["3cr990tx97/el99xnd4"])
CLIENTS = 8
PORTS = 4
COSTS: dict[str, Any] = {
    "memory.write": "220 MB/s",
    "system.tcp.tx_cycles": 5000,
    "system.tcp.rx_cycles": 2500,
    "system.tcp.ack_cycles": 2000,
} | {f"nics.{port}.driver.{way}_cycles": 2000 for port in range(PORTS) for way in ("tx", "rx", "free")}


def chariot(lock: tuple[str, str, bool] | None = LEAVE, flow: str = "upload", **changes: Any) -> ns.Chariot:
    """Eight clients, a server of two processors with four ports as one; `changes` are the server's."""
    locked = dict(zip(("receive", "send", "answers"), lock, strict=True)) if lock else None
    bond = {"policy": "address", "tx_cycles": 40_000, "lock": locked}
    server = ns.host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"] * PORTS, bond=bond)
    once = {"min_iterations": 1, "max_iterations": 1}
    server = server.replace(COSTS | changes)
    return ns.Chariot(server=server, clients=[CLIENT] * CLIENTS, switch="summit48", flow=flow, **once)


def simulated(test: ns.Chariot) -> ns.Result:
    return ns.simulate(test, limit="0.2 s", precision=0.02)


@cache
def result(lock: tuple[str, str, bool] | None = LEAVE, flow: str = "upload") -> ns.Result:
    return simulated(chariot(lock, flow))


def run(test: ns.Chariot) -> ChariotRun:
    """A fifth of a second of it."""
    found = test.build(Environment(seed=1))
    found.start()
    found.env.run(until=2 * 10**11)
    found.audit()
    return found


# --- why a processor idles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flow", ["upload", "bidirectional"])
def test_a_lock_that_decides_is_named_and_so_are_those_who_wait(flow: str) -> None:
    found = result(flow=flow)
    assert found.bottleneck == LOCK
    assert found.utilisation[LOCK] == pytest.approx(found.bottleneck_share)
    assert found.bottleneck_share > 0.95
    assert found.waiting.keys() == {LOCK}
    assert found.waiting[LOCK].keys() == {"receive", "send"}
    assert all(0.2 < number <= 2 for number in found.waiting[LOCK].values())
    assert f"{LOCK} held {100 * found.bottleneck_share:.0f} %; waiting: receive " in str(found)


@pytest.mark.parametrize("flow", ["upload", "bidirectional"])
def test_processors_idle_because_others_have_it(flow: str) -> None:
    """And hardly ever otherwise. The clients have neither bond nor lock."""
    found = result(flow=flow)
    idle = 1 - found.cpu["server"]
    assert idle > 0.35
    assert 0.9 * idle < found.held_up["server"] <= idle
    assert all(share == 0 for host, share in found.held_up.items() if host != "server")
    assert "spin" not in found.cpu_by_name("server")


@pytest.mark.parametrize("flow", ["upload", "bidirectional"])
def test_without_it_nothing_idles_and_more_comes_through(flow: str) -> None:
    locked, free = result(flow=flow), result(None, flow)
    assert free.throughput > 1.4 * locked.throughput
    assert free.cpu["server"] > 0.98
    assert free.bottleneck.startswith("server processor")
    assert set(free.held_up.values()) == {0}
    assert LOCK not in free.waiting | free.utilisation
    assert LOCK not in free.scenario.bounds().demand


def test_a_lock_that_busy_processors_pass_on_is_not_what_decides() -> None:
    found = simulated(chariot(flow="bidirectional", **{"bond.tx_cycles": 100, "processors.clock": "200 MHz"}))
    assert found.bottleneck.startswith("server processor")
    assert found.cpu["server"] > 0.93
    assert found.held_up["server"] < 0.06
    assert 0.1 < found.utilisation[LOCK] < 0.95


@pytest.mark.parametrize("flow", ["upload", "bidirectional"])
def test_the_closed_form_knows_it(flow: str) -> None:
    """The driver's work for a frame sent is done under the lock as well, and not in the bound."""
    found = result(flow=flow)
    bounds = found.scenario.bounds()
    assert bounds.throughput(LOCK) == pytest.approx(bounds.limit)
    assert 0.75 * bounds.limit < found.throughput < bounds.limit


# --- to spin or to leave ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", [("spin", "leave", False), ("leave", "spin", False), SPIN])
@pytest.mark.parametrize("flow", ["upload", "bidirectional"])
def test_who_spins_is_busy_and_brings_nothing_more_through(lock: tuple[str, str, bool], flow: str) -> None:
    left, spun = result(flow=flow), result(lock, flow)
    spin = spun.cpu_by_name("server")["spin"]
    assert spin > 0.05
    assert spun.cpu["server"] - left.cpu["server"] == pytest.approx(spin, abs=0.03)
    assert spun.held_up["server"] < left.held_up["server"] - 0.8 * spin
    assert spun.throughput == pytest.approx(left.throughput, rel=0.05)
    assert spun.utilisation[LOCK] > 0.95


@pytest.mark.parametrize("lock", [("spin", "leave", False), ("leave", "spin", False), SPIN])
def test_nobody_spins_for_longer_than_he_waits(lock: tuple[str, str, bool]) -> None:
    """On two processors; where both ways do, and nobody comes between but interrupts, it is nearly all of it."""
    found = result(lock, "bidirectional")
    waits = sum(found.waiting[LOCK][who] for who, way in zip(("receive", "send"), lock, strict=False) if way == "spin")
    spun = 2 * found.cpu_by_name("server")["spin"]
    assert 0.9 * waits < spun <= waits


def test_answers_under_it_cost_throughput() -> None:
    """What acknowledgements bring about, the next segments of a file, then takes its time of the lock."""
    dear = {"system.tcp.tx_cycles": 20_000}
    free, under = (simulated(chariot(("leave", "leave", way), "download", **dear)) for way in (False, True))
    assert under.throughput < 0.9 * free.throughput
    assert under.cpu["server"] < free.cpu["server"]
    assert under.waiting[LOCK]["receive"] > free.waiting[LOCK]["receive"]
    assert under.bottleneck == LOCK


# --- where there is none ---------------------------------------------------------------------------------------------


def test_one_processor_has_none() -> None:
    alone, free = (run(chariot(lock, **{"processors.count": 1})) for lock in (SPIN, None))
    assert alone.accounts() == free.accounts()
    assert alone.accounts().waited == {}
    assert alone.computers["server"].locks == []


def test_a_system_whose_network_code_has_one_takes_no_other() -> None:
    with pytest.raises(ScenarioError, match=r"^bond.lock: the system's network code has a lock of its own; .* none$"):
        chariot(**{"system.kernel.network_lock": True})


# --- order -----------------------------------------------------------------------------------------------------------


def out_of_order(found: ChariotRun) -> int:
    """Segments at both ends of all connections."""
    return sum(end.input.out_of_order for pair in found.pairs for end in (pair.out, pair.into))


@pytest.mark.parametrize("lock", [None, LEAVE, SPIN, ("leave", "spin", True)])
def test_by_address_each_connection_keeps_its_order(lock: tuple[str, str, bool] | None) -> None:
    found = run(chariot(lock, "bidirectional", **{"bond.tx_cycles": 1000}))
    assert out_of_order(found) == 0
    assert found.accounts().counts["retransmitted segments"] == 0
    assert found.delivered > 100_000 * CLIENTS


@pytest.mark.parametrize("lock", [None, LEAVE])
def test_in_turn_it_need_not(lock: tuple[str, str, bool] | None) -> None:
    found = run(chariot(lock, "bidirectional", **{"bond.tx_cycles": 1000, "bond.policy": "round-robin"}))
    assert out_of_order(found) > 0


# --- what it costs ---------------------------------------------------------------------------------------------------

EXACT = {"processors.clock": "1 GHz", "processors.relative_cpi": 1}  # a cycle is 1000 ps
PLAIN = {"driver.rx_checksum": "nic", "driver.rx_copy": False, "driver.rx_copybreak": 0, "driver.rx_aligned": True}


def server(lock: tuple[str, str, bool] | None = LEAVE, ports: int = PORTS, **bond: Any) -> ns.ComputerSpec:
    """The same server, which leaves received frames where they are, with what is given of its bond."""
    plain = {f"nics.{number}.{name}": value for number in range(ports) for name, value in PLAIN.items()}
    spec = chariot(lock).server.replace("nics", chariot().server.nics[:ports])
    return spec.replace(EXACT | plain | {f"bond.{name}": value for name, value in bond.items()})


@pytest.mark.parametrize(("rx_cycles", "cycles"), [(None, 700), (300, 300), (0, 0)])
def test_a_frame_received_costs_what_one_sent_does_if_nothing_else_is_said(rx_cycles: int | None, cycles: int) -> None:
    spec = server(tx_cycles=700, rx_cycles=rx_cycles)
    for length in (0, 1460):
        parts = dict(TcpCosts(spec).arrival(length, 0).parts)
        assert parts.get("aggregation", 0) == cycles * 1000


def test_a_copy_brings_what_follows_into_the_cache() -> None:
    """The whole frame is copied, and then its payload to the process."""
    copied, left = (
        dict(TcpCosts(server(rx_copy=way)).arrival(1460, 0, copied=1460).parts) for way in (True, False)
    )
    memory = server().memory
    assert left["copy"] == memory.copy_time(1460, "memory")
    assert copied["copy"] == memory.copy_time(1518, "memory") + memory.copy_time(1460, "cache")
    assert copied | left == copied | {"copy": left["copy"]}


@pytest.mark.parametrize("frames", [0, 1, 5])
def test_each_frame_that_is_given_back_costs(frames: int) -> None:
    (port, *_), (without, *_) = (server(free_cycles=cycles).ports() for cycles in (400, 0))
    dear, cheap = (dict(one.bill_free(server().bill(), frames).work().parts) for one in (port, without))
    assert dear.get("aggregation", 0) == frames * 400_000
    assert "aggregation" not in cheap
    assert dear.get("driver", 0) == cheap.get("driver", 0)


def test_without_a_lock_the_protocols_pay_with_the_frame() -> None:
    locked, free = (TcpCosts(server(lock, tx_cycles=700)) for lock in (LEAVE, None))
    assert dict(free.segment(1460, 0).parts)["aggregation"] == 700_000
    assert "aggregation" not in dict(locked.segment(1460, None).parts)
    assert "driver" not in dict(locked.segment(1460, None).parts)


@pytest.mark.parametrize("lock", [LEAVE, SPIN, ("leave", "spin", True)])
@pytest.mark.parametrize(
    ("tx", "rx", "free"), [(700, None, 0), (700, 0, 0), (0, 300, 0), (0, 0, 400), (700, 300, 400), (5000, None, 900)]
)
def test_every_frame_pays_to_the_cycle(lock: tuple[str, str, bool], tx: int, rx: int | None, free: int) -> None:
    """Two connections over two ports, both ways, until all is over."""
    spec = server(lock, ports=2, tx_cycles=tx, rx_cycles=rx, free_cycles=free)
    host, sent, received = exchanged(spec)
    busy = [cpu.busy() for cpu in host.processors]
    assert sum(one.get("aggregation", 0) for one in busy) == 1000 * (
        sent * (tx + free) + received * (tx if rx is None else rx)
    )


BYTES = 60_000


def exchanged(spec: ns.ComputerSpec) -> tuple[Computer, int, int]:
    """The host when it has sent and received so many bytes on two connections, and frames out and in."""
    env = Environment(1)
    far, near = Computer(env, CLIENT.replace("nics", CLIENT.nics * 2), "far"), Computer(env, spec, "near")
    links: list[tuple[Link, Link]] = []
    for one, other in zip(near.nics, far.nics, strict=True):
        out, into = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("out", "into"))
        one.plug(out, into)
        other.plug(into, out)
        links.append((out, into))
    ends = [connect(near, far, 1500, f"pair {number}", True, (number, number)) for number in (0, 1)]
    for end in (end for pair in ends for end in pair):
        end.send(BYTES, lambda: None)
        _read(end)
    env.run(2 * 10**12)
    assert all(end.read_bytes == BYTES for pair in ends for end in pair)
    return near, sum(out.frames for out, _ in links), sum(into.frames for _, into in links)


def _read(end: TcpSocket) -> None:
    end.receive(BYTES, lambda _: _read(end))
