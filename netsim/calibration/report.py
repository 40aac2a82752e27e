"""A calibration in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from netsim.calibration.calibration import Calibration

Matrix = NDArray[np.float64]
CORRELATED = 0.9  # above which a pair gets a line


def report(fit: Calibration) -> str:
    """Parameters, rows, correlations, and which parameters the rows can't tell apart."""
    lines = [*_parameters(fit), "", *_rows(fit), "", *_words(fit)]
    return "\n".join(lines)


def _parameters(fit: Calibration) -> Iterator[str]:
    """Prior (the range, and its middle), posterior (value, standard deviation, and how much narrower it is), and the
    rows that say most."""
    head = f"{'':<44}{'prior':>10}  {'range':<26}{'posterior':>12}{'sd':>10}  {'unit':<7}{'narrowed':>9}{'rows':>6}"
    yield f"{head}  most by"
    bounds = fit.at_bounds()
    for one in fit.parameters:
        value, sd = fit.values[one.name], fit.sds[one.name]
        span = f"{one.low} - {one.high}"
        prior = f"{math.exp(one.middle):>10.4g}  {span:<26}"
        posterior = f"{value:>12.10g}{sd:>10.3g}  {one.unit:<7}{fit.narrowed(one):>8.1f}x{len(fit.influences(one)):>6}"
        bound = " (at its bound)" if one.name in bounds else ""
        yield f"{one.name:<44}{prior}{posterior}  {', '.join(fit.strongest(one))}{bound}"


def _rows(fit: Calibration) -> Iterator[str]:
    yield f"{'row':<66}{'error':>9}"
    for row, error, seen in zip(fit.rows, fit.errors, fit.seen, strict=True):
        yield f"{row.id:<66}{row.error_text(error)}{'' if seen else '  predicted'}"
    shares = np.array([row.share(error) for row, error in zip(fit.rows, fit.errors, strict=True)])
    yield f"{_scatter(shares[fit.seen])}, {len(fit.parameters)} parameters"
    if not fit.seen.all():
        yield f"not fitted to: {_scatter(shares[~fit.seen])}"
    if fit.discrepancy:
        each = ", ".join(f"{family} {100 * sd:.1f} %".lstrip() for family, sd in fit.discrepancy.items())
        yield f"the model's own error: {each} of a row"
    yield f"cost {fit.cost:.2f} (errors, and distances from the middles of the priors: half the sum of squares)"
    few = "too few rows to estimate their scatter: standard deviations are not scaled"
    yield f"standard deviations are scaled by {fit.scale:.2f} (actual over expected scatter)" if fit.scatters else few


def _scatter(errors: Matrix) -> str:
    return f"{len(errors)} rows, root mean square {100 * math.sqrt(float(np.mean(errors**2))):.2f} %"


def _words(fit: Calibration) -> Iterator[str]:
    names = [one.name for one in fit.parameters]
    for i, j in np.argwhere(np.triu(np.abs(fit.correlation), 1) > CORRELATED):
        yield f"{names[i]} and {names[j]} are correlated ({fit.correlation[i, j]:+.2f})"
    for group in fit.confused:
        yield told_apart(group)
    for name in fit.at_bounds():
        yield f"{name} is at its bound"


def told_apart(group: list[str]) -> str:
    """A group of `Calibration.confused` in words."""
    if len(group) == 1:
        return f"rows can't tell where {group[0]} is within its bounds"
    return f"rows can't tell {' from '.join(group)}"
