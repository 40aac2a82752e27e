"""The page of `make reproduce`: its contents, and how a browser shows it at desktop and phone width."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from markupsafe import escape

import netsim as ns
from experiments import (
    choices,
    digits,
    left_out_errors,
    notebook,
    origin,
    overload,
    page,
    parameters,
    reports,
    scenario_files,
    table_picture,
)
from experiments.comparison import compare
from experiments.drawing import widen
from experiments.miss import cause
from experiments.otherwise import otherwise
from experiments.parameters import Used
from experiments.section import CHANCE, UNKNOWN, Section
from experiments.settle import Cause, Settled
from experiments.several import each
from experiments.uncertainty import Uncertainty
from netsim.calibration import Calibration, Observation, Parameter
from netsim.catalog import Provenance, describe
from netsim.cli.program import main as cli
from netsim.measure.simulation import simulate
from netsim.show import palette
from tests.validation_page import check_stands_alone, made_up, section

pytestmark = pytest.mark.xdist_group("validation page")  # one worker makes the page for all tests

NAMES = list(reports.REPORTS)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = (1280, 390)
MEASURED_TABLES = {"beowulf": 4, "tolly-200233": 1, "tolly-201105": 3, "perform3": 5, "netfinity-5500": 1}


@pytest.fixture(scope="module")
def numbers():
    """Numbers that a few rows of each report take from models/; all rows would take eight seconds."""
    return parameters.used([row for name in NAMES for row in reports.rows([name])[:1]])


def missed(report):
    """The first row with each known cause."""
    causes = {}
    for row in report.rows():
        causes.setdefault(cause(report.misses, row.id), row.id)
    return {id for known, id in causes.items() if known}


@pytest.fixture(scope="module")
def sections():
    """Every report with invented outcomes, with larger errors in the rows that are known to miss."""
    found = []
    for name, report in reports.REPORTS.items():
        outcomes = [
            replace(one, simulated=1.6 * one.row.measured) if one.row.id in missed(report) else one
            for one in made_up(name, lambda number: 1 + 0.0005 * number)
        ]
        compared = compare(report.comparisons(), outcomes)
        found.append(section(name, outcomes, compared=compared, computed=report.computed()))
    return found


LATENCY, SENT = "beowulf/NPtcp/rtl8139/rtl8139/1/latency", "beowulf/piii-600/piii-600/UDP_STREAM/dfe570tx/tulip/4/sent"
LEFT_OUT = [
    {"group": "card rtl8139", "errors": {LATENCY: -4.0, "beowulf/other": 1.0}, "values": {}},
    {"group": "card dfe570tx", "errors": {SENT: 31.0}, "values": {}},
    {"group": "host piii-600", "errors": {LATENCY: 2.25, SENT: 6.0}, "values": {}},
]


@pytest.fixture(scope="module")
def fit():
    """A calibration of two numbers that rows determine, one of them at its bound, and of one that no row determines."""
    names = ("systems/linux-2.2.16:kernel.cycle_factor", "drivers/rtl8139:tx_cycles", "hosts/p166:memory.write")
    own = [Parameter(*name.split(":"), "1000", "100", "10000", "physics") for name in names]
    rows = [Observation(name, 1.0, None) for name in (LATENCY, SENT)]
    slopes = np.array([[0.1, 0.4, 0.0], [-0.5, 0.001, 0.0]])
    return Calibration(own, rows, np.log([10000.0, 900.0, 1000.0]), np.zeros(2), slopes)


@pytest.fixture(scope="module")
def settled():
    """What would settle two rows, one of them without indices."""
    row, other = (next(row for row in reports.rows(["beowulf"]) if row.id == name) for name in (LATENCY, SENT))
    source = Provenance(kind="assumed", range=("50 MB/s", "200 MB/s"))
    number = Cause(Used("hosts/p166:memory.write", "100 MB/s", source), 0.25, 0.2, row, 0.5, 0.031)
    return Settled([Uncertainty(row, 0.031), Uncertainty(other, failed="it is too hot")], [number], 1, 7)


@pytest.fixture(scope="module")
def text(sections, numbers, fit, settled):
    """The page of all reports, with everything that may accompany them."""
    return page.page(sections, numbers, LEFT_OUT, fit, settled)


def plain(text):
    """The text that a reader sees."""
    return " ".join(page.Markup(re.sub(r"<[^>]+>", " ", text)).unescape().split())


# ---- contents ----


def test_it_stands_alone(text):
    """One picture of all errors, one of the rows left out, eight of quantities, one for each quantity of a table, and
    the reports' figures."""
    figures = sum(len(report.figures()) for report in reports.REPORTS.values())
    assert figures == 8
    check_stands_alone(text, 1 + 1 + 8 + sum(MEASURED_TABLES.values()) + figures)


