"""The accounts of a running simulation: what every part has done, since the start or over a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

SEGMENT = "wire segment"  # the name, or its beginning, of a wire that stations share
CLIENT = "client"  # begins the names of those who ask a server for something
PAIR = "pair "  # begins the name under which `counts` has the bytes that a pair of endpoints got
TRANSACTIONS = "transactions "  # begins the name under which `counts` has the transactions of a kind
CACHE_HITS, CACHE_MISSES = "file cache hits", "file cache misses"  # their names in `counts`


@dataclass(frozen=True)
class Accounts:
    """Sums since the start, or over a window (`later - earlier`). Times in ps.

    `busy`: processor -> name -> ps; `idle`: processor -> ps; `occupied`: wire, bus, transmitter, lock ... -> ps;
    `frames` and `drops` by place; `counts`: anything else worth counting; `delivered`: bytes of the measured result, or
    transactions;
    `waited`: lock -> who -> ps for which tasks have waited for it, of several at once each; `held_up`: processor -> ps
    of its idle time in which another one had a lock; `stays`: kind -> ps for which transactions that ended were under
    way, together; `under_way`: number x ps of all transactions; `wanted`: shared wire -> ps in which some station had a
    frame to send.
    """

    elapsed: int = 0
    delivered: int = 0
    busy: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    idle: Mapping[str, int] = field(default_factory=dict)
    occupied: Mapping[str, int] = field(default_factory=dict)
    frames: Mapping[str, int] = field(default_factory=dict)
    drops: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    waited: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    held_up: Mapping[str, int] = field(default_factory=dict)
    stays: Mapping[str, int] = field(default_factory=dict)
    under_way: int = 0
    wanted: Mapping[str, int] = field(default_factory=dict)

    def __sub__(self, earlier: Accounts) -> Self:
        return self._combine(earlier, lambda a, b: a - b)

    def __add__(self, other: Accounts) -> Self:
        return self._combine(other, lambda a, b: a + b)

    def _combine(self, other: Accounts, operation: Callable[[int, int], int]) -> Self:
        names = [one.name for one in fields(self)]
        return type(self)(**{name: _combined(getattr(self, name), getattr(other, name), operation) for name in names})

    def utilisation(self) -> dict[str, float]:
        """Every resource's busy share of the elapsed time."""
        shares = {name: sum(parts.values()) / self.elapsed for name, parts in self.busy.items()}
        return shares | {name: ps / self.elapsed for name, ps in self.occupied.items()}


def host_of(resource: str) -> str:
    """The host that a resource belongs to."""
    return resource.partition(" ")[0]


def by_host(shares: Mapping[str, float], processors: Iterable[str]) -> dict[str, float]:
    """Per host, the mean over its processors."""
    own: dict[str, list[float]] = {}
    for name in processors:
        own.setdefault(host_of(name), []).append(shares[name])
    return {host: sum(found) / len(found) for host, found in own.items()}


def _combined(a: Any, b: Any, operation: Callable[[int, int], int]) -> Any:
    if isinstance(a, Mapping):
        keys = [*a, *(key for key in b if key not in a)]
        empty: Any = {} if any(isinstance(value, Mapping) for value in [*a.values(), *b.values()]) else 0
        return {key: _combined(a.get(key, empty), b.get(key, empty), operation) for key in keys}
    return operation(a, b)
