"""The workers of a dask scheduler: messages when there are none, and recovery when the scheduler is lost."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

from netsim.errors import ScenarioError, SimulationError

PATIENCE = "10 s"  # for a scheduler, and for its first worker
RETURN = "60 s"  # for a scheduler that was there before
LOOK = 2.0  # s between two checks for workers


class DaskCluster:
    """Makes executors of the scheduler at `address`. When it is lost with all runs under way, the next executor
    waits for it to come back. `say` is called when there are no workers, and when there are some again."""

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        self._address, self._say = address, say
        self._client: Any = None
        self._over = threading.Event()
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # the essentials are reported here, in one line
        self._client = self._connected(PATIENCE)
        self._first = True
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def jobs(self) -> int:
        """The number of runs under way that keeps its workers busy."""
        threads: int = sum(self._client.nthreads().values())
        return max(2, 2 * threads)

    def __call__(self) -> Executor:
        """The next executor. Raises SimulationError if the scheduler does not come back."""
        if not self._first:
            self._say(f"--dask {self._address}: the scheduler is gone; waiting {RETURN} for it")
            _leave(self._client)
            try:
                self._client = self._connected(RETURN)
            except ScenarioError as error:
                raise SimulationError(str(error)) from None
        self._first = False
        executor: Executor = self._client.get_executor()
        return executor

    def close(self) -> None:
        """Leave the scheduler."""
        self._over.set()
        _leave(self._client)

    def _connected(self, patience: str) -> Any:
        """A client, once there is a worker. Raises ScenarioError."""
        from distributed import Client

        try:
            client: Any = Client(self._address, timeout=patience)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            text = f"--dask {self._address}: no scheduler answers ({type(error).__name__})"
            raise ScenarioError(text) from None
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            _leave(client)
            raise ScenarioError(self._nobody()) from None
        return client

    def _nobody(self) -> str:
        address = self._address
        return f"--dask {address}: the scheduler has no workers; start some: dask worker {address}"

    def _watch(self) -> None:
        """Say once that there are no workers, and once that there are some again."""
        said = False
        while not self._over.wait(LOOK):
            try:
                number = len(self._client.nthreads())
            except Exception:  # the scheduler has gone: reported elsewhere
                continue
            if (number == 0) is not said:
                said = number == 0
                self._say(self._nobody() if said else f"--dask {self._address}: workers are back")


def _leave(client: Any) -> None:
    """Close a client. A scheduler that is busy or gone need not answer: nothing more is expected from it."""
    with suppress(TimeoutError):
        client.close(timeout=1)
