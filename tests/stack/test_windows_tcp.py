"""TCP and sockets as in Windows 2000: the window, what buffers count, and copies in deferred work. (Calls that send:
test_whole_calls.)"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netsim as ns
from netsim.engine import Environment
from netsim.ethernet import Link, LinkSpec
from netsim.machine import MemorySpec
from netsim.stack import Computer, ComputerSpec, TcpSocket, TcpSpec, connect
from netsim.stack.tcp_receive import Reception
from netsim.units import MS
from netsim.workload import Netperf
from tests.stack.channel import MEMORY, segment
from tests.stack.transfer import PC, SECOND, Transfer

TCP = {
    "timestamps": False,
    "sack": False,
    "send_buffer": "8 KiB",
    "receive_buffer": "16 KiB",
    "window_clamp": 65535,
    "window_share": 1,
    "window_rounds_up": True,
    "window_least": 4,
    "delayed_ack": "200 ms",
    "delayed_ack_limit": "0 s",
    "nagle_share": 1,
    "window_update": "read",
    "min_timeout": "400 ms",
    "receive_copy": "deferred",
    "backlog": False,
}
SYSTEM = {f"system.tcp.{name}": value for name, value in TCP.items()}
SYSTEM |= {"system.kernel.tick": "0 s", "system.socket.counts": "payload", "system.socket.takes_whole": True}
ONE = PC.replace(SYSTEM)
TWO = ONE.replace("processors.count", 2)
SEGMENT = 1460
SPEC = ONE.system.tcp


# ---- the window ----


@pytest.mark.parametrize(
    ("buffer", "size", "window"), [(16384, 1460, 17520), (16384, 8960, 35840), (65535, 1460, 64240), (8192, 1460, 8760)]
)
def test_the_window_is_that_of_the_white_paper(buffer: int, size: int, window: int) -> None:
    """MS, Windows 2000 TCP/IP Implementation Details, and its predecessor for NT 4.0: 12, 4, 44 and 6 segments."""
    assert SPEC.replace("receive_buffer", buffer).window(0, size) == window


def test_what_is_buffered_closes_it() -> None:
    assert SPEC.window(SEGMENT, SEGMENT) == 11 * SEGMENT
    assert SPEC.window(17520, SEGMENT) == 0
    assert SPEC.window(100, SEGMENT) == 11 * SEGMENT  # whole segments


def test_linux_offers_what_it_did() -> None:
    assert PC.system.tcp.window(0, 1448) == 22 * 1448
    assert PC.system.tcp.window(20_001, 1448) == (65535 - 20_001) // 2 // 1448 * 1448


def reception(**changes: Any) -> Reception:
    return Reception(SPEC, SEGMENT, ONE.system.socket.replace(changes))


def test_payload_is_counted_byte_by_byte() -> None:
    into = reception()
    into.take(segment(0, 1000), MEMORY)
    assert into.memory == 1000
    into.read(400)
    assert into.memory == 600
    into.take(segment(2000, 1000), MEMORY)  # out of order
    assert into.memory == 1600
    into.take(segment(900, 1100), MEMORY)  # 100 bytes of it have already arrived
    assert (into.rcv_nxt, into.memory) == (3000, 2600)
    for nbytes in (600, 1000, 1000):
        into.read(nbytes)
    assert into.memory == 0


def test_memory_is_counted_whole() -> None:
    into = reception(counts="memory")
    one = segment(0, 1000)
    one.memory = 1552
    into.take(one, MEMORY)
    into.read(999)
    assert into.memory == 1552
    into.read(1)
    assert into.memory == 0


# ---- calls ----


class Connection:
    """Two computers with a cable, a socket at each end, and the times when calls return."""

    def __init__(
        self, a: ComputerSpec = ONE, b: ComputerSpec = ONE, link: str = "100base-tx", nodelay: bool = False
    ) -> None:
        self.env = env = Environment(1)
        self.a, self.b = Computer(env, a, "a"), Computer(env, b, "b")
        there, back = (Link(env, LinkSpec.from_name(link), name) for name in ("there", "back"))
        self.a.nics[0].plug(there, back)
        self.b.nics[0].plug(back, there)
        self.out: TcpSocket
        self.into: TcpSocket
        self.out, self.into = connect(self.a, self.b, 1500, "test", nodelay)
        self.reads: list[int] = []
        self.sends: list[int] = []

    def read(self, *limits: int) -> None:
        if limits:
            self.into.receive(limits[0], lambda nbytes: (self.reads.append(nbytes), self.read(*limits[1:]))[1])

    def send(self, *sizes: int) -> None:
        if sizes:
            self.out.send(sizes[0], lambda: (self.sends.append(self.env.now), self.send(*sizes[1:]))[1])

    def works(self, host: Computer, name: str) -> int:
        """The number of completed works that have a part of that name."""
        return sum(
            times for one in host.processors for work, times in one.tally.items() if name in dict(work.parts)
        )


def test_a_call_segment_by_segment_waits_within() -> None:
    one = Connection(ONE.replace("system.socket.takes_whole", False))
    one.send(100_000)
    one.env.run(SECOND)
    assert 8192 <= one.out.output.write_seq - one.out.output.snd_una < 8192 + SEGMENT
    assert not one.sends


def test_a_posted_receive_is_filled_by_deferred_work() -> None:
    """One system call and one wake-up for 10,000 bytes in seven segments, all copied once."""
    one = Connection()
    one.read(10_000)
    one.env.run(SECOND // 100)
    one.send(10_000)
    one.env.run(SECOND)
    assert one.reads == [10_000]
    assert one.works(one.b, "system call") == one.works(one.b, "wake-up") == 1
    assert one.works(one.b, "copy") == 7
    assert one.into.read_bytes == 10_000
    assert not one.into.input.memory


@pytest.mark.parametrize("short", [1, 700, SEGMENT - 1, SEGMENT])
def test_data_that_two_processors_take_from_two_segments_reach_the_process_once(short: int) -> None:
    """The second one, a retransmission, begins like the first and has more: both are next when work on them begins."""
    one = Connection(b=TWO)
    one.read(10_000)
    one.env.run(SECOND // 100)
    both = [segment(0, length, window=17520) for length in (short, SEGMENT)]
    for frame in both:
        frame.received_by, frame.push = 0, False
        one.into.arriving(frame)
        assert frame.copied == frame.length
    for frame in both:
        one.into.take_in(frame)
    assert one.into.read_bytes == one.into.input.rcv_nxt == SEGMENT


def test_a_process_that_copies_itself_is_woken_by_the_first() -> None:
    one = Connection(b=ONE.replace("system.tcp.receive_copy", "process"))
    one.read(10_000)
    one.env.run(SECOND // 100)
    one.send(10_000)
    one.env.run(SECOND)
    assert one.reads[0] < 10_000


def test_the_copy_costs_the_same_wherever() -> None:
    def copied(way: str) -> int:
        one = Connection(b=ONE.replace("system.tcp.receive_copy", way))
        one.send(10 * SEGMENT)
        one.read(*[SEGMENT] * 10)
        one.env.run(SECOND)
        assert one.into.read_bytes == 10 * SEGMENT
        return sum(cpu.busy()["copy"] for cpu in one.b.processors)

    assert copied("deferred") == copied("process")


def test_the_end_of_a_send_call_completes_a_receive() -> None:
    one = Connection()
    one.read(50_000, 50_000)
    one.env.run(SECOND // 100)
    one.send(3 * SEGMENT, 2 * SEGMENT)
    one.env.run(SECOND)
    assert one.reads == [3 * SEGMENT, 2 * SEGMENT]


@pytest.mark.parametrize("wait", [0, 500])
def test_half_a_second_without_more_completes_a_receive(wait: int) -> None:
    """The data so far are neither pushed nor all that was asked for: the last segment of the call is lost, and so is
    its retransmission (Windows 2000 TCP/IP Implementation Details, "Push Bit Interpretation")."""
    one = Connection(b=ONE.replace("system.tcp.receive_wait", f"{wait} ms"))
    one.read(50_000, 50_000)
    one.env.run(SECOND // 100)
    out = one.a.nics[0].transmitter.link
    assert out is not None
    out.lost = lambda frame: getattr(frame, "seq", 0) == 2 * SEGMENT  # type: ignore[method-assign]
    one.send(3 * SEGMENT)
    one.env.run(SECOND // 100 + 490 * MS)
    assert not one.reads
    one.env.run(SECOND // 100 + 510 * MS)
    assert one.reads == ([2 * SEGMENT] if wait else [])


def test_a_receive_that_is_complete_leaves_no_half_second_behind() -> None:
    one = Connection(b=ONE.replace("system.tcp.receive_wait", "500 ms"))
    one.read(2 * SEGMENT, 50_000)
    one.env.run(SECOND // 100)
    one.send(2 * SEGMENT)
    one.env.run(2 * SECOND)
    assert one.reads == [2 * SEGMENT]
    assert one.into.read.active


def test_what_is_beyond_the_posted_buffer_waits_for_the_next_call() -> None:
    one = Connection()
    one.read(1000, 5000)
    one.env.run(SECOND // 100)
    one.send(3 * SEGMENT)
    one.env.run(SECOND)
    assert sum(one.reads) <= 3 * SEGMENT
    assert one.reads[0] == 1000
    assert one.into.read_bytes == sum(one.reads)
    assert sum(nbytes for nbytes, _, _ in one.into.input.queue) == 3 * SEGMENT - sum(one.reads)


def test_what_comes_while_no_call_is_posted_waits_in_the_socket() -> None:
    one = Connection()
    one.send(3 * SEGMENT)
    one.env.run(SECOND)
    assert one.into.input.memory == 3 * SEGMENT
    one.read(10_000)
    one.env.run(2 * SECOND)
    assert one.reads == [3 * SEGMENT]


def test_the_window_stays_open_while_deferred_work_copies() -> None:
    one = Connection()
    one.read(200_000)
    one.env.run(SECOND // 100)
    one.send(200_000)
    one.env.run(SECOND)
    assert one.reads == [200_000]
    assert one.into.input.beyond_window == 0
    assert one.into.input.rcv_wnd_end - one.into.input.last_ack_sent >= 11 * SEGMENT


# ---- anything sent and read ----

SIZES = st.lists(st.integers(1, 30_000), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(SIZES, st.lists(st.integers(1, 40_000), min_size=1, max_size=4), st.integers(1, 2), st.integers(1, 2), st.data())
def test_all_bytes_arrive_once(sizes: Any, limits: Any, senders: int, receivers: int, data: Any) -> None:
    """With one or two processors at each end; slow ones make them overlap in every way."""
    clocks = {end: data.draw(st.sampled_from([20, 60, 600])) for end in "ab"}
    a, b = (
        ONE.replace({"processors.count": count, "processors.clock": f"{clocks[end]} MHz"})
        for end, count in (("a", senders), ("b", receivers))
    )
    one = Connection(a, b)
    total = sum(sizes)

    def read(_: int = 0) -> None:
        if one.into.read_bytes < total:
            one.into.receive(limits[one.into.read_bytes % len(limits)], read)

    one.send(*sizes)
    one.env.call_at(data.draw(st.integers(0, 20)) * MS, lambda _: read())
    one.env.run(60 * SECOND)
    assert one.into.read_bytes == total == one.out.output.snd_una
    assert one.out.output.retransmitted == 0  # nothing was sent by both the process and deferred work
    assert one.into.input.memory == 0
    for host in (one.a, one.b):
        for cpu in host.processors:
            assert sum(cpu.busy().values()) + cpu.idle_until_now() == one.env.now


@settings(max_examples=20, deadline=None)
@given(st.sets(st.tuples(st.sampled_from(["data", "ack"]), st.integers(0, 60)), max_size=8), st.booleans())
def test_losses_are_survived(losses: set[tuple[str, int]], smp: bool) -> None:
    host = TWO if smp else ONE
    test = Netperf(test="TCP_STREAM", sender=host, receiver=host)
    Transfer(40 * SEGMENT + 100, lambda name, count, _: (name, count) in losses, test).complete(seconds=2000)


@pytest.mark.parametrize("host", [ONE, TWO], ids=["one", "two"])
def test_a_stream_fills_the_wire(host: ComputerSpec) -> None:
    result = ns.simulate(Netperf(test="TCP_STREAM", sender=host, receiver=host, message=65536), limit="0.3 s")
    assert result.throughput > 94e6  # 94.9 without timestamps, 1460 of 1538 bytes
    assert result.counts["retransmitted segments"] == 0


def test_udp_counts_its_payload_too() -> None:
    """Of datagrams of 1,000 bytes that are not read 32 fit into 32,000 bytes, but fewer if their memory counts."""

    def queued(counts: str) -> int:
        pc = PC.replace("system.socket.counts", counts)
        test = Netperf(test="UDP_STREAM", sender=PC, receiver=pc, message=1000, receive_buffer=16_000)
        run: Any = test.build(Environment(1))
        run._send()
        run.env.run(20 * MS)
        run.audit()
        return int(run.into.queued)

    assert queued("payload") == 32
    assert queued("memory") == 31_999 // 1552


def test_a_peers_first_window_is_known() -> None:
    """It comes with the peer's SYN, whatever the sender's own window is."""
    one = Connection(PC, ONE.replace("system.tcp.timestamps", True))
    assert one.out.output.snd_wnd_end == one.into.input.rcv_wnd_end != one.out.input.rcv_wnd_end


def test_the_memory_has_no_bandwidth_if_none_is_given() -> None:
    assert MemorySpec.model_fields["bandwidth"].default is None
    assert TcpSpec.model_fields["receive_copy"].default == "process"
