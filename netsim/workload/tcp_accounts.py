"""A TCP connection's part of a run's accounts, for one direction: the counts, and the check that no byte is
invented."""

from __future__ import annotations

from netsim.errors import ConservationError
from netsim.stack import TcpSocket


def counts(out: TcpSocket, into: TcpSocket) -> dict[str, int]:
    """The counts of the data from `out` to `into`."""
    return {
        "segments sent": out.segments_sent,
        "acknowledgements sent": into.acks_sent,
        "retransmitted segments": out.output.retransmitted,
        "fast retransmits": out.output.fast_retransmits,
        "retransmission timeouts": out.output.timeouts,
        "duplicate acknowledgements": out.output.duplicate_acks,
        "segments out of order": into.input.out_of_order,
        "segments received twice": into.input.duplicates,
        "segments beyond the window": into.input.beyond_window,
    }


def audit(out: TcpSocket, into: TcpSocket) -> None:
    """Check that every byte read was sent, and every byte acknowledged has arrived. Raises ConservationError."""
    queued = sum(nbytes for nbytes, _, _ in into.input.queue)
    if into.read_bytes + queued != into.input.rcv_nxt:
        text = f"{into.read_bytes} read and {queued} queued of {into.input.rcv_nxt}"
        raise ConservationError(f"TCP bytes: {text}")
    if not out.output.snd_una <= into.input.rcv_nxt <= out.output.snd_max <= out.output.write_seq:
        raise ConservationError("TCP bytes: more acknowledged than received, or more received than sent")


def waiting_for(out: TcpSocket) -> str:
    """A text that says what `out` waits for."""
    output, snd_una = out.output, out.output.snd_una
    return f"{output.write_seq - snd_una} bytes are not acknowledged, {output.snd_nxt - snd_una} on their way"
