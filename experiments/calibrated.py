"""The calibrated parameters and the rows they are fitted to: one calibration for all reports.

The parameters are costs and times that no source states; their ranges are beside them in models/. The search starts in
the middle of those; where an earlier one ended counts only if it is better than what the new one has found. The
candidates are the simple rows, with one adapter and standard frames. The fit uses the subset of them that carries
nearly all of their information, selected by slopes alone (netsim.calibration.design). The other rows, and the effects
of several adapters, bonds, jumbo frames, several workstations and IPsec on the card, are left for the model to predict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments import beowulf, perform3, tolly_200233, tolly_201105
from experiments.row import Row
from netsim.calibration import Calibration, FitSettings, Observation, Parameter
from netsim.errors import ScenarioError
from netsim.export.whole_file import write_whole
from netsim.results.result import Result

STORED = Path(__file__).parent / "calibration.json"
REPEATED = 0.01  # relative, or a point of CPU: assumed difference between runs, as reports say so little about it
SHARE = 0.98  # of the information in all candidate rows: the fit uses the rows that carry it; the others are predicted
SETTINGS = FitSettings(
    limit="0.2 s", steps=(0.3, 0.1), evaluations=10, starts=3, outlier=4.0, share=SHARE, discrepancy=0.05
)

NAMES = (
    "systems/linux-2.2.16:kernel.cycle_factor",
    "systems/linux-2.2.16:kernel.cold_cycles",
    "hosts/piii-600:memory.read",
    "hosts/p166:processors.relative_cpi",
    "hosts/ml530:processors.relative_cpi",
    "nics/rtl8139:tx_turnaround",
    "nics/eepro100:tx_wake_up",
    "mpi/mpipro-1.5:receive_cycles",
    "systems/windows-2000:kernel.cold_cycles",
    "systems/windows-2000:kernel.receive_cycles",
    "systems/windows-2000:kernel.shared_lines",
    "systems/windows-2000:tcp.tx_cycles",
    "systems/windows-2000:tcp.rx_cycles",
    "systems/windows-2000:ipsec.cycles",
    "systems/windows-2000:ipsec.cipher_factor",
    "drivers/e100bnt5:tx_cycles",
    "bonds/3com-nt5:tx_cycles",
    "bonds/intel-ans-nt5:tx_cycles",
    "netware/netx-3:kernel.lookahead_cycles",
    "netware/netx-3:ncp.request_cycles",
    "netware/netware-3.11:ncp.request_cycles",
    "hosts/ml530:processors.apic_access",
    "chipsets/serverset3-he:memory_rate",
)

SPEAK: dict[str, Callable[[Row], bool]] = {
    beowulf.REPORT: beowulf.speaks,
    tolly_200233.REPORT: tolly_200233.speaks,
    tolly_201105.REPORT: tolly_201105.speaks,
    perform3.REPORT: perform3.speaks,
}


def parameters() -> list[Parameter]:
    """All calibrated parameters. Raises ScenarioError for one that is not in models/, or has no range there."""
    return list(map(Parameter.of, NAMES))


def speaking(rows: Sequence[Row]) -> list[Row]:
    """The rows that the calibration may use: measured directly, and admitted by their report's `speaks`."""
    return [row for row in rows if not row.parts and row.report in SPEAK and SPEAK[row.report](row)]


def observation(row: Row) -> Observation:
    """A row as the calibration sees it, weighted by its report's resolution and by how far the model is off there."""
    return Observation(
        row.id,
        row.measured,
        row.build,
        partial(_observed, row),
        row.estimate,
        repeatability=math.hypot(REPEATED, rounding(row)),
        whole=row.scale.whole,
        family=row.report,
    )


def rounding(row: Row) -> float:
    """Standard deviation of the rounding error of the printed number, relative to it or to the whole."""
    _, _, decimals = f"{row.measured:.10g}".partition(".")
    return float(10.0 ** -len(decimals) / math.sqrt(12) / (row.scale.whole or row.measured))


def store(fit: Calibration) -> Path:
    """Stores the point where a calibration ended, with its slopes there; returns the file."""
    found = {
        "discrepancy": {family: round(sd, 5) for family, sd in fit.discrepancy.items()},
        "parameters": {one.name: float(f"{x:.6g}") for one, x in zip(fit.parameters, fit.x, strict=True)},
        "rows": {
            row.id: {
                "used": bool(seen),
                "error": round(float(error), 5),
                "slopes": [round(float(slope), 4) for slope in slopes],
                **({"runs": row.runs, "scatter": round(row.scatter, 4)} if row.runs > 1 else {}),
            }
            for row, seen, error, slopes in zip(fit.rows, fit.seen, fit.errors, fit.slopes, strict=True)
        },
    }
    write_whole(STORED, json.dumps(found, indent=1) + "\n")
    return STORED


def selected() -> list[str]:
    """The ids of the rows that the stored calibration was fitted to; none without one. Small changes of slopes can
    turn a selection over, so it is kept, and successive fits can be compared."""
    rows = json.loads(STORED.read_text())["rows"] if STORED.exists() else {}
    return [row for row, entry in rows.items() if entry["used"]]


def earlier() -> dict[str, float]:
    """The values where the stored calibration ended, by name; none without one. A search that ends in a worse point
    goes on from there."""
    logs = json.loads(STORED.read_text())["parameters"] if STORED.exists() else {}
    return {name: math.exp(log) for name, log in logs.items()}


def stored(rows: Sequence[Row]) -> Calibration:
    """The calibration of models/. Raises ScenarioError if none is stored, or if the stored one has other parameters or
    rows than the current ones."""
    if not STORED.exists():
        raise ScenarioError(f"{STORED.name} is not there: python -m experiments calibrate")
    found, own = json.loads(STORED.read_text()), parameters()
    seen = [_as_fitted(row, found["rows"].get(row.id, {})) for row in speaking(rows)]
    if [one.name for one in own] != list(found["parameters"]) or [row.id for row in seen] != list(found["rows"]):
        raise ScenarioError(f"{STORED.name} is of other parameters or rows: python -m experiments calibrate")
    errors = np.array([row["error"] for row in found["rows"].values()])
    slopes = np.array([row["slopes"] for row in found["rows"].values()])
    used = tuple(number for number, row in enumerate(found["rows"].values()) if row["used"])
    x = np.array(list(found["parameters"].values()))
    return Calibration(own, seen, x, errors, slopes, SETTINGS.outlier, used, SHARE, found["discrepancy"])


def _as_fitted(row: Row, entry: Mapping[str, Any]) -> Observation:
    """A row as the stored calibration saw it."""
    return replace(observation(row), runs=entry.get("runs", 1), scatter=entry.get("scatter", 0.0))


def _observed(row: Row, result: Any) -> float:
    found: Result = result
    return row.observe(found)[0]
