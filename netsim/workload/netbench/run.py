"""NetBench in a running simulation: the server with its service processes and its files, and the clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts.accounts import Accounts
from netsim.engine import Environment, Meter
from netsim.scenario import StreamRun
from netsim.topology.hubs import SERVER
from netsim.topology.hubs_run import NcpHubsRun
from netsim.units import MS
from netsim.workload.netbench.client import KINDS, Client
from netsim.workload.netbench.service import FileService
from netsim.workload.netbench.steady_files import SteadyFiles
from netsim.workload.netbench.workspace import Workspace

if TYPE_CHECKING:
    from netsim.workload.netbench.tool import NetBench

_START_SPREAD = 10 * MS  # ps: clients begin within this time


class NetBenchRun(NcpHubsRun, StreamRun):
    """The server and its clients."""

    def __init__(self, env: Environment, test: NetBench) -> None:
        super().__init__(env, test, kinds=KINDS)
        self.test = test
        self.duration = test.duration
        host = self.hosts[SERVER]
        assert host.volume is not None
        self._volume = host.volume
        self.server.service = FileService(self.threads, self._volume.spec.bill_call(host.bill()).work()).serve
        self.workspace = Workspace(test.mix, test.clients, test.workspace, env.stream("workspace"))
        self.clients = [Client(self, number) for number in range(test.clients)]

    def start(self) -> None:
        """Give the server its service processes and the memory contents that long use leaves; clients begin at times
        drawn from the seed."""
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

    # --- accounts -----------------------------------------------------------------------------------------------------

    @property
    def delivered(self) -> int:
        """Bytes read and written."""
        return self.moved.nbytes

    @property
    def meter(self) -> Meter:
        return self.moved

    def accounts(self) -> Accounts:
        counts = {
            "requests": self.server.requests,
            "requests repeated": sum(one.repeated for one in self.workstations),
        }
        return self.read_accounts(self.delivered, counts)

    def waiting_for(self) -> str:
        return f"{self.server.requests} requests taken by the server, {self.threads.waiting} without a service process"
