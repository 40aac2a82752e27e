"""The closed form over 100,000 points at once, compared with a loop over them: `python -m benchmarks.instant`.

The loop is `scenario.replace(point).bounds()` over points drawn at random: all of them would take many minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from random import Random
from statistics import median
from time import process_time

import netsim as ns
from benchmarks.cases import SYSTEM

POINTS = 100_000
ROUNDS = 3
DRAWN = 100  # points of the loop in each round
REQUIRED = 50

Axes = Mapping[str, Sequence[object]]
NUMBERS: Axes = {
    "sender.processors.clock": [f"{100 + 10 * step} MHz" for step in range(50)],
    "receiver.memory.read": [f"{50 + 5 * step} MB/s" for step in range(40)],
    "mtu": range(576, 576 + 50),
}
# Names are processed one after the other.
NAMES: Axes = {
    "sender.processors.clock": [f"{100 + 10 * step} MHz" for step in range(50)],
    "mtu": range(576, 576 + 200),
    "receiver.nics.0": ["3c905b/3c59x", "3c905b/3c90x", "eepro100/eepro100", "rtl8139/rtl8139", "lne100tx/tulip"],
    "receiver.processors": [ns.host(name, system=SYSTEM).processors for name in ("p166", "piii-600")],
}


def main() -> None:
    """Measure and print."""
    pc = ns.host("piii-600", system=SYSTEM, nics=["3c905b/3c59x"])
    test = ns.Netperf(test="TCP_STREAM", sender=pc, receiver=pc)
    print(f"{'instant sweep':<18}{'points':>9}{'s':>9}{'us/point':>10}{'us in a loop':>14}{'required':>10}{'ratio':>8}")
    for name, axes in (("numbers", NUMBERS), ("names, too", NAMES)):
        assert prod(map(len, axes.values())) == POINTS
        rounds = [(_seconds(partial(ns.bounds, test, axes)), _loop(test, axes, seed)) for seed in range(ROUNDS)]
        whole, alone = (median(column) for column in zip(*rounds, strict=True))
        ratio = median(loop * POINTS / grid for grid, loop in rounds)
        cells = f"{POINTS:>9}{whole:>9.3f}{whole / POINTS * 1e6:>10.2f}{alone * 1e6:>14.0f}"
        print(f"{name:<18}{cells}{REQUIRED:>10}{ratio:>8.0f}")


def _loop(test: ns.Netperf, axes: Axes, seed: int) -> float:
    """Seconds per point."""
    points = Random(seed).sample([*product(*axes.values())], DRAWN)
    return _seconds(lambda: [test.replace(dict(zip(axes, one, strict=True))).bounds() for one in points]) / DRAWN


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


if __name__ == "__main__":
    main()
