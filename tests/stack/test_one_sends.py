"""Several processors, and no lock between them: each segment is one work, and either of them sends it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.machine import Work
from netsim.stack import ComputerSpec, TcpSocket
from tests.stack.test_windows_tcp import ONE as LOCKED
from tests.stack.test_windows_tcp import SEGMENT, Connection
from tests.stack.transfer import PC, SECOND

ONE = LOCKED.replace("system.kernel.big_lock", False)
SERVER = ns.host("ml530", system="windows-2000", nics="pro100s/e100bnt5")


def on(count: int, host: ComputerSpec = ONE) -> ComputerSpec:
    return host.replace("processors.count", count)


def works_that_send(socket: TcpSocket) -> set[Work]:
    works = socket.works
    written = [one for some in works._sending_writes.values() for one in some.values()]
    answered = [one for arrived in works._arrived.values() for one in arrived._answered.values()]
    every = [*works._segments.values(), *written, *answered]
    return {*every, *(one.inside for one in every if one.inside)}  # whole, or in two parts


def billed(one: Connection) -> int:
    """How often the processors of both hosts, which are alike, have done the work of sending a segment."""
    sending = works_that_send(one.out) | works_that_send(one.into)
    each = [cpu.tally for host in (one.a, one.b) for cpu in host.processors]
    return sum(times for tally in each for work, times in tally.items() if work in sending)


def sent(one: Connection) -> int:
    return sum(socket.segments_sent + socket.acks_sent for socket in (one.out, one.into))


def talk(sender: TcpSocket, receiver: TcpSocket, sizes: list[int], asked: int) -> None:
    """Messages of these sizes, read by as much as is `asked` for."""
    left = iter(sizes)

    def write() -> None:
        size = next(left, 0)
        if size:
            sender.send(size, write)

    def read(_: int) -> None:
        receiver.receive(asked, read)

    read(0)
    write()


SIZES = st.lists(st.integers(1, 6 * SEGMENT), max_size=12)


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 4),
    there=SIZES,
    back=SIZES,
    asked=st.integers(1, 20_000),
    nodelay=st.booleans(),
    system=st.sampled_from([ONE, ONE.replace("system.tcp.receive_copy", "process"), LOCKED, PC]),
)
@example(2, [], [1, 1, 1, 1, 1457, 1, 4381, 1, 8759, 1463, 1460], 1, True, ONE)  # a small one, and then more is written
def test_each_segment_is_billed_once(
    count: int, there: list[int], back: list[int], asked: int, nodelay: bool, system: ComputerSpec
) -> None:
    host = on(count, system)
    one = Connection(host, host, nodelay=nodelay)
    talk(one.out, one.into, there, asked)
    talk(one.into, one.out, back, asked)
    one.env.run(5 * SECOND)
    assert (one.into.input.rcv_nxt, one.out.input.rcv_nxt) == (sum(there), sum(back))
    assert billed(one) == sent(one)


def test_what_the_process_sends_deferred_work_does_not() -> None:
    """An acknowledgement arrives on the other processor while the process writes."""
    one = Connection(on(2), on(2))
    one.send(100)
    while not one.out.sending:
        one.env.step()
    one.out._kick_output()
    assert one.out.begin() is None
    one.env.run(SECOND)
    assert one.into.input.rcv_nxt == 100
    assert billed(one) == sent(one)


def test_what_comes_up_meanwhile_is_sent_afterwards() -> None:
    """A window update becomes due while the process does the work of a segment that then may not go."""
    one = Connection(on(2), on(2))
    one.send(100)
    while not one.out.sending:
        one.env.step()
    one.out.output.snd_wnd_end = 0
    one.out.delayed_ack.now()
    one.env.run(one.env.now + SECOND // 100)
    assert one.out.acks_sent == 1


@pytest.mark.parametrize("burst", [0, 1, 3])
def test_a_transactions_protocol_does_not_take_longer_on_several_processors(burst: int) -> None:
    """What moves between caches has its own name. It may take less, where the processes' data share segments."""
    each = []
    for count in (1, 2, 4):
        host = on(count, SERVER)
        run: Any = ns.Netperf("TCP_RR", host, host, burst=burst).build(Environment(1))
        run.start()
        run.env.run(SECOND // 5)
        found = run.accounts()
        each.append(sum(parts.get("protocol", 0) for parts in found.busy.values()) / found.delivered)
    assert max(each) < 1.01 * each[0]


def test_a_bytes_time_on_processors_does_not_depend_on_their_number() -> None:
    each = []
    for count in (1, 2, 4):
        host = on(count, SERVER).replace("nics.0.driver.ipsec", "host")
        found = ns.simulate(ns.Netperf("TCP_STREAM", host, host, ipsec="3des-cbc/hmac-sha-1-96"), limit="0.3 s")
        each += [found.cpu_by_name(end)["crypto"] * count / found.throughput for end in ("sender", "receiver")]
    assert each == pytest.approx([each[0]] * 6, rel=0.01)
