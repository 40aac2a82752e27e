"""How much buffers count in a socket, by the sources of Linux 2.2.16: skb->truesize, data areas in multiples of 16."""

from __future__ import annotations

from typing import Any

import pytest

from netsim.engine import Environment
from netsim.scenario import host
from netsim.stack import Computer, ComputerSpec, UdpSender
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.udp_costs import UdpCosts
from netsim.units import MS
from netsim.workload import Netperf
from tests.stack.test_windows_tcp import ONE, Connection
from tests.stack.transfer import PC, SECOND

QUIET = PC.replace("system.kernel.tick", "0 s")
FULL = 1518  # bytes of a frame


def linux(nic: str) -> ComputerSpec:
    return host("piii-600", system="linux-2.2.16", nics=[nic])


@pytest.mark.parametrize(
    ("nic", "mtu", "size", "memory"),
    [
        ("lne100tx/tulip", 1500, FULL, 1552),  # PKT_BUF_SZ 1536, dev_alloc_skb's 16
        ("lne100tx/tulip", 1500, 64, 80),  # below the copybreak: dev_alloc_skb(60 + 2), 78
        ("3c905b/3c59x", 1500, FULL, 1552),
        ("eepro100/eepro100", 1500, FULL, 1568),  # and a receive frame descriptor of 16
        ("rtl8139/rtl8139", 1500, FULL, 1536),  # dev_alloc_skb(1514 + 2), 1532
        ("rtl8139/rtl8139", 1500, 1000, 1024),  # 996 + 18 = 1014
        ("3c985b/acenic", 1500, FULL, 1520),
        ("3c985b/acenic", 9000, 9018, 9024),
        ("sk9843/sk98lin", 1500, FULL, 1552),
        ("sk9843/sk98lin", 9000, 9018, 9040),
        ("pro1000f/e1000", 1500, FULL, 2064),
        ("pro1000f/e1000", 9000, 9018, 16400),
        ("pro1000f/e1000", 9000, 5993, 16400),  # by the MTU, not by the frame's size
    ],
)
def test_a_received_frame_counts_for_what_its_driver_allocated(nic: str, mtu: int, size: int, memory: int) -> None:
    assert TcpCosts(linux(nic), mtu=mtu).memory(size, 0) == memory


def test_a_datagram_in_fragments_counts_for_the_buffer_it_is_joined_in() -> None:
    """ip_glue: dev_alloc_skb(20 + 8200), plus 16."""
    assert UdpCosts(linux("lne100tx/tulip")).memory(800, 8200, 0, 1500) == 8240


def test_seven_datagrams_of_8192_fit_into_the_receive_buffer() -> None:
    """7 x 8240 of 65536; the eighth would make 65920."""
    test = Netperf(test="UDP_STREAM", sender=PC, receiver=PC, message=8192, receive_buffer=32768)
    run: Any = test.build(Environment(1))
    run._send()
    run.env.run(20 * MS)
    run.audit()
    assert run.into.queued == 7


def test_a_datagram_that_would_fill_the_buffer_is_dropped() -> None:
    """sock_queue_rcv_skb: rmem + truesize >= rcvbuf."""
    for receive_buffer, queued in [(2 * 1552, 1), (2 * 1552 + 2, 2)]:
        test = Netperf(
            test="UDP_STREAM", sender=PC, receiver=PC, message=1000, receive_buffer=receive_buffer // 2
        )
        run: Any = test.build(Environment(1))
        run._send()
        run.env.run(10 * MS)
        assert run.into.queued == queued


@pytest.mark.parametrize(
    ("message", "memory"),
    [
        (8192, [864, 1536, 1536, 1536, 1536, 1536]),  # 20 + 800 + 31 = 851 and 1500 + 31 = 1531
        (100, [160]),  # 20 + 108 + 31 = 159
    ],
)
def test_a_fragment_sent_counts_for_its_buffer(message: int, memory: list[int]) -> None:
    sender = UdpSender(Computer(Environment(1), QUIET, "a"), "port", message, 1500, 65536)
    assert sender._charges == memory


def test_a_segment_counts_until_it_is_acknowledged_and_again_while_the_driver_has_it() -> None:
    """1448 + 160 makes 1616; an acknowledgement counts 160."""
    one = Connection(QUIET, QUIET, nodelay=True)
    one.send(1448)
    held = set()
    while one.env.peek() < SECOND:
        one.env.step()
        held.add(one.out._memory())
        held.add(-one.into._memory())
    assert held == {0, 1616, 2 * 1616, -160}


def test_a_writer_goes_on_until_the_memory_is_used_up() -> None:
    """Nothing is read: 65535 of memory hold 41 segments (40 hold 64640), whatever they carry."""
    one = Connection(QUIET, QUIET)
    one.send(1_000_000)
    one.env.run(100 * MS)  # before the first window probe
    assert one.out.output.write_seq - one.out.output.snd_una == 41 * 1448


def test_payload_alone_counts_where_the_system_says_so() -> None:
    one = Connection(ONE, ONE)
    one.send(100)
    while not one.out.segments_sent:
        one.env.step()
    assert one.out._memory() == 100
