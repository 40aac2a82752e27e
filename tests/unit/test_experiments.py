"""The experiments: rows, the runner's files and messages, the table, the page, the definitions of the fits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import __main__ as main
from experiments import beowulf, fit, page, parameters, record, reports, run, table
from experiments.run import Outcome
from netsim import catalog
from netsim.calibrate import addresses
from netsim.catalog import Provenance, Sourced
from netsim.errors import SimulationError

ROWS = beowulf.rows()
KEYS = [
    "report", "table", "case", "quantity", "unit", "measured", "simulated", "half_width", "error_percent", "basis",
    "bottleneck", "addresses",
]  # fmt: skip


def made_up(factor: Callable[[int], float] = lambda number: 1 + 0.001 * number) -> list[Outcome]:
    """Outcomes as they might be, every third one fitted."""
    return [
        Outcome(
            row=row,
            simulated=row.measured * factor(number),
            half_width=0.1,
            bottleneck="wire to receiver",
            bottleneck_share=0.999,
            cpu={"sender": 0.31, "receiver": 0.57},
            converged=number != 1,
            addresses=("receiver.nics.0.driver.rx_cycles",) if number % 3 == 0 else (),
            fitted=number % 3 == 0,
        )
        for number, row in enumerate(ROWS)
    ]


# ---- rows ----


def test_every_single_adapter_line_is_a_row() -> None:
    assert len(ROWS) == 27
    assert len({row.id for row in ROWS}) == 27
    assert list(ROWS[0].case) == ["sender", "receiver", "test", "nic", "driver", "ports"]
    assert list(ROWS[0].case.values()) == ["piii-600", "piii-600", "TCP_STREAM", "rtl8139", "rtl8139", 1]
    assert ROWS[0].measured == 85.67
    assert ROWS[0].id == "beowulf/piii-600/piii-600/TCP_STREAM/rtl8139/rtl8139/1"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_scenario_is_what_the_row_says(row: beowulf.Row) -> None:
    scenario = row.build()
    assert scenario.test == row.case["test"]
    assert scenario.sender.processors.count == (2 if row.case["sender"] == "2xpii-400" else 1)
    if row.case["test"] == "UDP_STREAM":
        assert (scenario.message_size, scenario.send_buffer_size, scenario.receive_buffer_size) == (8192, 32768, 32768)


# ---- what is counted ----


def test_a_number_of_models_counts_once() -> None:
    one, all_of_them = parameters.used(ROWS[:1]), parameters.used(ROWS)
    names = [each.name for each in all_of_them]
    assert len(names) == len(set(names))
    assert {each.name for each in one} < set(names)
    assert "drivers/rtl8139:tx_ring" in names
    assert "links/10base-t:rate" not in names
    assert sum(parameters.counts(all_of_them).values()) == len(names)


def test_counting_keeps_value_and_source() -> None:
    used = {each.name: each for each in parameters.used(ROWS[:1])}["drivers/rtl8139:tx_ring"]
    assert used.text == "4"
    assert used.provenance.kind == "documented"


def test_row_is_fitted_only_if_a_number_was_fitted_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = SimpleNamespace(
        throughput=9e7, half_width=1e5, bottleneck="wire", bottleneck_share=1.0, cpu={}, converged=True
    )
    monkeypatch.setattr(run, "simulate", lambda *_, **__: result)
    known = Sourced(1234, Provenance(kind="fitted", source="netsim.calibrate", rows=(ROWS[0].id,)))
    with catalog.overlay({("drivers", "rtl8139"): {"tx_cycles": known}}):
        to_it, to_another = run.outcome(ROWS[0], 1, {}), run.outcome(ROWS[6], 1, {})
    addresses = {"sender.nics.0.driver.tx_cycles", "receiver.nics.0.driver.tx_cycles"}
    assert (ROWS[6].case["nic"], ROWS[6].case["test"]) == ("rtl8139", "UDP_STREAM")
    assert to_it.basis == "fitted"
    assert to_another.basis == "predicted"
    assert addresses <= set(to_it.addresses)
    assert addresses <= set(to_another.addresses)
    assert to_it.simulated == 90.0


def test_a_run_that_cannot_finish_names_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulate(*_: Any, **__: Any) -> None:
        raise SimulationError("nothing can happen")

    monkeypatch.setattr(run, "simulate", simulate)
    with pytest.raises(SimulationError, match=f"{ROWS[0].id}: nothing can happen"):
        run.outcome(ROWS[0], 1, {})


# ---- the files ----


def test_rows_json_keeps_the_contract() -> None:
    counts = parameters.counts(parameters.used(ROWS))
    data = json.loads(record.record(made_up(), counts, 12.345))
    assert list(data) == ["rows", "parameters", "elapsed_s", "version"]
    assert list(data["parameters"]) == ["standard", "documented", "derived", "fitted", "assumed"]
    assert [list(row) for row in data["rows"]] == [KEYS] * 27
    assert data["rows"][10]["error_percent"] == pytest.approx(1.0)
    assert data["rows"][0]["basis"] == "fitted"
    assert data["rows"][0]["addresses"] == ["receiver.nics.0.driver.rx_cycles"]
    assert data["rows"][0]["case"]["ports"] == 1


class Reader(HTMLParser):
    """Tags that are open, and every link to something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "path", "use", "br"):
            self.open.append(tag)
        self.links += [value or "" for name, value in attributes if name in ("src", "href", "xlink:href")]
        self.ids += [value or "" for name, value in attributes if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "use"):
            assert self.open.pop() == tag


