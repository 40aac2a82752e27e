"""Runs independent jobs, each in one of several processes."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def in_parallel(jobs: Sequence[Callable[[], T]], processes: int | None = None) -> list[T]:
    """The results of `jobs`, in their order. Shows a progress bar on a terminal. The first job that fails ends all."""
    with ProcessPoolExecutor(processes, initializer=_collect_seldom) as executor:
        futures = [executor.submit(job) for job in jobs]
        try:
            for done in _watched(futures):
                done.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _collect_seldom() -> None:
    """Imported modules are not garbage, and neither is a machine, which the collector would scan many times."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _watched(futures: Sequence[Future[T]]) -> Iterator[Future[T]]:
    silent = not sys.stderr.isatty()
    yield from tqdm(as_completed(futures), total=len(futures), leave=False, disable=silent)
