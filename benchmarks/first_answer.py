"""Processor time to the README's first answer, in a fresh interpreter: `python -m benchmarks.first_answer`.

The bytecode exists already, as after a first use. The last line covers everything: the interpreter's own start,
imports, specs, the simulation and its text.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROUNDS = 5
ALLOWED = {"import": 0.3, "first host": 0.01, "second host": 0.01, "first answer": 1.0}  # s
CODE = """
from time import process_time
import netsim as ns
times = [process_time()]
fast = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
times.append(process_time())
slow = ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x")
times.append(process_time())
str(ns.simulate(ns.Netperf("TCP_STREAM", fast, slow), seed=1))
end = process_time()
print([times[0], times[1] - times[0], times[2] - times[1], end])
"""


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        environment = _with_bytecode(Path(folder))
        _seconds(environment)  # compiles the imported modules
        rounds = [_seconds(environment) for _ in range(ROUNDS)]
    print(f"{'first answer':<18}{'s':>9}{'allowed':>10}{'ratio':>8}")
    for (name, allowed), times in zip(ALLOWED.items(), zip(*rounds, strict=True), strict=True):
        print(f"{name:<18}{median(times):>9.4f}{allowed:>10.2f}{allowed / median(times):>8.2f}")


def _with_bytecode(folder: Path) -> Mapping[str, str]:
    """This process's environment, with its own folder for bytecode."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}


def _seconds(environment: Mapping[str, str]) -> list[float]:
    """The times of one fresh interpreter, in the order of ALLOWED."""
    done = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True, env=environment)
    times: list[float] = json.loads(done.stdout)
    return times


if __name__ == "__main__":
    main()
