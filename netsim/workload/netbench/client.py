"""One of NetBench's clients: visits to files, operation by operation."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

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
        self._run, self._number = run, number
        self._mix = mix = run.test.mix
        self._workstation = run.workstations[number]
        self._draws = run.env.stream(f"client {number + 1}")
        self._sizes = mix.sizes
        self._ends = np.cumsum(mix.size_weights)[:-1] / total(mix.size_weights)
        host = self._workstation.host
        self._between = host.bill().cycles("application", mix.client_cycles).work()
        self._program = Threads(host, 1)
        self._ahead: deque[NcpRequest] = deque()  # the rest of the current visit

    def begin(self) -> None:
        """The program starts."""
        self._program.serve(self._next)

    def _next(self, program: Thread) -> None:
        """Do the next operation: the program prepares it, sends the request, and gets the reply."""
        if not self._ahead:
            self._visit()
        request = self._ahead.popleft()
        began = self._run.transactions.begin(request.kind)

        def answered() -> None:
            self._run.transactions.end(request.kind, began)
            self._next(program)

        program.work(self._between, partial(self._workstation.ask, request, answered))

    def _visit(self) -> None:
        """Draw the next file and the operations on it: calls, and consecutive requests."""
        mix, draws = self._mix, self._draws
        file = self._run.workspace.draw(self._number, draws)
        self._ahead.extend(NcpRequest(CALL, mix.call, mix.call_reply) for _ in range(mix.calls))
        write = draws.random() < mix.writes
        end = file + mix.file_size
        while file < end:
            size = min(self._sizes[int(np.searchsorted(self._ends, draws.random(), side="right"))], end - file)
            at = Where(self._number, file, end)
            self._ahead.append(NcpRequest(WRITE, size, 0, at) if write else NcpRequest(READ, 0, size, at))
            file += size
