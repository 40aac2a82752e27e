"""The closed form of closed clients on a server's hubs: the throughput that each resource alone allows, per
transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, CLIENTS, PROCESSORS, SEGMENTS, THREADS
from netsim.closed_form.load import Demand
from netsim.closed_form.message import Exchange
from netsim.closed_form.parts import added, fastest
from netsim.topology.hubs import Hubs
from netsim.units import total

_CLIENTS = Resource("", CLIENTS)
_PROCESSORS, _THREADS = Resource("server", PROCESSORS), Resource("server", THREADS)


class ClientTransaction(NamedTuple):
    """An exchange, and the times (ps) in addition to it: of the client's processor, and of the server's processors to
    serve it."""

    exchange: Exchange
    client: int
    service: int

    @property
    def server(self) -> int:
        """The total time (ps) of the server's processors."""
        return self.exchange.need.processors + self.service

    @property
    def alone(self) -> int:
        """The time (ps) from one transaction to the client's next, without other clients."""
        return self.client + self.exchange.time() + self.service


Mix = Sequence[tuple[float, ClientTransaction]]  # how often each transaction is made


def hub_bounds(test: Hubs, mix: Callable[[int], Mix], delivered: int) -> Bounds:
    """Per `delivered` (bytes or transactions), for which the clients on each of the server's ports make the
    transactions of that port's `mix`. "clients" is the limit if each client had every resource to itself. "server
    threads" is that of service threads that never wait: each of them serves one transaction at a time.

    Equal ports have equal shares of the clients' work. Clients on a faster hub do more, so unequal ports have the
    shares with the highest total throughput.
    """
    demand = _equal(test, mix(0)) if _ports_are_equal(test) else _unequal(test, mix)
    return Bounds(demand, delivered, test.unit)


def _ports_are_equal(test: Hubs) -> bool:
    """Whether all ports are equal, except for their buses if each has one."""
    first, *others = [(port.adapter.unchecked(slot=0), port.bus) for port in test.server.ports()]
    return all(other == first for other in others)


def _equal(test: Hubs, mix: Mix) -> Demand:
    server = test.server
    return {
        _PROCESSORS: mean(mix, lambda one: one.server) / server.processors.count,
        Resource("server", BUS): mean(mix, lambda one: one.exchange.need.bus)
        / len({port.slot for port in server.ports()}),
        Resource("", SEGMENTS): mean(mix, lambda one: one.exchange.wire) / min(test.ports, test.clients),
        _CLIENTS: mean(mix, lambda one: one.alone) / test.clients,
        _THREADS: mean(mix, lambda one: one.service) / test.most_threads,
    }


def _unequal(test: Hubs, mix: Callable[[int], Mix]) -> Demand:
    """The demand of unequal ports. While shares are computed, the clients on each port count as a separate resource."""
    numbers = range(min(test.ports, test.clients))
    clients = [len(test.on_segment(number)) for number in numbers]
    flows, alone = [], []
    for number in numbers:
        own = mix(number)
        alone.append(mean(own, lambda one: one.alone) / clients[number])
        flows.append(_flow(test, own, number) | {Resource("", CLIENTS, number): alone[-1]})
    added_up = added(zip(fastest(flows, clients), flows, strict=True))
    shared = {one: ps for one, ps in added_up.items() if one.kind != CLIENTS}
    return shared | {_CLIENTS: 1 / total(1 / ps for ps in alone)}


def _flow(test: Hubs, mix: Mix, number: int) -> Demand:
    """The demand of the clients on one port."""
    server = test.server
    return {
        _PROCESSORS: mean(mix, lambda one: one.server) / server.processors.count,
        server.bus_names("server")[server.ports()[number].slot]: mean(mix, lambda one: one.exchange.need.bus),
        test.wire(number): mean(mix, lambda one: one.exchange.wire),
        _THREADS: mean(mix, lambda one: one.service) / test.most_threads,
    }


def mean(mix: Mix, time: Callable[[ClientTransaction], float]) -> float:
    """The mean of a time of transactions."""
    return total(often * time(one) for often, one in mix)
