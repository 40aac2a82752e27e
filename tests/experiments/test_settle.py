"""What would settle a row: the ranges that numbers are drawn from, each number's share, and the measurement needed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from experiments import beowulf, measurement, parameters, reports, settle
from experiments.parameters import Used
from experiments.uncertainty import uncertainty
from experiments.unknown import Unknown, standing
from netsim import load
from netsim.catalog import Provenance
from netsim.explore.limits import Limits

ROWS = {row.id: row for row in beowulf.rows()}
LATENCY = ROWS["beowulf/NPtcp/rtl8139/rtl8139/1/latency"]
SLOW = ROWS["beowulf/p166/2xpii-400/TCP_STREAM/rtl8139/rtl8139/1"]
TX, RX, WRITE = "systems/linux-2.2.16:tcp.tx_cycles", "systems/linux-2.2.16:tcp.rx_cycles", "hosts/p166:memory.write"


def used(name: str, text: str, low: Any, high: Any, **more: Any) -> Used:
    """A number of models/ with an invented range."""
    return Used(name, text, Provenance(**{"kind": "assumed", "range": (low, high)} | more), ("beowulf",))


def stands(row: beowulf.Row, *numbers: Used) -> list[Unknown]:
    return standing(numbers, row.build(), settle.places(row))


# ---- draws ----


def test_a_number_is_drawn_evenly_in_logarithms_over_its_range() -> None:
    (one,) = stands(SLOW, used(WRITE, "60 MB/s", "30 MB/s", "120 MB/s"))
    assert one.places == ["sender.memory.write"]
    assert one.limits == Limits("sender.memory.write", "byte_rate", 30e6, 120e6, logarithmic=True)
    assert one.limits.at(np.array([0.0, 0.5])) == pytest.approx([30e6, 60e6])


def test_a_number_that_may_be_nothing_is_drawn_evenly() -> None:
    (one,) = stands(LATENCY, used(TX, "4000", 0, 8000))
    assert not one.limits.logarithmic
    assert one.limits.at(np.array([0.0, 0.5])) == pytest.approx([0, 4000], abs=1)
    assert {at.partition(".")[0] for at in one.places} == {"sender", "receiver"}


def test_a_fitted_number_is_drawn_as_wide_as_its_standard_deviation() -> None:
    """A uniform distribution of that standard deviation, within the range."""
    value = LATENCY.build().get("sender.system.tcp.tx_cycles")
    (one,) = stands(LATENCY, used(TX, str(value), 1, 10**6, kind="fitted", sd=100))
    assert (one.limits.low, one.limits.high) == pytest.approx((value - 173.2, value + 173.2), abs=0.1)
    (wide,) = stands(LATENCY, used(TX, str(value), value - 10, value + 10, kind="fitted", sd=100))
    assert (wide.limits.low, wide.limits.high) == (value - 10, value + 10)


def test_what_has_no_range_or_is_no_number_is_not_drawn() -> None:
    plain = Used(TX, "4000", Provenance(kind="assumed"))
    documented = used(RX, "4000", 1, 2, kind="documented")
    word = used("drivers/rtl8139:policy", "copy", 1, 2)
    assert stands(LATENCY, plain, documented, word) == []


# ---- shares ----


def test_a_number_alone_is_all_there_is() -> None:
    """And the spread is its effect: a sender that does little but copy."""
    found = uncertainty(SLOW, SLOW.build(), stands(SLOW, used(WRITE, "60 MB/s", "50 MB/s", "70 MB/s")))
    assert found.total == {WRITE: pytest.approx(1, abs=0.05)}
    ends = (SLOW.build().replace("sender.memory.write", at) for at in ("70 MB/s", "50 MB/s"))
    fast, slow = (math.log(SLOW.estimate(one)) for one in ends)
    assert found.spread == pytest.approx((fast - slow) / math.sqrt(12), rel=0.05)


def test_two_numbers_have_the_shares_that_their_slopes_give() -> None:
    """A latency is a sum, so within narrow ranges each number's own effect is enough."""
    numbers = used(TX, "4551", 4000, 5000), used(RX, "3133", 3000, 3300)
    found = uncertainty(LATENCY, LATENCY.build(), stands(LATENCY, *numbers))
    spans = []
    for one in stands(LATENCY, *numbers):
        ends = one.number.provenance.range or ()
        low, high = (LATENCY.build().replace(dict.fromkeys(one.places, end)) for end in ends)
        spans.append(LATENCY.estimate(high) - LATENCY.estimate(low))
    expected = np.square(spans) / np.sum(np.square(spans))
    assert list(found.first.values()) == pytest.approx(expected, abs=0.05)
    assert list(found.total.values()) == pytest.approx(expected, abs=0.05)


