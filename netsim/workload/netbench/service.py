"""How NetBench's server handles a request: one of its service processes takes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from netsim.machine import Thread, Threads
from netsim.machine.work import Work
from netsim.stack import NcpRequest
from netsim.workload.netbench.client import CALL, READ

Reply = Callable[[], None]


class FileService:
    """The `threads` serve requests: calls, each of which takes the work `call`, and reads and writes, each with the
    place of its bytes (`Where`) as its `extra`."""

    def __init__(self, threads: Threads, call: Work) -> None:
        self._threads, self._call = threads, call

    def serve(self, request: NcpRequest, reply: Reply) -> None:
        """Have a service process do `request`, then `reply`."""
        self._threads.serve(partial(self._work, request, reply))

    def _work(self, request: NcpRequest, reply: Reply, thread: Thread) -> None:
        done = partial(_done, reply, thread)
        if request.kind == CALL:
            thread.work(self._call, done)
            return
        where = request.extra
        if request.kind == READ:
            thread.read(where.offset + request.offset, request.asked, done, where.client, where.end)
        else:
            thread.write(where.offset + request.offset, request.sent, done)


def _done(reply: Reply, thread: Thread) -> None:
    reply()
    thread.leave()
