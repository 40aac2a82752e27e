"""What is in the way: the one resource that decides how fast a test goes."""

from __future__ import annotations

from collections.abc import Mapping

from netsim.accounts.accounts import CLIENT, SEGMENT, Accounts, by_host, host_of

LATENCY = "latency"  # no resource: the sender waits, for its window, for buffers to come back, or for the reply
_WIRE = 0.99  # busy shares from which on a resource decides
_SHARED = 0.9  # of a segment, of which backoff leaves some unused
_TRANSMITTER = 0.97
_OTHER = 0.95
_ENGINE, _SENDS = " crypto engine", " transmitter"
_LOSS = 0.01  # share of the frames; when more are lost inside a host, what came before it is not the bottleneck


def bottleneck(
    accounts: Accounts, busy: Mapping[str, float] | None = None, alone: float | None = None
) -> tuple[str, float]:
    """The resource that decides, and its busy share; `latency` with the busiest share if there is none. `busy` takes
    the place of the shares in the accounts. `alone` is for a closed test (`_nearest_asymptote`).

    A segment decides from a lower share on: stations that wait after collisions leave some of it unused.
    A transmitter is busy because its wire is, or its crypto engine, unless neither is. Where frames that crossed the
    wire are dropped, the wire was not what held them up, but the busiest resource of the host that drops them, or else
    the place itself (with the share of frames dropped there). A switch has no resource but the wires it sends on.
    Where a host's processors are busy all the time, but while another one of them has a lock, it is that lock.
    """
    busy = accounts.utilisation() if busy is None else busy
    place, share = _worst_drop(accounts)
    if share > _LOSS:
        own = {name: one for name, one in busy.items() if _is_behind(name, place)}
        name = _busiest(own)
        return (name, own[name]) if own and own[name] >= _threshold(name) else (place.replace(": ", " "), share)
    if alone is not None:
        return _nearest_asymptote(accounts, busy, alone)
    deciding = {name: one for name, one in busy.items() if one >= _threshold(name)}
    for engine in [name for name in deciding if name.endswith(_ENGINE)]:
        deciding.pop(engine.removesuffix(_ENGINE) + _SENDS, None)
    wires = {name: one for name, one in deciding.items() if name.startswith("wire ")}
    name = _busiest(wires or deciding) or _awaited(accounts, busy)
    return (name, busy[name]) if name else (LATENCY, max(busy.values()))


def _nearest_asymptote(accounts: Accounts, busy: Mapping[str, float], alone: float) -> tuple[str, float]:
    """What decides in a closed test: of the two asymptotes of its throughput, the one it reaches the larger share of.

    n clients, each with one transaction under way, do X of them per second: at most 1 / D, D being what the busiest
    resource does for one of them, and at most n / R, R being how long one takes if nobody else is there (Denning and
    Buzen 1978). The shares reached are X D, how busy that resource is, and `alone`, which is X R / n. If the latter is
    not the smaller one, nobody is much in the other's way, and it is `latency`, with that share.

    Clients' own machines do not count: on average they do X / n transactions each, with D of their time, which is a
    share X D / n, and D is part of R; one that happens to do more is in nobody else's way. A host's processors are one
    resource, as all of them work for all. A shared wire is busy for as long as anybody has something to send: what
    backoff leaves unused, it can't do for them. Transmitters do not count, as while they wait for the wire or the bus
    they are busy and need nothing.
    """
    shares = {name: one for name, one in busy.items() if name not in accounts.busy and not name.endswith(_SENDS)}
    shares |= {f"{host} processors": one for host, one in by_host(busy, accounts.busy).items()}
    shares |= {name: ps / accounts.elapsed for name, ps in accounts.wanted.items()}
    shares = {name: one for name, one in shares.items() if not name.startswith(CLIENT)}
    name = _busiest(shares)
    return (name, shares[name]) if shares.get(name, 0.0) > alone else (LATENCY, alone)


def _awaited(accounts: Accounts, busy: Mapping[str, float]) -> str:
    """The lock during which a host's processors idle, if they are busy otherwise; else nothing."""
    for lock in accounts.waited:
        host = host_of(lock)
        own = [name for name in accounts.busy if name.startswith(f"{host} ")]
        held_up = sum(accounts.held_up.get(name, 0) for name in own) / accounts.elapsed
        if held_up and sum(busy[name] for name in own) + held_up >= _OTHER * len(own):
            return lock
    return ""


def _threshold(name: str) -> float:
    if name.startswith("wire "):
        return _SHARED if name.startswith(SEGMENT) else _WIRE
    return _TRANSMITTER if name.endswith(_SENDS) else _OTHER


def _is_behind(name: str, place: str) -> bool:
    """Whether a resource is what frames dropped at `place` were to go through: a host's own, or behind a switch's port
    the wire from there."""
    host, _, what = place.partition(": ")
    if what.startswith("port to "):
        return name == f"wire {host} {what.removeprefix('port ')}"
    return name.startswith(f"{host} ") and not name.endswith(_SENDS)


def _busiest(shares: dict[str, float]) -> str:
    return max(shares, key=lambda name: shares[name], default="")


def _worst_drop(accounts: Accounts) -> tuple[str, float]:
    """Where most is dropped inside a host, and how much of all frames that is."""
    inside = {place: count for place, count in accounts.drops.items() if not place.startswith("wire ")}
    place = max(inside, key=lambda one: inside[one], default="")
    return place, inside.get(place, 0) / max(1, sum(accounts.frames.values()))
