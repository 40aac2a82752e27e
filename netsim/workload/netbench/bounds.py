"""The closed form of NetBench: what each resource alone would allow, per visit to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, CLIENTS, PROCESSORS, SEGMENTS
from netsim.closed_form.ncp_exchange import NcpExchange
from netsim.stack import NcpRequest

if TYPE_CHECKING:
    from netsim.workload.netbench.tool import NetBench


def netbench_bounds(test: NetBench) -> Bounds:
    """Per visit, on average. With "clients" each has all to itself, and everything is in memory."""
    exchange = NcpExchange(test.client, test.server, test.segment, test.segment.propagation(*[test.spacing] * 2))
    asked = list(_requests(test))

    def mean(time: Callable[[NcpRequest], float]) -> float:
        return sum(count * time(request) for count, request in asked)

    client = test.client.bill().cycles("application", test.mix.client_cycles).work().total
    demand = {
        Resource("server", PROCESSORS): mean(lambda one: exchange.server_time(one) + _service(test, one))
        / test.server.processors.count,
        Resource("server", BUS): mean(exchange.bus_time) / len({port.slot for port in test.server.ports()}),
        Resource("", SEGMENTS): mean(exchange.wire_time) / min(test.ports, test.clients),
        Resource("", CLIENTS): mean(lambda one: client + exchange.time(one) + _service(test, one)) / test.clients,
    }
    return Bounds(demand, test.mix.file_size, test.unit)


def _requests(test: NetBench) -> Iterator[tuple[float, NcpRequest]]:
    """What is asked for in a visit, and how often on average: at least so often that the file is gone through, where
    the last request of each size is whole."""
    mix = test.mix
    yield mix.calls, NcpRequest("call", mix.call, mix.call_reply)
    weights = [weight / sum(mix.size_weights) for weight in mix.size_weights]
    mean = sum(size * weight for size, weight in zip(mix.sizes, weights, strict=True))
    for size, weight in zip(mix.sizes, weights, strict=True):
        often = weight * mix.file_size / mean
        yield often * mix.writes, NcpRequest("write", size)
        yield often * (1 - mix.writes), NcpRequest("read", 0, size)


def _service(test: NetBench, request: NcpRequest) -> int:
    """ps of the server's process for a request, with everything in memory."""
    files = test.server.system.files
    assert files is not None
    bill, nbytes = test.server.bill(), request.sent + request.asked
    if request.kind == "call":
        return files.bill_call(bill).work().total
    return files.bill(bill, nbytes, -(-nbytes // files.cache.page)).work().total
