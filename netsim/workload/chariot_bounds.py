"""The closed form of files between a server and its clients: per transaction, the least time of every resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from netsim.bounds import Bounds
from netsim.stack import ComputerSpec
from netsim.stack.large_send import at_once, handed_over
from netsim.stack.socket import bill_call
from netsim.stack.tcp_costs import TcpCosts
from netsim.workload.pair_bounds import Frames, Load, add_ack, add_data, host_demand, on_the_wire
from netsim.workload.star import wires
from netsim.workload.way import Way

if TYPE_CHECKING:
    from netsim.workload.chariot import Chariot

Demand = dict[str, float]  # resource -> ps
_EVEN = 1e-6  # what the slowest pair weighs beside all of them: it only decides between what is equally good


def chariot_bounds(test: Chariot) -> Bounds:
    """Per transaction, of all pairs together.

    Each pair is as fast as it can be, so the part that each has in the whole is not given: the bound is for those parts
    that make the whole fastest, as even as they can be then. Equal clients have equal parts.
    """
    kinds = [(clients, direction) for clients in _groups(test) for direction in test.directions]
    flows = [_demand(test, clients, direction) for clients, direction in kinds]
    parts = _parts(flows, [len(clients) for clients, _ in kinds])
    return Bounds(_sum(zip(parts, flows, strict=True)), test.file_size)


def _sum(parts: Iterable[tuple[float, Demand]]) -> Demand:
    """So much of each demand."""
    total: Demand = {}
    for part, demand in parts:
        for name, ps in demand.items():
            total[name] = total.get(name, 0.0) + part * ps
    return total


def _groups(test: Chariot) -> list[list[str]]:
    """The names of the clients, equal ones together."""
    groups: dict[ComputerSpec, list[str]] = {}
    for name, spec in zip(test.client_names, test.clients, strict=True):
        groups.setdefault(spec, []).append(name)
    return list(groups.values())


def _demand(test: Chariot, clients: Sequence[str], direction: str) -> Demand:
    """Of a transaction between the server and one of these equal clients, which take turns."""
    client = test.hosts()[clients[0]]
    turn = 1 / len(clients)
    if direction == "download":
        one = _Transaction(test, test.server, client)
        return _sum([(1, one.sending("server")), *((turn, one.taking(name)) for name in clients)])
    one = _Transaction(test, client, test.server)
    return _sum([(1, one.taking("server")), *((turn, one.sending(name)) for name in clients)])


class _Transaction:
    """A file from one host to another, in as few segments as can be, and its confirmation."""

    def __init__(self, test: Chariot, sender: ComputerSpec, taker: ComputerSpec) -> None:
        self._test, self._sender, self._taker = test, sender, taker
        self._near, self._far = TcpCosts(sender), TcpCosts(taker)
        self._sends, self._takes = self._calls(sender), self._calls(taker)
        self._out: Frames = []
        self._back: Frames = []
        self._send_file()
        self._confirm()

    def _calls(self, host: ComputerSpec) -> Load:
        """The system calls for the file and the confirmation, at either end."""
        test = self._test
        calls = -(-test.file_size // test.buffer) - (-test.confirmation // test.buffer)
        return Load([(calls, bill_call(host, True, False).work())])

    def _send_file(self) -> None:
        """A segment is acknowledged when more than one of the taker's own is not; the last ones by the confirmation."""
        near, far, test = self._near, self._far, self._test
        for length, segments, count in self._segments(near, test.file_size):
            add_data(self._sends, self._takes, near, far, count, length, segments)
            self._out.append((count, handed_over(near.spec, length, segments)))
        unacknowledged = near.spec.segment_size(test.mtu) + far.spec.segment_size(test.mtu)
        acks = -(-test.file_size // unacknowledged) - 1
        add_ack(self._sends, self._takes, near, far, acks)
        self._back.append((acks, handed_over(far.spec, 0, 1)))

    def _confirm(self) -> None:
        for length, segments, count in self._segments(self._far, self._test.confirmation):
            add_data(self._takes, self._sends, self._far, self._near, count, length, segments)
            self._back.append((count, handed_over(self._far.spec, length, segments)))

    def _segments(self, costs: TcpCosts, nbytes: int) -> Iterator[tuple[int, int, int]]:
        """Full segments and what is left, as (bytes, how many at once, how often that)."""
        length = costs.spec.segment_size(self._test.mtu)
        full, rest = divmod(nbytes, length)
        many = at_once(costs.host.large_send, length)
        parts = (length, many, full // many), (length, full % many, 1), (rest, 1, 1)
        yield from (part for part in parts if all(part))

    # --- what it takes -----------------------------------------------------------------------------------------------

    def sending(self, name: str) -> Demand:
        """What it needs of the host that sends, and of its cable."""
        return self._host(name, self._sender, self._sends, self._out, self._back)

    def taking(self, name: str) -> Demand:
        """What it needs of the other."""
        return self._host(name, self._taker, self._takes, self._back, self._out)

    def _host(self, name: str, host: ComputerSpec, load: Load, sent: Frames, received: Frames) -> Demand:
        link = self._test.link
        cable: Demand = {
            wire: sum(count * link.frame_time(frame.size) for count, frame in on_the_wire(frames))
            for wire, frames in zip(wires(name), (sent, received), strict=True)
        }
        return cable | host_demand(host, name, link, load, [sent], [received])


def _parts(flows: Sequence[Demand], pairs: Sequence[int]) -> list[float]:
    """Each flow's part in the whole at which most transactions are made in all, while no resource is needed for more
    than all of the time: a linear programme. Of several that are equally good it is the one where the slowest pair, of
    so many in each flow, is fastest."""
    if len(flows) == 1:
        return [1.0]
    from scipy.optimize import linprog  # here, because it takes a while

    names = sorted({name for flow in flows for name in flow})
    unit = max(max(flow.values()) for flow in flows)
    # Unknown are the flows' rates, and the slowest pair's: rates that fit into the time, none below the slowest.
    busy = np.array([[*(flow.get(name, 0.0) / unit for flow in flows), 0.0] for name in names])
    even = np.column_stack([-np.eye(len(flows)), pairs])
    limits = np.repeat([1.0, 0.0], [len(busy), len(even)])
    found = linprog([*[-1.0] * len(flows), -_EVEN], A_ub=np.vstack([busy, even]), b_ub=limits)
    assert found.x is not None
    rates = found.x[:-1]
    return [float(rate) for rate in rates / rates.sum()]


def least_turnaround(test: Chariot, client: int, direction: str) -> int:
    """ps of a transaction whose file and confirmation fit into one call and one segment each: every step once, with
    nothing in the way; but interrupts that fall together share an entry."""
    server, other = test.server, test.clients[client].answering(test.server)
    near, far = (server, other) if direction == "download" else (other, server)
    there, back = (Way(*ends, test.link, test.switch) for ends in ((near, far), (far, near)))
    return sum(
        way.written(nbytes) + way.there(nbytes) + way.read(nbytes, nbytes, True)
        for way, nbytes in ((there, test.file_size), (back, test.confirmation))
    )
