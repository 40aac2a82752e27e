"""The bottleneck: the one resource that decides how fast a test goes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import (
    CRYPTO_ENGINE,
    DMA_TAGS,
    LATENCY,
    POLLING,
    PROCESSORS,
    SEGMENT,
    TRANSMITTER,
    by_host,
)

_WIRE = 0.99  # busy shares from which on a resource decides
_SHARED = 0.9  # of a segment, of which backoff leaves some unused
_TRANSMITTER = 0.97
_OTHER = 0.95
_LOSS = 0.01  # share of the frames; if a host loses more, no resource before it is the bottleneck

Shares = Mapping[Resource, float]


def bottleneck(
    accounts: Accounts,
    busy: Shares | None = None,
    alone: float | None = None,
    clients: Collection[str] = (),
) -> tuple[Resource, float]:
    """The resource that decides, and its busy share; `latency` with the busiest share if there is none. `busy` takes
    the place of the shares in the accounts. `alone` is for a closed test, with the hosts that are `clients`
    (`_nearest_asymptote`).

    A segment decides from a lower share on: stations that wait after collisions leave some of it unused.
    A transmitter is busy because its wire is, or its crypto engine, unless neither is; tags are held because reads wait
    for the link, unless it is not busy. Where frames that crossed the wire are dropped, the wire was not what held them
    up, but the busiest resource of the host that drops them, or else the place itself (with the share of frames dropped
    there). A switch has no resource but the wires it sends on.
    """
    busy = accounts.utilisation() if busy is None else busy
    place, share = _worst_drop(accounts)
    if place is not None and share > _LOSS:
        name = _busiest({one: share for one, share in busy.items() if place.comes_before(one)})
        full = name and busy[name] >= _threshold(name)
        return (name, busy[name]) if name and full else (Resource(place.where, place.what), share)
    if alone is not None:
        return _nearest_asymptote(accounts, busy, alone, clients)
    deciding = {one: share for one, share in busy.items() if share >= _threshold(one)}
    for engine in [one for one in deciding if one.kind == CRYPTO_ENGINE]:
        deciding.pop(Resource(engine.host, TRANSMITTER, engine.number), None)
    deciding = {one: share for one, share in deciding.items() if one.kind != DMA_TAGS} or deciding
    wires = {one: share for one, share in deciding.items() if one.is_wire}
    name = _busiest(wires or deciding)
    return (name, busy[name]) if name else (Resource("", LATENCY), max(busy.values()))


def _nearest_asymptote(
    accounts: Accounts, busy: Shares, alone: float, clients: Collection[str]
) -> tuple[Resource, float]:
    """What decides in a closed test: of the two asymptotes of its throughput, the one it reaches the larger share of.

    n clients, each with one transaction under way, do X of them per second: at most 1 / D, D being what the busiest
    resource does for one of them, and at most n / R, R being how long one takes alone (Denning and Buzen 1978). The
    shares reached are X D, how busy that resource is, and `alone`, which is X R / n. If the latter is not the smaller
    one, clients hardly hold each other up, and it is `latency`, with that share.

    Clients' own machines do not count: on average they do X / n transactions each, with D of their time, which is a
    share X D / n, and D is part of R; one that happens to do more holds up no other. A host's processors are one
    resource, as all of them work for all. A shared wire is busy for as long as a station has something to send: it
    can't carry more in the time that backoff leaves unused. Transmitters do not count: while they wait for the wire or
    the bus they are busy and need nothing. Nor does a processor that polls while it has nothing else to do.
    """
    shares = {one: share for one, share in busy.items() if one not in accounts.busy and one.kind != TRANSMITTER}
    needed = {one: busy[one] - work.get(POLLING, 0) / accounts.elapsed for one, work in accounts.busy.items()}
    shares |= {Resource(host, PROCESSORS): share for host, share in by_host(needed, needed).items()}
    shares |= {wire: ps / accounts.elapsed for wire, ps in accounts.wanted.items()}
    name = _busiest({one: share for one, share in shares.items() if not any(map(one.is_in, clients))})
    return (name, shares[name]) if name and shares[name] > alone else (Resource("", LATENCY), alone)


def _threshold(resource: Resource) -> float:
    if resource.is_wire:
        return _SHARED if resource.kind == SEGMENT else _WIRE
    return _TRANSMITTER if resource.kind == TRANSMITTER else _OTHER


def _busiest(shares: Shares) -> Resource | None:
    return max(shares, key=lambda one: shares[one], default=None)


def _worst_drop(accounts: Accounts) -> tuple[DropPlace | None, float]:
    """The place inside a host or a switch that drops most, and its share of all frames."""
    inside = {place: count for place, count in accounts.drops.items() if not place.on_a_wire}
    place = max(inside, key=lambda one: inside[one], default=None)
    return place, inside[place] / max(1, sum(accounts.frames.values())) if place else 0.0
