"""The experiment on the Netfinity 5500: its rows of several scenarios, its statements, and its curves."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import job, page, parameters, record, reports, run, table
from experiments import netfinity_5500 as report
from experiments import netfinity_5500_curves as curves
from experiments.row import Row
from experiments.several import Several, each
from experiments.statement import Above, BottleneckAlong, FirstBottleneck, Judged, judge
from experiments.study import Point
from netsim.scenario import Scenario
from netsim.units import KBYTE_PER_S, TPS
from netsim.workload import NetBench, ServerBench
from tests.on_servers import net_bench, server_bench
from tests.validation_page import section

ROWS = report.rows()
CLOCK = {"server.processors.clock", "server.memory.cached", "server.memory.level1"}  # values that follow from it


class MadeUp(SimpleNamespace):
    """A plausible result."""

    def quotient(self, other: Any) -> tuple[float, float]:
        """Quotient and half-width, for independent results."""
        value = self.throughput / other.throughput
        return value, value * math.hypot(self.half_width / self.throughput, other.half_width / other.throughput)


def made_up(throughput: float = 100.0, half_width: float = 1.0, bottleneck: str = "server disks", **more: Any) -> Any:
    scenario = SimpleNamespace(unit=more.pop("unit", TPS))
    return MadeUp(
        throughput=throughput, half_width=half_width, bottleneck=bottleneck, bottleneck_share=0.9,
        scenario=scenario, cpu={}, hit_ratio=0.95, **more,
    )  # fmt: skip


# ---- several scenarios ----


def test_several_are_one_by_one_and_in_order() -> None:
    tests = [server_bench(clients) for clients in (1, 2, 3)]
    several = Several(tuple(tests))
    assert list(several) == list(each(several)) == tests
    assert each(tests[0]) == (tests[0],)


def test_several_have_a_digest_of_their_own() -> None:
    one, other = server_bench(1), server_bench(2)
    digest = Several((one, other)).digest()
    assert digest == Several((server_bench(1), server_bench(2))).digest()
    others = [Several((other, one)), Several((one,)), Several((one, other, other)), Several((one, net_bench(2)))]
    assert len({digest, one.digest(), *(several.digest() for several in others)}) == 6


def test_several_know_where_their_numbers_come_from() -> None:
    one, other = (row.build() for row in ROWS[:2])
    sources = one.provenance()
    assert {name.split(".")[1] for name in sources} == {str(number) for number in range(len(one.scenarios))}
    for number in (0, len(one.scenarios) - 1):
        for address, source in one.scenarios[number].provenance().items():
            assert sources[f"scenarios.{number}.{address}"] == source
    assert len(sources) == sum(len(scenario.provenance()) for scenario in one)
    assert one.digest() != other.digest()


# ---- rows ----


def test_there_is_a_row_for_each_quotient() -> None:
    ids = [f"netfinity-5500/{name}/raid-{level}/ratio" for name in ("serverbench", "netbench") for level in (0, 5)]
    assert [row.id for row in ROWS] == ids
    assert [row.measured for row in ROWS] == [1.12, 1.13, 1.05, 1.0]
    assert {(row.unit, row.quantity) for row in ROWS} == {("ratio", "quotient")}
    assert all(row.estimate is None for row in ROWS)
    assert len({(row.group, row.label) for row in ROWS}) == 4


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_has_both_clocks(row: Row) -> None:
    """First all with the faster clock, then the slower ones, at the same numbers of clients; they differ only in values
    that follow from the clock."""
    tests = row.build().scenarios
    peak = "serverbench" in row.id
    half = len(tests) // 2
    assert len(tests) == (2 * len(report.PEAK) if peak else 2)
    assert {type(test) for test in tests} == {ServerBench if peak else NetBench}
    for fast, slow in zip(tests[:half], tests[half:], strict=True):
        assert (fast.server.processors.clock, slow.server.processors.clock) == (500_000_000, 450_000_000)
        assert fast.clients == slow.clients
        own, other = fast.addresses(), slow.addresses()
        assert {address for address in own if own[address] != other[address]} == CLOCK
    for test in tests:
        assert test.server.processors.count == (2 if peak else 1)
        assert test.server.storage.level == int(row.case["raid"])
        assert test.ports == 4
    assert peak or {test.clients for test in tests} == {60}


def test_a_quotient_of_peaks_is_that_of_the_best_with_as_many_clients() -> None:
    """The curves are flat there, and with equal numbers of clients they do the same work."""
    fast = [made_up(rate, rate / 100) for rate in (50.0, 120.0, 121.0)]
    slow = [made_up(rate, rate / 50) for rate in (40.0, 100.0, 90.0)]
    value, half_width = report.quotient_of_peaks([*fast, *slow])
    assert value == pytest.approx(1.2)
    assert half_width == pytest.approx(1.2 * math.hypot(0.01, 0.02))
    asked = [job.Job(row.id, row.build(), {}, 1, 1.0, [row]).about([*fast, *slow]) for row in ROWS]
    assert asked[:2] == [{1, 4}, {1, 4}]
    assert asked[2] == {*range(6)}  # all of them


def test_what_several_rows_and_curves_need_is_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated: list[Scenario] = []

    def simulate(scenario: Scenario, **_: Any) -> Any:
        simulated.append(scenario)
        return made_up(scenario.clients * scenario.server.processors.clock / 1e6)  # type: ignore[attr-defined]

    monkeypatch.setattr(job, "unattended", simulate)
    monkeypatch.setattr(job, "simulate_together", lambda scenarios, _, **more: [simulate(one) for one in scenarios])
    monkeypatch.setattr(run, "in_parallel", lambda jobs, _: [job() for job in jobs])
    monkeypatch.setattr(report, "SERVER_BENCH_CLIENTS", (1, 16))
    monkeypatch.setattr(report, "PEAK", (16,))
    monkeypatch.setattr(report, "NET_BENCH_CLIENTS", (4, 60))
    points = report.points()
    outcomes, found = run.run(ROWS, points)
    assert len(simulated) == len({one.digest() for one in simulated}) == len(points)
    assert [point for point, _ in found] == points
    assert all(one.throughput == point.x * (500 if "500" in point.series else 450) for point, one in found)
    assert [one.simulated for one in outcomes] == pytest.approx([500 / 450] * 4)
    assert all(one.half_width > 0 and one.converged and not one.missed for one in outcomes)
    wide = replace(outcomes[0], half_width=0.1)
    assert wide.missed == "not converged: half-width 0.1 where 0.0075 was asked for"


# ---- statements ----

DISK = BottleneckAlong("disk", "more than 32: bottleneck", "disk", "ServerBench", 33, 60, ("server disk",))
HITS = Above("hits", "60: hit ratio", "NetBench", 60, lambda result: result.hit_ratio, 0.9)


@pytest.mark.parametrize(("series", "x", "about"), [("ServerBench, RAID-5", 33, True), ("ServerBench", 60, True),
                                                    ("ServerBench", 32, False), ("NetBench", 40, False)])  # fmt: skip
def test_a_statement_is_about_some_points(series: str, x: float, about: bool) -> None:
    assert DISK.about(Point(series, x, server_bench)) == about
    assert HITS.about(Point(series, x, server_bench)) is False


def at_points(*results: Any) -> list[tuple[Point, Any]]:
    """Results along one curve."""
    return [(Point("NetBench, RAID-0", 4.0 + number, net_bench), one) for number, one in enumerate(results)]


def test_what_is_first_in_the_way_is_told_for_each_curve() -> None:
    first = FirstBottleneck("first", "first", "adapter", "NetBench", ("wire",))
    one = at_points(*(made_up(bottleneck=name) for name in ("latency", "wire segment 2", "server disks")))
    other = [(Point("NetBench, RAID-5", point.x, net_bench), result) for point, result in one[::2]]
    assert (first.found(one[::-1]), first.holds(one[::-1])) == ("wire segment 1", True)
    assert (first.found(other), first.holds(other)) == ("server disks 1", False)
    assert (first.found([*one, *other]), first.holds([*one, *other])) == ("wire segment 1, server disks 1", False)
    assert (first.found(one[:1]), first.holds(one[:1])) == ("latency 1", False)


def test_what_is_in_the_way_is_counted() -> None:
    several = at_points(*(made_up(bottleneck=name) for name in ("server disks", "server disks", "latency")))
    assert DISK.found(several) == "server disks 2, latency 1"
    assert not DISK.holds(several)
    assert DISK.holds(several[:2])


def test_what_is_above_a_limit_is_above_it_everywhere() -> None:
    several = at_points(made_up(), made_up())
    several[1][1].hit_ratio = 0.9
    assert (HITS.printed, HITS.found(several)) == ("above 0.9", "0.900 to 0.950")
    assert not HITS.holds(several)
    assert HITS.holds(several[:1])


def test_nothing_holds_of_no_points() -> None:
    (one,) = judge([DISK], [(Point("NetBench", 60, net_bench), made_up())])
    assert (one.found, one.holds) == ("", False)
    (one,) = judge([HITS], [])
    assert (one.found, one.holds) == ("", False)


def test_statements_are_judged_by_their_points() -> None:
    found = [
        (Point("ServerBench, RAID-0", 33, server_bench), made_up()),
        (Point("ServerBench, RAID-0", 4, server_bench), made_up(bottleneck="server processors")),
        (Point("NetBench, RAID-0", 60, net_bench), made_up()),
    ]
    assert judge([DISK, HITS], found) == [Judged(DISK, "server disks 1", True), Judged(HITS, "0.950 to 0.950", True)]


def test_statements_of_the_report_are_about_points_of_its_curves() -> None:
    points = report.points()
    for one in report.statements():
        assert len({point.series for point in points if one.about(point)}) == 4  # two clocks, two arrays
    assert len(reports.REPORTS[report.REPORT].statements()) == 5


def test_statements_are_in_the_table_the_record_and_the_page() -> None:
    judged = [Judged(DISK, "server disks 2, latency 1", False), Judged(HITS, "0.950 to 0.960", True)]
    lines = list(table.statements(judged))
    assert len(lines) == 3
    assert " ".join(lines[1].split()) == "more than 32: bottleneck disk no server disks 2, latency 1"
    assert list(table.statements([])) == []
    counts = parameters.counts(parameters.used(ROWS))
    entry = json.loads(record.record([], counts, 1.0, judged=judged))["statements"][1]
    assert entry == {"id": "hits", "text": "60: hit ratio", "printed": "above 0.9", "simulated": "0.950 to 0.960",
                     "holds": True}  # fmt: skip
    assert DISK.text not in "".join(table.table([], judged=[]).splitlines())


# ---- curves ----


def curve() -> list[tuple[Point, Any]]:
    """Every point, with each kind of bottleneck somewhere."""
    names = ["server processors", "server disks", "wire segment 2", "latency", "server bus"]
    points = report.points()
    return [
        (point, made_up(10.0 * point.x, bottleneck=names[number % 5],
                        unit=TPS if point.series.startswith("ServerBench") else KBYTE_PER_S))
        for number, point in enumerate(points)
    ]  # fmt: skip


def test_curves_are_a_picture() -> None:
    study = curves.study()
    drawn = study.draw(curve())
    assert drawn.startswith("<svg")
    marks = [mark[1] for mark in curves.MARKS]
    for text in ("ServerBench, RAID-0", "NetBench, RAID-5", "500 MHz", "450 MHz", "clients", *marks):
        assert text in drawn
    assert [(one.series, one.x) for one in study.points()] == [(one.series, one.x) for one in report.points()]
    assert study.title == "Throughput against clients"


def test_points_are_scenarios_of_their_own() -> None:
    points = report.points()
    assert len(points) == 4 * (len(report.SERVER_BENCH_CLIENTS) + len(report.NET_BENCH_CLIENTS))
    assert len({(point.series, point.x) for point in points}) == len(points)
    for point in points[::9]:
        assert point.build().clients == point.x


@pytest.mark.parametrize(("name", "mark"), [("server processors", "o"), ("server disks", "s"), ("wire segment 3", "^"),
                                            ("latency", "."), ("server bus", "x")])  # fmt: skip
def test_a_mark_says_what_is_in_the_way(name: str, mark: str) -> None:
    assert curves._mark(made_up(bottleneck=name))[2] == mark


def test_a_page_shows_the_statements() -> None:
    judged = [Judged(HITS, "0.950 to 0.960", True)]
    cpu = {"server": {"copy": 0.5}}
    outcome = run.Outcome(ROWS[0], 1.1, 0.01, "server disks", 0.9, {"server": 0.5}, cpu, True, (), False)
    text = page.page([section(report.REPORT, [outcome], judged=judged)], parameters.used(ROWS[:1]))
    assert HITS.text in text
    assert "0.950 to 0.960" in text
    assert "1.12" in table.table([outcome], judged=judged)
