"""The experiments: rows, studies, the runner's files and messages, the table, the calibration. The page's own tests are
in tests/docs."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import __main__ as main
from experiments import (
    beowulf,
    calibrated,
    cross_validate,
    job,
    left_out_errors,
    overload,
    parameters,
    record,
    reports,
    run,
    settle,
    table,
)
from experiments.basis import basis
from experiments.row import LeftOpen, read_csv
from experiments.study import Point, Study
from netsim import catalog
from netsim.calibration import addresses
from netsim.calibration.toml_edit import replace_value
from netsim.catalog import Provenance, Sourced
from netsim.errors import ScenarioError, SimulationError
from netsim.machine import AdapterSpec
from netsim.measure.simulation import simulate
from netsim.results.result import Result
from netsim.scenario import Scenario
from netsim.stack import ComputerSpec
from netsim.units import MIB
from netsim.workload.netpipe.tool import schedule
from tests.validation_page import check_stands_alone, made_up

ROWS = beowulf.rows()
BY_ID = {row.id: row for row in ROWS}
BY_TABLE = {name: [row for row in ROWS if row.table == name] for name in ("netperf", "udp-sender", "netpipe")}
KEYS = [
    "id", "report", "table", "case", "quantity", "unit", "measured", "simulated", "half_width", "spread",
    "near", "error_percent", "error",
    "error_unit", "basis", "chosen", "moved", "made_of", "bottleneck", "addresses",
]  # fmt: skip


@cache
def used() -> list[parameters.Used]:
    """All rows' numbers from models/: each row has to be built for that."""
    return parameters.used(ROWS)


# ---- rows ----


def test_there_are_seventy_rows() -> None:
    assert [len(rows) for rows in BY_TABLE.values()] == [37, 1, 32]
    assert len(ROWS) == len(BY_ID) == 70


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("netperf", {"throughput": "throughput_mbit_s"}),
        ("udp-sender", {"throughput": "sent_mbit_s"}),
        ("netpipe", {"latency": "latency_us", "bandwidth": "bandwidth_mbit_s"}),
    ],
)
def test_every_number_of_a_file_is_a_row(name: str, columns: dict[str, str]) -> None:
    """In the file's order, and nothing else; columns that are not numbers identify the case."""
    found = [
        ({key: str(value) for key, value in row.case.items()}, row.quantity, row.measured) for row in BY_TABLE[name]
    ]
    assert found == [
        ({key: value for key, value in line.items() if key not in columns.values()}, quantity, float(line[column]))
        for line in read_csv(f"beowulf-{name}")
        for quantity, column in columns.items()
    ]


def test_a_row_says_what_it_is() -> None:
    assert list(ROWS[0].case) == ["sender", "receiver", "test", "nic", "driver", "ports"]
    assert list(ROWS[0].case.values()) == ["piii-600", "piii-600", "TCP_STREAM", "rtl8139", "rtl8139", 1]
    assert ROWS[0].measured == 85.67
    assert ROWS[0].id == "beowulf/piii-600/piii-600/TCP_STREAM/rtl8139/rtl8139/1"

    one, several = (BY_ID[beowulf.netpipe_id("dfe570tx", "tulip", n, "NPtcp", "latency")] for n in (1, 4))
    assert list(one.case) == ["nic", "driver", "transport", "ports"]
    assert (one.measured, one.unit, one.group) == (42, "us", "NPtcp, latency")
    assert (one.label, several.label) == ("dfe570tx/tulip", "dfe570tx/tulip x 4")
    assert several.id == "beowulf/NPtcp/dfe570tx/tulip/4/latency"


def test_labels_tell_the_rows_of_a_group_apart() -> None:
    assert len({(row.group, row.label) for row in ROWS}) == len(ROWS)


each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)


def check_ports(pc: ComputerSpec, row: beowulf.Row) -> None:
    """One card with this number of ports in use, or as many cards; several ports form one device."""
    ports = int(row.case["ports"])
    adapter = AdapterSpec.from_name(f"{row.case['nic']}/{row.case['driver']}")
    assert pc.nics == ((adapter.replace("ports", ports),) if adapter.max_ports > 1 else (adapter,) * ports)
    assert len(pc.ports()) == ports
    assert (pc.bond is not None) == (ports > 1)


