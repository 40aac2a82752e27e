"""A minimal closed test: clients around one processor, and a delay there and back that is not shared."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import ClassVar

from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import CLIENTS
from netsim.engine.transactions import Mix, Transactions
from netsim.scenario import Scenario, StreamRun
from netsim.topology.ledger import Ledger
from netsim.units import MS, TPS, US, RateUnit, S
from tests.named import by_resource

SERVICE = {"order": 2 * MS, "query": 500 * US}


class Desk(Scenario):
    """`clients` whose transactions use the server's only processor for the SERVICE time of their kind, plus a delay of
    `way` (ps)."""

    unit: ClassVar[RateUnit] = TPS
    closed: ClassVar[bool] = True

    clients: int = 5
    way: int = 4 * MS
    orders: float = 0.25  # the share of all transactions
    breaks_down: int = 0  # ps after which no transaction completes; 0: never
    moments: bool = False
    duration: int = 20 * S
    min_iterations: int = 2
    max_iterations: int = 2
    confidence: float = 0.99
    interval: float = 0.05

    @property
    def label(self):
        return "DESK"

    @property
    def service(self):
        """The mean service time of a transaction (ps)."""
        return self.orders * SERVICE["order"] + (1 - self.orders) * SERVICE["query"]

    def bounds(self):
        demand = {"server processors": self.service, CLIENTS: (self.service + self.way) / self.clients}
        return Bounds(by_resource(demand), 1, TPS)

    def build(self, env):
        return DeskRun(env, self)


class DeskRun(StreamRun):
    def __init__(self, env, test):
        self.env, self.test, self.duration = env, test, test.duration
        if test.moments:
            self.moments = {test.duration // 2: "lunch"}
        self.mix = Mix(env, {"order": test.orders, "query": 1 - test.orders})
        self.transactions = Transactions(env, SERVICE, test.clients)
        self.ledger = Ledger(env, {}, [], transactions=self.transactions)
        self.queue, self.worked, self.until, self.longest = deque(), 0, None, 0
        self.own = [0] * test.clients

    def start(self):
        for client in range(self.test.clients):
            self._begin(client)

    def _begin(self, client):
        kind = self.mix.draw()
        self.env.call_in(self.test.way, self._come, (client, kind, self.transactions.begin(kind)))

    def _come(self, transaction):
        self.queue.append(transaction)
        if self.until is None:
            self._serve()

    def _serve(self):
        service = SERVICE[self.queue[0][1]]
        self.until = self.env.now + service
        self.env.call_in(service, self._end)

    def _end(self, _):
        client, kind, began = self.queue.popleft()
        self.worked += SERVICE[kind]
        if not 0 < self.test.breaks_down < self.env.now:
            self.longest = max(self.longest, self.transactions.end(kind, began))
            self.own[client] += 1
            self._begin(client)
        self.until = None
        if self.queue:
            self._serve()

    @property
    def delivered(self):
        return self.transactions.completed

    def accounts(self):
        now = self.env.now
        worked = self.worked
        if self.until is not None:
            worked += SERVICE[self.queue[0][1]] - (self.until - now)
        pairs = {f"client{number}": count for number, count in enumerate(self.own, 1)}
        accounts = self.ledger.read(self.delivered, {}, pairs=pairs)
        name = Resource("server", "processor", 0)
        return replace(accounts, busy={name: {"application": worked}}, idle={name: now - worked})

    def audit(self):
        self.ledger.audit()

    def waiting_for(self):
        return "the desk is waited for"
