"""The interval of a result's mean over the replications of a point, from the rows of a sweep's table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from netsim.statistics import Estimate, degrees_of_each, replications, student

if TYPE_CHECKING:
    import pandas as pd


def half_width(confidence: float, rows: pd.DataFrame, y: str) -> float:
    """Half the interval of the mean of `y`. Where each run knows its own interval, it counts as one of several
    iterations (netsim.statistics.replications); otherwise only the differences between runs count, by Student's t. 0
    if unknown: one run without an interval."""
    own = width_of(y)
    if own in rows and rows[own].notna().all():
        runs = zip(rows[y], rows[own], rows["iterations"], strict=True)
        return replications([_estimate(confidence, *map(float, run)) for run in runs], confidence).half_width
    number = len(rows)
    return student(confidence, number - 1) * float(rows[y].std(ddof=1)) / math.sqrt(number) if number > 1 else 0.0


def width_of(y: str) -> str:
    """The name of the column with the half-widths of `y`; empty if there is none."""
    if y.startswith("cpu."):
        return f"cpu_half_width.{y.removeprefix('cpu.')}"
    return f"{y.removesuffix('throughput')}half_width" if y.endswith("throughput") else ""


def _estimate(confidence: float, mean: float, width: float, iterations: float) -> Estimate:
    """A run's estimate from what the table has of it. Its degrees of freedom are those of iterations that are alike; a
    run with fewer has a wider interval, from which its variance comes out too large."""
    degrees = int(iterations) * degrees_of_each(int(iterations)) + int(iterations) - 1
    return Estimate(mean, width, (width / student(confidence, degrees)) ** 2, degrees)
