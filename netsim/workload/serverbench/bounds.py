"""The closed form of ServerBench: the throughput that each resource alone allows, per transaction of the mix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Bounds
from netsim.closed_form.closed_clients import ClientTransaction, hub_bounds
from netsim.closed_form.message import End, Exchange
from netsim.closed_form.tcp_message import tcp_message
from netsim.workload.serverbench.server_mix import TransactionSpec

if TYPE_CHECKING:
    from netsim.workload.serverbench.tool import ServerBench


def serverbench_bounds(test: ServerBench) -> Bounds:
    """Per transaction, with records in memory as often as possible."""
    kinds = list(zip(test.mix.shares.values(), test.mix.kinds.values(), strict=True))
    return hub_bounds(test, lambda port: [(share, _transaction(test, kind, port)) for share, kind in kinds], 1)


def _transaction(test: ServerBench, kind: TransactionSpec, port: int) -> ClientTransaction:
    """A transaction of this kind by a client on the server's port of this number."""
    segment, distance = test.segment, test.segment.propagation(test.spacing, test.spacing)
    client, server = End(test.client), End(test.server, port)
    request = tcp_message(client, server, segment, distance, test.mtu, kind.request)
    reply = tcp_message(server, client, segment, distance, test.mtu, kind.reply)
    prepared = test.client.bill().cycles("application", test.mix.client_cycles).work().total
    disks = _disk_time(test, kind) if test.server.has_files else None
    return ClientTransaction(Exchange(server, [(1, request), (1, reply)]), prepared, _service(test, kind), disks)


def _service(test: ServerBench, kind: TransactionSpec) -> int:
    """The time (ps) of the server's threads, with all records in memory."""
    server = test.server
    work = server.bill().cycles("application", kind.cycles)
    if not kind.records or server.system.files is None:
        return work.work().total
    pages = -(-kind.record // server.system.files.cache.page)
    record = server.system.files.bill(server.bill(), kind.record, pages)
    return work.work().total + kind.records * record.work().total


def _disk_time(test: ServerBench, kind: TransactionSpec) -> float:
    """The time (ps) of each of the server's disks, for records that fit neither in the server's memory nor in its
    controller's: each record passes under at least one head. Each read takes a command; writes may be combined with
    their neighbours."""
    storage, files, size = test.server.storage, test.server.system.files, test.server.memory.size
    assert storage is not None
    assert files is not None
    assert size is not None
    there = files.room(size) + storage.controller.cache
    away = max(0.0, 1 - there / (test.clients * test.data_segment))
    command = 0 if kind is test.mix.random_write else storage.disk.overhead
    return away * kind.records * (command + storage.disk.transfer_time(files.cache.page)) / storage.disks