def test_every_table_of_a_report_has_its_picture(sections):
    for one in sections:
        titles = [picture.title for picture in table_picture.tables(one.outcomes)]
        assert titles == list(dict.fromkeys(f"{row.quantity}, {row.table}" for row in one.report.rows()))
        assert len(titles) == MEASURED_TABLES[one.report.name]


def test_every_picture_has_a_title_units_and_a_legend(text):
    """Scatters share one legend."""
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        title = re.search(r'role="img" aria-label="[^"]+"><title>([^<]+)</title>', svg)[1]
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
        assert any("(" in one or "error / tolerance" in one for one in texts)
        known = {"measured", "each card", "simulated, predicted", "simulated, chosen", "simulated, fitted"} & set(texts)
        assert bool(known) != title.startswith("Simulated against measured")
    below = text[text.index("Simulated against measured, by quantity") :]
    assert below.index('<span class="legend">') < below.index("<svg")


def test_pictures_speak_as_print_does(text):
    """Real minus signs, ± and powers as in print; no hatching."""
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
        assert not [one for one in words if re.search(r"(^|\s)-\d|\+/-|\^|\bus\b", one)]
        assert "<pattern" not in svg
    assert "+/-" not in text
    assert "2^20" not in text


def test_small_errors_do_not_look_large():
    """If values are nearly equal, the axis still spans a fifth of them."""
    (one,) = [one for one in made_up("beowulf") if one.row.table == "udp-sender"]
    drawing = table_picture.TablePicture("udp-sender", (one,)).draw()
    figures = [float(word) for word in re.findall(r"<text[^>]*>([\d.]+)</text>", drawing) if float(word) > 100]
    assert max(figures) - min(figures) > 0.1 * one.row.measured
    assert widen(100, 100.04) == (pytest.approx(90.02, abs=0.1), pytest.approx(110.02, abs=0.1))
    assert widen(0, 100) == (-6, 106)


def test_numbers_have_the_digits_that_are_known():
    assert [digits.two(one) for one in (56.29, 9.96, 9.94, 0.994, 0.0441)] == ["56", "10", "9.9", "0.99", "0.04"]
    assert [digits.two(one, "+") for one in (-0.51, 3.0)] == ["−0.51", "+3.0"]
    assert [digits.known(267.884, one) for one in (0, 0.004, 0.31, 2.9, 14)] == [*["267.88"] * 3, "267.9", "268"]


# ---- origin, and finding things in it ----


def test_it_says_what_made_it(text):
    now = origin.origin()
    line = f"{now.date}, commit {now.commit}, netsim {now.version} ({now.variant}), Python {now.python}"
    assert line.replace(", commit ,", ",") in plain(text)
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ 20\d\d", now.date)
    assert now.variant in ("compiled", "interpreted")


def test_a_commit_is_that_of_the_checkout(tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for step in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *step], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    assert origin.commit(tmp_path) == head[:10]
    below = tmp_path / "copy"
    below.mkdir()
    assert origin.commit(below) == ""


def test_contents_lead_everywhere(text):
    contents = text[text.index("<nav") : text.index("</nav>")]
    heads = set(re.findall(r'<h2 id="([^"]+)"', text))
    assert heads <= set(re.findall(r'href="#([^"]+)"', contents))
    assert {f"{name}-rows" for name in NAMES} <= set(re.findall(r'href="#([^"]+)"', contents))
    style = text[text.index("<style>") : text.index("</style>")]
    assert "position: sticky" in style
    assert 'popovertarget="contents"' in text  # without a script


def test_tables_scroll_by_themselves_and_are_named(text):
    boxes = re.findall(r'<div class="wide"([^>]*)>\s*<table', text)
    assert len(boxes) == text.count("<table")
    assert all(re.fullmatch(r' tabindex="0" role="region" aria-label="[^"]+"', one) for one in boxes)