@each_row
def test_scenario_is_what_the_row_says(row: beowulf.Row) -> None:
    scenario = row.build()
    check_ports(scenario.sender, row)
    check_ports(scenario.receiver, row)
    assert scenario.cables == row.case["ports"]
    for end in ("sender", "receiver"):
        model = row.case.get(end, "piii-600")
        assert getattr(scenario, end).processors.count == (2 if model == "2xpii-400" else 1)
        assert f"{scenario.get(f'{end}.processors.clock') / 1e6:.0f}" == str(model).rpartition("-")[2].lstrip("p")


@pytest.mark.parametrize("row", [*BY_TABLE["netperf"], *BY_TABLE["udp-sender"]], ids=lambda row: row.id)
def test_netperf_is_what_the_row_says(row: beowulf.Row) -> None:
    scenario = row.build()
    assert scenario.test == row.case["test"]
    assert scenario.offered is None
    buffers = (scenario.send_buffer_size, scenario.receive_buffer_size)
    if row.case["test"] == "UDP_STREAM":
        assert (scenario.message_size, *buffers) == (8192, 65536, 65536)  # Linux doubles the requested 32768
    else:
        assert (scenario.message, *buffers) == (None, 65535, 65535)


@pytest.mark.parametrize("row", BY_TABLE["netpipe"], ids=lambda row: row.id)
def test_netpipe_is_what_the_row_says(row: beowulf.Row) -> None:
    scenario = row.build()
    library = {"NPtcp": None, "NPmpi-mpich": "mpich-1.2.1", "NPmpi-mpipro": "mpipro-1.5"}[str(row.case["transport"])]
    assert (None if scenario.mpi is None else scenario.mpi.name) == library
    assert scenario.sizes == ((1,) if row.quantity == "latency" else schedule(2 * MIB))
    assert scenario.sender == scenario.receiver


@each_row
def test_the_closed_form_of_a_row_is_in_its_unit(row: beowulf.Row) -> None:
    """A number of the row's own kind can't be off by much, except for a receiver in a livelock."""
    assert 0.5 < row.estimate(row.build()) / row.measured < (6 if row.case.get("test") == "UDP_STREAM" else 2)


def test_what_is_observed_is_in_the_rows_unit() -> None:
    """Bandwidths in 2^20 bit/s, as NetPIPE prints them, throughputs in 10^6."""
    found: Any = SimpleNamespace(
        throughput=100 * 2**20, half_width=2**19, latency=40e-6, curve=[SimpleNamespace(half_width=1e-6)],
        counts={"datagrams sent": 1000}, elapsed=2.0,
    )  # fmt: skip
    row = BY_TABLE["netpipe"][0]
    assert row.quantity == "latency"
    assert row.observe(found) == pytest.approx((40, 1))
    assert BY_TABLE["netpipe"][1].observe(found) == pytest.approx((100, 0.5))
    assert BY_TABLE["netperf"][0].observe(found) == pytest.approx((104.8576, 0.524288))
    assert BY_TABLE["udp-sender"][0].observe(found)[0] == pytest.approx(1000 * 8192 * 8 / 2.0 / 1e6)


