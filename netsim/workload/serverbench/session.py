"""One of ServerBench's clients, and the server's end of its connection."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

from netsim.engine.transactions import Mix
from netsim.machine import Thread, Threads
from netsim.stack.messages import TcpEndpoint
from netsim.topology.hubs import SERVER
from netsim.units import KIB, total
from netsim.workload import tcp_accounts
from netsim.workload.serverbench.server_mix import RANDOM_WRITE, TransactionSpec

if TYPE_CHECKING:
    from netsim.workload.serverbench.run import ServerBenchRun

_RECEIVE: Final = 64 * KIB  # bytes that the server's receive calls ask for: they return with the data available
_LENGTHS: Final = 1000  # number of equally likely exponential lengths


def exponential_lengths() -> list[float]:
    """The centres of equally likely parts of an exponential distribution, scaled to a mean of exactly 1."""
    middles = [-math.log(1 - (part + 0.5) / _LENGTHS) for part in range(_LENGTHS)]
    mean = total(middles) / _LENGTHS
    return [one / mean for one in middles]


class Session:
    """A client, which makes successive transactions, and the server's side of them. The client's requests are drawn
    from a separate random stream, so they do not depend on other clients."""

    def __init__(self, run: ServerBenchRun, number: int) -> None:
        self._run = run
        test = run.test
        self._segment, self._size = number * test.data_segment, test.data_segment
        self.sockets = self._server, there = run.connect(number, f"session {number + 1}")
        self._client = TcpEndpoint(there)
        self._draws = run.env.stream(f"client {number + 1}")
        self._mix = Mix(run.env, test.mix.shares, f"client {number + 1} kinds")
        self._host = run.hosts[SERVER]
        self._kinds = test.mix.kinds
        self._kind = next(iter(self._kinds))
        self._lengths = exponential_lengths() if any(one.length != "fixed" for one in self._kinds.values()) else []
        host = run.hosts[test.client_names[number]]
        self._between = host.bill().cycles("application", test.mix.client_cycles).work()
        self._program = Threads(host, 1)
        self._token = self._come = 0
        self._offsets: list[int] = []  # of the records still to be read or written

    # --- the client ---------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The client's program starts, and sends its first request once that is prepared."""
        self._program.serve(self._prepare)

    def _prepare(self, program: Thread) -> None:
        self._kind = self._mix.draw()
        self._token = self._run.transactions.begin(self._kind)
        program.work(self._between, lambda: self._request(program))

    def _request(self, program: Thread) -> None:
        asked = self._kinds[self._kind]

        def replied() -> None:
            self._run.transactions.end(self._kind, self._token)
            self._prepare(program)

        self._client.send(asked.request, lambda: self._client.receive(asked.reply, replied))

    # --- the server ---------------------------------------------------------------------------------------------------

    def listen(self) -> None:
        """The server reads until a request is complete, and then has a thread serve it."""
        self._server.receive(_RECEIVE, self._received)

    def _received(self, nbytes: int) -> None:
        self._come += nbytes
        if self._come < self._kinds[self._kind].request:
            self.listen()
            return
        self._come = 0
        self._host.go_on(partial(self._run.threads.serve, self._serve))  # the thread that has read it continues

    def _serve(self, thread: Thread) -> None:
        asked = self._kinds[self._kind]
        work = self._run.application_work(self._kind, self._length(asked.length))
        self._offsets = self._records(asked) if asked.records else []
        thread.work(work, lambda: self._access(thread))

    def _records(self, asked: TransactionSpec) -> list[int]:
        """The places of the records, drawn together because drawing a single one takes as long."""
        drawn = self._draws.integers(self._size // asked.record, size=asked.records).tolist()
        return [self._segment + number * asked.record for number in drawn[::-1]]

    def _length(self, length: str) -> float:
        return self._lengths[int(self._draws.integers(_LENGTHS))] if length == "exponential" else 1.0

    def _access(self, thread: Thread) -> None:
        """The next record, or the reply after the last one."""
        if not self._offsets:
            self._reply(thread)
            return
        offset, record = self._offsets.pop(), self._kinds[self._kind].record
        access = thread.write if self._kind == RANDOM_WRITE else thread.read
        access(offset, record, lambda: self._access(thread))

    def _reply(self, thread: Thread) -> None:
        self.listen()
        self._server.send(self._kinds[self._kind].reply, thread.leave)

    def audit(self) -> None:
        """Check that no byte is invented. Raises ConservationError."""
        tcp_accounts.audit(*self.sockets)
        tcp_accounts.audit(*self.sockets[::-1])

    @property
    def accounts(self) -> dict[str, int]:
        """The connection's counts, for both directions together."""
        one, other = tcp_accounts.counts(*self.sockets), tcp_accounts.counts(*self.sockets[::-1])
        return {name: one[name] + other[name] for name in one}
