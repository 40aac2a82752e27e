"""The code of a worker process: it computes runs, and ends when the sweep has ended.

Runs and results are sent in few bytes, so that a worker that is killed while it writes leaves no half message in a
pipe.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import threading
import zlib
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from netsim.errors import SimulationError
from netsim.measure.simulation import unattended
from netsim.scenario import Scenario
from netsim.sweeps.version import model_version, of_netsim

_over: Connection | None = None  # becomes readable when the sweep is over, or its process is gone


class Outcome(NamedTuple):
    """The record of a result (netsim.results.result.Result.to_record) as packed JSON, or what went wrong."""

    packed: bytes | None
    error: str | None = None

    @property
    def record(self) -> str | None:
        """The record as JSON."""
        return None if self.packed is None else zlib.decompress(self.packed).decode()


def pack(scenario: Scenario) -> bytes:
    """A scenario, packed for a worker."""
    return zlib.compress(pickle.dumps(scenario, protocol=5), 1)


def compute(scenario: bytes, seed: int, settings: Mapping[str, Any], model: str) -> Outcome:
    """Simulate. An error in the run is its outcome; raises SimulationError if the sweep can't continue."""
    _leave_if_over()
    if model_version() != of_netsim(model):
        raise SimulationError("a worker runs another version of netsim than the sweep; none of its results were stored")
    try:
        test = pickle.loads(zlib.decompress(scenario))
    except Exception as error:  # an error of one point must not end the others
        return failure(error)
    if model_version(type(test)) != model:
        raise SimulationError(f"a worker runs other code of {type(test).__name__} than the sweep: it has been edited")
    return _outcome(test, seed, settings)


def _outcome(scenario: Scenario, seed: int, settings: Mapping[str, Any]) -> Outcome:
    try:
        result = unattended(scenario, seed=seed, **settings)
        return Outcome(zlib.compress(json.dumps(result.to_record(), ensure_ascii=False).encode(), 1))
    except Exception as error:
        return failure(error)


def failure(error: Exception) -> Outcome:
    """An error as the outcome of a run."""
    return Outcome(None, f"{type(error).__name__}: {' '.join(str(error).split())}")


def start(reader: Connection, writer: Connection) -> None:
    """In a new process of the sweep's own pool: leave Ctrl-C to the sweep, and end with it, however it ends."""
    global _over
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    writer.close()  # or the pipe would stay open when the sweep's process is killed
    _over = reader
    threading.Thread(target=_watch, args=(reader,), daemon=True).start()


def ready() -> None:
    """A question to a new pool: a process that answers has started."""


def _watch(reader: Connection) -> None:
    reader.poll(None)
    os._exit(1)


def _leave_if_over() -> None:
    if _over is not None and _over.poll(0):
        os._exit(1)
