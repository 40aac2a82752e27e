"""Rows that are not throughput, comparisons of two rows, and reports' own figures; errors in the right unit."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from experiments import __main__ as main
from experiments import calibrated, figure, job, page, pictures, record, reports, run, shares, table, table_picture
from experiments.comparison import Comparison, Spread, compare
from experiments.computed import Computed
from experiments.figure_bars import Bars, Pairs, Shares
from experiments.figure_columns import Column, Columns
from experiments.miss import Miss
from experiments.report import Report
from experiments.row import Row, cpu_percent, mbit_s, performance_efficiency
from experiments.run import Outcome
from experiments.scale import CPU_UNIT, INDEX, INDEX_UNIT, PERCENT, POINTS, scale_of
from experiments.section import Section
from netsim.measure.simulation import unattended
from netsim.scenario import host
from netsim.workload import Netperf

# Two cards under two systems: Mbit/s, CPU (%), P/E as printed (Tolly Group 201105, figure 2).
MEASURED = {
    ("nt", "a"): (497, 90, 5.6), ("nt", "b"): (433, 100, 4.3), ("w2k", "a"): (389, 83, 4.7), ("w2k", "b"): (398, 99, 4),
}  # fmt: skip
KINDS = {
    "throughput": ("Mbit/s", mbit_s), "CPU": (CPU_UNIT, cpu_percent("sender")),
    "P/E": (INDEX_UNIT, performance_efficiency("sender")),
}  # fmt: skip


def netperf(message: int) -> Netperf:
    pc = host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return Netperf(test="UDP_STREAM", sender=pc, receiver=pc, message=message)


def rows() -> list[Row]:
    return [
        Row(
            report="made-up", table="made-up", case={"os": os, "nic": nic}, id=f"{os}/{nic}/{quantity}", group=os,
            label=nic, quantity=quantity, unit=unit, measured=measured, build=partial(netperf, 1000 + number),
            observe=observe,
        )
        for number, ((os, nic), values) in enumerate(MEASURED.items())
        for measured, (quantity, (unit, observe)) in zip(values, KINDS.items(), strict=True)
    ]  # fmt: skip


def outcomes() -> list[Outcome]:
    """Plausible ones: throughput is 3 % too high, CPU 2 points too low, P/E 0.1 too high."""
    above = {"throughput": lambda x: 1.03 * x, "CPU": lambda x: x - 2, "P/E": lambda x: x + 0.1}
    return [
        Outcome(
            row=row, simulated=above[row.quantity](row.measured), half_width=0.0 if row.unit == "%" else 0.05,
            bottleneck="server processor 0", bottleneck_share=0.99, cpu={"server": 0.9} | dict.fromkeys("xyz", 0.1),
            cpu_by_name={"server": {"copy": 0.5, "spin": 0.3, "driver": 0.1}}, wanted=1.25, addresses=(),
            basis="predicted",
        )
        for row in rows()
    ]  # fmt: skip


FIGURE = Columns(
    "The report's figure", "What it shows.", tuple(Column(f"{os} {nic}", f"{os}/{nic}/throughput", f"{os}/{nic}/CPU")
    for os, nic in MEASURED),
)  # fmt: skip
IDS = {quantity: tuple(f"{os}/{nic}/{quantity}" for os, nic in MEASURED) for quantity in KINDS}
LYING = Bars(
    "Another figure", "It shows more.", tuple(f"{os} {nic}" for os, nic in MEASURED),
    (Pairs(IDS["throughput"]), Shares(IDS["CPU"])),
)  # fmt: skip
COMPARISONS = [
    Comparison("nt", "a over b, NT", "nt/a/P/E", "nt/b/P/E", 28.0),
    Comparison("throughput", "a over b, Windows 2000", "w2k/a/throughput", "w2k/b/throughput"),
    Spread("together", "all four within", IDS["throughput"], 27.8),
]
COMPUTED = [Computed("by hand", 939.96, "us", 940), Computed("without a print", 948.8, "us")]


# ---- scales ----


@pytest.mark.parametrize(
    ("unit", "scale", "error"),
    [("Mbit/s", PERCENT, -1.25), ("us", PERCENT, -1.25), ("Mb/s (2^20 bit/s)", PERCENT, -1.25), ("%", POINTS, -1.0),
     ("Mbit/s per %", INDEX, -1.0), ("KB/s", PERCENT, -1.25), ("KB/s per %", PERCENT, -1.25)],
)  # fmt: skip
def test_an_error_is_in_the_unit_that_counts(unit: str, scale: Any, error: float) -> None:
    assert scale_of(unit) is scale
    row = replace(rows()[0], unit=unit, measured=80.0)
    one = replace(outcomes()[0], row=row, simulated=79.0)
    assert one.error == pytest.approx(error)
    assert one.error_percent == pytest.approx(-1.25)


@pytest.mark.parametrize(("scale", "inside", "outside"), [(PERCENT, 209.9, 210.1), (POINTS, 204.9, 205.1)])
def test_near_is_within_the_band(scale: Any, inside: float, outside: float) -> None:
    unit = "Mbit/s" if scale.relative else "%"
    row = replace(rows()[0], unit=unit, measured=200.0)
    assert [replace(outcomes()[0], row=row, simulated=x).near for x in (inside, outside)] == [True, False]
    low, high = scale.around(200.0)
    assert inside < high < outside
    assert low == 400 - high


def test_each_section_of_a_report_is_of_one_unit() -> None:
    """Otherwise errors of different kinds would share a column."""
    for _, group in table.groups(outcomes()):
        assert len({one.row.unit for one in group}) == 1
    assert len(table.groups(outcomes())) == 2 * 3


# ---- simulation ----


def test_rows_of_a_scenario_share_its_simulation_and_see_their_own_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = []

    def simulate(scenarios: Sequence[Any], _: Any, **settings: Any) -> Any:
        simulated.extend(unattended(one, seed=1, precision=0.05, limit="50 ms") for one in scenarios)
        return simulated

    monkeypatch.setattr(job, "simulate_together", simulate)
    monkeypatch.setattr(run, "in_parallel", lambda jobs, _: [job() for job in jobs])
    (throughput, cpu, index), points = run.run(rows()[:3])
    assert points == []
    assert len(simulated) == 1
    result = simulated[0]
    assert throughput.simulated == result.throughput / 1e6
    assert (cpu.simulated, cpu.half_width) == (100 * result.cpu["sender"], 100 * result.cpu_half_width["sender"])
    assert 0 < cpu.half_width < cpu.simulated
    assert index.simulated == pytest.approx(throughput.simulated / cpu.simulated)
    apart = [one.half_width / one.simulated for one in (throughput, cpu)]
    assert 0 < index.half_width / index.simulated < 1.2 * math.hypot(*apart)
    for host_name, share in cpu.cpu.items():
        assert sum(cpu.cpu_by_name[host_name].values()) == pytest.approx(share)
    assert pickle.loads(pickle.dumps(cpu)).cpu_by_name == cpu.cpu_by_name


def test_rows_and_what_they_observe_can_go_to_another_process() -> None:
    assert [row.id for row in pickle.loads(pickle.dumps(rows()))] == [row.id for row in rows()]


def test_a_fit_weighs_cpu_in_points_and_has_no_closed_form_for_it() -> None:
    cpu = replace(rows()[1], estimate=None)
    one = calibrated.observation(cpu)
    assert (one.whole, one.estimated) == (100.0, None)
    assert one.error(91.0) == pytest.approx(0.01)
    assert calibrated.observation(rows()[0]).whole is None


# ---- the table ----


def test_the_table_says_what_errors_are_in() -> None:
    text = table.table(outcomes())
    assert "made-up: nt (throughput, Mbit/s)\n" in text
    assert "made-up: nt (CPU, %; errors in percentage points)\n" in text
    assert "made-up: nt (P/E, Mbit/s per %; errors in Mbit/s per %)\n" in text
    found = defaultdict(list)
    for line in text.splitlines():
        if line.startswith(("a ", "b ")):
            found[line[56:66]].append(line)
    assert {error: len(lines) for error, lines in found.items()} == {
        "   +3.00 %": 4,
        "   -2.00  ": 4,
        "   +0.10  ": 4,
    }
    assert len({line.index("90% / ") for lines in found.values() for line in lines}) == 1


def test_totals_are_of_errors_of_one_kind() -> None:
    lines = list(table.summary(outcomes()))
    heads = [line for line in lines if "rows" in line]
    assert [head.partition("   in ")[2] for head in heads] == [
        "per cent, throughput", "percentage points, CPU", "Mbit/s per %, P/E",
    ]  # fmt: skip
    overall = [line.split()[1:3] for line in lines if line.startswith("overall")]
    assert overall == [["4", "+3.00"], ["4", "-2.00"], ["4", "+0.10"]]


def test_one_kind_of_errors_needs_no_name() -> None:
    only = [one for one in outcomes() if one.row.quantity == "throughput"]
    assert next(table.summary(only)).endswith("   in per cent")


def test_of_many_hosts_the_first_stands_alone() -> None:
    one = outcomes()[0]
    assert table.cpu(replace(one, cpu={"a": 0.31, "b": 0.57})) == "31% / 57%"
    clients = {f"client{number}": number / 100 for number in range(5, 21)}
    assert table.cpu(replace(one, cpu={"server": 0.98} | clients)) == "98% / 5-20%"


# ---- comparisons ----


def test_a_comparison_is_in_per_cent_of_the_worse_row() -> None:
    printed, worded, _ = compare(COMPARISONS, outcomes())
    assert printed.simulated == pytest.approx(100 * (5.7 / 4.4 - 1))
    assert printed.difference == pytest.approx(printed.simulated - 28)
    assert printed.holds
    assert worded.simulated == pytest.approx(100 * (389 / 398 - 1))
    assert (worded.difference, worded.holds) == (None, False)


@pytest.mark.parametrize(("best", "holds"), [(1.03 * 497, True), (1.031 * 497, False)])
def test_rows_are_together_if_the_best_is_near_the_worst(best: float, holds: bool) -> None:
    """27.76 % is 27.8 in the printed digits."""
    found = [replace(one, simulated=best) if one.row.id == "nt/a/throughput" else one for one in outcomes()]
    (together,) = compare(COMPARISONS[2:], found)
    assert together.simulated == pytest.approx(100 * (best / (1.03 * 389) - 1))
    assert together.difference == pytest.approx(together.simulated - 27.8)
    assert together.holds == holds


def test_comparisons_stand_below_the_rows() -> None:
    text = table.table(outcomes(), compare(COMPARISONS, outcomes()))
    head, nt, w2k = re.findall(r"^(?:better by|a over b).*$", text, re.MULTILINE)
    assert head.split()[-5:] == ["printed", "simulated", "+/-", "points", "holds"]
    assert nt.split()[-5:-3] == ["28", "29.5"]
    assert nt.split()[-2:] == ["+1.5", "yes"]
    assert w2k.split()[-3:] == ["-2.3", "0.0", "no"]
    assert head.index("holds") == nt.index("yes") == w2k.index("no")
    assert text.index("made-up: w2k") < text.index(head) < text.index("overall")
    assert "better by" not in table.table(outcomes())


def test_comparisons_and_errors_are_recorded() -> None:
    data = json.loads(record.record(outcomes(), {}, 1.0, compare(COMPARISONS, outcomes())))
    units = {row["quantity"]: (row["error_unit"], row["error"]) for row in data["rows"]}
    assert units["throughput"] == ("per cent", pytest.approx(3))
    assert units["CPU"] == ("percentage points", pytest.approx(-2))
    assert units["P/E"] == ("Mbit/s per %", pytest.approx(0.1))
    nt, w2k, together = data["comparisons"]
    assert (together["better"], together["worse"], together["rows"]) == (None, None, list(IDS["throughput"]))
    assert nt["rows"] == [nt["better"], nt["worse"]]
    assert (nt["id"], nt["printed_percent"], nt["holds"]) == ("nt", 28.0, True)
    assert nt["simulated_percent"] - nt["difference_points"] == pytest.approx(28)
    assert (w2k["printed_percent"], w2k["difference_points"], w2k["holds"]) == (None, None, False)


def test_what_a_report_works_out_stands_below_the_comparisons() -> None:
    text = table.table(outcomes(), compare(COMPARISONS, outcomes()), COMPUTED)
    head, hand, other = re.findall(r"^(?:computed, not|by hand|without a).*$", text, re.MULTILINE)
    assert head.split()[-2:] == ["printed", "computed"]
    assert hand.split()[-3:] == ["940", "940.0", "us"]
    assert other.split()[-2:] == ["948.8", "us"]
    assert hand.index("us") == other.index("us")
    assert text.index("all four within") < text.index(head) < text.index("overall")
    assert "computed" not in table.table(outcomes())


# ---- pictures ----


def test_no_picture_mixes_quantities() -> None:
    throughput, cpu, index = table_picture.tables(outcomes())
    assert [one.title for one in (throughput, cpu, index)] == [f"{quantity}, made-up" for quantity in KINDS]
    for picture, unit in ((throughput, "error (per cent)"), (cpu, "error (percentage"), (index, "error (Mbit/s per")):
        assert unit in picture.draw()
    assert [title for title, _ in pictures.scatters(outcomes())] == [
        f"{quantity} ({unit})" for quantity, (unit, _) in KINDS.items()
    ]


def test_a_table_has_a_picture_with_every_row_and_group() -> None:
    """Measured, predicted and fitted have names of their own; the axis of errors is linear without very large ones."""
    every = [one for one in outcomes() if one.row.quantity == "throughput"]
    (one,) = table_picture.tables([replace(every[0], basis="fitted"), *every[1:]])
    svg = one.draw()
    legend = ("measured", "simulated, predicted", "simulated, fitted", "tolerance")
    assert all(f">{text}<" in svg for text in (*legend, "throughput (Mbit/s)", "nt", "w2k"))
    lines = [line if isinstance(line, str) else line.row.label for line in one.lines()]
    assert lines == ["nt", "a", "b", "w2k", "a", "b"]
    assert "logarithmic" not in svg
    (far_off,) = table_picture.tables([replace(every[0], simulated=2 * every[0].simulated), *every[1:]])
    assert "logarithmic" in far_off.draw()
    assert far_off.draw() == far_off.draw()


def test_all_errors_are_multiples_of_what_is_allowed() -> None:
    rows = [replace(one, row=replace(one.row, allowed=4.0)) for one in outcomes()]
    assert [pictures._multiple(one) for one in rows[:2]] == pytest.approx([3 / 4, -2 / 4])
    svg = pictures.overview(rows)
    for text in ("made-up", "throughput", "CPU", "P/E", "within tolerance"):
        assert f">{text}<" in svg


def test_a_figure_has_every_bar_and_every_name() -> None:
    ((drawn, svg),) = figure.draw([FIGURE], outcomes(), "x")
    assert drawn is FIGURE
    for text in ("measured", "simulated", "copy 50", "spin 30", "driver 10", "497", "90 / 88", "nt a", "w2k b"):
        assert text in svg
    assert "other" not in svg
    assert "<pattern" not in svg  # nothing is hatched: labels tell parts apart


def test_a_name_has_one_colour_in_all_figures() -> None:
    """The largest over all figures comes first, whichever is the largest in one."""
    by_name = [{"copy": 0.5, "spin": 0.1}, {"copy": 0.2, "spin": 0.7}, {"spin": 0.1}]
    assert list(shares.colours(by_name)) == ["spin", "copy", shares.OTHER]


def test_lying_bars_have_every_value_and_every_name() -> None:
    """Measured and simulated beside each other; parts by their size, and their names in the legend."""
    ((drawn, svg),) = figure.draw([LYING], outcomes(), "x")
    assert drawn is LYING
    for text in (*LYING.labels, "497", "511.9", "90.0 / 88.0", "measured", "simulated", "copy", "spin", "driver"):
        assert text in svg
    assert ">50<" in svg
    assert "sender's" not in svg
    assert "throughput (Mbit/s)" in svg
    assert "server's CPU (%)" in svg


def test_figures_of_different_kinds_share_their_colours() -> None:
    found = {one.row.id: one for one in outcomes()}
    alike = {tuple(sorted(each.items())) for one in (FIGURE, LYING) for each in one.by_name(found)}
    assert len(alike) == 1
    assert [one for one, _ in figure.draw([FIGURE, LYING], outcomes(), "x")] == [FIGURE, LYING]


def test_a_lying_figure_of_one_panel_shows_no_processor() -> None:
    one = replace(LYING, panels=LYING.panels[:1])
    ((_, svg),) = figure.draw([one], outcomes(), "x")
    assert list(one.by_name({})) == []
    assert "CPU" not in svg
    assert "511.9" in svg


def test_what_has_no_colour_left_is_drawn_together() -> None:
    names = {f"name {number:02}": 0.02 * (30 - number) for number in range(20)}
    total = sum(names.values())
    crowded = [replace(one, cpu_by_name={"server": {k: v / total for k, v in names.items()}}) for one in outcomes()]
    ((_, svg),) = figure.draw([FIGURE], crowded, "x")
    assert f"other {100 - 100 * sum(list(names.values())[:8]) / total:.0f}" in svg
    assert "name 07" in svg
    assert "name 08" not in svg


def test_the_page_shows_it_all() -> None:
    compared = compare(COMPARISONS, outcomes())
    misses = (Miss("*/throughput", "Why."), Miss("throughput", "Why."))
    report = Report("made-up", "Two cards", rows, misses, figures=lambda: [FIGURE, LYING])
    text = page.page([Section(report, outcomes(), compared, computed=COMPUTED)], [])
    for each in (FIGURE.caption, LYING.title, "a over b, NT", "+1.5 points", "−2.0 points", "+3.0 %", "28 "):
        assert each in text
    for each in (*COMPUTED[0].text.split(), "940 μs", "948.8 μs", "What the report computes", "Why."):
        assert each in text
    assert text.count("<svg") == 1 + 3 + 3 + 2
    plain = page.page([Section(replace(report, figures=list), outcomes())], [])
    assert "Figure of the report" not in plain
    assert "What the report compares" not in plain
    assert "What the report computes" not in plain


# ---- reports ----


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report with comparisons and a figure, without simulations."""
    about = {"figures": [FIGURE], "comparisons": COMPARISONS, "computed": COMPUTED}
    report = Report("made-up", "Two cards", rows, **{name: partial(list, found) for name, found in about.items()})
    monkeypatch.setitem(reports.REPORTS, "made-up", report)
    monkeypatch.setattr(main, "run", lambda rows, points, **_: (outcomes(), []))