# ---- questions ----


def test_a_choice_costs_what_its_alternative_was_measured_to_be_worse():
    rows = [one for one in made_up("tolly-200233") if one.row.id.startswith("tolly-200233/linux-2.2.14/1518/upload/")]
    (question,) = [one for one in choices.questions(rows) if one.text == "Which card in this host?"]
    (choice,) = question.choices
    ordered = sorted(rows, key=lambda one: -one.row.measured)
    assert [*choice.outcomes.values()] == ordered
    assert (choice.cost, choice.good, question.good) == (0, True, 1)
    wrong = [replace(one, simulated=2000.0) if one is ordered[-1] else one for one in rows]
    (question,) = [one for one in choices.questions(wrong) if one.text == "Which card in this host?"]
    assert question.worst.cost == pytest.approx(100 * (1 - ordered[-1].row.measured / ordered[0].row.measured))
    assert (question.good, question.worst.simulated) == (0, ordered[-1].row.label)


def test_less_latency_is_better():
    rows = [one for one in made_up("beowulf") if one.row.quantity == "latency"]
    for question in choices.questions(rows):
        for one in question.choices:
            measured = [each.row.measured for each in one.outcomes.values()]
            assert measured == sorted(measured)


def test_alternatives_differ_in_what_is_asked_alone(sections, text):
    found = choices.questions([one for of in sections for one in of.outcomes])
    assert [one.text for one in found] == [*choices.QUESTIONS]
    for question in found:
        for one in question.choices:
            cases = [dict(each.row.case) for each in one.outcomes.values()]
            vary = {key for key in cases[0] if len({case[key] for case in cases}) > 1}
            assert any(vary <= set(columns) for columns in choices.QUESTIONS[question.text])
            assert len({(each.row.table, each.row.quantity) for each in one.outcomes.values()}) == 1
    assert text.count('<details class="choice">') == sum(len(one.choices) for one in found)


# ---- scenarios as files ----


@pytest.fixture(scope="module")
def files():
    """Files of a row of each tool, and of rows that share one."""
    wanted = dict.fromkeys(("netperf", "netpipe", "tolly-200233"), 1)
    wanted |= {"tolly-201105": 3, "perform3-server": 3, "netfinity-5500": 4}
    return scenario_files.of([row for table, most in wanted.items()
                              for row in [one for one in reports.rows() if one.table == table][:most]])  # fmt: skip


def test_rows_of_one_run_share_a_file_and_a_quotient_has_several(files):
    numbers = {row: len(names) for row, names in files.by_row.items()}
    assert [number for row, number in numbers.items() if row.startswith("netfinity-5500/")] == [8, 8, 2, 2]
    assert {number for row, number in numbers.items() if not row.startswith("netfinity-5500/")} == {1}
    assert len({name for row, (name, *_) in files.by_row.items() if row.startswith("tolly-201105/")}) == 1
    assert {name for names in files.by_row.values() for name in names} == {*files.texts}


@pytest.mark.parametrize("tool", ["netperf", "netpipe", "chariot", "perform3", "serverbench", "netbench"])
def test_netsim_runs_the_file_of_a_row(tool, files, tmp_path, capsys):
    """It loads as the same scenario, and the command in it runs, here coarsely."""
    files.write(tmp_path)
    name, text = next((name, text) for name, text in files.texts.items() if f'tool = "{tool}"' in text)
    row = next(one for one in reports.rows() if name in files.by_row.get(one.id, ()))
    path = tmp_path / "scenarios" / name
    assert ns.load(path).digest() in {one.digest() for one in each(row.build())}
    (command,) = re.findall(r"^# (netsim run .*)", text, re.MULTILINE)
    _, *arguments = shlex.split(command)
    assert arguments[:2] == ["run", name]
    coarse = ["--precision", "0.5", "--warm-up", "5 ms", "--limit", "20 ms"]
    assert cli([*arguments[:1], str(path), *arguments[2:], *coarse]) == 0
    assert re.search(r"\d+\.\d+", capsys.readouterr().out)


def test_rows_lead_to_their_files(files, numbers):
    text = page.page([section("netfinity-5500")], numbers, scenarios=files.by_row)
    assert text.count('class="toml"') == 8 + 8 + 2 + 2
    assert set(re.findall(r'href="scenarios/([^"]+)"', text)) <= {*files.texts}


