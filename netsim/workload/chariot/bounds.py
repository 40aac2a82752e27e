"""The closed form of files between a server and its clients: per transaction, the least time of every resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from netsim.accounts import Resource
from netsim.accounts.bounds import Bounds
from netsim.closed_form.load import Demand, Frames, Load, acknowledge, carry, host_demand, on_the_wire
from netsim.closed_form.parts import added, alike, fastest
from netsim.closed_form.passage import Ports, tcp_ack, tcp_data
from netsim.closed_form.way import Way
from netsim.ethernet import Frame
from netsim.stack import ComputerSpec
from netsim.stack.call_costs import bill_call
from netsim.stack.socket import CALLED
from netsim.stack.tcp_costs import TcpCosts, segments_at_once
from netsim.topology.star import SERVER
from netsim.units import total

if TYPE_CHECKING:
    from netsim.workload.chariot.tool import Chariot



def chariot_bounds(test: Chariot) -> Bounds:
    """Per transaction, for all pairs together.

    Each pair runs as fast as it can, so the shares of the pairs are not fixed: the bound is for the shares with the
    highest total throughput and, among these, the most even ones. Equal clients have equal shares, also on equal ports
    of the server.
    """
    hosts = test.hosts()
    kinds = [(clients, direction) for clients in _groups(test, hosts[SERVER]) for direction in test.directions]
    flows = [_demand(test, hosts, clients, direction) for clients, direction in kinds]
    equal = alike([(direction, *_apart_from_port(test, hosts[SERVER], clients)) for clients, direction in kinds])
    parts = fastest(flows, [len(clients) for clients, _ in kinds], equal)
    return Bounds(added(zip(parts, flows, strict=True)), test.file_size, clients=test.client_names)


def _groups(test: Chariot, server: ComputerSpec) -> list[list[int]]:
    """The numbers of the clients, grouped by equality: the same specification, the same server port, and IPsec done
    either by the server's card or not."""
    ports = len(test.wires(SERVER))
    return alike([(number % ports, server.offloads(number), spec) for number, spec in enumerate(test.clients)])


def _apart_from_port(test: Chariot, server: ComputerSpec, clients: Sequence[int]) -> tuple[object, ...]:
    """What distinguishes a group of clients from another one, except for the server port's number and slot."""
    first = clients[0]
    port = server.ports()[first % len(test.wires(SERVER))]
    adapter = port.adapter.unchecked(slot=0)
    return len(clients), server.offloads(first), test.clients[first], adapter, port.bus


def _demand(test: Chariot, hosts: Mapping[str, ComputerSpec], clients: Sequence[int], direction: str) -> Demand:
    """The demand of a transaction between the server and one of these equal clients, which take turns."""
    names = [test.client_names[number] for number in clients]
    server, client = hosts[SERVER], hosts[names[0]]
    sent, received = test.server_ports(clients[0])
    near = TcpCosts(server, server.offloads(clients[0]), through=sent[0][1])
    far = TcpCosts(client, client.offloads())
    if direction == "download":
        there, back = ([(share, (port, 0)) for share, port in shares] for shares in (sent, received))
        one = _FileTransaction(test, near, far, there, back)
        return added([(1, one.sending(SERVER)), *_in_turn(one.taking(names[0]), names)])
    there, back = ([(share, (0, port)) for share, port in shares] for shares in (received, sent))
    one = _FileTransaction(test, far, near, there, back)
    return added([(1, one.taking(SERVER)), *_in_turn(one.sending(names[0]), names)])


def _in_turn(demand: Demand, names: Sequence[str]) -> Iterator[tuple[float, Demand]]:
    """The demand of one host, of each of these in turn: they are equal."""
    for name in names:
        yield 1 / len(names), {Resource(name, one.kind, one.number): ps for one, ps in demand.items()}


Ways = Sequence[tuple[float, Ports]]  # shares of frames, and the ports of the file's sender and receiver


