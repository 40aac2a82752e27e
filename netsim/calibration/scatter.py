"""How far a row's simulated value scatters, and how many runs even that out.

A system with several lasting states may be in any of them: four cards in step, say, or out of step. The smallest change
of a cost decides which, so the value jumps, however narrow the interval of a single run is. A search would settle where
such rows happen to be lucky.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from netsim.calibration.problem import Problem
from netsim.calibration.row import Observation

Matrix = NDArray[np.float64]
PROBES = 4  # points
NEARBY = 1e-3  # standard deviation of the points' distances, of logarithms: what follows slopes is negligible there
QUIET = 0.3  # of a row's standard deviation: scatter beyond it is evened out
MOST = 6  # runs, because each has its price


def steadied(problem: Problem, x: Matrix) -> list[Observation]:
    """The rows, each with its `scatter` near a point, and with as many `runs` as reduce it to `QUIET`, or `MOST`."""
    ways = np.random.default_rng(0).normal(0.0, NEARBY, (PROBES, len(x)))
    points = [problem.within(x + way) for way in ways]
    problem.costs(points)  # in parallel
    scatter = np.std([problem.errors(point) for point in points], axis=0, ddof=1)
    told = scatter * problem.weights
    return [
        replace(row, scatter=float(own), runs=min(MOST, math.ceil((ratio / QUIET) ** 2))) if ratio > QUIET else row
        for row, own, ratio in zip(problem.rows, scatter, told, strict=True)
    ]
