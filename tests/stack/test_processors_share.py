"""Two processors under one network lock: what a user sees of it."""

from __future__ import annotations

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.results.bottleneck import bottleneck
from netsim.scenario import host
from netsim.stack import Computer, ComputerSpec, TcpSocket, connect
from netsim.workload import Netperf
from tests.stack.transfer import PC, SECOND

# Both processors are busy: one with interrupts and protocols, the other with the process.
DUAL = PC.replace({"processors.count": 2, "processors.clock": "60 MHz", "memory.read": "20 MB/s"})
LOCKED = DUAL.replace("system.kernel.network_lock", True)


def result(receiver: ComputerSpec, sender: ComputerSpec = PC, test: str = "TCP_STREAM") -> ns.Result:
    return ns.simulate(Netperf(test=test, sender=sender, receiver=receiver), limit="0.5 s")  # type: ignore[arg-type]


def test_a_saturated_receiver_spins_under_its_lock() -> None:
    locked, free = result(LOCKED), result(DUAL)
    assert locked.cpu_by_name("receiver")["spin"] > 0.05
    assert "spin" not in free.cpu_by_name("receiver")
    assert free.throughput > 1.1 * locked.throughput
    assert "spin" not in locked.cpu_by_name("sender")


def test_the_lock_is_a_resource_and_can_be_the_bottleneck() -> None:
    locked, free = result(LOCKED), result(DUAL)
    assert 0.5 < locked.utilisation["receiver network lock"] <= 1
    assert "receiver network lock" not in free.utilisation
    bounds = locked.scenario.bounds()
    assert locked.throughput < bounds.throughput("receiver network lock")
    assert "receiver network lock" not in free.scenario.bounds().demand
    # what is left of the lock's time: interrupts, the drivers' work
    assert locked.throughput > 0.5 * bounds.throughput("receiver network lock")


def test_a_sender_spins_too() -> None:
    """Its process holds the lock while it copies and sends, and acknowledgements come in on the other processor."""
    assert result(PC, LOCKED).cpu_by_name("sender")["spin"] > 0.01


def test_datagrams_are_under_it_as_well() -> None:
    test = Netperf(test="UDP_STREAM", sender=PC, receiver=LOCKED, message=1400)
    locked = ns.simulate(test, limit="0.3 s")
    assert locked.cpu_by_name("receiver")["spin"] > 0.01
    free = ns.simulate(test.replace("receiver.system.kernel.network_lock", False), limit="0.3 s")
    assert "spin" not in free.cpu_by_name("receiver")


def test_the_driver_works_outside_it_where_the_ring_is_full() -> None:
    """Frames wait then, and the processor with the interrupts hands them over while the other one has the lock: so the
    bound of the lock has nothing of that."""
    slow = host("p166", system="linux-2.2.16", nics=["3c905b/3c90x"])
    sender = slow.replace({"processors.count": 2, "system.kernel.network_lock": True})
    test = Netperf(test="UDP_STREAM", sender=sender, receiver=PC, message=1000, send_buffer=65535)
    found = ns.simulate(test, limit="0.3 s")
    assert found.utilisation["sender processor 0"] > 0.5
    bound = test.bounds().throughput("sender network lock")
    with_driver = 8e15 / (8e15 / bound + sender.ports()[0].bill_transmit(sender.bill(), 1042).work().total)
    assert 1.2 * with_driver < found.throughput < bound


def test_one_processor_has_no_lock() -> None:
    alone = DUAL.replace("processors.count", 1)
    with_it = result(alone.replace("system.kernel.network_lock", True))
    without = result(alone)
    assert with_it.throughput == without.throughput
    assert "receiver network lock" not in with_it.utilisation


def test_nobody_starves() -> None:
    """Three processes that receive on two processors, one of which is saturated with what comes in."""
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
    assert b.network_lock is not None
    for cpu in b.processors:
        assert sum(cpu.busy().values()) + cpu.idle_until_now() == env.now


def _stream(out: TcpSocket, into: TcpSocket) -> None:
    def send() -> None:
        out.send(65536, send)

    def read(_: int = 0) -> None:
        into.receive(65536, read)

    send()
    read()


def test_the_books_find_the_lock() -> None:
    """Where nothing but the lock decides, it is what the result names."""
    run = Netperf(test="TCP_STREAM", sender=PC, receiver=LOCKED).build(Environment(1))
    run.start()
    run.env.run(SECOND // 5)  # type: ignore[attr-defined]
    run.audit()
    accounts = run.accounts()
    assert accounts.occupied["receiver network lock"] > 0
    assert bottleneck(accounts)[0].startswith("receiver")
