"""The results of the last full simulation of all rows: experiments/found.json.

python -m experiments keep      takes them from build/validation/rows.json

Tests compare new runs, README and the documentation with it: any change to a row has to be reviewed, and kept.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.basis import BASES
from experiments.run import Outcome
from netsim.export.whole_file import write_whole

STORED = Path(__file__).parent / "found.json"
ROWS = Path("build/validation/rows.json")
SAME = 6e-4  # between errors of three decimals

Entry = Mapping[str, Any]


def main(_: Sequence[str] = ()) -> int:
    """Keeps the results of the last run. Returns the exit code: 2 if there was none."""
    if not ROWS.exists():
        print(f"there is no {ROWS}: python -m experiments makes it", file=sys.stderr)
        return 2
    rows = json.loads(ROWS.read_text(encoding="utf-8"))["rows"]
    kept = {row["id"]: {name: row[name] for name in ("error", "spread", "near", "basis", "made_of")} for row in rows}
    for row in kept.values():
        row["error"], row["spread"] = round(row["error"], 3), round(row["spread"], 3)
    write_whole(STORED, json.dumps(kept, indent=0) + "\n")
    print(f"written: {STORED}")
    return 0


def stored() -> dict[str, Entry]:
    """By row id: error, half-width of its interval (`spread`), whether it is within tolerance (`near`), and basis."""
    found: dict[str, Entry] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def moved(outcomes: Iterable[Outcome]) -> list[str]:
    """The rows whose errors differ from those kept."""
    kept = stored()
    return [one.row.id for one in outcomes if abs(one.error - kept.get(one.row.id, {}).get("error", math.inf)) > SAME]


def measured(chosen: Callable[[str], bool] = bool) -> list[Entry]:
    """The chosen rows, by id, without those computed from others."""
    return [one for row, one in stored().items() if chosen(row) and not one["made_of"]]


def table() -> Iterator[str]:
    """Markdown: for each report the basis of its measured rows, how many are within tolerance, and the median absolute
    error (per cent or points of CPU; a quotient in its own unit)."""
    yield f"| report | measured values | {' | '.join(BASES)} | within tolerance | median error |"
    yield "|---|---|---|---|---|---|---|"
    for report in dict.fromkeys(row.partition("/")[0] for row in stored()):
        rows = measured(lambda row, report=report: row.startswith(f"{report}/"))  # type: ignore[misc]
        bases = [one["basis"] for one in rows]
        counted = " | ".join(str(bases.count(basis)) for basis in BASES)
        near = sum(one["near"] for one in rows)
        yield f"| `{report}` | {len(rows)} | {counted} | {near} | {_median(report, rows)} |"


def _median(report: str, rows: Sequence[Entry]) -> str:
    middle = statistics.median(abs(one["error"]) for one in rows)
    return f"{middle:.2f}" if report == "netfinity-5500" else f"{middle:.1f} %"
