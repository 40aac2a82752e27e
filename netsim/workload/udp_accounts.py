"""A UDP socket pair's part of a run's accounts: the counts, the drops, and the check that no datagram is invented."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from netsim.accounts import DropPlace
from netsim.errors import ConservationError
from netsim.stack import UdpReceiver, UdpSender
from netsim.topology.tester import TesterSink, TesterSource

Out = UdpSender | TesterSource
Into = UdpReceiver | TesterSink

NOT_REPEATED: Final = "UDP does not repeat lost requests and responses, as TCP would"


def counts(ways: Collection[tuple[Out, Into]]) -> dict[str, int]:
    """The counts of all ways, each from one socket to another."""
    return {
        "datagrams sent": sum([out.datagrams for out, _ in ways]),
        "datagrams received": sum([into.datagrams for _, into in ways]),
    }


def drops(into: Into, host: str) -> dict[DropPlace, int]:
    """The datagrams and fragments that a socket on `host` has dropped; a tester drops none."""
    if isinstance(into, TesterSink):
        return {}
    return {DropPlace(host, what): count for what, count in {**into.drops, **into.reassembly.drops}.items()}


def audit(out: Out, into: Into, host: str) -> None:
    """Check that every datagram at `host` was sent; one may be on its way into the sending socket. Raises
    ConservationError."""
    known = into.datagrams
    if isinstance(into, TesterSink):
        known += into.incomplete
    else:
        known += into.queued + into.drops["socket buffer"] + into.reassembly.incomplete
    if known > out.datagrams + 1:
        raise ConservationError(f"datagrams: {known} at {host}, {out.datagrams} sent")
