"""The closed form of ServerBench: the throughput that each resource alone allows, per transaction of the mix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Bounds
from netsim.closed_form.closed_clients import ClientTransaction, hub_bounds, mean
from netsim.closed_form.message import End, Exchange
from netsim.closed_form.tcp_message import tcp_message
from netsim.workload.serverbench.server_mix import TransactionSpec
from netsim.workload.serverbench.storage_bounds import with_storage

if TYPE_CHECKING:
    from netsim.workload.serverbench.tool import ServerBench


def serverbench_bounds(test: ServerBench) -> Bounds:
    """Per transaction, with records in memory as often as possible."""
    kinds = list(zip(test.mix.shares.values(), test.mix.kinds.values(), strict=True))

    def mix(port: int) -> list[tuple[float, ClientTransaction]]:
        return [(share, _transaction(test, kind, port)) for share, kind in kinds]

    found = hub_bounds(test, mix, 1)
    if not test.server.has_files:
        return found
    alone = min(mean(mix(port), lambda one: one.alone) for port in range(min(test.ports, test.clients)))
    return Bounds(with_storage(test, found.demand, alone), 1, test.unit)


def _transaction(test: ServerBench, kind: TransactionSpec, port: int) -> ClientTransaction:
    """A transaction of this kind by a client on the server's port of this number."""
    segment, distance = test.segment, test.segment.propagation(test.spacing, test.spacing)
    client, server = End(test.client), End(test.server, port)
    request = tcp_message(client, server, segment, distance, test.mtu, kind.request)
    reply = tcp_message(server, client, segment, distance, test.mtu, kind.reply)
    prepared = test.client.bill().cycles("application", test.mix.client_cycles).work().total
    return ClientTransaction(Exchange(server, [(1, request), (1, reply)]), prepared, _service(test, kind))


def _service(test: ServerBench, kind: TransactionSpec) -> int:
    """The time (ps) of the server's threads, with all records in memory."""
    server = test.server
    work = server.bill().cycles("application", kind.cycles)
    if not kind.records or server.system.files is None:
        return work.work().total
    pages = -(-kind.record // server.system.files.cache.page)
    record = server.system.files.bill(server.bill(), kind.record, pages)
    return work.work().total + kind.records * record.work().total
