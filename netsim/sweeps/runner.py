"""Tasks through an executor, never more under way than `window`, and none lost when a worker is.

When a pool breaks, it does not say which task broke it. So all that was under way is done again, one task at a time:
then the task is known. A task that was alone with its worker when that died, DEATHS times, is a failure. What the
scheduler of a cluster took with it is done again in the same way, and is no task's fault.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from netsim.errors import NetsimError, SimulationError
from netsim.sweeps import worker
from netsim.sweeps.store import Key
from netsim.sweeps.worker import Outcome

DEATHS = 3
TRIES = 10  # successive new pools in which no process answers
POLL = 0.2  # s until an interrupt is noticed
SILENCE = 25  # polls without an answer until it is seen whether the pool takes more


@dataclass(frozen=True)
class Job:
    """A run to be done: what `worker.compute` takes; or one that is known to fail."""

    key: Key
    arguments: tuple[Any, ...] = ()
    known: Outcome | None = None


class Runner:
    """Does tasks in executors that `make` makes; with `renewable`, a broken one is replaced by another."""

    def __init__(self, make: Callable[[], Executor], window: int, renewable: bool) -> None:
        self._make, self._window, self._renewable = make, window, renewable
        self.executor = make()
        self._pending: dict[Future[Outcome], Job] = {}
        self._again: deque[Job] = deque()  # to be done alone
        self._lost: list[Job] = []  # with the pool that is broken
        self._broken = False
        self._silence = 0
        self._deaths: Counter[Key] = Counter()

    def leave(self) -> None:
        """Begin nothing more, and wait for what is being done."""
        for future in self._pending:
            future.cancel()
        self.executor.shutdown(wait=True)

    def outcomes(self, tasks: Iterator[Job], stopped: Callable[[], bool]) -> Iterator[tuple[Job, Outcome]]:
        """What becomes of each task, in the order in which it is known. Tasks are taken as there is room for them. When
        `stopped` says so, nothing more is begun, and what is not ready is left.

        Raises SimulationError if the executor is gone for good.
        """
        while not stopped():
            yield from self._fill(tasks)
            if not self._pending and not self._broken:
                return
            done, _ = wait(self._pending, timeout=POLL, return_when=FIRST_COMPLETED)
            yield from self._take(done)
            self._listen(bool(done))
            if self._broken and not self._pending:
                yield from self._renew()
        yield from self._take({future for future in self._pending if future.done()})

    def _fill(self, tasks: Iterator[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Begin as much as there is room for: what is done alone, only when nothing else is under way."""
        while self._again and not self._pending and not self._broken:
            self._submit(self._again.popleft())
        while not self._again and not self._broken and len(self._pending) < self._window:
            if self._alone:
                return
            task = next(tasks, None)
            if task is None:
                return
            if task.known:
                yield task, task.known
            else:
                self._submit(task)

    @property
    def _alone(self) -> bool:
        """Whether what is under way is to be alone."""
        return any(task.key in self._deaths for task in self._pending.values())

    def _submit(self, task: Job) -> None:
        try:
            self._pending[self.executor.submit(worker.compute, *task.arguments)] = task
        except BrokenExecutor:  # while it was idle: no task's fault
            self._again.appendleft(task)
            self._broken = True

    def _take(self, done: set[Future[Outcome]]) -> Iterator[tuple[Job, Outcome]]:
        """What has come back: first all of it, then what ends the sweep, so that nothing known is lost."""
        end: NetsimError | None = None
        for future in done:
            task = self._pending.pop(future)
            try:
                outcome = future.result()
            except BrokenExecutor:
                self._lost.append(task)
                self._broken = True
            except CancelledError:
                if self._renewable:  # with the scheduler of a cluster: no task's fault
                    self._again.append(task)
                    self._broken = True
                else:
                    end = SimulationError("the executor was shut down while the sweep was running")
            except NetsimError as error:
                end = error
            except Exception as error:  # the task did not get there, or its answer did not come back
                yield task, worker.failure(error)
            else:
                yield task, outcome
        if end:
            raise end

    def _listen(self, heard: bool) -> None:
        """A task that is handed over just when a pool breaks never says that it is lost (CPython 3.11, process.py:
        terminate_broken takes no lock). Such ones are done again: the pool refuses whatever comes later."""
        self._silence = 0 if heard else self._silence + 1
        if self._silence == SILENCE and self._renewable and not self._broken:
            self._silence = 0
            self._broken = not self._takes_more()
        if self._broken and not heard:
            self._again.extend(self._pending.values())
            self._pending.clear()

    def _takes_more(self) -> bool:
        try:
            self.executor.submit(worker.ready)
        except BrokenExecutor:
            return False
        return True

    def _renew(self) -> Iterator[tuple[Job, Outcome]]:
        """Another pool, and what was lost with the last one into the queue; a task that has died too often is done."""
        if not self._renewable:
            raise SimulationError("the executor is broken: one of its workers has died")
        lost, self._lost = self._lost, []
        for task in lost:
            self._deaths[task.key] += len(lost) == 1
            if self._deaths[task.key] < DEATHS:
                self._again.append(task)
            else:
                yield task, Outcome(None, f"its worker process died {DEATHS} times")
        for _ in range(TRIES):
            self.executor = self._make()
            if self._answers():
                self._broken = False
                return
        raise SimulationError('no worker process stays alive; does the script lack if __name__ == "__main__"?')

    def _answers(self) -> bool:
        """Whether a process of a new pool does. It is asked repeatedly, as a question may be lost, too."""
        try:
            while True:
                with suppress(TimeoutError):
                    self.executor.submit(worker.ready).result(timeout=POLL)
                    return True
        except BrokenExecutor:
            return False
