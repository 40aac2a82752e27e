"""What the acknowledgements after a tail loss probe say (Linux 5.17, net/ipv4/tcp_input.c, tcp_process_tlp_ack; RFC
8985, 7.4)."""

from __future__ import annotations

import pytest

from netsim.machine import CycleTally
from netsim.stack.stream_sender import StreamSender
from netsim.stack.stream_way import StreamAck
from netsim.units import MS
from tests.workload.test_iperf3 import run, stream


@pytest.fixture
def probing() -> StreamSender:
    """A sender that has just sent its last segment again."""
    sender = run(stream("1000base-t", 1500), 20 * MS).streams[0].sender
    sender._probe_end = sender.output.snd_nxt
    return sender


def acknowledge(sender: StreamSender, rcv_nxt: int, *, duplicate: bool = False) -> None:
    sender.output.snd_nxt = max(sender.output.snd_nxt, rcv_nxt)  # as if data sent since then had arrived
    sender._acked(StreamAck(rcv_nxt, rcv_nxt + 40, (), duplicate), CycleTally())


def test_it_repaired_a_loss_if_later_data_are_acknowledged(probing: StreamSender) -> None:
    window, end = probing.output.window, probing._probe_end
    before = window.cwnd
    acknowledge(probing, end)
    assert window.cwnd >= before
    acknowledge(probing, end + 1)
    reduced = window.cwnd
    assert window.ssthresh == reduced < 0.8 * before
    acknowledge(probing, end + 2)
    assert window.cwnd >= reduced  # and not again


def test_nothing_was_lost_if_the_receiver_had_the_segment(probing: StreamSender) -> None:
    window, end = probing.output.window, probing._probe_end
    before = window.cwnd
    acknowledge(probing, end)
    acknowledge(probing, end, duplicate=True)
    acknowledge(probing, end + 1)
    assert window.cwnd >= before


def test_the_acknowledgement_of_a_probe_gives_no_sample(probing: StreamSender) -> None:
    """It could be that of either copy (RFC 6298, 3: Karn)."""
    rtt, end = probing.rtt, probing._probe_end
    samples = rtt.samples
    acknowledge(probing, end)
    assert rtt.samples == samples
