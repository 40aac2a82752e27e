"""The closed form of TCP_CRR: per transaction, each with its own connection, the least time of every resource, and the
time of a lone transaction. Acknowledgements of data are left out: other segments may carry them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.bounds import Bounds
from netsim.accounts.resource import CLIENTS
from netsim.closed_form.load import Frames, Load, carry
from netsim.closed_form.outline import frame
from netsim.closed_form.passage import Passage
from netsim.closed_form.request import InFrames, over_tcp
from netsim.closed_form.stream import pair_bounds
from netsim.closed_form.way import Way
from netsim.machine import Work
from netsim.stack import ComputerSpec
from netsim.stack.socket import CALLED
from netsim.stack.tcp_connection_costs import ConnectionCosts
from netsim.stack.tcp_costs import TcpCosts
from netsim.units import TPS

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf


class _End:
    """The segments that one end sends to open and close, and its work for those it receives."""

    def __init__(self, host: ComputerSpec) -> None:
        self.costs = costs = ConnectionCosts(TcpCosts(host))
        self.syn, self.short = frame(costs.syn_size), frame(costs.size)
        self.load = Load()

    def call(self, work: Work) -> None:
        """A process makes a call."""
        self.load.anywhere.append((1, work))
        self.load.calls.append((1, work))


def connect_bounds(test: Netperf) -> Bounds:
    """Per transaction. "clients" is the limit if each client had every resource to itself."""
    near, far = test.ends
    client, server = _End(near), _End(far)
    there = over_tcp(near, far, test.request_size, test.mtu, 1, alone=True)
    acks = test.request_size <= near.mss(test.mtu)
    back = over_tcp(far, near, test.response_size, test.mtu, 1, alone=True, acks=acks)
    asking, answering = test.shares
    out: list[Frames] = [[] for _ in range(test.cables)]
    into: list[Frames] = [[] for _ in range(test.cables)]
    for (share, by), (part, again) in product(asking, answering):
        out[by] += _carried(client, server, _asked(client, server, by, again), share * part, by)
        into[again] += _carried(server, client, _answered(client, server, by, again), share * part, again)
    for share, by in asking:
        out[by] += there.carried(client.load, server.load, by, backlog=far.system.tcp.backlog, share=share)
    for share, again in answering:
        into[again] += back.carried(server.load, client.load, again, backlog=near.system.tcp.backlog, share=share)
    client.call(client.costs.ended(CALLED))
    server.call(server.costs.accepted(CALLED))
    found = pair_bounds(test, 1, client.load, server.load, out, into)
    alone = _alone(test, client, server, there, back)
    return replace(found, demand={**found.demand, Resource("", CLIENTS): alone}, unit=TPS)


def _carried(sends: _End, takes: _End, passages: list[Passage], share: float, port: int) -> Frames:
    """The frames of `passages`, of which the `share` arrives on that port. Their work is added to both ends."""
    for one in passages:
        carry(sends.load, takes.load, share, one, port)
    return [(share, one.frame) for one in passages]


def _asked(client: _End, server: _End, by: int, again: int) -> list[Passage]:
    """The segments that the client sends to open and close: SYN, the acknowledgements of the server's SYN and FIN, FIN.
    The work that receives a segment also sends its answer. The client sends `by` one port, the server by the other."""
    mine, theirs = client.costs, server.costs
    opened, closed = mine.opened(by), mine.closed(by)
    return [
        Passage(client.syn, (opened,), (theirs.requested(again),), written=(opened,)),
        Passage(client.short, (), (theirs.established(),)),
        Passage(client.short, (), (theirs.acknowledged(),)),
        Passage(client.short, (closed,), (theirs.finished(again),), written=(closed,)),
    ]


def _answered(client: _End, server: _End, by: int, again: int) -> list[Passage]:
    """The segments that the server sends: SYN with acknowledgement, FIN, the acknowledgement of the client's FIN."""
    mine, theirs = server.costs, client.costs
    closed = mine.closed(again)
    return [
        Passage(server.syn, (), (theirs.answered(by),)),
        Passage(server.short, (closed,), (theirs.finished(by),), written=(closed,)),
        Passage(server.short, (), (theirs.acknowledged(),)),
    ]


def _alone(test: Netperf, client: _End, server: _End, there: InFrames, back: InFrames) -> int:
    """The least time (ps) of a transaction: the connecting process is woken, but an interrupt may already have started
    a driver. The server closes while its response is on the way."""
    near, far = client.costs, server.costs
    ends = (near.host, far.host), (far.host, near.host)
    out, into = (Way(*hosts, test.medium, test.distance, test.switch) for hosts in ends)
    opening = near.opened(0).total + out.crossed([(1, client.syn)]) + far.requested(0).total
    opening += into.crossed([(1, server.syn)]) + near.answered(0).total + near.costs.wake_up().total
    finish = back.written.total + far.closed(0).total + into.crossed([(1, server.short)]) + near.finished(0).total
    closing = near.ended(CALLED).total + near.closed(0).total
    asking, answering = (len(ports) for ports in test.shares)
    return opening + there.least(out, asking) + max(finish, back.least(into, answering)) + closing
