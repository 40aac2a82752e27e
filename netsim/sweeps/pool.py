"""The pool that a sweep makes for itself: processes that it can leave immediately, and that don't outlive it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing.connection import Connection

from netsim.sweeps import worker


class OwnPool:
    """Makes successive pools of `jobs` processes: the next one replaces a broken one."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pipe: tuple[Connection, Connection] | None = None

    def __call__(self) -> Executor:
        """The next pool."""
        self.leave()
        context = multiprocessing.get_context()
        reader, writer = self._pipe = context.Pipe(duplex=False)
        return ProcessPoolExecutor(self._jobs, mp_context=context, initializer=worker.start, initargs=(reader, writer))

    def leave(self) -> None:
        """End its processes now, whatever they are doing."""
        if self._pipe is not None:
            reader, writer = self._pipe
            with contextlib.suppress(OSError):
                writer.send_bytes(b"over")  # no process reads it, so each of them sees it
            writer.close()
            reader.close()
            self._pipe = None


def processors() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
