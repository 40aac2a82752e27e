"""NetPIPE in a running simulation: a process at each end of a connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from netsim.scenario import SeriesRun
from netsim.stack import MpiEndpoint, TcpEndpoint
from netsim.stack.messages import Endpoint
from netsim.topology.pair_run import PairRun
from netsim.workload import tcp_accounts

if TYPE_CHECKING:
    from netsim.workload.netpipe.tool import NetPipe


class NetPipeRun(PairRun, SeriesRun):
    """A process at each end of a connection."""

    def __init__(self, env: Environment, test: NetPipe) -> None:
        super().__init__(env, test, *test.buffered())
        self.sizes, self.trials, self.trial_time = test.sizes, test.trials, test.trial_time
        self.near, self.far = self.connect("ping-pong", nodelay=True)
        self._ends: list[Endpoint] = [
            TcpEndpoint(socket) if test.mpi is None else MpiEndpoint(socket, test.mpi)
            for socket in (self.near, self.far)
        ]

    def round_trip(self, size: int, then: Callable[[], None]) -> None:
        near, far = self._ends
        far.receive(size, lambda: far.send(size, lambda: None))
        near.send(size, lambda: near.receive(size, then))

    @property
    def delivered(self) -> int:
        return self.near.read_bytes + self.far.read_bytes

    def accounts(self) -> Accounts:
        """The accounts, with counts for both directions."""
        counts = Counter(tcp_accounts.counts(self.near, self.far))
        counts.update(tcp_accounts.counts(self.far, self.near))
        counts.update(self.contention())
        return self.ledger.read(self.delivered, counts)

    def audit(self) -> None:
        self.ledger.audit()
        tcp_accounts.audit(self.near, self.far)
        tcp_accounts.audit(self.far, self.near)

    def waiting_for(self) -> str:
        return f"there {tcp_accounts.waiting_for(self.near)}; back {tcp_accounts.waiting_for(self.far)}"