@pytest.fixture
def in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other processes: invented outcomes stand in for theirs."""
    monkeypatch.setattr(run, "in_parallel", lambda jobs, _: [job() for job in jobs])


# ---- counts ----


def test_a_number_of_models_counts_once() -> None:
    one, all_of_them = parameters.used(ROWS[:1]), used()
    names = [each.name for each in all_of_them]
    assert len(names) == len(set(names))
    assert {each.name for each in one} < set(names)
    assert "drivers/rtl8139:tx_ring" in names
    assert "links/10base-t:rate" not in names
    assert sum(parameters.counts(all_of_them).values()) == len(names)


def test_counting_keeps_value_and_source() -> None:
    ring = {each.name: each for each in parameters.used(ROWS[:1])}["drivers/rtl8139:tx_ring"]
    assert ring.text == "4"
    assert ring.provenance.kind == "documented"


@pytest.mark.usefixtures("in_line")
def test_row_is_fitted_only_if_a_number_was_fitted_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = SimpleNamespace(
        throughput=9e7, half_width=1e5, bottleneck="wire", bottleneck_share=1.0, cpu={}, converged=True
    )
    monkeypatch.setattr(job, "simulate_together", lambda *_, **__: [result])
    other = BY_ID[beowulf.row_id("piii-600", "piii-600", "UDP_STREAM", "rtl8139", "rtl8139", 3)]
    known = Sourced(1234, Provenance(kind="fitted", source="netsim.calibrate", rows=(ROWS[0].id,)))
    with catalog.overlay({("drivers", "rtl8139"): {"tx_cycles": known}}):
        to_it, to_another = run.run([ROWS[0]])[0][0], run.run([other])[0][0]
    addresses = {"sender.nics.0.driver.tx_cycles", "receiver.nics.0.driver.tx_cycles"}
    assert to_it.basis == "fitted"
    assert to_another.basis != "fitted"
    assert addresses <= set(to_it.addresses)
    assert addresses <= set(to_another.addresses)
    assert to_it.simulated == 90.0


@pytest.mark.usefixtures("in_line")
def test_a_run_that_cannot_finish_names_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulate(*_: Any, **__: Any) -> None:
        raise SimulationError("nothing can happen")

    monkeypatch.setattr(job, "simulate_together", simulate)
    with pytest.raises(SimulationError, match=f"{ROWS[0].id}: nothing can happen"):
        run.run(ROWS[:1])


# ---- the files ----


def test_rows_json_keeps_the_contract() -> None:
    counts = parameters.counts(used())
    data = json.loads(record.record(made_up("beowulf"), counts, 12.345))
    assert list(data) == ["rows", "comparisons", "statements", "parameters", "elapsed_s", "version"]
    assert list(data["parameters"]) == ["standard", "documented", "derived", "fitted", "assumed"]
    assert [list(row) for row in data["rows"]] == [KEYS] * 70
    assert Counter(row["table"] for row in data["rows"]) == {"netperf": 37, "udp-sender": 1, "netpipe": 32}
    for written, row in zip(data["rows"], ROWS, strict=True):
        assert [written[key] for key in KEYS[:6]] == [getattr(row, key) for key in KEYS[:6]]
    assert data["rows"][10]["error_percent"] == pytest.approx(1.0)
    assert data["rows"][0]["basis"] == "fitted"
    assert data["rows"][0]["addresses"] == ["receiver.nics.0.driver.rx_cycles"]
    assert data["rows"][0]["case"]["ports"] == 1
    last = data["rows"][-1]
    assert last["case"] == {"nic": "eepro100-dual", "driver": "eepro100", "transport": "NPmpi-mpipro", "ports": 2}
    assert (last["quantity"], last["unit"], last["measured"]) == ("bandwidth", "Mb/s (2^20 bit/s)", 179)


# ---- the table ----


def test_table_has_the_worst_first_and_the_totals() -> None:
    lines = table.table(made_up("beowulf")).splitlines()
    start = next(number for number, line in enumerate(lines) if "TCP_STREAM, p166 to 2xpii-400" in line)
    shown = [float(line.split("%")[0].split()[-1]) for line in lines[start + 2 : start + 7]]
    assert shown == sorted(shown, reverse=True)
    assert "31% / 57%" in lines[start + 2]
    assert next(line for line in lines if line.startswith("overall")).split() == [
        "overall",
        "70",
        "+3.45",
        "3.45",
        "3.45",
        "6.90",
    ]
    assert next(line for line in lines if line.startswith("fitted")).split()[1] == "24"


def test_every_row_is_in_the_table_once() -> None:
    lines = table.table(made_up("beowulf")).splitlines()
    for group in {row.group for row in ROWS}:
        start = next(number for number, line in enumerate(lines) if line.startswith(f"beowulf: {group} ("))
        labels = {row.label for row in ROWS if row.group == group}
        shown = lines[start + 2 : start + 2 + len(labels)]
        width = lines[start + 1].index("measured") - len("  ")
        assert {line[:width].strip() for line in shown} == labels
        assert {line[width:].index(".") for line in shown} == {len("  measured") - len(".00")}  # columns don't shift
        assert {line.index("31% / 57%") for line in shown} == {lines[start + 1].index("CPU")}


def test_what_was_left_out_is_told_before_the_rows_that_were_not() -> None:
    """Also beside each row's own error, from the smallest to the largest."""
    one, other = ROWS[0].id, ROWS[2].id
    entries: list[Any] = [
        {"group": "card x", "errors": {one: -12.5, other: 3.0}},
        {"group": "host y", "errors": {one: 40.25}},
    ]
    lines = table.table(made_up("beowulf"), left_out=entries).splitlines()
    kinds = next(number for number, line in enumerate(lines) if line.startswith("left out"))
    assert kinds < next(number for number, line in enumerate(lines) if line.startswith("overall"))
    assert [line.split() for line in lines[kinds + 1 : kinds + 4]] == [
        ["card", "1", "2", "7.75", "11.55"],
        ["host", "1", "1", "40.25", "40.25"],
        ["all", "2", "3", "12.50", "34.70"],
    ]
    place = lines[2].index("left out")
    told = {line[place : place + table.LEFT_OUT].strip() for line in lines if line.endswith(table.BASES)}
    assert told == {"-12.5 to +40.2", "+3.0", ""}
    assert left_out_errors.NONE_YET in table.table(made_up("beowulf")).splitlines()


