"""Which numbers a result depends on: Sobol indices.

The numbers vary within limits, each evenly and independently of the others. A number's first-order index is the share
of the result's variance that disappears, on average, when the number is known; its total index is the share that is
left when all the others are known. The difference is due to several numbers together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from netsim.errors import (
    NetsimError,
    ScenarioError,
    SimulationError,
    check_type,
    near_miss,
    nearest,
    no_choice,
    whole_number,
)
from netsim.explore.bounds_grid import of_points
from netsim.explore.limits import Limits
from netsim.explore.points import Points, sampled
from netsim.explore.sobol_indices import Array, Sensitivity, check, checked_rows, estimated, samples
from netsim.measure.simulation import unattended
from netsim.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

_OPTIONS = ("precision", "warm_up", "sample", "limit")  # of netsim.simulate


def sensitivity(
    scenario: Scenario,
    limits: Mapping[str, tuple[object, object]],
    of: str = "throughput",
    n: int = 1024,
    *,
    by: Literal["bounds", "simulation"] = "bounds",
    seed: int = 1,
    executor: Executor | None = None,
    **options: Any,
) -> Sensitivity:
    """Sobol indices of a result over addresses of `scenario`, each with the `limits` (low, high) of its number, as a
    user writes it.

    `of` is a numeric column of BoundsGrid.to_frame or, `by` "simulation", of Result.to_frame. This evaluates `n` (a
    power of 2) times (the number of addresses + 2) points. `seed` is the seed of the samples, and of every simulation
    (common random numbers). `options`, for simulations only, are those of netsim.simulate, and `executor` runs the
    simulations (None: one after another, in this process). Whole numbers between the limits are equally likely.

    Raises ScenarioError for wrong limits, an unknown address or result; SimulationError if too many points failed, or
    if the result is the same everywhere, so that there is no variance to divide.
    """
    check_type("scenario", scenario, Scenario, "a measuring tool's test, such as Netperf")
    check_type("limits", limits, Mapping, "a table of addresses, each with the lowest and the highest value")
    factors = [Limits.of(scenario, address, ends) for address, ends in limits.items()]
    if not factors:
        raise ScenarioError("no limits; allowed: at least one address with (low, high)")
    if by not in ("bounds", "simulation"):
        raise no_choice(by, ["bounds", "simulation"]).at("by")
    _check_options(options, by)
    if by == "bounds":
        evaluate = partial(_bounds, scenario, of)
    else:
        evaluate = partial(_simulated, scenario, of, executor, {"seed": seed} | options)
    return indices(factors, evaluate, n, seed, of, by)


def _check_options(options: Iterable[str], by: str) -> None:
    allowed = _OPTIONS if by == "simulation" else ()
    for name in options:
        if name not in allowed:
            text = f'not an option with by = "{by}"{near_miss(name, allowed)}; allowed: {", ".join(allowed) or "none"}'
            raise ScenarioError(text, address=name)


# ---- what is evaluated ----

Evaluation = Callable[[Points], tuple[Array, str]]  # values, NaN where a point failed, and why the first one did


def _bounds(scenario: Scenario, of: str, points: Points) -> tuple[Array, str]:
    grid = of_points(scenario, points)
    why = next((str(one.error) for one in grid.failures), "")
    frame = grid.to_frame()
    return _numbers(frame, of), why


def _simulated(
    scenario: Scenario, of: str, executor: Executor | None, options: Mapping[str, Any], points: Points
) -> tuple[Array, str]:
    changes = [points.changes((place,)) for place in range(points.shape[0])]
    done = (executor.map if executor else map)(partial(_simulate, scenario, options), changes)
    frames: list[pd.DataFrame | str] = list(done)
    why = next((one for one in frames if isinstance(one, str)), "")
    found = [one for one in frames if not isinstance(one, str)]
    if not found:
        raise SimulationError(f"all {len(frames)} points failed: {why}")
    _numbers(next((one for one in found if of in one), found[0]), of)
    values = np.array([np.nan if isinstance(one, str) else _value(one, of) for one in frames])
    return values, why or (f'"{of}" is not in the result' if np.isnan(values).any() else "")


def _simulate(scenario: Scenario, options: Mapping[str, Any], changes: Mapping[str, object]) -> pd.DataFrame | str:
    """One point, in whatever process: a row of results, or why it failed."""
    try:
        return unattended(scenario.replace(changes), **options).to_frame()
    except NetsimError as error:
        return str(error)


def _value(frame: pd.DataFrame, of: str) -> float:
    """A number of a result. A missing one, which only some scenarios have, counts as a failure."""
    return float(frame[of].iloc[0]) if of in frame else np.nan


def _numbers(frame: pd.DataFrame, of: str) -> Array:
    """A column of a table of results. Raises ScenarioError if it is missing, or has no numbers."""
    numeric = [str(name) for name in frame.select_dtypes("number").columns]
    if of not in numeric:
        raise ScenarioError(f'"{of}" is not a number of the result{nearest(of, numeric)}', address="of")
    return frame[of].to_numpy(float)


# ---- indices ----


def indices(factors: list[Limits], evaluate: Evaluation, n: int, seed: int, of: str, by: str) -> Sensitivity:
    """The indices of the values of `evaluate`. See `sensitivity`."""
    n, seed = checked_rows(n), whole_number("seed", seed, 0)
    shares = samples(len(factors), n, seed)
    columns = tuple(sampled(factor, shares[number].ravel()) for number, factor in enumerate(factors))
    values, why = evaluate(Points((columns,)))
    failed = int(np.isnan(values).sum())
    values = values.reshape(len(factors) + 2, n).copy()
    lost = np.isnan(values).any(axis=0)
    check(values[:, ~lost], of, n, failed, why)
    # A failed row has no effect if all of it is the mean of the others: it adds neither to the variance nor to its
    # parts, and indices are their ratio.
    values[:, lost] = values[:2, ~lost].mean()
    found, low, high = estimated(values, seed)
    addresses = tuple(factor.address for factor in factors)
    return Sensitivity(of, by, addresses, found, low, high, n, int(lost.sum()), values.size, failed, why)
