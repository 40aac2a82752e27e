"""When a process that sleeps on a socket is woken: Linux 2.2, sock_def_write_space and tcp_write_space."""

from __future__ import annotations

from typing import Any

from netsim.ethernet import Link, LinkSpec
from netsim.stack import Computer, UdpReceiver, UdpSender
from netsim.units import MS
from tests.own_parts import WithParts
from tests.stack.test_windows_tcp import ONE, Connection
from tests.stack.transfer import PC, SECOND

QUIET = PC.replace("system.kernel.tick", "0 s")
WAKE_UP = QUIET.bill().cycles("wake-up", QUIET.system.kernel.wake_up_cycles).work().total


class Levels(UdpSender):
    """Notes the buffers' level when the process is woken up to continue writing."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.levels: list[int] = []

    def freed(self, frame: Any) -> None:
        ready = self._process.ready
        super().freed(frame)
        if self._process.ready and not ready:
            self.levels.append(self._buffered)


def udp_sender(send_buffer: int, share: float) -> Levels:
    env = WithParts(Levels)
    host, peer = Computer(env, QUIET.replace("system.udp.wake_up_share", share), "a"), Computer(env, QUIET, "b")
    there, back = (Link(env, LinkSpec.from_name("100base-tx"), name) for name in ("there", "back"))
    host.nics[0].plug(there, back)
    peer.nics[0].plug(back, there)
    UdpReceiver(peer, "port", 65536)
    sender = env.part(UdpSender)(host, "port", 8192, 1500, send_buffer)

    def again() -> None:
        sender.send(again)

    again()
    env.run(50 * MS)
    return sender  # type: ignore[return-value]


def test_a_udp_sender_is_woken_when_half_of_its_buffer_is_free() -> None:
    levels = udp_sender(32768, 0.5).levels
    assert levels
    assert max(levels) <= 16384 < max(levels) + 1536  # within one buffer of the limit


def test_or_by_every_buffer() -> None:
    levels = udp_sender(32768, 1).levels
    assert max(levels) > 32768 - 1800


def woken(one: Connection) -> list[int]:
    """ps spent waking processes up, on each host."""
    return [host.processors[0].busy().get("wake-up", 0) for host in (one.out.host, one.into.host)]


def test_a_tcp_reader_is_woken_by_each_acknowledgement_that_is_sent() -> None:
    """Needlessly: its buffer is freed in the interrupt that reports that it has been sent."""
    one = Connection(QUIET, QUIET, nodelay=True)
    one.read(100_000)
    one.send(100)
    one.env.run(SECOND)
    assert one.reads == [100]
    assert one.into.acks_sent == 1
    assert woken(one) == [0, WAKE_UP]  # it had returned when its acknowledgement went out
    one.read(100_000)
    one.into.delayed_ack.now()
    one.env.run(2 * SECOND)
    assert woken(one) == [0, 2 * WAKE_UP]


def test_a_tcp_writer_is_woken_when_data_are_acknowledged_and_when_they_are_sent() -> None:
    """It continues when less than its buffer is in use; without a reader the buffer fills up permanently."""
    one = Connection(QUIET, QUIET)
    sent: list[int] = []
    one.out.send(300_000, lambda: sent.append(one.env.now))
    one.env.run(SECOND)
    assert not sent
    assert woken(one)[0] > 10 * WAKE_UP
    assert one.out.is_full()


def test_where_payload_is_counted_nothing_is_woken_in_vain() -> None:
    one = Connection(ONE, ONE, nodelay=True)
    one.read(100_000)
    one.into.delayed_ack.now()
    one.env.run(SECOND)
    assert woken(one) == [0, 0]


def test_a_process_that_makes_no_call_is_not_woken() -> None:
    one = Connection(QUIET, QUIET, nodelay=True)
    one.into.delayed_ack.now()
    one.env.run(SECOND)
    assert one.into.acks_sent == 1
    assert woken(one) == [0, 0]
