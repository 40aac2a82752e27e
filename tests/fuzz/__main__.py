"""python -m tests.fuzz [MINUTES]: random input of every kind, each lot in a process of its own, until the time is over.

Prints how many cases ran and what failed, each with the input; exit code 1 if something did.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import time
import traceback
from multiprocessing.queues import Queue
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.checks import CHECKS, SECONDS, limit_memory, made

LOT = 100  # cases


def run(kind: str, number: int, cases: int = LOT) -> tuple[int, list[str]]:
    """How many cases of a kind ran, with this seed, and what failed: input and error."""
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


def _lot(kind: str, number: int, told: Queue[tuple[int, list[str]]]) -> None:
    limit_memory()
    told.put(run(kind, number))


def main(minutes: float) -> int:
    """Lot after lot; one that is stuck beyond its limits is ended, and told."""
    made()
    end, total, found = time.monotonic() + 60 * minutes, dict.fromkeys(CHECKS, 0), dict[str, str]()
    context = multiprocessing.get_context("fork")
    while time.monotonic() < end:
        kind, number = random.choice([*CHECKS]), random.randrange(2**32)
        told: Queue[tuple[int, list[str]]] = context.Queue()
        lot = context.Process(target=_lot, args=(kind, number, told))
        lot.start()
        try:
            ran, failures = told.get(timeout=max(60, min(LOT * SECONDS, end - time.monotonic() + 60)))
        except Exception:
            ran, failures = 0, [f"{kind}: a lot of {LOT} cases with seed {number} was stuck, or died"]
        lot.kill()
        lot.join()
        total[kind] += ran
        for one in failures:
            key = " ".join(one.split()[:6])
            if key not in found:
                print(one, flush=True)
            found.setdefault(key, one)
    print(f"{sum(total.values())} cases ({', '.join(f'{n} {kind}' for kind, n in total.items())}): "
          f"{len(found)} kinds of failure", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