def test_number_of_fitted_parameters_is_set_against_the_rows() -> None:
    counts = {"standard": 1, "documented": 2, "derived": 3, "fitted": 9, "assumed": 5}
    assert "fitted       9 (one per 3.0 measured values)" in list(table.parameters(counts, 27))


# ---- studies ----


@pytest.fixture(scope="module")
def small() -> Result:
    """A possible result of a study's point, with losses."""
    result = simulate(overload.scenario("3c905b", "3c59x", 3, 60), limit="20 ms")
    return replace(result, drops=dict.fromkeys(result.drops, 100))


def test_a_point_is_explored_as_precisely_as_a_picture_shows() -> None:
    build = partial(overload.scenario, "3c905b", "3c59x", 3, 60)
    point = Point("three ports", 60, build)
    ((explored, result),) = run.explore([point], jobs=1, seed=3)
    assert (explored.series, explored.x) == (point.series, point.x)
    assert result == simulate(build(), seed=3, **run.PICTURE)
    assert result.throughput == pytest.approx(60e6, rel=0.05)


def test_points_come_back_in_their_order() -> None:
    points = [Point(f"{load}", load, partial(overload.scenario, "3c905b", "3c59x", 3, load)) for load in (30, 10, 20)]
    found = run.explore(points, jobs=2)
    assert [point.x for point, _ in found] == [30, 10, 20]
    assert [result.throughput / 1e6 for _, result in found] == pytest.approx([30, 10, 20], rel=0.05)


def test_studies_of_reports() -> None:
    every = reports.studies()
    apart = [study for name in reports.REPORTS for study in reports.studies([name])]
    assert [study.title for study in every] == [study.title for study in apart]
    assert [study.title for study in reports.studies(["beowulf"])] == ["UDP beyond the knee"]
    assert all(name == report.name for name, report in reports.REPORTS.items())
    with pytest.raises(ScenarioError, match=r'^no report is called "beowolf" \(did you mean "beowulf"\?\)$'):
        reports.studies(["beowolf"])


@pytest.mark.parametrize("study", reports.studies(), ids=lambda study: study.title)
def test_points_of_a_study_are_scenarios(study: Study) -> None:
    points = study.points()
    assert len({(point.series, point.x) for point in points}) == len(points)
    assert all(isinstance(point.build(), Scenario) for point in points[::7])


def test_overload_is_the_reports_test_at_a_load() -> None:
    row = BY_ID[beowulf.row_id("piii-600", "piii-600", "UDP_STREAM", "dfe570tx", "tulip", 4)]
    assert overload.scenario("dfe570tx", "tulip", 4, 120) == row.build().replace("offered", "120 Mbit/s")
    for nic, driver, ports in overload.CASES:
        assert beowulf.row_id("piii-600", "piii-600", "UDP_STREAM", nic, driver, ports) in BY_ID


def test_overload_draws_every_case_and_where_frames_are_lost(small: Result) -> None:
    study = overload.study()
    drawn = study.draw([(point, small) for point in study.points()])
    assert drawn.startswith("<svg")
    for text in (*{point.series for point in study.points()}, *overload.LOST):
        assert text in drawn
    lossless = replace(small, drops=dict.fromkeys(small.drops, 0))
    assert "backlog" not in study.draw([(point, lossless) for point in study.points()])


# ---- the command line ----


@pytest.fixture
def quick_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """No simulation: plausible outcomes; nothing is left out, and nothing to settle."""
    monkeypatch.setattr(left_out_errors, "STORED", Path("nowhere"))
    monkeypatch.setattr(settle, "settle", lambda rows, numbers, jobs: settle.Settled([], [], 12, 345))
    monkeypatch.setattr(main, "run", lambda rows, points, **_: (made_up("beowulf"), []))


