"""Cost is linear in frames, and memory is flat: `python -m benchmarks.scale`.

Each size is a separate simulation in a fresh interpreter, of bulk TCP over 1 Gbit/s for as long as that number of
frames takes, however precise the mean is then. Processor time is that of the simulation alone, including its interval;
memory is the peak resident size of the whole process. Below each column is the ratio of the last size to the first.
"""

from __future__ import annotations

import json
import subprocess
import sys
from resource import RUSAGE_SELF, getrusage
from time import process_time

import netsim as ns
from benchmarks.cases import tcp_gigabit
from netsim.compiled import COMPILED, VARIANT

SIZES = (10_000, 100_000, 1_000_000) if COMPILED else (10_000, 100_000)  # frames; interpreted, the last takes a minute
FRAMES_PER_MS = 43  # that are counted, roughly
SLOWER, LARGER = 1.1, 1.1  # the largest allowed ratios of the last size to the first
ONE_ITERATION = {"min_iterations": 1, "max_iterations": 1}


def main() -> None:
    """Measure and print."""
    print(f"netsim runs {VARIANT}")
    print(f"{'frames':>10}{'us/frame':>10}{'peak MB':>10}")
    found = [measured(size) for size in SIZES]
    for frames, each, memory in found:
        print(f"{frames:>10.0f}{each * 1e6:>10.2f}{memory / 1e6:>10.1f}")
    slower, larger = (found[-1][column] / found[0][column] for column in (1, 2))
    print(f"{'last/first':>10}{slower:>10.2f}{larger:>10.2f}")
    print(f"{'allowed':>10}{SLOWER:>10.2f}{LARGER:>10.2f}")


def measured(size: int) -> list[float]:
    """Frames, seconds of processor time per frame, and bytes of memory, in a fresh interpreter."""
    command = [sys.executable, "-m", "benchmarks.scale", str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: list[float] = json.loads(done.stdout)
    return figures


def here(size: int) -> list[float]:
    """The same, in this process."""
    test = tcp_gigabit().replace(ONE_ITERATION)
    ns.simulate(test, limit="50 ms", precision=0)  # the first simulation imports what it needs
    start = process_time()
    result = ns.simulate(test, limit=f"{size / FRAMES_PER_MS} ms", precision=0, warm_up="1 ms")
    seconds = process_time() - start
    frames = result.frames
    return [frames, seconds / frames, getrusage(RUSAGE_SELF).ru_maxrss * 1024]


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(here(int(sys.argv[1]))))
    else:
        main()