def test_what_moves_nothing_is_not_drawn() -> None:
    found = uncertainty(LATENCY, LATENCY.build(), stands(LATENCY, used(TX, "4551", 4551, 4552)))
    assert (found.spread, found.total) == (0, {})
    assert uncertainty(LATENCY, LATENCY.build(), []).spread == 0


def test_cpu_is_told_in_shares_of_it() -> None:
    row = next(row for row in reports.rows(["perform3"]) if row.quantity == "CPU")
    name = next(name for name in settle.places(row) if name.endswith(":processors.relative_cpi"))
    value = row.build().get(settle.places(row)[name][0])
    found = uncertainty(row, row.build(), stands(row, used(name, str(value), 0.8 * value, 1.2 * value)))
    assert 0.001 < found.spread < 0.05
    assert list(found.total) == [name]


# ---- the table ----


def test_the_number_that_matters_most_is_first() -> None:
    plain = Used("a:b", "1", Provenance(kind="assumed"))
    numbers = [used(TX, "4551", 2000, 9000), used(RX, "3133", 3000, 3300), plain]
    found = settle.settle([LATENCY, SLOW], numbers)
    assert [one.number.name for one in found.causes] == [TX, RX]
    assert (found.ranged, found.unknown, len(found.rows)) == (2, 3, 2)
    first = found.causes[0]
    assert first.there > 0.9
    assert first.number.range == "2000 to 9000 cycles"
    assert 0 < first.share <= 1
    lines = list(settle.table(found))
    assert lines[0].startswith("2 of 3 numbers that no source states have a range; because of them, 2 of 2 rows")
    assert lines[2].startswith(TX)
    assert "cycle counter" in lines[3]


def test_a_row_stands_for_its_group() -> None:
    rows = settle.representative(list(ROWS.values()))
    groups = [(row.group, row.quantity) for row in rows]
    assert len(groups) == len(set(groups)) == len({(row.group, row.quantity) for row in ROWS.values()})
    assert settle.representative([SLOW, SLOW]) == [SLOW]


def test_every_number_that_no_source_states_has_a_measurement() -> None:
    """By its kind, and each kind covers something that exists or may exist."""
    names = [one for one in parameters.used(list(ROWS.values())[::9]) if one.provenance.kind in ("assumed", "fitted")]
    assert {measurement.measurement(one) for one in names} <= set(measurement.KINDS.values())
    asked = (WRITE, "hosts/x:memory.cached", RX, "x/y:z")
    told = {name: measurement.measurement(used(name, "1", 1, 2)) for name in asked}
    assert "bw_mem" in told[WRITE]
    assert "fits the cache" in told["hosts/x:memory.cached"]
    assert "cycle counter" in told[RX]
    assert told["x/y:z"] == measurement.ELSE


def test_a_rows_scenario_is_printed_for_netsim_run(tmp_path: Any, capsys: Any) -> None:
    assert settle.main(["beowulf", "--scenario", LATENCY.id]) == 0
    (tmp_path / "it.toml").write_text(capsys.readouterr().out)
    assert load(tmp_path / "it.toml") == LATENCY.build()
    assert settle.main(["beowulf", "--scenario", LATENCY.id[:-1]]) == 2
    assert f'did you mean "{LATENCY.id}"?' in capsys.readouterr().err
