"""The cost of watching a run, and of the option to watch one: `python -m benchmarks.tracing`.

Unwatched runs: the environment is asked for the class of each part, and answers with the part's own. This happens only
while a run is built, so the cost is the number of such questions times the time of one. As a share of a short run's
time, that is far less than the random difference between two identical runs.

Watched runs: the time of a run with a watcher of wires that does nothing, with an observer of everything that does
nothing, and with a capture or a timeline written, relative to an unwatched run; the median of pairs, whose order
alternates. Compiled runs are compared with compiled ones, then interpreted with interpreted ones.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median
from time import process_time

from benchmarks.cases import fast_ethernet, tcp_gigabit
from netsim.compiled import COMPILED, VARIANT
from netsim.engine import Environment
from netsim.engine.environment import Part
from netsim.export.pcap import Capture
from netsim.export.perfetto_trace import PerfettoTrace
from netsim.watch.watcher import Observer, Watcher
from netsim.watch.watching import Watching
from netsim.workload import Netperf

ROUNDS = 5
DURATION = 10**11  # ps
QUESTIONS = 100_000  # to measure the time of one
ALLOWED = 0.01  # of a run's time
ALLOWED_TRACED = 3  # times as long


class Asked(Environment):
    """Counts the questions."""

    questions = 0

    def part(self, kind: type[Part]) -> type[Part]:
        """See Environment."""
        self.questions += 1
        return super().part(kind)


def main() -> None:
    """Measure and print."""
    print(f"{VARIANT:<16}{'questions':>10}{'share':>10}{'allowed':>9}", end="")
    print(f"{'wires':>7}{'capture':>9}{'everything':>12}{'timeline':>10}{'allowed':>9}   (times as long)")
    for name, test in (("TCP, 1 Gbit/s", tcp_gigabit()), ("UDP, 100 Mbit/s", fast_ethernet("UDP_STREAM"))):
        questions, share = asked(test)
        print(f"{name:<16}{questions:>10}{share:>10.6f}{ALLOWED:>9.2f}", end="")
        print(f"{ratio(test, Watcher):>7.2f}{captured(test):>9.2f}{ratio(test, Observer):>12.2f}", end="")
        print(f"{traced(test):>10.2f}{ALLOWED_TRACED if COMPILED else '':>9}")
    if COMPILED:
        subprocess.run([sys.executable, "-m", "benchmarks.tracing"], env=os.environ | {"NETSIM_PURE": "1"}, check=True)


def asked(test: Netperf) -> tuple[int, float]:
    """The number of questions that a run asks, and the share of its time that they take. Raises RuntimeError if it asks
    any after it is built."""
    env = Asked(1)
    run = test.build(env)
    questions = env.questions
    run.start()
    seconds = _seconds(lambda: env.run(DURATION))
    if env.questions != questions:
        raise RuntimeError(f"{env.questions - questions} questions are asked in the run")
    part = Environment(1).part
    each = _seconds(lambda: [part(Netperf) for _ in range(QUESTIONS)]) / QUESTIONS
    return questions, questions * each / seconds


def ratio(test: Netperf, watcher: Callable[[], Watcher], rounds: int = ROUNDS) -> float:
    """The time of a watched run over that of an unwatched one."""
    ratios = []
    for number in range(rounds):
        both: list[Callable[[], Environment]] = [lambda: Environment(1), lambda: Watching(1, [watcher()])]
        seconds = [_run(test, make) for make in (both if number % 2 else both[::-1])]
        plain, watched = seconds if number % 2 else seconds[::-1]
        ratios.append(watched / plain)
    return median(ratios)


def captured(test: Netperf) -> float:
    """The same ratio with a capture written."""
    with ExitStack() as stack:
        return ratio(test, lambda: stack.enter_context(Capture(os.devnull, force=True)))


def traced(test: Netperf) -> float:
    """The same ratio with a timeline written."""
    with open(os.devnull, "wb") as file:
        return ratio(test, lambda: PerfettoTrace(file))


def _run(test: Netperf, make: Callable[[], Environment]) -> float:
    env = make()
    run = test.build(env)
    run.start()
    return _seconds(lambda: env.run(DURATION))


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    work()
    return process_time() - start


if __name__ == "__main__":
    main()
