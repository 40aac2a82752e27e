"""The simulations of the page, in a separate process that reports its progress and can be stopped at any time."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from netsim.errors import NetsimError, SimulationError
from netsim.measure.monitor import Measured, Monitor
from netsim.measure.simulation import monitored
from netsim.results.result import Result
from netsim.scenario import Scenario

_EVERY = 0.1  # s, between two looks at a run


class PageJob(NamedTuple):
    """A task for the process, which calls `make` with `given` and a function that reports the completed share; its
    result is stored under `key`, and its `name` is shown meanwhile."""

    key: str
    name: str
    make: Callable[..., Any]
    given: tuple[Any, ...]


class Runs:
    """Successive jobs. `look` returns their results."""

    def __init__(self) -> None:
        self._jobs: list[PageJob] = []
        self._total = 0
        self._done = 0.0  # share of the current one
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    @property
    def under_way(self) -> str:
        """The current job; "" if there is none."""
        return self._jobs[0].name if self._jobs else ""

    @property
    def share(self) -> float:
        """The completed share of all requested jobs."""
        return (self._total - len(self._jobs) + self._done) / self._total if self._total else 1.0

    def warm_up(self) -> None:
        """Start the process if none is running: it takes a second to begin."""
        if self._process is None or not self._process.is_alive():
            self._process, self._pipe = _started()

    def start(self, jobs: Sequence[PageJob]) -> None:
        """Queue these jobs after those under way."""
        known = {one.key for one in self._jobs}
        new = [one for one in jobs if one.key not in known]
        if new and not self._jobs:
            self._total, self._jobs = len(new), new
            self.warm_up()
            self._send()
        else:
            self._total += len(new)
            self._jobs += new

    def look(self) -> dict[str, Any]:
        """The outcomes of jobs since the last look, by their keys: a result, or an error."""
        found: dict[str, Any] = {}
        try:
            while self._jobs and self._pipe is not None and self._pipe.poll():
                kind, value = self._pipe.recv()
                if kind == "done":
                    self._done = max(self._done, value)
                else:
                    found[self._jobs.pop(0).key] = value
                    self._send()
        except (EOFError, OSError):
            found[self._jobs[0].key] = SimulationError("the process that simulates has ended; try again")
            self.cancel()
        return found

    def cancel(self) -> None:
        """Stop the current job, and forget the waiting ones."""
        if self._jobs:
            self.close()
            self.warm_up()
        self._jobs, self._total, self._done = [], 0, 0.0

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._pipe is not None:
            self._process.terminate()
            self._process.join()
            self._pipe.close()
        self._process = self._pipe = None

    def _send(self) -> None:
        self._done = 0.0
        if self._jobs and self._pipe is not None:
            self._pipe.send((self._jobs[0].make, self._jobs[0].given))


def _started() -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _serve(pipe: Connection) -> None:
    """The process: one job at a time, until the page's end of the pipe closes. The page handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            make, given = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            found = make(*given, lambda share: pipe.send(("done", share)))
        except NetsimError as error:
            found = error
        except Exception as error:  # a fault in netsim must not stop the page
            found = NetsimError(f"{type(error).__name__}: {error}")
        try:
            pipe.send(("found", found))
        except OSError:
            return


# ---- jobs ----


class _Telling(Monitor):
    """Occasionally reports the completed share of a run."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell, self._next = tell, 0.0

    def sample(self, measured: Measured) -> None:
        """See Monitor."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + _EVERY
            self._tell(min(measured.standing().done, 1.0))


def simulated(scenario: Scenario, precision: float, seed: int, tell: Callable[[float], None]) -> Result:
    """The result of a scenario."""
    return monitored(scenario, _Telling(tell), seed=seed, precision=precision)
