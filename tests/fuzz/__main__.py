"""python -m tests.fuzz [MINUTES]: random input of every kind, each lot in a process of its own, until the time is up.

One lot for each processor runs at a time. Prints the number of cases, in total and per minute, and each failure with
its input; exit code 1 if there is any.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.checks import CHECKS, SECONDS, limit_memory, made
from tests.fuzz.inputs import warm

LOT = 100  # cases
CONTEXT = multiprocessing.get_context("fork")


def run(kind: str, number: int, cases: int = LOT) -> tuple[int, list[str]]:
    """The number of cases of a kind that ran with this seed, and the failures: input and error."""
    draw, check = CHECKS[kind]
    failures: list[str] = []
    ran = 0

    @seed(number)
    @settings(max_examples=cases, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(draw())
    def one(case: Any) -> None:
        nonlocal ran
        ran += 1
        try:
            check(case)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
            failures.append(f"{kind}: {type(error).__name__} at {place}: {str(error)[:200]!r} of {case!r:.600}")

    one()
    return ran, failures


class Lot(NamedTuple):
    """A running lot, its connection, and its deadline (s of the monotonic clock)."""

    kind: str
    number: int
    process: BaseProcess
    told: Connection
    end: float


def _begin(end: float) -> Lot:
    """Starts a lot in a process of its own, which has the examples and all imports of this one."""
    kind, number = random.choice([*CHECKS]), random.randrange(2**32)
    told, tells = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_run, args=(kind, number, tells))
    process.start()
    tells.close()
    now = time.monotonic()
    return Lot(kind, number, process, told, now + max(60, min(LOT * SECONDS, end - now + 60)))


def _run(kind: str, number: int, tells: Connection) -> None:
    limit_memory()
    tells.send(run(kind, number))


def _ended(lots: list[Lot]) -> Iterator[tuple[Lot, int, list[str]]]:
    """Lots that are done, stuck beyond their limits, or dead, with the number of cases and the failures."""
    wait([one.told for one in lots], timeout=1)
    for one in lots:
        try:
            if one.told.poll():
                yield one, *one.told.recv()
                continue
        except EOFError:
            pass
        else:
            if time.monotonic() < one.end:
                continue
        yield one, 0, [f"{one.kind}: a lot of {LOT} cases with seed {one.number} was stuck, or died"]


def main(minutes: float) -> int:
    """Runs lot after lot, one for each processor at a time."""
    made()
    warm()
    begun = time.monotonic()
    end, total, found = begun + 60 * minutes, dict.fromkeys(CHECKS, 0), dict[str, str]()
    lots = [_begin(end) for _ in range(os.cpu_count() or 1)]
    while lots:
        for lot, ran, failures in [*_ended(lots)]:
            lot.process.kill()
            lot.process.join()
            lots.remove(lot)
            total[lot.kind] += ran
            for one in failures:
                key = " ".join(one.split()[:6])
                if key not in found:
                    print(one, flush=True)
                found.setdefault(key, one)
            if time.monotonic() < end:
                lots.append(_begin(end))
    cases, rate = sum(total.values()), 60 / (time.monotonic() - begun)
    print(f"{cases} cases, {cases * rate:.0f} a minute ({', '.join(f'{n} {kind}' for kind, n in total.items())}): "
          f"{len(found)} kinds of failure", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
