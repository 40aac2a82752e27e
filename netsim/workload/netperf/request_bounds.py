"""The closed form of TCP_RR and UDP_RR: per transaction, the least time of every resource, and the time of a lone
transaction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import CLIENTS
from netsim.closed_form.load import Frames, Load
from netsim.closed_form.request import InFrames, over_tcp, over_udp
from netsim.closed_form.stream import pair_bounds
from netsim.closed_form.way import Way
from netsim.stack import ComputerSpec
from netsim.stack.bonding_spec import Shares
from netsim.units import TPS

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf


def request_bounds(test: Netperf) -> Bounds:
    """Per transaction. "clients" is the limit if each transaction under way had every resource to itself."""
    near, far = test.ends
    there, back = _message(test, near, far, test.request_size), _message(test, far, near, test.response_size)
    client, server = Load(), Load()
    asked, answered = test.shares
    out = _carried(test, client, server, there, far, asked)
    into = _carried(test, server, client, back, near, answered)
    found = pair_bounds(test, 1, client, server, out, into)
    lone = test.outstanding == 1 and len(there.passages) == len(back.passages) == 1
    ways = (Way(*ends, test.medium, test.distance, test.switch, lone=lone) for ends in ((near, far), (far, near)))
    each = zip(ways, (there, back), (asked, answered), strict=True)
    alone = sum(message.least(way, len(ports)) for way, message, ports in each)
    return replace(found, demand={**found.demand, Resource("", CLIENTS): alone / test.outstanding}, unit=TPS)


def _carried(
    test: Netperf, sends: Load, takes: Load, message: InFrames, far: ComputerSpec, ways: Shares
) -> list[Frames]:
    """The frames on each cable."""
    backlog = far.system.tcp.backlog and test.test == "TCP_RR"
    found: list[Frames] = [[] for _ in range(test.cables)]
    for share, port in ways:
        found[port] = message.carried(sends, takes, port, backlog=backlog, share=share)
    return found


def _message(test: Netperf, near: ComputerSpec, far: ComputerSpec, nbytes: int) -> InFrames:
    if test.test == "UDP_RR":
        return over_udp(near, far, nbytes, test.mtu)
    # If each message is one segment, and only one is under way, each acknowledges the one before.
    longest = max(test.request_size, test.response_size)
    one = test.outstanding == 1 and longest <= min(near.mss(test.mtu), far.mss(test.mtu))
    return over_tcp(near, far, nbytes, test.mtu, test.outstanding, alone=one, acks=one)
