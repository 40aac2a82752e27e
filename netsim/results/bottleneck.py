"""The bottleneck: the one resource that limits a test."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from netsim.accounts import Accounts, DropPlace, Resource
from netsim.accounts.resource import (
    CRYPTO_ENGINE,
    DISK_COMMANDS,
    DMA_TAGS,
    LATENCY,
    OFFERED,
    POLLING,
    PROCESSORS,
    SEGMENT,
    SOCKET_BUFFER,
    TRANSMITTER,
    TX_RING,
    by_host,
)

_WIRE = 0.99  # busy share from which a resource is the bottleneck; delivered share of an offered load
_SHARED = 0.9  # for a segment: of the time in which some station has a frame to send
_TRANSMITTER = 0.97
_OTHER = 0.95
_FAR = 0.5  # of an asymptote: where both meet, N equal queues reach N / (2 N - 1) of each (balanced job bounds)
_LOSS = 0.01  # share of the frames or datagrams; if a host loses more, no resource before it is the bottleneck

Shares = Mapping[Resource, float]


def bottleneck(
    accounts: Accounts,
    needed: Shares | None = None,
    alone: float | None = None,
    clients: Collection[str] = (),
    sending: Shares | None = None,
) -> tuple[Resource, float]:
    """The resource that is the bottleneck, and its busy share; `latency` with the largest share if there is none.
    The shares that are `needed` replace those in the accounts, and may have the delivered share of an offered load;
    `sending` is the least share of the time that each transmitter needs for what it sends. `alone` is for a closed
    test, with the hosts that are `clients` (`_nearest_asymptote`).

    A segment is full while some station has a frame to send: after collisions all of them may wait, and short frames
    leave much of it unused, so its share as the bottleneck is that of this time. A load is full if all of it is sent,
    whatever wires lose of it. A transmitter that is always busy may still have time, because it can fetch a frame while
    it sends another: it is full if frames always wait for it, or if what it sends needs all of its time (behind a small
    window, each frame may arrive just in time). Then it is busy because its wire or its crypto engine is, unless
    neither is; tags are held because reads wait for the link, unless it is not busy. If frames are dropped inside a
    host or a switch, the bottleneck is not the wire before but what they waited for: the wire behind, the busiest
    resource of the host that drops them, or otherwise the place itself (with the share dropped there). Where frames to
    be sent are dropped, their host has done its work on them without effect, so that place decides. A switch has no
    resources except the wires it sends on.
    """
    busy = {**accounts.utilisation(), **(needed or {})}
    wanted = {one: share for one, share in _wanted(accounts).items() if one.is_wire or one not in (needed or {})}
    filled = {one: _filled(one, share, wanted, sending or {}) for one, share in busy.items()}
    full = {one for one, share in filled.items() if share >= _threshold(one)}
    full |= {one for one, share in busy.items() if one.kind == OFFERED and share * _sent_each(accounts) >= _WIRE}
    busy |= {one: filled[one] for one in full if one.kind == SEGMENT}
    place, share = _worst_drop(accounts)
    if place is not None and share > _LOSS:
        name = _limiting({one: busy[one] for one in busy if one in full and place.comes_before(one)})
        return (name, busy[name]) if name else (place.itself, share)
    if alone is not None:
        return _nearest_asymptote(accounts, busy, alone, clients)
    deciding = {one: busy[one] for one in busy if one in full}
    for engine in [one for one in deciding if one.kind == CRYPTO_ENGINE]:
        deciding.pop(Resource(engine.host, TRANSMITTER, engine.number), None)
    deciding = {one: share for one, share in deciding.items() if one.kind != DMA_TAGS} or deciding
    name = _limiting(deciding)
    if name is None:
        return Resource("", LATENCY), max(share for one, share in busy.items() if one.kind != OFFERED)
    return name, busy[name]


def _nearest_asymptote(
    accounts: Accounts, busy: Shares, alone: float, clients: Collection[str]
) -> tuple[Resource, float]:
    """The bottleneck of a closed test. Its throughput has two asymptotes, and the bottleneck is the one of which the
    test reaches the larger share.

    n clients, each with one transaction under way, do X of them per second: at most 1 / D, where D is the time of the
    busiest resource per transaction, and at most n / R, where R is the time of a lone transaction (Denning and Buzen
    1978). The shares reached are X D, the utilization of that resource, and `alone`, which is X R / n. If the latter is
    not the smaller one, clients rarely delay each other, and the bottleneck is `latency`, with that share; but a
    resource that is as busy as can be is the bottleneck in any case, since transactions may save each other work. If
    not even half of an asymptote is reached, transactions wait for something else, such as a timer, and it is `latency`
    as well.

    The clients' machines do not count: on average each does X / n transactions, with D of its time, which is a share X
    D / n, and D is part of R; a client that happens to do more delays no other. A host's processors are one resource,
    because all of them work for all clients. A shared wire is busy for as long as a station has something to send: it
    cannot carry more in the time that backoff leaves unused. A transmitter with a number does not count: while it waits
    for the wire or the bus it is busy without needing time. Nor does a processor that polls while idle. A disk
    controller has no room for more commands because those that it has wait for disks, so the room counts only if no
    other resource decides.
    """
    shares = {one: share for one, share in busy.items() if one not in accounts.busy and not _waits(one)}
    needed = {one: busy[one] - work.get(POLLING, 0) / accounts.elapsed for one, work in accounts.busy.items()}
    shares |= {Resource(host, PROCESSORS): share for host, share in by_host(needed, needed).items()}
    shares |= {one: share for one, share in _wanted(accounts).items() if one.is_wire}
    shares = {one: share for one, share in shares.items() if not any(map(one.is_in, clients))}
    for last in (False, True):
        name = _busiest({one: share for one, share in shares.items() if (one.kind == DISK_COMMANDS) == last})
        if name and shares[name] > min(max(alone, _FAR), _threshold(name)):
            return name, shares[name]
    return Resource("", LATENCY), alone


def _waits(resource: Resource) -> bool:
    """Whether it is busy while it waits for others. An adapter with queues has a transmitter without a number, which is
    busy only for the time that frames need."""
    return resource.kind == TRANSMITTER and resource.number is not None


def _wanted(accounts: Accounts) -> Shares:
    """The share of the time in which some station had a frame to send, of each shared wire, or in which a frame waited
    for it, of each transmitter."""
    return {one: ps / accounts.elapsed for one, ps in accounts.wanted.items()}


def _filled(resource: Resource, busy: float, wanted: Shares, sending: Shares) -> float:
    """The share of the time in which a resource, `busy` for a share, could not have done more."""
    filled = wanted.get(resource, busy)
    if resource.kind == TRANSMITTER:
        return min(busy, max(filled, sending.get(resource, 0.0)))
    return max(busy, filled)


def _threshold(resource: Resource) -> float:
    if resource.is_wire or resource.kind == OFFERED:
        return _SHARED if resource.kind == SEGMENT else _WIRE
    return _TRANSMITTER if resource.kind == TRANSMITTER else _OTHER


def _sent_each(accounts: Accounts) -> float:
    """The number of datagrams that were sent for each that was received, if wires lose any: no sender waits for them,
    so it is the offered load that limits, however much of it is lost."""
    sent, received = (accounts.counts.get(f"datagrams {what}", 0) for what in ("sent", "received"))
    lost = any(count for place, count in accounts.drops.items() if place.on_a_wire)
    return sent / received if lost and received else 1.0


def _limiting(full: Shares) -> Resource | None:
    """The one of these full resources that limits the others: a wire, or otherwise an offered load that is delivered,
    or otherwise the busiest."""
    wires = {one: share for one, share in full.items() if one.is_wire}
    loads = {one: share for one, share in full.items() if one.kind == OFFERED}
    return _busiest(wires or loads or full)


def _busiest(shares: Shares) -> Resource | None:
    return max(shares, key=lambda one: shares[one], default=None)


def _worst_drop(accounts: Accounts) -> tuple[DropPlace | None, float]:
    """The place inside a host or a switch that drops the largest share, and that share: of frames to be sent, if those
    are dropped."""
    inside = {place: _share_lost(accounts, place) for place in accounts.drops if not place.on_a_wire}
    sent = {place: share for place, share in inside.items() if share > _LOSS and place.what == TX_RING}
    inside = sent or inside
    place = max(inside, key=lambda one: inside[one], default=None)
    return place, inside[place] if place else 0.0


def _share_lost(accounts: Accounts, place: DropPlace) -> float:
    """The share of all frames that a place drops: of those on wires, and those that it drops before they reach one. A
    socket's buffer drops whole datagrams, each of many frames perhaps: of all datagrams."""
    count, datagrams = accounts.drops[place], accounts.counts.get("datagrams sent", 0)
    if place.what == SOCKET_BUFFER and datagrams:
        return min(1.0, count / datagrams)  # the first ones may have been sent before
    frames = sum(accounts.frames.values()) + place.ahead_of_wires * count
    return count / max(1, frames)
