"""What a closed test found out about each kind of its transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netsim.accounts.accounts import TRANSACTIONS, Books
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class Kind:
    """A kind of transactions: how many ended and the `share` of all that they are, their mean `response` (s), and the
    `rate` (per s) that all clients would reach if each did nothing else and it took as long."""

    name: str
    count: int
    share: float
    response: float
    rate: float


def kinds(books: Books) -> tuple[Kind, ...]:
    """Every kind of which some ended, as the books of the window have them."""
    ended = {name: books.counts[f"{TRANSACTIONS}{name}"] for name in books.stays}
    whole, clients = sum(ended.values()), books.under_way / max(1, books.elapsed)
    return tuple(
        _kind(name, count, whole, books.stays[name] / count / PS_PER_S, clients)
        for name, count in ended.items()
        if count
    )


def _kind(name: str, count: int, whole: int, response: float, clients: float) -> Kind:
    return Kind(name, count, count / whole, response, clients / response)


def harmonic_mean(found: Sequence[Kind]) -> float | None:
    """The mean of the kinds' rates (per s), each weighted by its share: None without any."""
    return 1 / sum(kind.share / kind.rate for kind in found) if found else None
