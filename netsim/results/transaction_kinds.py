"""The results of a test for each kind of its transactions, or of what else has a time from beginning to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netsim.accounts import Accounts
from netsim.units import PS_PER_S, total


@dataclass(frozen=True)
class TransactionKind:
    """One kind of transactions: the number that ended, their `share` of all, their mean `response` time (s), and the
    `rate` (per s) that all clients would reach if each did nothing else at the same response time; in an open test, as
    many as are under way on average instead of all clients."""

    name: str
    count: int
    share: float
    response: float
    rate: float


def kinds(accounts: Accounts) -> tuple[TransactionKind, ...]:
    """Every kind with a finished transaction, from the accounts of the window."""
    whole, clients = sum(accounts.ended.values()), accounts.under_way / max(1, accounts.elapsed)
    return tuple(
        _kind(name, count, whole, accounts.stays[name] / count / PS_PER_S, clients)
        for name, count in accounts.ended.items()
        if count
    )


def _kind(name: str, count: int, whole: int, response: float, clients: float) -> TransactionKind:
    return TransactionKind(name, count, count / whole, response, clients / response)


def jitter(accounts: Accounts) -> float | None:
    """The mean jitter (s) after each that ended; None where no receiver computes it, or nothing ended."""
    ended = total(accounts.ended[name] for name in accounts.jitter)
    return total(accounts.jitter.values()) / ended / PS_PER_S if ended else None


def harmonic_mean(found: Sequence[TransactionKind]) -> float | None:
    """The mean of the kinds' rates (per s), each weighted by its share: None without any."""
    return 1 / total(kind.share / kind.rate for kind in found) if found else None
