"""NetBench in a running simulation: the server with its service processes and its files, and the clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netsim.accounts.accounts import Accounts
from netsim.engine import Environment
from netsim.machine import Thread, Threads
from netsim.scenario import StreamRun
from netsim.stack import NcpRequest
from netsim.stack.ncp_ends import bytes_moved
from netsim.topology.hubs import SERVER
from netsim.topology.hubs_run import NcpHubsRun
from netsim.units import MS
from netsim.workload.netbench.client import CALL, KINDS, READ, Client
from netsim.workload.netbench.steady_files import SteadyFiles
from netsim.workload.netbench.workspace import Workspace

if TYPE_CHECKING:
    from netsim.workload.netbench.tool import NetBench

_START_SPREAD = 10 * MS  # ps: clients begin within this time


class NetBenchRun(NcpHubsRun, StreamRun):
    """The server and its clients. The `extra` of a request is `Where` its bytes are."""

    def __init__(self, env: Environment, test: NetBench) -> None:
        super().__init__(env, test, self._serve, KINDS)
        self.test = test
        self.duration = test.duration
        host = self.hosts[SERVER]
        assert host.volume is not None
        self._volume = host.volume
        self.threads = Threads(host, test.threads)
        self._call = self._volume.spec.bill_call(host.bill()).work()
        self.workspace = Workspace(test.mix, test.clients, test.workspace, env.stream("workspace"))
        self.clients = [Client(self, number) for number in range(test.clients)]

    def start(self) -> None:
        """Give the server its service processes and the memory contents of long use; clients begin at times drawn from
        the seed."""
        self.threads.make(self.test.clients)
        room = self._volume.capacity
        self._volume.cache.warm(self.workspace.remembered(room, self._pace(room), self.env.stream("memory")))
        starts = self.env.stream("start").integers(_START_SPREAD, size=len(self.clients))
        for client, start in zip(self.clients, starts, strict=True):
            self.env.call_in(int(start), Client.begin, client)

    def _pace(self, room: int) -> float:
        """An estimate of the visits per second, with `room` bytes of memory for files."""
        test, server = self.test, self.test.server
        assert server.system.files is not None
        assert server.storage is not None
        most = test.bounds().limit / 8 / test.mix.file_size
        visits = self.workspace.visits()
        return SteadyFiles(test.mix, visits, server.system.files, server.storage, room).pace(most)

    # --- the server --------------------------------------------------------------------------------------------------

    def _serve(self, request: NcpRequest, reply: Callable[[], None]) -> None:
        self.threads.serve(lambda thread: self._work(thread, request, reply))

    def _work(self, thread: Thread, request: NcpRequest, reply: Callable[[], None]) -> None:
        def done() -> None:
            reply()
            thread.leave()

        if request.kind == CALL:
            thread.work(self._call, done)
        elif request.kind == READ:
            where = request.extra
            thread.read(where.offset + request.offset, request.asked, done, where.client, where.end)
        else:
            thread.write(request.extra.offset + request.offset, request.sent, done)

    # --- accounts -----------------------------------------------------------------------------------------------------

    @property
    def delivered(self) -> int:
        """Bytes read and written."""
        return bytes_moved(self.workstations)

    def accounts(self) -> Accounts:
        counts = {
            "requests": self.server.requests,
            "requests repeated": sum(one.repeated for one in self.workstations),
        }
        return self.read_accounts(self.delivered, counts)

    def audit(self) -> None:
        super().audit()
        self.threads.busy.audit()

    def waiting_for(self) -> str:
        return f"{self.server.requests} requests taken by the server, {self.threads.waiting} without a service process"
