"""TCP_CRR in a running simulation: each transaction has its own connection."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from netsim.accounts import Accounts
from netsim.engine import Environment, Meter, ResponseLog, Transactions
from netsim.stack import TcpEndpoint, TcpSocket
from netsim.stack.tcp_connection import Connection
from netsim.stack.tcp_connection_costs import ConnectionWorks
from netsim.workload import tcp_accounts
from netsim.workload.dialogue import KIND
from netsim.workload.netperf.run import NetperfRun

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf

_NUMBERS: Final = 4096  # of connections, before a number is reused
STAGES: Final = ("connect", "request and response", "close")


class _Exchange:
    """One connection: the client's end and the server's, with a `number` that is freed when both have closed."""

    def __init__(self, run: TcpConnectRequests, number: int) -> None:
        self.number = number
        self.near, self.far = run.connect(f"connection {number}", nodelay=bool(run.test.nodelay))
        self._run, self._open = run, 2
        works = run.works or (ConnectionWorks(self.near.costs), ConnectionWorks(self.far.costs))
        run.works = works
        self.client, self.server = (
            Connection(socket, one, self._closed) for socket, one in zip(self.ends, works, strict=True)
        )

    @property
    def ends(self) -> tuple[TcpSocket, TcpSocket]:
        """The sockets."""
        return self.near, self.far

    def counts(self) -> Counter[str]:
        """The counts of both directions, including the segments that opened and closed the connection."""
        both = Counter(tcp_accounts.counts(self.near, self.far)) + Counter(tcp_accounts.counts(self.far, self.near))
        both["SYN, FIN and their acknowledgements"] = self.client.control_segments + self.server.control_segments
        return both

    def _closed(self) -> None:
        self._open -= 1
        if not self._open:
            self._run.over(self)


class TcpConnectRequests(NetperfRun):
    """TCP_CRR (netperf 2.1: send_tcp_conn_rr, recv_tcp_conn_rr): the client makes a socket, connects it, sends the
    request, reads the response and the server's end of file, and closes. The server accepts, reads, responds and
    closes."""

    works: tuple[ConnectionWorks, ConnectionWorks] | None = None  # of both ends, made once

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test)
        self.transactions = self.ledger.transactions = Transactions(env, [KIND], 1)
        self.response_log = self._log = ResponseLog(STAGES)
        self._live: dict[int, _Exchange] = {}  # by the connection's number
        self._made = 0
        self._counts: Counter[str] = Counter()  # of closed connections
        self._exchange = self._connection()

    def _connection(self) -> _Exchange:
        """The next connection. Its number may have been used long before; until a number is reused, late segments are
        still recognised."""
        number = self._made % _NUMBERS
        while number in self._live:
            number = (number + 1) % _NUMBERS
        self._made += 1
        self._live[number] = found = _Exchange(self, number)
        return found

    def over(self, exchange: _Exchange) -> None:
        """Both ends have closed."""
        tcp_accounts.audit(exchange.near, exchange.far)
        tcp_accounts.audit(exchange.far, exchange.near)
        self._counts += exchange.counts()
        del self._live[exchange.number]

    def _receive(self, nbytes: int) -> None:
        """The server's side of the next connection."""
        exchange, test = self._exchange, self.test
        process = TcpEndpoint(exchange.far)

        def asked() -> None:
            process.send(test.response_size, lambda: exchange.server.close(_nothing))

        exchange.server.accept(lambda: process.receive(test.request_size, asked))

    def _send(self) -> None:
        """The client's side of the next connection."""
        exchange, test, began = self._exchange, self.test, self.transactions.begin(KIND)
        process, times = TcpEndpoint(exchange.near), [began]

        def connected() -> None:
            times.append(self.env.now)
            process.send(test.request_size, lambda: process.receive(test.response_size, answered))

        def answered() -> None:
            times.append(self.env.now)
            exchange.client.read_end(lambda: exchange.client.close(closed))

        def closed() -> None:
            times.append(self.env.now)
            self._log.note([times[place + 1] - times[place] for place in range(len(STAGES))])
            self.transactions.end(KIND, began)
            self._exchange = self._connection()
            self._receive(0)
            self._send()

        exchange.client.open(connected)

    @property
    def delivered(self) -> int:
        """The number of finished transactions."""
        return self.transactions.completed

    @property
    def meter(self) -> Meter:
        return self.transactions

    def accounts(self) -> Accounts:
        counts = self._counts + sum((one.counts() for one in self._live.values()), Counter())
        names = [*tcp_accounts.counts(self._exchange.near, self._exchange.far), "SYN, FIN and their acknowledgements"]
        return self.ledger.read(self.delivered, {**{name: counts[name] for name in names}, **self.contention()})

    def audit(self) -> None:
        self.ledger.audit()
        for one in self._live.values():
            tcp_accounts.audit(one.near, one.far)
            tcp_accounts.audit(one.far, one.near)

    def waiting_for(self) -> str:
        return f"{self.transactions.all.inside} transactions are under way"


def _nothing() -> None:
    pass
