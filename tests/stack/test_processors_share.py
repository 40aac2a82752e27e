"""Two processors whose calls and bottom halves exclude each other, as in Linux 2.2: the effects a user sees."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.results.bottleneck import bottleneck
from netsim.stack import Computer, ComputerSpec, TcpSocket, connect
from netsim.workload import Netperf
from tests.stack.transfer import PC, SECOND

# Both processors are busy: one with interrupts and protocols, the other with the process.
LOCKED = PC.replace({"processors.count": 2, "processors.clock": "80 MHz", "memory.read": "20 MB/s"})
FREE = LOCKED.replace("system.kernel.big_lock", False)
SMALL = {"message": 1400}


def result(receiver: ComputerSpec, sender: ComputerSpec = PC, test: str = "TCP_STREAM") -> ns.Result:
    scenario = Netperf(test=test, sender=sender, receiver=receiver, **(SMALL if test == "UDP_STREAM" else {}))
    return ns.simulate(scenario, limit="0.5 s")


def test_a_saturated_receiver_spins() -> None:
    locked, free = result(LOCKED), result(FREE)
    assert locked.cpu_by_name("receiver")["spin"] > 0.01
    assert "spin" not in free.cpu_by_name("receiver")
    assert locked.throughput < 1.02 * free.throughput
    assert "spin" not in locked.cpu_by_name("sender")


def test_a_sender_spins_too() -> None:
    """Acknowledgements arrive on the other processor, and meanwhile the sender can't hand segments over."""
    assert result(PC, LOCKED).cpu_by_name("sender")["spin"] > 0.005


def test_receivers_of_datagrams_do_not() -> None:
    """UDP calls lock no socket, and copy in parallel with bottom halves."""
    assert "spin" not in result(LOCKED, test="UDP_STREAM").cpu_by_name("receiver")


@pytest.mark.parametrize("test", ["TCP_STREAM", "UDP_STREAM"])
@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_both_are_resources_that_bound_what_is_reached(test: str, end: str) -> None:
    ends = {"receiver": LOCKED, "sender": PC} if end == "receiver" else {"receiver": PC, "sender": LOCKED}
    found = result(**ends, test=test)
    bounds = found.scenario.bounds()
    for name in ("kernel lock", "bottom halves"):
        assert 0.02 < found.utilisation[f"{end} {name}"] <= 1
        assert found.throughput < 1.001 * bounds.throughput(f"{end} {name}")  # type: ignore[arg-type]


def test_without_they_are_none() -> None:
    free = result(FREE)
    assert not any("lock" in name or "halves" in name for name in free.utilisation)
    assert not any("lock" in name or "halves" in name for name in free.scenario.bounds().demand)


@pytest.mark.parametrize("test", ["TCP_STREAM", "UDP_STREAM"])
def test_on_one_processor_nothing_changes(test: str) -> None:
    """Even the number of events stays the same."""
    both = []
    for big_lock in (False, True):
        pc = LOCKED.replace({"processors.count": 1, "system.kernel.big_lock": big_lock})
        more = SMALL if test == "UDP_STREAM" else {}
        run = Netperf(test=test, sender=pc, receiver=pc, **more).build(Environment(1))  # type: ignore[arg-type]
        run.start()
        run.env.run(SECOND // 5)  # type: ignore[attr-defined]
        both.append(run.accounts())
    assert both[0] == both[1]


def test_nobody_starves() -> None:
    """Three processes receive on two processors, one of which is saturated with incoming frames."""
    env = Environment(1)
    a, b = Computer(env, PC.replace("processors.count", 2), "a"), Computer(env, LOCKED, "b")
    there, back = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("there", "back"))
    a.nics[0].plug(there, back)
    b.nics[0].plug(back, there)
    pairs = [connect(a, b, 1500, f"pair {number}") for number in range(3)]
    for out, into in pairs:
        _stream(out, into)
    env.run(SECOND // 2)
    half = [into.read_bytes for _, into in pairs]
    env.run(SECOND)
    rates = [into.read_bytes - before for (_, into), before in zip(pairs, half, strict=True)]
    assert min(rates) > 0.3 * max(rates)
    for cpu in b.processors:
        assert sum(cpu.busy().values()) + cpu.idle_until_now() == env.now


def _stream(out: TcpSocket, into: TcpSocket) -> None:
    def send() -> None:
        out.send(65536, send)

    def read(_: int = 0) -> None:
        into.receive(65536, read)

    send()
    read()


def test_the_books_find_them() -> None:
    saturated = LOCKED.replace("processors.clock", "40 MHz")
    run = Netperf(test="TCP_STREAM", sender=PC, receiver=saturated).build(Environment(1))
    run.start()
    run.env.run(SECOND // 5)  # type: ignore[attr-defined]
    run.audit()
    accounts = run.accounts()
    assert accounts.occupied["receiver bottom halves"] > 0  # type: ignore[index]
    assert accounts.waited["receiver bottom halves"]["calls"] > 0  # type: ignore[index]
    assert bottleneck(accounts)[0].startswith("receiver")
