"""The overhead of a sweep per point, and the gain from a second process: `python -m benchmarks.sweeps`.

The overhead is the processor time of a sweep and its worker, less that of its runs alone, per point, with a store on
disk. The gain is the throughput of two processes over that of one, with runs of 0.2 s: runs that only wait, which
shows the limit of the sweep itself on any machine, and runs that compute. The latter need two free processors: the gain
of the same work in two bare processes, without a sweep, is the upper limit.
"""

from __future__ import annotations

import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

from benchmarks.cases import fast_ethernet
from netsim.engine import Environment
from netsim.measure.simulation import simulate
from netsim.sweeps import sweep
from netsim.workload import Netperf
from netsim.workload.netperf.run import NetperfRun

ROUNDS = 3
POINTS = 300
SHORT = {"precision": 0.5, "limit": "1 ms", "warm_up": "50 us", "sample": "50 us"}
ALLOWED, REQUIRED = 0.005, 1.8  # s per point, ratio of throughputs
LONG, RUNS = 0.2, 24  # s, points


class Busy(Netperf):
    """A test that takes a fifth of a second of processor time, on any processor."""

    def build(self, env: Environment) -> NetperfRun:
        """See Scenario."""
        _compute(0)
        return super().build(env)


class Waiting(Netperf):
    """A test that takes a fifth of a second and no processor time."""

    def build(self, env: Environment) -> NetperfRun:
        """See Scenario."""
        time.sleep(LONG)
        return super().build(env)


def main() -> None:
    """Measure and print."""
    print(f"{'':<36}{'measured':>10}{'required':>10}{'ratio':>8}")
    each = median(overhead() for _ in range(ROUNDS))
    print(f"{'overhead of a point (ms)':<36}{each * 1e3:>10.2f}{ALLOWED * 1e3:>10.2f}{ALLOWED / each:>8.2f}")
    for kind in (Waiting, Busy):
        gain = median(seconds(kind, 1) / seconds(kind, 2) for _ in range(ROUNDS))
        name = f"2 processes over 1, {kind.__name__.lower()} runs"
        print(f"{name:<36}{gain:>10.2f}{REQUIRED:>10.2f}{gain / REQUIRED:>8.2f}")
    print(f"{'2 bare processes over 1':<36}{median(bare(1) / bare(2) for _ in range(ROUNDS)):>10.2f}")


def overhead() -> float:
    """Seconds of processor time per point beyond those of the run itself."""
    test = once(fast_ethernet("TCP_STREAM"))
    clocks = [f"{300 + number} MHz" for number in range(POINTS)]
    tests = [test.replace("sender.processors.clock", clock) for clock in clocks]
    with tempfile.TemporaryDirectory() as folder:
        start = _processor_time()
        sweep(test, {"sender.processors.clock": clocks}, store=Path(folder) / "a.db", jobs=1, progress=False, **SHORT)
        whole = _processor_time() - start
    start = _processor_time()
    for one in tests:
        simulate(one, **SHORT)  # type: ignore[arg-type]
    return (whole - (_processor_time() - start)) / POINTS


def _processor_time() -> float:
    """The processor time of this process and of its past children."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def seconds(kind: type[Netperf], jobs: int) -> float:
    """Seconds of a sweep of long runs."""
    plain = fast_ethernet("TCP_STREAM")
    test = once(kind(test="TCP_STREAM", sender=plain.sender, receiver=plain.receiver))
    clocks = [f"{300 + number} MHz" for number in range(RUNS)]
    start = time.perf_counter()
    sweep(test, {"sender.processors.clock": clocks}, jobs=jobs, progress=False, **SHORT)
    return time.perf_counter() - start


def bare(jobs: int) -> float:
    """Seconds of the same work as in the busy runs."""
    with ProcessPoolExecutor(jobs) as executor:
        start = time.perf_counter()
        list(executor.map(_compute, range(RUNS)))
        return time.perf_counter() - start


def _compute(_: int) -> None:
    until = time.process_time() + LONG
    while time.process_time() < until:
        pass


def once(test: Netperf) -> Netperf:
    """The test with a single iteration."""
    return test.replace({"min_iterations": 1, "max_iterations": 1})


if __name__ == "__main__":
    main()
