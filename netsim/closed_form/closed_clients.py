"""The closed form of closed clients on a server's hubs: what each resource alone would allow, per transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import BUS, CLIENTS, DISKS, PROCESSORS, SEGMENTS
from netsim.closed_form.load import Demand
from netsim.closed_form.message import Exchange
from netsim.closed_form.parts import added, fastest
from netsim.topology.hubs import Hubs
from netsim.units import total

_CLIENTS, _PROCESSORS, _DISKS = Resource("", CLIENTS), Resource("server", PROCESSORS), Resource("server", DISKS)


class ClientTransaction(NamedTuple):
    """An exchange, and ps beside it: of the client's processor, of the server's to serve it, of each of its disks."""

    exchange: Exchange
    client: int
    service: int
    disks: float | None = None

    @property
    def server(self) -> int:
        """ps of the server's processors, together."""
        return self.exchange.need.processors + self.service

    @property
    def alone(self) -> int:
        """ps from one transaction to the client's next, with everything to itself."""
        return self.client + self.exchange.time() + self.service


Mix = Sequence[tuple[float, ClientTransaction]]  # how often each is made


def hub_bounds(test: Hubs, mix: Callable[[int], Mix], delivered: int) -> Bounds:
    """Per `delivered`, for which the clients on the server's port of a number make the transactions of its `mix`.
    "clients" is what all would reach if each had everything to itself.

    Equal ports have equal shares of the clients' work. Clients on a faster hub do more, so unequal ports have the
    shares that make the whole fastest.
    """
    demand = _equal(test, mix(0)) if _ports_are_equal(test) else _unequal(test, mix)
    return Bounds(demand, delivered, test.unit)


def _ports_are_equal(test: Hubs) -> bool:
    """Except for the bus they are on, if they have one each."""
    first, *others = [(port.adapter.model_copy(update={"slot": 0}), port.bus) for port in test.server.ports()]
    return all(other == first for other in others)


def _equal(test: Hubs, mix: Mix) -> Demand:
    server = test.server
    return {
        _PROCESSORS: _mean(mix, lambda one: one.server) / server.processors.count,
        Resource("server", BUS): _mean(mix, lambda one: one.exchange.need.bus)
        / len({port.slot for port in server.ports()}),
        Resource("", SEGMENTS): _mean(mix, lambda one: one.exchange.wire) / min(test.ports, test.clients),
        _CLIENTS: _mean(mix, lambda one: one.alone) / test.clients,
        **_disks(mix),
    }


def _unequal(test: Hubs, mix: Callable[[int], Mix]) -> Demand:
    """With the clients on each port as a resource of their own, while the shares are computed."""
    numbers = range(min(test.ports, test.clients))
    clients = [len(test.on_segment(number)) for number in numbers]
    flows, alone = [], []
    for number in numbers:
        own = mix(number)
        alone.append(_mean(own, lambda one: one.alone) / clients[number])
        flows.append(_flow(test, own, number) | {Resource("", CLIENTS, number): alone[-1]})
    added_up = added(zip(fastest(flows, clients), flows, strict=True))
    shared = {one: ps for one, ps in added_up.items() if one.kind != CLIENTS}
    return shared | {_CLIENTS: 1 / total(1 / ps for ps in alone)}


def _flow(test: Hubs, mix: Mix, number: int) -> Demand:
    """The demand of the clients on one port."""
    server = test.server
    return {
        _PROCESSORS: _mean(mix, lambda one: one.server) / server.processors.count,
        server.bus_names("server")[server.ports()[number].slot]: _mean(mix, lambda one: one.exchange.need.bus),
        test.wire(number): _mean(mix, lambda one: one.exchange.wire),
        **_disks(mix),
    }


def _disks(mix: Mix) -> Demand:
    """The demand on disks, if transactions need any."""
    return {_DISKS: _mean(mix, lambda one: one.disks or 0.0)} if mix[0][1].disks is not None else {}


def _mean(mix: Mix, time: Callable[[ClientTransaction], float]) -> float:
    return total(often * time(one) for often, one in mix)
