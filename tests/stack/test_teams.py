"""Several cards of one Windows server as one device: the cost of a frame, the order of frames, and the locks, one for
each port."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.stack import Computer, TcpSocket, connect
from netsim.stack.tcp_costs import TcpCosts
from netsim.workload.chariot.run import ChariotRun

LOCKS = [f"server nic {port} miniport lock" for port in range(4)]
CLIENT = ns.host("piii-550", system="windows-2000", nics=["3cr990tx97/el99xnd4"])
CLIENTS = 8
PORTS = 4
SERIALISED = pytest.mark.parametrize("serialised", [True, False])
# The large costs are fixed here, so that they do not follow the fits in models/.
COSTS: dict[str, Any] = {
    "memory.write": "220 MB/s",
    "system.tcp.tx_cycles": 5000,
    "system.tcp.rx_cycles": 2500,
    "system.tcp.ack_cycles": 2000,
} | {f"nics.{port}.driver.{way}_cycles": 2000 for port in range(PORTS) for way in ("tx", "rx", "free")}
# Nor do frames wait for the bus: four cards for 33 MHz would.
COSTS |= {f"nics.{port}.bus_clock": "66.666667 MHz" for port in range(PORTS)}


def chariot(serialised: bool = True, flow: str = "bidirectional", **changes: Any) -> ns.Chariot:
    """Eight clients, and a server of two processors with four teamed ports; `changes` are the server's."""
    bond = {"policy": "address", "tx_cycles": 1000, "detection": "0 s"}
    server = ns.host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"] * PORTS, bond=bond)
    drivers = {f"nics.{port}.driver.serialised": serialised for port in range(PORTS)}
    once = {"min_iterations": 1, "max_iterations": 1}
    server = server.replace(COSTS | drivers | changes)
    return ns.Chariot(server=server, clients=[CLIENT] * CLIENTS, switch="summit48", flow=flow, **once)


@cache
def result(serialised: bool = True, flow: str = "bidirectional") -> ns.Result:
    return ns.simulate(chariot(serialised, flow), limit="0.2 s", precision=0.02)


def run(test: ns.Chariot) -> ChariotRun:
    """A tenth of a second of a test."""
    found = test.build(Environment(seed=1))
    found.start()
    found.env.run(until=10**11)
    found.audit()
    return found


# --- locks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flow", ["download", "upload", "bidirectional"])
def test_each_port_has_its_lock_and_the_team_none(flow: str) -> None:
    found = result(flow=flow)
    assert [one for one in found.utilisation if "lock" in one] == LOCKS
    held = [found.utilisation[lock] for lock in LOCKS]
    assert min(held) > 0.1
    assert max(held) < 1.3 * min(held)
    assert found.throughput < 1.001 * found.scenario.bounds().limit  # margin for so short a run


def test_deserialised_ports_have_none() -> None:
    found = result(serialised=False)
    assert not [one for one in (*found.utilisation, *found.waiting) if one.startswith("server") and "lock" in one]


@pytest.mark.parametrize("flow", ["download", "upload", "bidirectional"])
def test_a_lock_is_held_for_what_the_closed_form_says_at_the_least(flow: str) -> None:
    found = result(flow=flow)
    bounds = found.scenario.bounds()
    transactions = found.throughput / 8 / bounds.delivered
    for lock in LOCKS:
        assert found.utilisation[lock] > 0.98 * transactions * bounds.demand[lock] / 1e12
    assert not [one for one in result(serialised=False).scenario.bounds().demand if one in LOCKS]


def test_little_waits_for_them() -> None:
    """Frames to be sent are queued; only the second part of an interrupt can find its port busy, with one of them."""
    assert all(shares.get("receive", 0) < 0.05 for shares in result().waiting.values())


# --- order -----------------------------------------------------------------------------------------------------------


def out_of_order(found: ChariotRun) -> int:
    """Segments out of order at both ends of all connections."""
    return sum(end.input.out_of_order for pair in found.pairs for end in (pair.out, pair.into))


@SERIALISED
def test_by_address_each_connection_keeps_its_order(serialised: bool) -> None:
    found = run(chariot(serialised))
    assert out_of_order(found) == 0
    assert found.accounts().counts["retransmitted segments"] == 0
    assert found.delivered > 100_000 * CLIENTS


@SERIALISED
def test_in_turn_it_need_not(serialised: bool) -> None:
    assert out_of_order(run(chariot(serialised, **{"bond.policy": "round-robin"}))) > 0


# --- costs -----------------------------------------------------------------------------------------------------------

EXACT = {"processors.clock": "1 GHz", "processors.relative_cpi": 1}  # a cycle is 1000 ps
PLAIN = {"driver.rx_checksum": "nic", "driver.rx_copy": False, "driver.rx_copybreak": 0, "driver.rx_aligned": True}


def server(serialised: bool = True, ports: int = PORTS, **bond: Any) -> ns.ComputerSpec:
    """The same server, with received frames left in place, and these settings of its bond."""
    plain = {f"nics.{number}.{name}": value for number in range(ports) for name, value in PLAIN.items()}
    spec = chariot(serialised).server.replace("nics", chariot(serialised).server.nics[:ports])
    return spec.replace(EXACT | plain | {f"bond.{name}": value for name, value in bond.items()})


@pytest.mark.parametrize(("rx_cycles", "cycles"), [(None, 700), (300, 300), (0, 0)])
def test_a_frame_received_costs_what_one_sent_does_if_nothing_else_is_said(rx_cycles: int | None, cycles: int) -> None:
    spec = server(tx_cycles=700, rx_cycles=rx_cycles)
    for length in (0, 1460):
        parts = dict(TcpCosts(spec).arrival(length, 0).parts)
        assert parts.get("aggregation", 0) == cycles * 1000


def test_a_descriptor_is_replaced_and_no_data_are_copied() -> None:
    """In both directions (Windows 2000 DDK, intermediate drivers) the team adds only its own cycles."""
    costs, alone = (TcpCosts(spec) for spec in (server(tx_cycles=700), server().replace("bond", None)))
    for made in ("arrival", "segment"):
        team, one = (dict(getattr(which, made)(1460, 0).parts) for which in (costs, alone))
        assert team == one | {"aggregation": 700_000}


def test_the_protocol_pays_the_team_and_the_port_its_driver() -> None:
    """The holder of a serialised port's lock calls its driver."""
    parts = dict(TcpCosts(server(tx_cycles=700)).segment(1460, None).parts)
    assert parts["aggregation"] == 700_000
    assert "driver" not in parts


@SERIALISED
@pytest.mark.parametrize(("tx", "rx"), [(700, None), (700, 0), (0, 300), (5000, 300)])
def test_every_frame_pays_to_the_cycle(serialised: bool, tx: int, rx: int | None) -> None:
    """Two connections over two ports, in both directions, until everything is over. An acknowledgement that was
    piggybacked on data while it was made has cost its time, and is not sent."""
    host, sent, received = exchanged(server(serialised, ports=2, tx_cycles=tx, rx_cycles=rx))
    spent = sum(cpu.busy().get("aggregation", 0) for cpu in host.processors)
    needless = spent - 1000 * (sent * tx + received * (tx if rx is None else rx))
    assert needless in [1000 * tx * n for n in range(5)]


BYTES = 60_000


def exchanged(spec: ns.ComputerSpec) -> tuple[Computer, int, int]:
    """The host when it has sent and received BYTES on each of two connections, and its numbers of frames sent and
    received."""
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
