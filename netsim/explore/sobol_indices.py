"""Sobol indices: the share of a result's variance that is due to each number.

Two samples A and B are drawn from a Sobol sequence, and for each number there is a third, A with that column of B
(Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics Communications 181, 2010); the
estimates are scipy.stats.sobol_indices', and their intervals come from rows drawn again (bootstrap).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from netsim.errors import ScenarioError, SimulationError, plain, show
from netsim.results.by_content import ByContent
from netsim.show import palette, sensitivity_view
from netsim.show.looks import new_axes, series

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Array = NDArray[Any]
CONFIDENCE = 0.95
_RESAMPLES = 999
_AT_ONCE = 2_000_000  # numbers that are resampled together
_LEAST = 16  # fewest rows of the samples for an estimate
_INDICES = ("first", "total")


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(ByContent):
    """`first`-order and `total` Sobol indices of the result called `of`, by address, with the `low` and `high` ends of
    their intervals (95 %): arrays of two rows, first and total. `lost` of the `rows` of the samples were left out,
    because some of their points failed, `failed` of `points`; the indices are those of the remaining rows."""

    of: str
    by: str
    addresses: tuple[str, ...]
    indices: Array
    low: Array
    high: Array
    rows: int
    lost: int
    points: int
    failed: int
    why: str  # the first failure

    @property
    def first(self) -> dict[str, float]:
        """First-order indices."""
        return dict(zip(self.addresses, self.indices[0].tolist(), strict=True))

    @property
    def total(self) -> dict[str, float]:
        """Total indices."""
        return dict(zip(self.addresses, self.indices[1].tolist(), strict=True))

    def to_frame(self) -> pd.DataFrame:
        """A row for each address, with `first`, `first_low`, `first_high`, `total`, `total_low` and `total_high`."""
        import pandas as pd

        columns = {
            f"{name}{end}": values[row]
            for row, name in enumerate(_INDICES)
            for end, values in (("", self.indices), ("_low", self.low), ("_high", self.high))
        }
        return pd.DataFrame(columns, index=pd.Index(self.addresses, name="address"))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw a bar for each index, with its interval, into `ax` (None: new axes), and return it."""
        ax = new_axes(ax)
        places = np.arange(len(self.addresses))[::-1]
        for row, name in enumerate(_INDICES):
            values = self.indices[row]
            ends = np.clip([values - self.low[row], self.high[row] - values], 0, None)
            look: dict[str, Any] = dict.fromkeys(("facecolor", "edgecolor"), series(0, ax))
            look["ecolor"] = palette.of(ax).ink
            ax.barh(places + 0.2 - 0.4 * row, values, 0.36, xerr=ends, label=name, fill=row == 0, **look)
        ax.set_yticks(places, self.addresses)
        ax.set_xlabel(f"share of the variance of {self.of}")
        ax.legend(frameon=False)
        return ax

    def __str__(self) -> str:
        return sensitivity_view.text(self)

    def __repr__(self) -> str:
        return f"<Sensitivity: {sensitivity_view.title(self)}>"

    def _repr_html_(self) -> str:
        return sensitivity_view.html(self)


def checked_rows(n: object) -> int:
    """The number of rows of the samples. Raises ScenarioError."""
    rows = plain(n)
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < _LEAST or rows & (rows - 1):
        raise ScenarioError(f"{show(n)} is not allowed; allowed: a power of 2 from {_LEAST}", address="n")
    return rows


def samples(count: int, n: int, seed: int) -> Array:
    """Shares of the range between the limits, by number, sample (A, B, and A with B's column for each) and row."""
    from scipy.stats import qmc

    drawn = qmc.Sobol(2 * count, rng=np.random.default_rng(seed)).random(n).T
    a, b = drawn[:count], drawn[count:]
    mixed = np.repeat(a[:, None], count, axis=1)
    mixed[range(count), range(count)] = b
    return np.concatenate([a[:, None], b[:, None], mixed], axis=1)


def check(kept: Array, of: str, n: int, failed: int, why: str) -> None:
    """Raises SimulationError if indices can't be estimated."""
    reason = f": {failed} points failed, the first because {why}" if failed else ""
    if kept.shape[1] < _LEAST:
        raise SimulationError(f"only {kept.shape[1]} of {n} rows remain to estimate Sobol indices from{reason}")
    if not np.isfinite(kept).all():
        raise SimulationError(f'"{of}" is infinite at some points, so it has no variance')
    if np.ptp(kept[:2]) == 0:
        raise SimulationError(
            f'"{of}" is the same at all points ({kept[0, 0]:g}), so no input matters{reason}'
        )


def estimated(values: Array, seed: int) -> tuple[Array, Array, Array]:
    """Indices (first, total) and the ends of their intervals: quantiles of the indices of as many rows, drawn at
    random."""
    n = values.shape[1]
    random = np.random.default_rng(seed)
    at_once = max(1, _AT_ONCE // values.size)
    drawn = [random.integers(n, size=(min(at_once, _RESAMPLES - done), n)) for done in range(0, _RESAMPLES, at_once)]
    resampled = np.concatenate([_sobol(values[:, rows]) for rows in drawn], axis=1)
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=1)
    return _sobol(values[:, None])[:, 0], low, high


def _sobol(values: Array) -> Array:
    """Indices by order (first, total), lot and number, for lots of rows of the samples A, B and those mixed of them. A
    number that nothing depends on is added, because scipy can't handle a single one."""
    from scipy.stats import sobol_indices

    a, b, mixed = values[0], values[1], [*values[2:], values[0]]
    samples: dict[Literal["f_A", "f_B", "f_AB"], Array] = {"f_A": a, "f_B": b, "f_AB": np.array(mixed)}
    found = sobol_indices(func=samples, n=values.shape[-1])
    both = np.array([found.first_order, found.total_order])
    return both.reshape(2, len(a), -1)[..., :-1]
