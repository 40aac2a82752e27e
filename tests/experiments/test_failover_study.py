"""The study of a cable that fails: its scenario, its duration, and the names in its picture."""

from __future__ import annotations

from functools import partial

import pytest

from experiments import failover, tolly_201105
from experiments.run import explore
from experiments.study import Found, Point
from netsim.workload import Chariot


def small(aggregated: bool) -> Chariot:
    """The study's scenario, with wires of a tenth of the rate and one client at each port."""
    test = failover.scenario(aggregated)
    return test.replace({"clients": test.clients[-4:], "link": "10base-t"})


@pytest.fixture(scope="module")
def found() -> Found:
    points = [
        Point(point.series, point.x, partial(small, aggregated), point.settings)
        for point, aggregated in zip(failover.points(), failover.CASES.values(), strict=True)
    ]
    return explore(points, jobs=1)


@pytest.mark.parametrize("aggregated", [True, False])
def test_it_is_the_reports_download_with_an_outage(aggregated: bool) -> None:
    test = failover.scenario(aggregated)
    report = tolly_201105.chariot(failover.WINDOWS, aggregated, "none", "download", failover.THREECOM)
    before = report.addresses()
    changed = {name for name, value in test.addresses().items() if before.get(name) != value}
    noticed = {"switch.link_detection", *(["server.bond.detection"] if aggregated else [])}
    outage = {f"outages.0.{name}" for name in ("host", "port", "at", "until")}
    assert changed == noticed | outage | {"duration", "min_iterations", "max_iterations"}
    assert len({test.get(name) for name in noticed}) == 1


def test_it_is_simulated_to_its_end_whatever_a_picture_is_else(found: Found) -> None:
    for _, result in found:
        assert result.simulated == 3
        assert [phase.cause for phase in result.phases] == ["start", "server port 1 fails", "server port 1 is back"]


def test_a_quarter_goes_and_comes_back_sooner_if_the_ports_are_one(found: Found) -> None:
    """The wires are the bottleneck, before and after."""
    for _, result in found:
        before, during, _ = (phase.throughput for phase in result.phases)
        assert before == pytest.approx(result.scenario.bounds().limit, rel=0.03)
        assert during == pytest.approx(0.75 * before, rel=0.03)
    together, apart = (result.phases[2].throughput for _, result in found)
    assert together > 1.1 * apart


def test_the_picture_names_both_moments_and_each_mean(found: Found) -> None:
    drawn = failover.draw(found)
    assert drawn.startswith("<svg")
    assert drawn.count(">server port 1 fails<") == drawn.count(">server port 1 is back<") == 2
    for point, result in found:
        assert f"four {point.series} adapters" in drawn
        assert all(f">{phase.throughput / 1e6:.0f}<" in drawn for phase in result.phases)
    for text in ("throughput (Mbit/s)", "time (s)", "every 25 ms", "mean of a phase"):
        assert text in drawn


def test_the_caption_says_what_is_not_the_catalogues() -> None:
    assert f"after {failover.DETECTION} (set shorter" in failover.study().caption
