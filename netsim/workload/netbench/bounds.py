"""The closed form of NetBench: the throughput that each resource alone allows, per visit to a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from netsim.accounts import Bounds
from netsim.closed_form.closed_clients import ClientTransaction, hub_bounds
from netsim.closed_form.ncp_exchange import ncp_exchange
from netsim.stack import NcpRequest
from netsim.units import total

if TYPE_CHECKING:
    from netsim.workload.netbench.tool import NetBench


def netbench_bounds(test: NetBench) -> Bounds:
    """Per visit, on average, with all files in memory."""
    return hub_bounds(test, lambda port: list(visit(test, port)), test.mix.file_size)


def visit(test: NetBench, port: int) -> Iterator[tuple[float, ClientTransaction]]:
    """A visit's transactions and how often each occurs, by a client on the server's port of this number."""
    distance = test.segment.propagation(test.spacing, test.spacing)
    client = test.client.bill().cycles("application", test.mix.client_cycles).work().total
    for often, request in _requests(test):
        exchange = ncp_exchange(test.client, test.server, test.segment, distance, request, port)
        yield often, ClientTransaction(exchange, client, _service(test, request))


def _requests(test: NetBench) -> Iterator[tuple[float, NcpRequest]]:
    """The requests of a visit, and the least number of each on average: together they cover at least the file, with
    the last request counted in full."""
    mix = test.mix
    yield mix.calls, NcpRequest("call", mix.call, mix.call_reply)
    weights = [weight / total(mix.size_weights) for weight in mix.size_weights]
    mean = total(size * weight for size, weight in zip(mix.sizes, weights, strict=True))
    for size, weight in zip(mix.sizes, weights, strict=True):
        often = weight * mix.file_size / mean
        yield often * mix.writes, NcpRequest("write", size)
        yield often * (1 - mix.writes), NcpRequest("read", 0, size)


def _service(test: NetBench, request: NcpRequest) -> int:
    """The time (ps) of the server's process for a request, with all files in memory."""
    files = test.server.system.files
    assert files is not None
    bill, nbytes = test.server.bill(), request.sent + request.asked
    if request.kind == "call":
        return files.bill_call(bill).work().total
    return files.bill(bill, nbytes, -(-nbytes // files.cache.page)).work().total
