"""One of NetBench's clients: visits to files, operation by operation."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from netsim.engine import Fifo
from netsim.machine import Thread, Threads
from netsim.stack import NcpRequest
from netsim.units import total

if TYPE_CHECKING:
    from netsim.workload.netbench.run import NetBenchRun

Operation = Literal["call", "read", "write"]
CALL: Operation = "call"
READ: Operation = "read"
WRITE: Operation = "write"
KINDS = (CALL, READ, WRITE)


class Where(NamedTuple):
    """The client, and the places on the volume (bytes) where its request begins and its file ends."""

    client: int
    offset: int
    end: int


class Client:
    """A client's program. Its requests are drawn from a separate random stream, so they do not depend on other
    clients."""

    def __init__(self, run: NetBenchRun, number: int) -> None:
        self._number, self._workspace, self._transactions = number, run.workspace, run.transactions
        self._workstation = run.workstations[number]
        mix = run.test.mix
        self._calls = [NcpRequest(CALL, mix.call, mix.call_reply)] * mix.calls
        self._writes, self._file_size = mix.writes, mix.file_size
        self._draws = run.env.stream(f"client {number + 1}")
        self._sizes = mix.sizes
        self._ends: list[float] = (np.cumsum(mix.size_weights)[:-1] / total(mix.size_weights)).tolist()
        host = self._workstation.host
        self._between = host.bill().cycles("application", mix.client_cycles).work()
        self._threads = Threads(host, 1)
        self._program: Thread | None = None  # None until it begins
        self._ahead: Fifo[NcpRequest] = Fifo()  # the rest of the current visit, including the operation under way
        self._began = 0  # when that operation began (ps)
        self._asks, self._answers = self._ask, self._answered  # bound once

    def begin(self) -> None:
        """The program starts."""
        self._threads.serve(self._start)

    def _start(self, program: Thread) -> None:
        self._program = program
        self._next()

    def _next(self) -> None:
        """Do the next operation: the program prepares it, sends the request, and gets the reply."""
        if not self._ahead:
            self._visit()
        self._began = self._transactions.begin(self._ahead[0].kind)
        assert self._program is not None
        self._program.work(self._between, self._asks)

    def _ask(self) -> None:
        self._workstation.ask(self._ahead[0], self._answers)

    def _answered(self) -> None:
        self._transactions.end(self._ahead.popleft().kind, self._began)
        self._next()

    def _visit(self) -> None:
        """Draw the next file and the operations on it: calls, and consecutive requests."""
        draws = self._draws
        file = self._workspace.draw(self._number, draws)
        self._ahead.extend(self._calls)
        write = draws.random() < self._writes
        end = file + self._file_size
        while file < end:
            size = min(self._sizes[bisect_right(self._ends, draws.random())], end - file)
            at = Where(self._number, file, end)
            self._ahead.append(NcpRequest(WRITE, size, 0, at) if write else NcpRequest(READ, 0, size, at))
            file += size
