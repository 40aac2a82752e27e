"""How a fit simulates rows, and how it searches."""

from __future__ import annotations

from dataclasses import dataclass

STEPS = (0.1, 0.04)  # of the logarithm, for derivatives of the simulation: above the noise that a fixed seed leaves


@dataclass(frozen=True)
class FitSettings:
    """How rows are simulated, always with the same seed, and fitted. A row whose interval is wide after `limit` (more
    than 2 % of the throughput to each side) is simulated for 4 times as long; one whose value scatters from run to run
    is simulated several times (netsim.calibration.scatter). Slopes are differences over each of `steps` in turn (of the
    logarithms of parameters), with at most `evaluations` of all rows for each. The closed form is searched from the
    parameters' starts and from `starts` - 1 further points, spread over their bounds; with several starts, slopes are
    computed once for each of `steps`, and updated from further points. Residuals beyond `outlier` standard deviations
    count less, so that a row that the model gets wrong does not distort the fit to the others (None: all count alike).
    With a `share` below 1, the fit uses only rows that together hold this share of the information in all rows
    (netsim.calibration.design), and predicts the others. `discrepancy` is a first guess at the model's own error, as a
    standard deviation, relative or of a row's whole. For each family of rows it is estimated again
    (netsim.calibration.discrepancy) before each of `steps` except the first, or once if only the closed form is fitted.
    With 0 the model is treated as perfect."""

    seed: int = 1
    precision: float = 0.002
    warm_up: str | None = None  # that of `simulate`
    sample: str = "5 ms"
    limit: str | None = "0.3 s"
    evaluations: int = 12
    steps: tuple[float, ...] = STEPS
    starts: int = 1
    outlier: float | None = None
    share: float = 1.0
    discrepancy: float = 0.0


DEFAULT = FitSettings()
