"""Runs tasks in an executor, at most `window` at a time, and loses none when a worker dies.

A broken pool does not say which task broke it, so all tasks under way are repeated, one at a time, to find out. A task
that was alone when its worker died, DEATHS times, is a failure. Tasks lost with a cluster's scheduler are repeated in
the same way, and count as no task's fault.
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
SILENCE = 25  # polls without an answer, after which the pool is tested


@dataclass(frozen=True)
class Job:
    """A run to be done, with the arguments of `worker.compute`; or one that is known to fail."""

    key: Key
    arguments: tuple[Any, ...] = ()
    known: Outcome | None = None


class Runner:
    """Runs tasks in executors made by `make`; if they are `renewable`, a broken one is replaced."""

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
        """Begin nothing more, and wait for the runs under way."""
        for future in self._pending:
            future.cancel()
        self.executor.shutdown(wait=True)

    def outcomes(self, tasks: Iterator[Job], stopped: Callable[[], bool]) -> Iterator[tuple[Job, Outcome]]:
        """The outcome of each task, as soon as it is known. Tasks are taken as there is room for them. When `stopped`
        says so, nothing more is begun, and unfinished tasks are left.

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
        """Begin as many tasks as there is room for; those to be done alone, only when nothing else is under way."""
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
        """Whether the task under way is to be alone."""
        return any(task.key in self._deaths for task in self._pending.values())

    def _submit(self, task: Job) -> None:
        try:
            self._pending[self.executor.submit(worker.compute, *task.arguments)] = task
        except BrokenExecutor:  # while it was idle: no task's fault
            self._again.appendleft(task)
            self._broken = True

    def _take(self, done: set[Future[Outcome]]) -> Iterator[tuple[Job, Outcome]]:
        """The outcomes that have come back; then raise an error that ends the sweep, so that no outcome is lost."""
        end: NetsimError | None = None
        for future in done:
            task = self._pending.pop(future)
            try:
                outcome = future.result()
            except BrokenExecutor:
                self._lost.append(task)
                self._broken = True
            except CancelledError:
                if self._renewable:  # lost with a cluster's scheduler: no task's fault
                    self._again.append(task)
                    self._broken = True
                else:
                    end = SimulationError("the executor was shut down while the sweep was running")
            except NetsimError as error:
                end = error
            except Exception as error:  # the task did not reach its worker, or the answer did not come back
                yield task, worker.failure(error)
            else:
                yield task, outcome
        if end:
            raise end

    def _listen(self, heard: bool) -> None:
        """Notice a broken pool. A task that is handed over just when it breaks never reports that it is lost (CPython
        3.11, process.py: terminate_broken takes no lock), but the pool refuses later ones. Lost tasks are repeated."""
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
        """Make another pool, and queue the tasks lost with the last one; a task that has died too often fails."""
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
        """Whether a process of a new pool answers. It is asked repeatedly, because a question may be lost, too."""
        try:
            while True:
                with suppress(TimeoutError):
                    self.executor.submit(worker.ready).result(timeout=POLL)
                    return True
        except BrokenExecutor:
            return False
