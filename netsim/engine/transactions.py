"""Closed workloads: n clients, each with one transaction under way at a time, and no pause between two.

Transactions are of several kinds. Each (a benchmark's request, an operation on a file) begins when the client's last
one ends, so the number under way equals the number of clients. Little's law holds for all of them together, and for
each kind, to the ps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from mypy_extensions import i64

from netsim.engine import Environment
from netsim.engine.meter import Meter
from netsim.engine.population import Population
from netsim.errors import ConservationError, ScenarioError, show

_BLOCK: Final = 1024  # kinds drawn at once


class Mix:
    """Chooses the next kind among those of `weights` at random, each in proportion to its weight. `name` is that of its
    random stream. Raises ScenarioError for weights that can't be shares."""

    __slots__ = ("_ahead", "_edges", "_kinds", "_random")

    def __init__(self, env: Environment, weights: Mapping[str, float], name: str = "mix") -> None:
        values = np.array(list(weights.values()), dtype=float)
        if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
            text = f"weights {show(list(weights.values()))} are not allowed; allowed: 0 or more, one of them above 0"
            raise ScenarioError(text, address="kinds")
        self._kinds = list(weights)
        self._edges = np.cumsum(values)[:-1] / values.sum()  # the limits between the kinds, from 0 to 1
        self._random = env.stream(name)
        self._ahead: list[int] = []

    def draw(self) -> str:
        """The next kind."""
        if not self._ahead:
            self._ahead = np.searchsorted(self._edges, self._random.random(_BLOCK), side="right").tolist()
        return self._kinds[self._ahead.pop()]


class Transactions(Meter):
    """The accounts of a closed workload of `clients`. A client that ends a transaction begins its next one in the same
    callback. Times are in ps."""

    def __init__(self, env: Environment, kinds: Iterable[str], clients: int) -> None:
        self.clients = clients
        self.resting = 0  # clients that have begun to work, and have none under way: they think, or are done
        self.all = Population(env, "transactions")
        self.kinds = {kind: Population(env, f"transactions {kind}") for kind in kinds}
        self._most = 0  # the most under way at once so far: the clients that have begun to work

    def begin(self, kind: str) -> int:
        """A client begins a transaction. Returns when (ps): the client passes this to `end`."""
        self.kinds[kind].arrive()
        now = self.all.arrive()
        self._most = max(self._most, self.all.inside)
        return now

    def end(self, kind: str, began: int) -> int:
        """The transaction of this kind that began at `began` ends. Returns how long it has taken. Raises
        ConservationError if no transaction of this kind that began then is under way."""
        self.kinds[kind].depart(began)
        return self.all.depart(began)

    @property
    def completed(self) -> int:
        """Transactions of all kinds that have ended."""
        return self.all.departures

    def reading(self) -> i64:
        return self.all.departures

    def counts(self) -> dict[str, int]:
        """The number of ended transactions, by kind."""
        return {kind: one.departures for kind, one in self.kinds.items()}

    def stays(self) -> dict[str, int]:
        """The total time of ended transactions, by kind."""
        return {kind: one.stayed for kind, one in self.kinds.items()}

    def audit(self) -> None:
        """Check Little's law for all transactions and for each kind, that the kinds add up to all, and that every
        client that ever began a transaction has exactly one under way, or none if it is `resting`. Raises
        ConservationError."""
        kinds = self.kinds.values()
        self.all.audit(sum(one.inside for one in kinds))
        for one in kinds:
            one.audit()
        for what in ("departures", "stayed"):
            found, expected = sum(getattr(one, what) for one in kinds), getattr(self.all, what)
            if found != expected:
                raise ConservationError(f"transactions: {what} {found} by kind, {expected} of all")
        under_way = self.all.inside
        if under_way + self.resting < self._most or under_way + self.resting > self.clients:
            text = f"{self._most} of {self.clients} clients have begun, {under_way} have a transaction under way"
            raise ConservationError(f"transactions: {text}")
