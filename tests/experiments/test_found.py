"""The stored results of the last thorough run: README and the reports' own words agree with them."""

from __future__ import annotations

import json
import re
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from experiments import calibrated, found, left_out_errors, reports
from experiments.miss import cause
from tests.validation_page import made_up

KEPT = found.stored()
README = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())


def of(report: str) -> list[found.Entry]:
    """A report's measured rows, as stored."""
    return found.measured(lambda row: row.startswith(f"{report}/"))


def test_every_row_is_kept() -> None:
    assert list(KEPT) == [row.id for row in reports.rows()]


def test_rows_that_moved_are_told() -> None:
    as_kept, other = made_up("perform3")[:2]
    error = KEPT[as_kept.row.id]["error"]
    as_kept = replace(as_kept, simulated=as_kept.row.measured * (1 + error / 100))
    assert found.moved([as_kept, other]) == [other.row.id]


def test_every_row_that_misses_has_a_cause() -> None:
    for report in reports.REPORTS.values():
        for row in report.rows():
            assert KEPT[row.id]["near"] or cause(report.misses, row.id), row.id


def test_every_cause_is_of_a_row_that_misses() -> None:
    """Or of a report's comparison or statement, and ends with a full stop."""
    for report in reports.REPORTS.values():
        said = {one.id for one in [*report.comparisons(), *report.statements()]}
        missing = {row.id for row in report.rows() if not KEPT[row.id]["near"]} | said
        told = {cause(report.misses, one) for one in missing}
        for miss in report.misses:
            assert miss.cause in told, miss.pattern
            assert miss.cause.endswith(".")


@pytest.mark.parametrize("report", reports.REPORTS)
def test_readme_says_how_good_a_report_is(report: str) -> None:
    rows = of(report)
    bases = [row["basis"] for row in rows]
    counted = ", ".join(f"{bases.count(basis)} {basis}" for basis in ("predicted", "chosen", "fitted"))
    assert f"{sum(row['near'] for row in rows)} of {len(rows)} within tolerance ({counted})" in README


def test_the_documentation_has_the_tables() -> None:
    text = (Path(__file__).parents[2] / "docs" / "validation.md").read_text(encoding="utf-8")
    entries = json.loads(left_out_errors.STORED.read_text(encoding="utf-8"))
    assert "\n".join(found.table()) in text
    assert "\n".join(left_out_errors.summary(entries)) in text


@pytest.mark.parametrize("page", ["README.md", "docs/validation.md"])
def test_the_picture_is_described_by_its_medians(page: str) -> None:
    """Of docs/pictures/scatter: half of the rows of each basis are within these errors."""
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    described = re.findall(r"half of the fitted [^\"\n]*", text)
    errors: dict[str, list[float]] = {}
    for row in reports.rows():
        error = abs(KEPT[row.id]["error"])
        errors.setdefault(KEPT[row.id]["basis"], []).append(error if row.scale.relative else 100 * error / row.measured)
    fitted, predicted, chosen = (f"{statistics.median(errors[one]):.1f} %" for one in ("fitted", "predicted", "chosen"))
    said = f"half of the fitted rows are within {fitted}, half of the predicted ones within {predicted}, "
    assert described
    assert {*described} == {said + f"half of the chosen ones within {chosen}"}


def test_readme_says_how_good_all_of_them_are() -> None:
    rows = found.measured()
    predicted = [row for row in rows if row["basis"] == "predicted"]
    assert f"{len(rows)} measured values" in README
    assert f"{len(predicted)} strictly predicted values" in README
    measured = {name: abs(row["error"]) for name, row in KEPT.items() if not row["made_of"]}
    relative = [error for name, error in measured.items() if not name.endswith(("/cpu", "/ratio"))]  # others: per cents
    assert f"median error of {statistics.median(relative):.1f} %" in README
    assert f"{len(calibrated.NAMES)} calibrated parameters" in README