def test_every_row_stands_there_once_with_its_basis(text):
    for row in reports.rows():
        assert text.count(f'<tr id="{page.anchor(row.id)}">') == 1
    rows = [one for name in NAMES for one in made_up(name)]
    assert text.count('<span class="basis fitted">') >= sum(one.basis == "fitted" for one in rows)
    assert text.count("not converged") >= len(NAMES)


def test_what_was_left_out_comes_first(text):
    """Medians and ninth deciles by kind, then each row's errors from the smallest to the largest."""
    assert text.index('<h2 id="left-out">') < text.index('<h2 id="summary">') < text.index('<h2 id="beowulf">')
    told = plain(text)
    assert "each card 4.0 26 67 % 3 2 each host 4.1 5.6 50 % 2 1 all together 4.0" in told
    assert "−4.0 to +2.2" in told
    assert "+6.0 to +31.0" in told
    assert left_out_errors.NONE_YET not in text


def test_what_is_not_stored_is_said_in_a_line(sections):
    text = page.page(sections[-1:], [])
    assert text.count(left_out_errors.NONE_YET) == 1
    assert "A quick run leaves this out" in text
    assert "left out</th>" not in text
    assert "scenarios/" not in text


def test_what_was_chosen_can_be_read_below_the_rows(text):
    """On a touch screen, too: not only in a title."""
    listed = [one for name in NAMES for one in otherwise(made_up(name))]
    with_choices = sum(bool(otherwise(made_up(name))) for name in NAMES)
    assert text.count("<h3>Choices made with knowledge of rows</h3>") == with_choices == 4
    for one in listed:
        assert f"<td>{escape(one.choice)} <details>" in text
        assert all(f'href="#{page.anchor(row.row.id)}"' in text for row, _ in one.moves)
    assert text.count("<td>nothing tried</td>") == sum(not one.instead for one in listed)


def test_three_kinds_are_told_apart_by_shape_and_colour(text):
    style = text[text.index("<style>") : text.index("</style>")]
    for basis in ("predicted", "chosen", "fitted"):
        both = [getattr(one, basis) for one in (palette.LIGHT, palette.DARK)]
        assert re.findall(rf"--{basis}: (#\w+);", style) == both
        assert f'<span class="basis {basis}">' in text[: text.index("<main>")]
    for basis, shape in (("chosen", "clip-path: polygon"), ("fitted", "rotate(45deg)")):
        assert shape in next(line for line in style.splitlines() if f".basis.{basis} .mark" in line)


def test_orders_of_rows_stand_with_their_report(sections, text):
    found = [one for of in sections for one in of.rankings()]
    assert len(found) > 5
    assert text.count('data-name="rank correlation"') == len(found)
    wrong = next(pair for one in found for pair in one.inverted)
    assert f"{wrong[0].row.label} below {wrong[1].row.label}" in text


def test_the_calibration_stands_with_its_numbers(fit, text, sections, numbers):
    """The rows that determine a number most, whether it is at its bound, and numbers that no row determines."""
    assert fit.strongest(fit.parameters[0]) == [SENT, LATENCY]
    assert fit.strongest(fit.parameters[1]) == [LATENCY]
    assert fit.strongest(fit.parameters[2]) == []
    assert fit.narrowed(fit.parameters[2]) == pytest.approx(1)
    assert fit.narrowed(fit.parameters[0]) > 10
    told = plain(text)
    assert "at its bound" in told
    assert "What rows cannot tell apart rows can't tell where hosts/p166:memory.write is within" in told
    assert "No calibration of these numbers is stored" not in told
    assert "No calibration of these numbers is stored" in plain(page.page(sections[-1:], numbers))


def test_what_would_settle_it_stands_there(settled, text):
    told = plain(text)
    assert "No source states 7 of the numbers; 1 of these have a range" in told
    about = "memory.write models/hosts/p166.toml, assumed 100 MB/s 50 to 200 MB/s 25.0 % 50 % rtl8139/rtl8139"
    assert f"{about} beowulf: NPtcp, latency , 3.1 % {settled.causes[0].measurement}" in told
    assert f"{SENT}: it is too hot" in told