@pytest.mark.usefixtures("made_up")
def test_a_run_has_the_comparisons_and_figures_of_its_reports(tmp_path: Any, capsys: Any) -> None:
    assert main.main(["made-up", "--quick", "--build", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "a over b, Windows 2000" in printed
    assert "without a print" in printed
    assert len(json.loads((tmp_path / "rows.json").read_text())["comparisons"]) == 3
    assert FIGURE.caption in (tmp_path / "index.html").read_text()


every_report = pytest.mark.parametrize("report", reports.REPORTS.values(), ids=lambda report: report.name)
FIGURES = [one for report in reports.REPORTS.values() for one in report.figures()]


@every_report
def test_comparisons_and_figures_are_of_rows_that_exist(report: Report) -> None:
    known = {row.id: row for row in report.rows()}
    for one in report.comparisons():
        assert len({known[row].unit for row in one.rows}) == 1
        assert len(set(one.rows)) == len(one.rows) > 1
    assert known.keys() >= {row for drawn in report.figures() for row in drawn.rows}
    assert {row.report for row in known.values()} == {report.name}


COLUMNS = [column for one in FIGURES if isinstance(one, Columns) for column in one.columns]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.throughput)
def test_a_column_is_of_one_simulation(column: Column) -> None:
    known = {row.id: row for row in reports.rows()}
    throughput, cpu = known[column.throughput], known[column.cpu]
    assert throughput.build().digest() == cpu.build().digest()
    assert (throughput.unit, cpu.unit) == ("Mbit/s", CPU_UNIT)


@pytest.mark.parametrize("bars", [one for one in FIGURES if isinstance(one, Bars)], ids=lambda one: one.title)
def test_panels_are_of_the_same_configurations(bars: Bars) -> None:
    known = {row.id: row for row in reports.rows()}
    for panel in bars.panels:
        assert [known[row].label for row in panel.rows] == list(bars.labels)
        assert len({known[row].unit for row in panel.rows}) == 1
