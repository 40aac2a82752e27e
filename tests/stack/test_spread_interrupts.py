"""Interrupts that are spread over a host's processors, or all go to the first: which processor takes which, and the
resulting throughput."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.machine import Task, Work
from netsim.machine.task import DEFERRED, INTERRUPT, PROCESS
from netsim.stack import Computer

WAYS = ("first", "spread")
CLIENT = ns.host("piii-550", system="windows-2000", nics=["3cr990tx97/el99xnd4"])
WORK = Work((("protocol", 1000),), 0)


def server(interrupts: str = "spread", ports: int = 2, processors: int = 2, **changes: Any) -> ns.ComputerSpec:
    """Windows 2000 on this many processors, without clock interrupts; NDIS serialises no port."""
    spec = ns.host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"] * ports)
    kernel: dict[str, Any] = {"system.kernel.interrupts": interrupts, "system.kernel.tick": 0}
    kernel |= {f"nics.{port}.driver.serialised": False for port in range(ports)}
    return spec.replace(kernel | {"processors.count": processors} | changes)


def computer(*shape: Any) -> Computer:
    return Computer(Environment(1), server(*shape), "server")


# --- which processor takes which -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interrupts", "ports", "processors", "numbers"),
    [
        ("spread", 5, 3, [0, 1, 2, 0, 1]),
        ("spread", 2, 4, [0, 1]),
        ("spread", 2, 1, [0, 0]),
        ("first", 3, 2, [0, 0, 0]),
    ],
)
def test_ports_go_to_processors_in_turn(interrupts: str, ports: int, processors: int, numbers: list[int]) -> None:
    """Each processor that takes interrupts has a backlog."""
    host = computer(interrupts, ports, processors)
    assert [host.processors.index(driver.processor) for driver in host.drivers] == numbers
    assert len(host.backlogs) == (processors if interrupts == "spread" else 1)
    taken = [driver._backlog for driver in host.drivers]
    assert taken == [host.backlogs[number] for number in numbers]


@pytest.mark.parametrize("level", [INTERRUPT, DEFERRED, PROCESS])
@pytest.mark.parametrize("interrupts", WAYS)
def test_deferred_work_stays_where_it_comes_up(interrupts: str, level: int) -> None:
    """On three processors at the same time, whatever their level of work."""
    host = computer(interrupts, 2, 3)
    done: list[tuple[int, int]] = []
    for number in range(3):
        _come_up(host, number, level, done)
    host.env.run(10**6)
    assert sorted(done) == [(number, number if interrupts == "spread" else 0) for number in range(3)]


def _come_up(host: Computer, number: int, level: int, done: list[tuple[int, int]]) -> None:
    """A task on the processor of this number wakes a process that runs elsewhere, and then defers work."""
    todo = [WORK]

    def end() -> bool:
        done.append((number, host.processors.index(host._here.processor)))
        return False

    deferred = host.deferred(lambda: todo.pop() if todo else None, end)
    process = host.process(lambda: None, lambda: False)

    def ended() -> bool:
        host.processors[number - 1].kick(process)
        host.defer(deferred)
        return False

    host.processors[number].kick(Task(level, lambda: WORK, ended))


def chariot(ports: int, clients: int, flow: str = "upload", **changes: Any) -> ns.Chariot:
    """Drivers that take so long per frame that the processors are the bottleneck."""
    slow = {f"nics.{number}.driver.rx_cycles": 200_000 for number in range(ports)}
    once = {"min_iterations": 1, "max_iterations": 1}
    pc = server(ports=ports, **slow).replace(changes)
    return ns.Chariot(server=pc, clients=[CLIENT] * clients, switch="summit48", flow=flow, **once)


@cache
def result(interrupts: str, ports: int = 2, processors: int = 2) -> ns.Result:
    changes = {"system.kernel.interrupts": interrupts, "processors.count": processors}
    return ns.simulate(chariot(ports, 2 * ports, **changes), limit="0.5 s", precision=0.01)


def shares(found: ns.Result) -> list[dict[str, float]]:
    """What each of the server's processors does."""
    return [dict(parts) for name, parts in found.processors.items() if name.startswith("server ")]


def test_with_first_nothing_that_interrupts_bring_about_is_done_elsewhere() -> None:
    """Only processes run there; they send a confirmation occasionally."""
    first, second = shares(result("first"))
    assert first["driver"] > 0.8
    assert {"interrupt", "protocol"} <= first.keys()
    assert "interrupt" not in second
    assert second["system call"] > second["driver"] + second["protocol"]


def test_spread_both_do_the_same() -> None:
    one, other = shares(result("spread"))
    assert "interrupt" in one.keys() & other.keys()
    for name in ("driver", "protocol"):
        assert one[name] == pytest.approx(other[name], rel=0.05)


def test_frames_are_handed_up_on_both() -> None:
    run = chariot(2, 2).build(Environment(1))
    run.start()
    run.env.run(10**11)
    run.audit()
    host = run.computers["server"]
    handled = [backlog.handled for backlog in host.backlogs]
    assert min(handled) > 100
    assert sum(handled) == host.frames_handled


# --- resulting throughput --------------------------------------------------------------------------------------------


def test_two_processors_receive_nearly_twice_as_much() -> None:
    """Nearly, because the processes had the second one to themselves before."""
    first, spread = (result(way) for way in WAYS)
    assert first.bottleneck == "server processor 0"
    assert spread.bottleneck.startswith("server processor")
    assert first.cpu["server"] < 0.6
    assert spread.cpu["server"] > 0.96
    assert 1.8 < spread.throughput / first.throughput < 2.01


def test_more_processors_than_ports_are_of_no_use() -> None:
    """Only processes would benefit."""
    two, four = (result("spread", processors=count) for count in (2, 4))
    assert two.throughput - two.half_width <= four.throughput < 1.1 * two.throughput
    for idle in shares(four)[2:]:
        assert "interrupt" not in idle
        assert sum(idle.values()) < 0.05


def test_a_port_that_shares_its_processor_gets_half() -> None:
    """With three ports on two processors, the first and the last."""
    rates = result("spread", ports=3).pairs
    own = rates["client2 upload"] + rates["client5 upload"]
    shared = sum(rates.values()) - own
    assert shared == pytest.approx(own, rel=0.1)


@pytest.mark.parametrize("interrupts", WAYS)
@pytest.mark.parametrize(("ports", "processors"), [(1, 2), (2, 1), (2, 2), (3, 2), (2, 4)])
def test_never_more_than_the_closed_form(interrupts: str, ports: int, processors: int) -> None:
    found = result(interrupts, ports, processors)
    bounds = found.scenario.bounds()
    assert 0.85 * bounds.limit < found.throughput < 1.002 * bounds.limit
    assert bounds.bottleneck.startswith("server processor")


@pytest.mark.parametrize("flow", ["download", "upload"])
def test_on_one_processor_it_is_the_same(flow: str) -> None:
    def accounts(interrupts: str) -> Any:
        changes = {"processors.count": 1, "system.kernel.interrupts": interrupts}
        run = chariot(2, 2, flow, **changes).build(Environment(1))
        run.start()
        run.env.run(10**11)
        return run.accounts()

    assert accounts("first") == accounts("spread")
