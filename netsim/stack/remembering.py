"""Whether works that were asked for before are kept: in a simulation, where the same few are asked for again and again.

The closed form asks for each a few times at the most, and it may ask with what no memory can be searched for: numbers
that are others at every point of a sweep (netsim.units.swept).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache as _cache
from typing import Protocol, TypeVar

F = TypeVar("F", bound=Callable[..., object])


class Remember(Protocol):
    """What a function is wrapped in."""

    def __call__(self, function: F, /) -> F:
        """The function, or one that gives the same."""


def cache(function: F, /) -> F:
    """functools.cache, with the function's own signature."""
    return _cache(function)  # type: ignore[return-value]


def anew(function: F, /) -> F:
    """The function itself: nothing is kept."""
    return function