def test_the_summary_counts_rows_by_report_and_quantity(sections):
    (beowulf,) = (one for one in sections if one.report.name == "beowulf")
    throughput, latency, bandwidth = beowulf.qualities()
    assert throughput.name == "throughput, Mbit/s"
    assert (len(throughput.outcomes), len(latency.outcomes), len(bandwidth.outcomes)) == (38, 16, 16)
    assert throughput.near == 38 - sum(one.row.id in missed(beowulf.report) for one in throughput.outcomes)
    assert (throughput.measured, throughput.predicted) == (38, 13)
    assert (throughput.allowed, throughput.text("1")) == ("5 %", "1 %")
    assert throughput.worst.error == pytest.approx(60)
    (perform3,) = (one for one in sections if one.report.name == "perform3")
    assert [one.allowed for one in perform3.qualities()] == ["2 to 3 %", "3 points", "5 %"]


def test_the_worst_rows_have_their_causes(sections, text):
    """The largest multiple of its tolerance first."""
    found = page.worst(sections)
    assert {one.row.id for _, one in found} == {id for report in reports.REPORTS.values() for id in missed(report)}
    multiples = [abs(one.error) / one.row.tolerance for _, one in found]
    assert multiples == sorted(multiples, reverse=True)
    assert UNKNOWN not in text
    for of, one in found:
        assert page.Markup.escape(cause(of.report.misses, one.row.id)) in text


def test_a_row_without_a_known_cause_says_so(numbers):
    outcomes = [replace(one, simulated=0.1) for one in made_up("netfinity-5500")]
    text = page.page([section("netfinity-5500", [replace(outcomes[0], half_width=5.0), *outcomes[1:]])], numbers)
    assert (text.count(UNKNOWN), text.count(CHANCE)) == (1, 1)  # the cause of the other two is known
    assert "All 4 rows" in text


def test_nothing_beyond_what_is_allowed_is_said_too():
    text = page.page([section("netfinity-5500")], [])
    assert "None is outside its tolerance" in text
    assert text.count("None.") == 2  # no number is fitted, none is assumed


def test_every_fitted_and_assumed_number_has_file_address_and_source(text, numbers):
    listed = [one for one in numbers if one.provenance.kind in ("fitted", "assumed")]
    assert len(listed) > 300
    told = plain(text)
    for one in listed:
        assert one.file in text
        assert f" {one.address} " in told
        assert " ".join((one.provenance.reason or one.provenance.source).split()) in told
        assert one.value
        assert one.range in told
    by_name = {one.name: one for one in listed}
    start, memory = by_name["nics/rtl8139:tx_turnaround"], by_name["hosts/piii-600:memory.read"]
    assert (start.file, start.address, start.unit) == ("models/nics/rtl8139.toml", "tx_turnaround", "us")
    assert (memory.unit, memory.reports[0]) == ("MB/s", "beowulf")
    stands = {address: value for name in ("nics/rtl8139", "hosts/piii-600") for address, value, _ in describe(name)}
    assert all(f"{one.value} {one.unit}" == str(stands[one.address]) for one in (start, memory))


def test_the_same_outcomes_give_the_same_page(numbers):
    once, again = (page.page([section("netfinity-5500")], numbers) for _ in range(2))
    assert once == again


def test_a_study_stands_with_its_report():
    study = overload.study()
    result = simulate(overload.scenario("3c905b", "3c59x", 3, 60), limit="20 ms")
    drawn = study.draw([(point, replace(result, drops=dict.fromkeys(result.drops, 100))) for point in study.points()])
    text = page.page([Section(reports.REPORTS["beowulf"], made_up("beowulf")[:3], studies=[(study, drawn)])], [])
    assert drawn in text
    assert study.title in text
    assert study.caption in unescape(text)


# ---- in a notebook ----


def test_a_picture_stands_by_itself_in_a_notebook():
    """In the page's light colours, with a background of its own."""
    (picture,) = notebook.tables(made_up("netfinity-5500"))
    data = picture.data.decode()
    assert "var(--" not in data
    assert f'fill="{palette.LIGHT.page}"' in data
    assert ElementTree.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
    assert picture.alt.startswith("quotient, netfinity-5500: simulated beside measured")
    assert re.match(r'<img src="data:image/svg\+xml;base64,[^"]+" alt="quotient, ', picture._repr_html_())


