"""The closed form of ServerBench: what each resource alone would allow, per transaction of the mix."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, CLIENTS, DISKS, PROCESSORS, SEGMENTS
from netsim.closed_form.tcp_message import TcpMessage
from netsim.workload.serverbench.server_mix import TransactionSpec

if TYPE_CHECKING:
    from netsim.workload.serverbench.tool import ServerBench


def serverbench_bounds(test: ServerBench) -> Bounds:
    """Per transaction. "clients" is what they would reach if each had all to itself (with records in memory as often as
    they can be: always)."""
    kinds = list(zip(test.mix.shares.values(), test.mix.kinds.values(), strict=True))
    one = _ServerTransaction(test)

    def mean(time: Callable[[TransactionSpec], float]) -> float:
        return sum(share * time(kind) for share, kind in kinds)

    demand = {
        Resource("server", PROCESSORS): mean(one.server_time) / test.server.processors.count,
        Resource("server", BUS): mean(one.bus_time) / len({port.slot for port in test.server.ports()}),
        Resource("", SEGMENTS): mean(one.wire_time) / min(test.ports, test.clients),
        Resource("", CLIENTS): mean(one.alone) / test.clients,
    }
    if test.server.has_files:
        demand[Resource("server", DISKS)] = mean(one.disk_time)
    return Bounds(demand, 1, test.unit)


class _ServerTransaction:
    """One transaction by one client, of whichever kind: ps of each resource."""

    def __init__(self, test: ServerBench) -> None:
        self._test = test
        server, client, segment = test.server, test.client, test.segment
        distance = segment.propagation(test.spacing, test.spacing)
        self._request = TcpMessage(client, server, segment, distance, test.mtu)
        self._reply = TcpMessage(server, client, segment, distance, test.mtu)

    def _service(self, kind: TransactionSpec) -> int:
        """The server's threads, with all records in memory."""
        server = self._test.server
        work = server.bill().cycles("application", kind.cycles)
        if kind.records and server.system.files is not None:
            page = server.system.files.cache.page
            for _ in range(kind.records):
                server.system.files.bill(work, kind.record, -(-kind.record // page))
        return work.work().total

    def server_time(self, kind: TransactionSpec) -> float:
        """Of the server's processors, together."""
        return self._request.total(kind.request).taken + self._service(kind) + self._reply.total(kind.reply).sender

    def bus_time(self, kind: TransactionSpec) -> float:
        """Of the server's bus."""
        return self._request.bus(kind.request)[1] + self._reply.bus(kind.reply)[0]

    def wire_time(self, kind: TransactionSpec) -> float:
        """Of the segment."""
        return self._request.total(kind.request).wire + self._reply.total(kind.reply).wire

    def disk_time(self, kind: TransactionSpec) -> float:
        """Of each of the server's disks, for records that can be in no memory, neither its own nor its controller's:
        each moves under one head at least. What is read takes a command, what is written may go with its neighbours."""
        storage, files, size = self._test.server.storage, self._test.server.system.files, self._test.server.memory.size
        assert storage is not None
        assert files is not None
        assert size is not None
        there = files.room(size) + storage.controller.cache
        away = max(0.0, 1 - there / (self._test.clients * self._test.data_segment))
        command = 0 if kind is self._test.mix.random_write else storage.disk.overhead
        return away * kind.records * (command + storage.disk.transfer_time(files.cache.page)) / storage.disks

    def alone(self, kind: TransactionSpec) -> float:
        """From one request's preparation to the next one's, if nobody else is there."""
        client = self._test.client.bill().cycles("application", self._test.mix.client_cycles).work().total
        return client + self._request.time(kind.request) + self._service(kind) + self._reply.time(kind.reply)
