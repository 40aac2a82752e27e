"""rows.json: every row with its simulation, for checking."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import netsim
from experiments import alternatives
from experiments.comparison import Compared, Comparison
from experiments.run import Outcome
from experiments.statement import Judged


def record(
    outcomes: Sequence[Outcome],
    parameters: dict[str, int],
    elapsed: float,
    compared: Sequence[Compared] = (),
    judged: Sequence[Judged] = (),
) -> str:
    """The text of rows.json; `elapsed` in seconds."""
    return json.dumps(
        {
            "rows": [_entry(one) for one in outcomes],
            "comparisons": [_comparison(one) for one in compared],
            "statements": [_statement(one) for one in judged],
            "parameters": parameters,
            "elapsed_s": round(elapsed, 1),
            "version": netsim.__version__,
        },
        indent=1,
        ensure_ascii=False,
    )


def _entry(one: Outcome) -> dict[str, Any]:
    row = one.row
    return {
        "id": row.id,
        "report": row.report,
        "table": row.table,
        "case": dict(row.case),
        "quantity": row.quantity,
        "unit": row.unit,
        "measured": row.measured,
        "simulated": one.simulated,
        "half_width": one.half_width,
        "spread": one.spread,
        "near": one.near,
        "error_percent": one.error_percent,
        "error": one.error,
        "error_unit": row.scale.unit,
        "basis": one.basis,
        "chosen": list(one.chosen),
        "moved": alternatives.moved().get(row.id),
        "made_of": list(row.parts),
        "bottleneck": one.bottleneck,
        "addresses": list(one.addresses),
    }


def _comparison(one: Compared) -> dict[str, Any]:
    about = one.comparison
    better, worse = (about.better, about.worse) if isinstance(about, Comparison) else (None, None)
    return {
        "id": about.id,
        "text": about.text,
        "better": better,
        "worse": worse,
        "rows": list(about.rows),
        "printed_percent": about.printed,
        "simulated_percent": one.simulated,
        "half_width_percent": one.half_width,
        "difference_points": one.difference,
        "holds": one.holds,
    }


def _statement(one: Judged) -> dict[str, Any]:
    about = one.statement
    return {"id": about.id, "text": about.text, "printed": about.printed, "simulated": one.found, "holds": one.holds}