def test_a_notebook_tells_misses_with_their_causes():
    outcomes = [replace(one, simulated=1.2) for one in made_up("netfinity-5500")]
    lines = notebook.misses("netfinity-5500", outcomes).data.splitlines()[2:]
    assert lines[0].startswith("| RAID-5, NetBench, ")
    assert " | +0.20 | " in lines[0]
    assert len(lines) == 4
    for known in (UNKNOWN, cause(reports.REPORTS["netfinity-5500"].misses, "netfinity-5500/netbench/raid-5")):
        assert sum(line.endswith(f" | {known} |") for line in lines) == 2


def test_a_notebook_has_the_figures_of_which_all_rows_are_there():
    alone = [one for one in made_up("perform3") if one.row.table.endswith("single-workstation")]
    assert len(notebook.figures("perform3", alone)) == 1


# ---- in a browser ----

# Reported by the page around the frames: elements wider than the screen, what was fetched, what a search finds.
LOOK = """
const seen = frame => {
  const page = frame.contentDocument, root = page.documentElement;
  const outside = [...page.body.querySelectorAll("*")].filter(one => !one.closest(".wide") && !one.ownerSVGElement
    && one.getBoundingClientRect().right > root.clientWidth + 0.5).map(one => one.outerHTML.slice(0, 80));
  const field = page.querySelector(".search input"), found = [];
  for (const words of field ? ["drivers/rtl8139", ""] : []) {
    field.value = words;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    const rows = [...page.querySelectorAll(".searched tbody > tr")].filter(one => !one.hidden);
    found.push([rows.length, [...page.querySelectorAll("details.file")].filter(one => one.open).length]);
  }
  return {
    width: root.clientWidth, scroll: root.scrollWidth, outside, found,
    fetched: frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name),
    lost: [...page.querySelectorAll("a")].filter(one => !one.classList.contains("toml")
      && !page.getElementById(one.hash.slice(1))).length,
    small: [...page.querySelectorAll("figure svg")].filter(one => one.getBoundingClientRect().width < 250).length,
  };
};
onload = () => document.querySelector("pre").textContent =
  "<" + JSON.stringify([...document.querySelectorAll("iframe")].map(seen)) + ">";
"""


def look(folder, text):
    """A browser's report of a page at each width, and its console output."""
    (folder / "page.html").write_text(text, encoding="utf-8")
    frames = [f'<iframe src="page.html" style="border:0;height:900px;width:{width}px"></iframe>' for width in WIDTHS]
    around = f"<!doctype html>{' '.join(frames)}<pre></pre><script>{LOOK}</script>"
    (folder / "around.html").write_text(around, encoding="utf-8")
    run = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            "--hide-scrollbars", f"--user-data-dir={folder / 'profile'}", "--allow-file-access-from-files",
            "--enable-logging=stderr", "--window-size=1600,900", "--dump-dom", (folder / "around.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    (found,) = re.findall(r"<pre>&lt;(.*?)&gt;</pre>", run.stdout, re.DOTALL)
    return json.loads(page.Markup(found).unescape()), re.findall(r".*CONSOLE.*", run.stderr)


in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian's package of that name)")


@in_a_browser
def test_a_browser_shows_it_on_a_desk_and_on_a_phone(tmp_path, text):
    """Only tables in boxes of their own are wider than the screen; nothing is fetched; the console is empty."""
    found, console = look(tmp_path, text)
    assert console == []
    assert [one["width"] for one in found] == list(WIDTHS)
    for one in found:
        assert one["scroll"] == one["width"]
        assert (one["outside"], one["fetched"], one["lost"], one["small"]) == ([], [], 0, 0)
        (few, open_files), (all_of_them, open_again) = one["found"]
        assert 0 < few < 40 < all_of_them
        assert open_files >= 1
        assert open_again == 0


@in_a_browser
def test_a_browser_finds_what_is_wrong(tmp_path):
    """So that the test above can fail."""
    wide = '<p style="width:2000px"><a href="#nowhere">x</a><img src="http://127.0.0.1:9/nothing.png" alt="">'
    found, console = look(tmp_path, f"<!doctype html>{wide}<script>missing()</script>")
    assert "missing is not defined" in " ".join(console)
    for one in found:
        assert one["scroll"] > one["width"]
        assert len(one["outside"]) == one["lost"] == 1
        assert one["fetched"][0].endswith("nothing.png")
