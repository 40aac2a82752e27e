"""ServerBench in a running simulation: the server with its threads and its memory, and a session with each client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from netsim.accounts.accounts import Accounts
from netsim.engine import Environment, Meter
from netsim.machine import Work
from netsim.scenario import StreamRun
from netsim.topology.hubs import SERVER
from netsim.topology.hubs_run import TcpHubsRun
from netsim.units import MS, total
from netsim.workload.serverbench.server_mix import RANDOM_WRITE
from netsim.workload.serverbench.session import Session

if TYPE_CHECKING:
    from netsim.workload.serverbench.tool import ServerBench

_START_SPREAD = 10 * MS  # ps: clients begin within this time


class ServerBenchRun(TcpHubsRun, StreamRun):
    """The server, its threads, and a session with each client."""

    def __init__(self, env: Environment, test: ServerBench) -> None:
        super().__init__(env, test, test.mix.kinds)
        self.test = test
        self.duration = test.duration
        self.application_work = cache(self._application_work)
        self.sessions = [Session(self, number) for number in range(test.clients)]

    def _application_work(self, kind: str, length: float) -> Work:
        """The work of the server's application for one transaction, `length` times as long as the average."""
        cycles = self.test.mix.kinds[kind].cycles * length
        return self.hosts[SERVER].bill().cycles("application", cycles).work()

    def start(self) -> None:
        """Give the server its threads and the memory contents of a long run; clients begin at times drawn from the
        seed."""
        self.threads.make(self.test.clients)
        volume = self.hosts[SERVER].volume
        if volume is not None:
            volume.cache.warm(self._pages(volume.cache.spec.page, volume.capacity))
        starts = self.env.stream("start").integers(_START_SPREAD, size=len(self.sessions))
        for session, start in zip(self.sessions, starts, strict=True):
            session.listen()
            self.env.call_in(int(start), Session.begin, session)

    def _pages(self, page: int, capacity: int) -> Iterator[tuple[int, int, bool, int]]:
        """The pages in memory after long use, the least recently used first: any pages of the data segments, as all are
        used equally.

        A page is dirty if it was written at any time since it was loaded: its last use was a write (probability w), or
        else the use before it was one and the page was already in memory (probability h, the hit ratio), and so on:
        w / (1 - (1 - w) h).
        """
        segments = -(-self.test.clients * self.test.data_segment // page)
        rng = self.env.stream("memory")
        there = min(capacity // page, segments)
        weights = {kind: one.weight * one.records for kind, one in self.test.mix.kinds.items()}
        if not any(weights.values()):
            return
        written = weights.get(RANDOM_WRITE, 0.0) / total(weights.values())
        dirty = written / (1 - (1 - written) * there / segments) if written else 0.0
        pages = rng.permutation(segments)[:there]
        for number, write in zip(pages.tolist(), (rng.random(there) < dirty).tolist(), strict=True):
            yield number * page, page, write, 0

    @property
    def delivered(self) -> int:
        """Transactions."""
        return self.transactions.completed

    @property
    def meter(self) -> Meter:
        return self.transactions

    def accounts(self) -> Accounts:
        counts: Counter[str] = Counter()
        for session in self.sessions:
            counts.update(session.accounts)
        return self.read_accounts(self.delivered, counts)

    def audit(self) -> None:
        super().audit()
        for session in self.sessions:
            session.audit()

    def waiting_for(self) -> str:
        return f"{self.transactions.all.inside} transactions under way, {self.threads.waiting} of them without a thread"