def test_page_stands_alone() -> None:
    text = page.page(made_up(), parameters.used(ROWS))
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"url\((?!#)|@import", text)
    assert text.count("<svg") == 2
    assert "#040404" not in text


def test_page_says_everything() -> None:
    text = page.page(made_up(), parameters.used(ROWS))
    for each in parameters.used(ROWS):
        if each.provenance.kind in ("fitted", "assumed"):
            assert each.name in text
    assert text.count("not converged") == 1
    assert page.page(made_up(), parameters.used(ROWS)) == text


def test_page_is_logarithmic_where_values_differ_much() -> None:
    text = page.page(made_up(lambda number: 0.05 if number else 1.0), parameters.used(ROWS[:1]))
    assert "<svg" in text


# ---- the table ----


def test_table_has_the_worst_first_and_the_totals() -> None:
    lines = table.table(made_up()).splitlines()
    start = next(number for number, line in enumerate(lines) if "TCP_STREAM, p166 to 2xpii-400" in line)
    shown = [float(line.split("%")[0].split()[-1]) for line in lines[start + 2 : start + 7]]
    assert shown == sorted(shown, reverse=True)
    assert "31% / 57%" in lines[start + 2]
    assert next(line for line in lines if line.startswith("overall")).split() == [
        "overall",
        "27",
        "+1.30",
        "1.30",
        "1.30",
        "2.60",
    ]
    assert next(line for line in lines if line.startswith("fitted")).split()[1] == "9"


def test_number_of_fitted_parameters_is_set_against_the_rows() -> None:
    counts = {"standard": 1, "documented": 2, "derived": 3, "fitted": 9, "assumed": 5}
    assert "fitted       9 (one per 3.0 measured values)" in list(table.parameters(counts, 27))


# ---- the command line ----


@pytest.fixture
def quick_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """No simulation: outcomes as they might be."""
    monkeypatch.setattr(main, "run", lambda rows, **_: made_up())


@pytest.mark.usefixtures("quick_run")
def test_run_writes_both_files_and_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "folder"
    assert main.main(["beowulf", "--quick", "--build", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "rows.json"]
    printed = capsys.readouterr()
    assert "TCP_STREAM, piii-600 to piii-600" in printed.out
    assert printed.err == ""


def test_unknown_report_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["beowolf"]) == 2
    assert capsys.readouterr().err == 'no report is called "beowolf" (did you mean "beowulf"?)\n'
    assert main.main(["fit", "beowolf", "--dry-run"]) == 2
    assert capsys.readouterr().err == 'no report is called "beowolf" (did you mean "beowulf"?)\n'


def test_unwritable_folder_is_found_before_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main.main(["--build", str(tmp_path / "file" / "build")]) == 2
    assert capsys.readouterr().err == f"{tmp_path}/file/build can't be written to: Not a directory\n"


def test_run_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise SimulationError("row: nothing can happen")

    monkeypatch.setattr(main, "run", fail)
    assert main.main(["--build", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "row: nothing can happen\n"
    assert list(tmp_path.iterdir()) == []


def test_jobs_must_be_positive(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main.main(["--jobs", "0"])
    assert "0 is not allowed; allowed: 1 or more" in capsys.readouterr().err


# ---- the definitions of the fits ----


@pytest.mark.parametrize(("report", "one"), [(report, one) for report, fits in fit.FITS.items() for one in fits])
def test_fit_is_possible(report: str, one: fit.Fit) -> None:
    """Every row exists, every parameter stands in models/ and in a row, has a reason, and rows outnumber parameters."""
    rows = {row.id: row for row in reports.rows([report])}
    chosen = [fit.observation(rows[name]) for name in one.rows]
    standing = {name for row in chosen for name in addresses(one.parameters, row)}
    assert standing == {parameter.name for parameter in one.parameters}
    assert len(set(one.rows)) == len(one.rows) >= len(one.parameters)
    known = {each.name for each in parameters.used(rows.values())}
    assert standing <= known
    assert all(parameter.reason for parameter in one.parameters)


def test_no_parameter_is_fitted_twice() -> None:
    names = [parameter.name for fits in fit.FITS.values() for one in fits for parameter in one.parameters]
    assert len(names) == len(set(names))


def test_everything_fitted_has_a_fit() -> None:
    """A number in models/ that says it is fitted stands in a definition, so that anyone can fit it again."""
    defined = {parameter.name for fits in fit.FITS.values() for one in fits for parameter in one.parameters}
    fitted = {each.name for each in parameters.used(ROWS) if each.provenance.kind == "fitted"}
    assert fitted <= defined
