"""Frames per second of the frame path, relative to the timeouts per second of bare SimPy on this machine, this minute.

A bare SimPy process that only waits (`yield env.timeout(1)`) and the cases run one after the other, several times; the
figures printed are medians of processor time. The requirement is a ratio, so it holds on any machine. The speed of
instant sweeps follows.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import simpy

from benchmarks import instant
from benchmarks.cases import Case, cases
from netsim.compiled import VARIANT
from netsim.engine import Environment

ROUNDS = 5
TIMEOUTS = 200_000
WARM_UP = 10**11  # ps


def main() -> None:
    """Measure and print."""
    print(f"netsim runs {VARIANT}")
    print(f"{'case':<20}{'events/frame':>13}{'us/frame':>10}{'us/timeout':>12}", end="")
    print(f"{'frames/timeout':>16}{'required':>10}{'ratio':>8}")
    for case in cases():
        rounds = [(bare(), *frames(case)) for _ in range(ROUNDS)]
        timeout, frame, events = (median(column) for column in zip(*rounds, strict=True))
        speed = median(one[0] / one[1] for one in rounds)
        required = getattr(case.required, VARIANT)
        print(
            f"{case.name:<20}{events:>13.2f}{frame * 1e6:>10.2f}{timeout * 1e6:>12.3f}{speed:>16.4f}"
            f"{required:>10.4f}{speed / required:>8.2f}"
        )
    print()
    instant.main()


def bare() -> float:
    """Seconds per timeout of a SimPy process that only waits."""
    env = simpy.Environment()

    def ticks() -> simpy.events.ProcessGenerator:
        while True:
            yield env.timeout(1)

    env.process(ticks())
    return _seconds(lambda: env.run(until=TIMEOUTS)) / TIMEOUTS


def frames(case: Case) -> tuple[float, float]:
    """Seconds and events per frame."""
    env = Environment(seed=1)
    run = case.build(env)
    run.start()
    env.run(until=WARM_UP)
    before, events = run.frames(), env.events
    seconds = _seconds(lambda: env.run(until=WARM_UP + case.duration))
    count = run.frames() - before
    run.audit()
    return seconds / count, (env.events - events) / count


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


if __name__ == "__main__":
    main()
