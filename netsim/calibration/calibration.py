"""The outcome of a fit: values, how well the rows fix them, and which of them the rows can't tell apart."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netsim import catalog
from netsim.calibration.design import sufficient
from netsim.calibration.parameter import Parameter, overlay_of
from netsim.calibration.robust import softened
from netsim.calibration.row import Observation
from netsim.calibration.toml_edit import replace_value
from netsim.catalog import Overlay
from netsim.errors import ScenarioError
from netsim.export.whole_file import write_whole
from netsim.results.by_content import ByContent

Matrix = NDArray[np.float64]
INFLUENCE = 0.01  # slope (a row's error over a parameter's relative change) below which a row says nothing about it
FEWEST = 0.5  # degrees of freedom: with fewer, parameters follow all that rows do, and what is left is rounding
TELLS = 3.0  # rows tell parameters apart if they narrow the range between the bounds by this factor
PART = 0.4  # of a direction's largest component: the smallest with which a parameter belongs to it
DIGITS = 4  # of a value, unless its error justifies more: parameters that matter only together need them
LINE = 120  # columns of an entry on one line


@dataclass(frozen=True, eq=False)
class Calibration(ByContent):
    """`x` has the logarithms of the values, `errors` each row's error there (`Observation.error`), `slopes` each row's
    d error / d log(parameter). `outlier` and `share` are those of the fit's settings, `discrepancy` has the final
    estimates of the model's own error, by family. `used` has the numbers of the rows that were fitted to, None for all;
    the others are predicted.
    """

    parameters: Sequence[Parameter]
    rows: Sequence[Observation]
    x: Matrix
    errors: Matrix
    slopes: Matrix
    outlier: float | None = None
    used: tuple[int, ...] | None = None
    share: float = 1.0
    discrepancy: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Which rows were fitted to."""
        numbers = range(len(self.rows))
        return np.array([self.used is None or number in self.used for number in numbers])

    @cached_property
    def values(self) -> dict[str, float]:
        """Name -> value in the parameter's unit, rounded where its error makes further digits meaningless."""
        return {
            one.name: _rounded(math.exp(log), math.exp(log) * sd)
            for one, log, sd in zip(self.parameters, self.x, self._log_sds, strict=True)
        }

    @cached_property
    def sds(self) -> dict[str, float]:
        """Name -> standard deviation, in the parameter's unit, to two digits."""
        return {
            one.name: _significant(math.exp(log) * sd, 2)
            for one, log, sd in zip(self.parameters, self.x, self._log_sds, strict=True)
        }

    @cached_property
    def correlation(self) -> Matrix:
        """Correlation of the logarithms of the parameters."""
        return self._covariance / np.outer(self._log_sds, self._log_sds)

    @cached_property
    def scale(self) -> float:
        """The factor by which all rows, including predicted ones, scatter more than their measurements and the model's
        own error explain; 1 if they don't, or are too few to show it (`scatters`).

        The scale factor of the Particle Data Group: sqrt(chi^2 / degrees of freedom), if above 1.
        """
        chi2 = float(np.sum((self._precisions * self.errors) ** 2))
        return max(1.0, math.sqrt(chi2 / self._freedom)) if self.scatters else 1.0

    @property
    def scatters(self) -> bool:
        """Whether there are enough rows to show how far they scatter."""
        return self._freedom >= FEWEST

    @cached_property
    def cost(self) -> float:
        """What the fit has minimised: half the sum of the squares of errors and of distances from the middles of the
        priors, each in standard deviations; large errors count less (`outlier`). Of two fits with the same rows and
        discrepancies, the one with the lower cost is better."""
        soft, _ = softened(self._weights * self.errors, self.outlier)
        middles = np.array([one.middle for one in self.parameters])
        return float(np.sum(soft**2) + np.sum(((self.x - middles) / self._widths) ** 2)) / 2

    @cached_property
    def confused(self) -> list[list[str]]:
        """Groups of parameters that the rows don't tell apart: directions in which the rows that were fitted to,
        without the excess scatter `scale`, narrow the range between the bounds by less than a factor of 3 (singular
        vectors of the scaled Jacobian). A group of one is a parameter that the rows don't fix at all.
        """
        _, singular, directions = np.linalg.svd(self._informed, full_matrices=True)
        told = np.append(singular, np.zeros(len(directions) - len(singular)))
        return [self._group(one) for one, size in zip(directions, told, strict=True) if size < TELLS]

    def influences(self, parameter: Parameter) -> list[str]:
        """The ids of the rows that were fitted to and say something about a parameter."""
        slopes = np.abs(self.slopes[:, list(self.parameters).index(parameter)])
        says = self.seen & (slopes >= INFLUENCE)
        return [row.id for row, own in zip(self.rows, says, strict=True) if own]

    def strongest(self, parameter: Parameter, count: int = 3) -> list[str]:
        """The ids of the rows that say most about a parameter, the strongest first."""
        says = np.abs(self.slopes[:, list(self.parameters).index(parameter)]) * self._weights
        order = np.argsort(-says, kind="stable")[:count]
        known = set(self.influences(parameter))
        return [self.rows[number].id for number in order if self.rows[number].id in known]

    def narrowed(self, parameter: Parameter) -> float:
        """The factor by which the rows narrow the range between its bounds: 1 if they say nothing."""
        return float(parameter.width / self._log_sds[list(self.parameters).index(parameter)])

    def at_bounds(self) -> list[str]:
        """Names of the parameters at a bound: physics, not the rows, determines their values."""
        edges = [np.array(one.log_bounds) for one in self.parameters]
        return [
            one.name
            for one, log, edge in zip(self.parameters, self.x, edges, strict=True)
            if np.min(np.abs(edge - log)) < 1e-3 * np.ptp(edge)
        ]

    def overlay(self) -> Overlay:
        """The values, rounded as they are written, for `catalog.overlay`."""
        return overlay_of(self.parameters, self.values)

    def without(self, left_out: Collection[str]) -> Matrix:
        """The point to which the slopes lead without the rows of these ids, as logarithms: one Gauss-Newton step from
        the result, within the bounds."""
        from scipy.optimize import lsq_linear  # here, because it takes a quarter of a second

        x, kept = self.x, self.kept(left_out)
        soft, softening = softened(self._precisions * self.errors, self.outlier)
        middles = np.array([one.middle for one in self.parameters])
        rows = ((softening * self._precisions)[:, None] * self.slopes)[kept]
        matrix = np.vstack([rows, np.diag(1 / self._widths)])
        residuals = np.append(soft[kept], (x - middles) / self._widths)
        low, high = np.array([one.log_bounds for one in self.parameters]).T
        step: Matrix = lsq_linear(matrix, -residuals, (low - x - 1e-9, high - x + 1e-9)).x
        return np.clip(x + step, low, high)

    def kept(self, left_out: Collection[str]) -> list[int]:
        """The numbers of the rows that a fit without these ids would use: enough of the others to hold the same share
        of the information in all of these."""
        others = [number for number, row in enumerate(self.rows) if row.id not in left_out]
        seen = np.flatnonzero(self.seen[others]).tolist()
        says = self._precisions[:, None] * self.slopes * self._widths
        return [others[place] for place in sufficient(says[others], self.share, seen)]

    def write(self) -> list[Path]:
        """Write the value, standard deviation and rows of every parameter into its file of models/; returns the files
        that changed. Raises ScenarioError, and writes nothing, if a file has no such value, or if no row depends on
        it.
        """
        texts: dict[Path, str] = {}
        for one in self.parameters:
            if not self.influences(one):
                raise ScenarioError("no row depends on it", address=one.name)
            path = catalog.path(*one.file.split("/", 1))
            before = texts.get(path) or path.read_bytes().decode()
            texts[path] = replace_value(before, one.address, self.entry(one))
        changed = [path for path, text in texts.items() if path.read_bytes().decode() != text]
        for path in changed:
            write_whole(path, texts[path])
        return changed

    def entry(self, parameter: Parameter) -> str:
        """A parameter's value as it is in models/."""
        value = _plain(self.values[parameter.name])
        shown = f'"{value} {parameter.unit}"' if parameter.unit else value
        sd = _plain(self.sds[parameter.name])
        rows = [json.dumps(row, ensure_ascii=False) for row in self.influences(parameter)]
        span = f"[{_bound(parameter.low)}, {_bound(parameter.high)}]"
        about = json.dumps(parameter.reason, ensure_ascii=False)
        head = (
            f'{{ value = {shown}, kind = "fitted", source = "netsim.calibrate", range = {span}, reason = {about}, '
            f"sd = {sd}, rows = ["
        )
        line = f"{head}{', '.join(rows)}] }}"
        if len(parameter.address.split(".")[-1]) + 3 + len(line) <= LINE:
            return line
        return "\n".join([head, *(f"    {row}," for row in rows), "] }"])

    def __str__(self) -> str:
        from netsim.calibration.report import report

        return report(self)

    # ---- within ----

    @cached_property
    def _precisions(self) -> Matrix:
        return np.array([row.precision(self.discrepancy) for row in self.rows])

    @cached_property
    def _weights(self) -> Matrix:
        """Each row's weight in the fit: 0 for a row that was not fitted to."""
        weights: Matrix = self._precisions * self.seen
        return weights

    @cached_property
    def _widths(self) -> Matrix:
        return np.array([one.width for one in self.parameters])

    @cached_property
    def _informed(self) -> Matrix:
        """The Jacobian in units of prior knowledge: rows in their standard deviation without excess scatter, parameters
        in the width of their bounds."""
        informed: Matrix = self._weights[:, None] * self.slopes * self._widths
        return informed

    @cached_property
    def _freedom(self) -> float:
        """The degrees of freedom of the rows: their number, less the parameters that they determine (the trace of the
        hat matrix). One takes none as far as its prior holds it, or where a bound does."""
        held = self.at_bounds()
        told = np.linalg.svd(self._informed[:, [one.name not in held for one in self.parameters]], compute_uv=False)
        return len(self.rows) - float(np.sum(told**2 / (1 + told**2)))

    @cached_property
    def _scaled(self) -> Matrix:
        """The same with rows in their scatter."""
        scaled: Matrix = self._informed / self.scale
        return scaled

    @cached_property
    def _covariance(self) -> Matrix:
        """The covariance of the logarithms. The bounds count as one more measurement of each parameter, so that it is
        finite where the rows say nothing, and unchanged where they do.
        """
        inverse = np.linalg.inv(self._scaled.T @ self._scaled + np.eye(len(self.parameters)))
        return inverse * np.outer(self._widths, self._widths)

    @cached_property
    def _log_sds(self) -> Matrix:
        sds: Matrix = np.sqrt(np.diag(self._covariance))
        return sds

    def _group(self, direction: Matrix) -> list[str]:
        parts = np.abs(direction) / np.max(np.abs(direction))
        return [one.name for one, part in zip(self.parameters, parts, strict=True) if part >= PART]


def _bound(text: str) -> str:
    """One of a parameter's bounds as TOML."""
    return json.dumps(text) if " " in text else text


def _rounded(value: float, sd: float) -> float:
    """To 4 digits, or to the second digit of the standard deviation where that is finer."""
    place = min(_magnitude(value) - DIGITS + 1, _magnitude(sd) - 1)
    return round(value, -place)


def _significant(value: float, digits: int) -> float:
    return round(value, digits - 1 - _magnitude(value))


def _magnitude(value: float) -> int:
    return math.floor(math.log10(abs(value)))


def _plain(value: float) -> str:
    """Without exponent, and without decimal point if it needs none."""
    return f"{value:.12f}".rstrip("0").rstrip(".")
