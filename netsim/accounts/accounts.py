"""The accounts of a running simulation: the activity of every part, since the start or over a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from netsim.accounts.resource import DropPlace, Resource

CACHE_HITS, CACHE_MISSES = "file cache hits", "file cache misses"  # names in `counts`


@dataclass(frozen=True)
class Accounts:
    """Sums since the start, or over a window (`later - earlier`). Times in ps.

    `delivered`: bytes of the measured result, or transactions; `busy`: processor -> name of work -> ps; `idle`:
    processor -> ps; `occupied`: any other resource -> ps; `wanted`: shared wire -> ps in which some station had a frame
    to send, and transmitter -> ps in which a frame waited for it; `waited`: lock -> what waits -> ps, each counted if
    several wait at once. `frames` by wire; `drops` by place; `pairs`: pair of endpoints -> bytes that it received;
    `counts`: all other counts. For transactions, by kind: `ended`, the number that ended; `stays`, their total time
    under way (ps); and for all together `under_way`: number x ps. `jitter`, for kinds whose receiver computes one: the
    sum of its values after each that ended (ps).
    """

    elapsed: int = 0
    delivered: int = 0
    busy: Mapping[Resource, Mapping[str, int]] = field(default_factory=dict)
    idle: Mapping[Resource, int] = field(default_factory=dict)
    occupied: Mapping[Resource, int] = field(default_factory=dict)
    wanted: Mapping[Resource, int] = field(default_factory=dict)
    waited: Mapping[Resource, Mapping[str, int]] = field(default_factory=dict)
    frames: Mapping[Resource, int] = field(default_factory=dict)
    drops: Mapping[DropPlace, int] = field(default_factory=dict)
    pairs: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    ended: Mapping[str, int] = field(default_factory=dict)
    stays: Mapping[str, int] = field(default_factory=dict)
    under_way: int = 0
    jitter: Mapping[str, int] = field(default_factory=dict)

    def __sub__(self, earlier: Accounts) -> Self:
        return self._combine(earlier, lambda a, b: a - b)

    def __add__(self, other: Accounts) -> Self:
        return self._combine(other, lambda a, b: a + b)

    def _combine(self, other: Accounts, operation: Callable[[int, int], int]) -> Self:
        names = [one.name for one in fields(self)]
        return type(self)(**{name: _combined(getattr(self, name), getattr(other, name), operation) for name in names})

    def utilisation(self) -> dict[Resource, float]:
        """Every resource's busy share of the elapsed time."""
        shares = {name: sum(parts.values()) / self.elapsed for name, parts in self.busy.items()}
        return shares | {name: ps / self.elapsed for name, ps in self.occupied.items()}


def _combined(a: Any, b: Any, operation: Callable[[int, int], int]) -> Any:
    if isinstance(a, Mapping):
        keys = [*a, *(key for key in b if key not in a)]
        empty: Any = {} if any(isinstance(value, Mapping) for value in [*a.values(), *b.values()]) else 0
        return {key: _combined(a.get(key, empty), b.get(key, empty), operation) for key in keys}
    return operation(a, b)
