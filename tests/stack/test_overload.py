"""Overload as it happens: what cannot be taken in is dropped where the room ends, and counted there."""

from __future__ import annotations

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Frame
from netsim.stack import Computer, ComputerSpec
from netsim.workload import Netperf

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
UDP = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, send_buffer=32768, receive_buffer=32768)


def dropped(scenario: Netperf) -> set[str]:
    """Where frames and datagrams are dropped in 0.3 s; the run's accounts are audited."""
    env = Environment(1)
    run = scenario.build(env)
    run.start()
    env.run(3 * 10**11)
    run.audit()
    return {place for place, count in run.accounts().drops.items() if count}


def test_nothing_is_dropped_with_time_to_spare() -> None:
    assert dropped(UDP) == set()


def test_a_slow_process_fills_its_socket() -> None:
    assert "receiver: socket buffer" in dropped(UDP.replace("receiver.memory.cached", "9 MB/s"))


def test_slow_protocols_fill_the_backlog_and_starve_the_process() -> None:
    slow = UDP.replace("receiver.system.ip.reassembly_cycles", 100_000)
    assert "receiver: backlog" in dropped(slow)
    result = ns.simulate(slow.replace("receiver.system.kernel.pass_ticks", 0), limit="0.3 s")
    assert (result.throughput, result.bottleneck) == (0, "receiver processor 0")
    assert result.bottleneck_share > 0.99
    assert result.dropped["receiver: backlog"] > 0  # type: ignore[index]


def test_but_for_a_call_every_other_tick() -> None:
    """The process gets the time that is left when processing the backlog breaks off (Linux 2.2: net_bh)."""
    slow = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=1400)
    run = slow.replace("receiver.system.udp.rx_cycles", 100_000).build(Environment(1))
    run.start()
    run.env.run(10**12)  # type: ignore[attr-defined]
    run.audit()
    assert 40 <= run.accounts().delivered / 1400 <= 51


def test_a_short_ring_overflows_under_a_slow_handler() -> None:
    slow = UDP.replace({"receiver.nics.0.driver.rx_cycles": 100_000, "receiver.nics.0.driver.rx_ring": 4})
    assert "receiver: receive ring" in dropped(slow)


def test_a_slow_bus_overflows_the_fifo() -> None:
    assert "receiver: receive fifo" in dropped(UDP.replace("receiver.bus.clock", "2.5 MHz"))


def test_bit_errors_lose_frames_on_the_wire_and_tcp_survives() -> None:
    lossy = Netperf(test="TCP_STREAM", sender=PC, receiver=PC).replace("link.bit_error_rate", 1e-7)
    result = ns.simulate(lossy.replace("max_iterations", 2), precision=0.1, limit="1 s")
    assert "wire to receiver: bit errors" in result.dropped
    assert all(place.what == "bit errors" for place in result.dropped)  # the other wire loses an acknowledgement
    assert result.counts["fast retransmits"] > 0
    assert 0.5 * 94e6 < result.throughput < 94.14e6


def busy(pc: ComputerSpec) -> Computer:
    """A host whose deferred work never makes progress."""
    host = Computer(Environment(1), pc, "host")
    host.backlogs[0]._work.ready = True
    return host


def test_a_backlog_that_overflowed_takes_nothing_until_it_is_empty() -> None:
    """In Linux 2.2, 301 frames enter, and then none until all 301 are processed."""
    host = busy(PC)
    assert PC.system.kernel.backlog_drains
    for _ in range(302):
        host.backlogs[0].put(Frame(64))
    assert host.drops == {"backlog": 1}
    for left in range(300, -1, -1):
        host.backlogs[0]._frames.popleft()
        host.backlogs[0].put(Frame(64))
        if left:
            assert len(host.backlogs[0]._frames) == left
    assert len(host.backlogs[0]._frames) == 1
    assert host.drops == {"backlog": 301}


def test_without_that_it_takes_one_for_each_that_leaves() -> None:
    host = busy(PC.replace("system.kernel.backlog_drains", False))
    for _ in range(302):
        host.backlogs[0].put(Frame(64))
    host.backlogs[0]._frames.popleft()
    host.backlogs[0].put(Frame(64))
    assert len(host.backlogs[0]._frames) == 301
    assert host.drops == {"backlog": 1}
