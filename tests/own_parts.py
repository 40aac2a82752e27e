"""Machines with a test's own parts in them, which work like real ones except for what they record or are told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from netsim.engine import Environment
from netsim.ethernet.backoff import Backoff


class WithParts(Environment):
    """Builds each of `parts` in place of its base class, as a watched environment does with its own parts."""

    def __init__(self, *parts: type[Any], seed: int = 1) -> None:
        super().__init__(seed)
        self._parts = {part.__base__: part for part in parts}

    def part(self, kind: type[Any]) -> type[Any]:
        return self._parts.get(kind, kind)


class ToldBackoff(Backoff):
    """A station's backoff with slot times that are given in advance."""

    def __init__(self, env: Environment, slots: Iterable[int]) -> None:
        super().__init__(env, "told")
        self._told = iter(slots)

    def slots(self, attempts: int) -> int:
        return next(self._told)