@pytest.mark.usefixtures("quick_run")
def test_run_writes_both_files_and_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "folder"
    assert main.main(["beowulf", "--quick", "--build", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "rows.json", "scenarios"]
    printed = capsys.readouterr()
    assert "TCP_STREAM, piii-600 to piii-600" in printed.out
    assert printed.err == ""


@pytest.mark.usefixtures("quick_run")
def test_a_thorough_run_explores_the_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Result) -> None:
    asked: list[dict[str, Any]] = []

    def explore(points: list[Point], **settings: Any) -> list[tuple[Point, Result]]:
        asked.append(settings)
        return [(point, small) for point in points]

    monkeypatch.setattr(main, "explore", explore)
    for more, pictures in (["--quick"], 8), (["--jobs", "3", "--seed", "7"], 9):
        assert main.main(["beowulf", "--build", str(tmp_path), *more]) == 0
        text = (tmp_path / "index.html").read_text(encoding="utf-8")
        check_stands_alone(text, pictures)
        assert ("states 345 of the numbers; 12 of these" in text) == ("--quick" not in more)
    assert asked == [{"jobs": 3, "seed": 7}]


def test_unknown_report_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["beowolf"]) == 2
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


# ---- the calibration ----


def test_calibration_is_possible() -> None:
    """Every parameter is in models/ once, with a range and its physics, and at least one row that calibrates depends on
    it; there are at most 40 of them, and more rows."""
    own, rows = calibrated.parameters(), [calibrated.observation(row) for row in calibrated.speaking(reports.rows())]
    standing = {name for row in rows for name in addresses(own, row)}
    assert standing == {one.name for one in own}
    assert len(own) == len(standing) <= 40
    assert len(rows) > len(own)
    assert all(one.reason for one in own)


def test_what_is_calibrated_can_be_written() -> None:
    """Checked before a calibration, not after it."""
    for one in calibrated.parameters():
        text = catalog.path(*one.file.split("/", 1)).read_text(encoding="utf-8")
        assert replace_value(text, one.address, "{ value = 1 }") != text


def test_everything_fitted_is_calibrated() -> None:
    """And is within its range."""
    own = {one.name: one for one in calibrated.parameters()}
    fitted = {each.name: each for each in used() if each.provenance.kind == "fitted"}
    assert fitted.keys() <= own.keys()
    for name, each in fitted.items():
        low, high = own[name].log_bounds
        assert low - 1e-3 <= math.log(float(each.text.partition(" ")[0])) <= high + 1e-3


def test_what_is_stored_is_what_models_have() -> None:
    fit = calibrated.stored(reports.rows())
    fitted = [each for each in parameters.used(reports.rows()) if each.provenance.kind == "fitted"]
    written = {each.name: float(each.text.partition(" ")[0]) for each in fitted}
    for one, x in zip(fit.parameters, fit.x, strict=True):
        assert written[one.name] == pytest.approx(math.exp(x), rel=2e-3)


def test_every_row_is_left_out_with_its_card_host_system_tool_and_report() -> None:
    rows = [row for row in ROWS if not row.parts and row.report in calibrated.SPEAK]
    groups = cross_validate.groups(rows)
    for kind in cross_validate.KINDS:
        ids = {one for name, own in groups.items() if name.startswith(f"{kind} ") for one in own}
        assert ids == {row.id for row in rows}
    assert "beowulf/p166/2xpii-400/TCP_STREAM/eepro100/eepro100/1" in groups["card eepro100"]
    assert not any("eepro100/" in one for one in groups["card dfe570tx"])


def test_what_a_row_rests_on_is_told_strictly() -> None:
    """A quotient is fitted with its parts, and a row with the others of its run; a pattern covers many rows."""
    row = replace(ROWS[0], id="a/b/c", parts=(), beside=("a/b/d",), chosen=())
    fitted = Provenance(kind="fitted", rows=("a/b/d",))
    assert basis(row, {"x": fitted}) == "fitted"
    assert basis(replace(row, beside=()), {"x": fitted}) == "predicted"
    assert basis(row, {"x": Provenance(kind="assumed", rows=("a/*/c",))}) == "chosen"
    assert basis(replace(row, chosen=(LeftOpen("slots"),)), {}) == "chosen"
    assert basis(row, {"x": Provenance(kind="assumed", rows=("b/*",))}) == "predicted"