class _FileTransaction:
    """A file sent from one host to another, in as few segments as possible, and its confirmation, over the paths
    `there` and `back`."""

    def __init__(self, test: Chariot, near: TcpCosts, far: TcpCosts, there: Ways, back: Ways) -> None:
        self._test, self._near, self._far = test, near, far
        self._sends, self._takes = self._calls(near.host), self._calls(far.host)
        self._there, self._back = there, back
        self._data: list[tuple[float, Ports, Frame]] = []  # how often each frame leaves the sender, and on which ports
        self._answers: list[tuple[float, Ports, Frame]] = []  # the same for the receiver
        self._send_file()
        self._confirm()

    def _calls(self, host: ComputerSpec) -> Load:
        """The system calls for the file and the confirmation, at either end."""
        test = self._test
        calls = -(-test.file_size // test.buffer) - (-test.confirmation // test.buffer)
        called = calls, bill_call(host, CALLED).work()
        return Load([called], calls=[called])

    def _send_file(self) -> None:
        """The receiver acknowledges once more than one of its own full segments is unacknowledged, at every other
        segment, or by its own rule; the confirmation acknowledges the last ones."""
        near, far, test = self._near, self._far, self._test
        for length, segments, count in self._segments(near, test.file_size, self._there[0][1][0]):
            for share, ports in self._there:
                data = tcp_data(near, far, length, segments, ports)
                carry(self._sends, self._takes, share * count, data, ports[1], far.spec.backlog, segments)
                self._data.append((share * count, ports, data.frame))
        own = near.host.mss(test.mtu)
        taken = own if far.spec.every_other else far.host.mss(test.mtu)
        unacknowledged = max(own + taken, far.spec.unacknowledged(own))
        acks = -(-test.file_size // unacknowledged) - 1
        for share, ports in self._back:
            for part, (_, data_port) in self._there:
                acknowledge(self._sends, self._takes, part * share * acks, (near, far), ports, data_port)
            self._answers.append((share * acks, ports, tcp_ack(near, far, ports).frame))

    def _confirm(self) -> None:
        for length, segments, count in self._segments(self._far, self._test.confirmation, self._back[0][1][1]):
            for share, (near, far) in self._back:
                answer = tcp_data(self._far, self._near, length, segments, (far, near))
                backlog = self._near.spec.backlog
                carry(self._takes, self._sends, share * count, answer, near, backlog, segments)
                self._answers.append((share * count, (near, far), answer.frame))

    def _segments(self, costs: TcpCosts, nbytes: int, port: int) -> Iterator[tuple[int, int, int]]:
        """Full segments and the remainder, as (bytes, segments handed over at once, number of times)."""
        length = costs.host.mss(self._test.mtu)
        full, rest = divmod(nbytes, length)
        many = segments_at_once(costs.host.large_send(port), length)
        parts = (length, many, full // many), (length, full % many, 1), (rest, 1, 1)
        yield from (part for part in parts if all(part))

    # --- its demand --------------------------------------------------------------------------------------------------

    def sending(self, name: str) -> Demand:
        """The demand of a transaction on the sending host and its cables."""
        return self._host(name, self._near.host, self._sends, 0)

    def taking(self, name: str) -> Demand:
        """The demand of a transaction on the receiving host."""
        return self._host(name, self._far.host, self._takes, 1)

    def _host(self, name: str, host: ComputerSpec, load: Load, end: int) -> Demand:
        link, wires = self._test.link, self._test.wires(name)
        data, answers = (_by_port(frames, end, len(wires)) for frames in (self._data, self._answers))
        sent, received = (answers, data) if end else (data, answers)
        wired: Demand = {
            wire: total(count * link.frame_time(frame.size) for count, frame in on_the_wire(frames))
            for cable, *both in zip(wires, sent, received, strict=True)
            for wire, frames in zip(cable, both, strict=True)
        }
        return wired | host_demand(host, name, link, load, sent, received)


def _by_port(frames: Iterable[tuple[float, Ports, Frame]], end: int, ports: int) -> list[Frames]:
    """The frames of one end, listed by port."""
    listed: list[Frames] = [[] for _ in range(ports)]
    for count, at, frame in frames:
        listed[at[end]].append((count, frame))
    return listed


def least_turnaround(test: Chariot, client: int, direction: str) -> int:
    """The time (ps) of a transaction whose file and confirmation fit in one call and one segment each: every step once,
    with all parts idle, except that coinciding interrupts share an entry. It uses the first port of each host."""
    hosts = test.hosts()
    server, other = hosts[SERVER], hosts[test.client_names[client]]
    near, far = (server, other) if direction == "download" else (other, server)
    link = test.link
    there, back = (Way(*ends, link, link.delay, test.switch) for ends in ((near, far), (far, near)))
    return sum(
        way.written(nbytes, alone=True) + way.there(nbytes, acks=True) + way.read(nbytes, nbytes, slept=True)
        for way, nbytes in ((there, test.file_size), (back, test.confirmation))
    )
