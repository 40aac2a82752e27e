"""What a closed test found out about each kind of its transactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netsim.accounts import Accounts
from netsim.units import PS_PER_S, total


@dataclass(frozen=True)
class TransactionKind:
    """A kind of transactions: how many ended and the `share` of all that they are, their mean `response` (s), and the
    `rate` (per s) that all clients would reach if each did nothing else and it took as long."""

    name: str
    count: int
    share: float
    response: float
    rate: float


def kinds(accounts: Accounts) -> tuple[TransactionKind, ...]:
    """Every kind of which some ended, as the accounts of the window have them."""
    whole, clients = sum(accounts.ended.values()), accounts.under_way / max(1, accounts.elapsed)
    return tuple(
        _kind(name, count, whole, accounts.stays[name] / count / PS_PER_S, clients)
        for name, count in accounts.ended.items()
        if count
    )


def _kind(name: str, count: int, whole: int, response: float, clients: float) -> TransactionKind:
    return TransactionKind(name, count, count / whole, response, clients / response)


def harmonic_mean(found: Sequence[TransactionKind]) -> float | None:
    """The mean of the kinds' rates (per s), each weighted by its share: None without any."""
    return 1 / total(kind.share / kind.rate for kind in found) if found else None
