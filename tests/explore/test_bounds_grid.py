"""Instant sweeps: numbers that are arrays, division of points, refusals, tables and pictures."""

from __future__ import annotations

import operator
import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netsim as ns
from netsim.accounts import Resource
from netsim.accounts.bounds import Bounds
from netsim.explore import Column, Points
from netsim.explore import part as parts
from netsim.explore.part import Part
from netsim.show.grid_picture import Picture
from netsim.units import Exact, Split, Swept, telling

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC)
CLOCK = "sender.processors.clock"
CLOCKS = ["50 MHz", "100 MHz", "600 MHz"]


def swept(*numbers: float) -> Swept:
    whole = not any(isinstance(one, float) for one in numbers)
    large = whole and max(map(abs, numbers)) >= 2**63
    return Swept(np.array(numbers, object if large else np.int64 if whole else float))


# ---- numbers ----

WHOLE = (0, 1, -7, 1514, 2**53 + 1, 10**16 + 1, 2**62 + 1, -(2**63) + 1, 10**25)
REAL = (0.0, -0.5, 1.5, 2.5, 1e-3, 123456.789, 2.0**53 + 2)
OTHERS = (3, -8, 10**12, 2**53 + 1, 2**63, 0.1, 2.0**53 + 2, True)
OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, divmod]
OPERATIONS += [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_point_is_what_python_computes(operation) -> None:
    for numbers, other in product((WHOLE[:4], WHOLE, REAL), OTHERS):
        there = [(operation(one, other), operation(other, one or type(one)(1))) for one in numbers]
        found = operation(swept(*numbers), other), operation(other, swept(*(one or type(one)(1) for one in numbers)))
        for side, parts_found in enumerate(found):
            for place, alone in enumerate(one[side] for one in there):
                got = at(parts_found, place)
                assert (got, type(got)) == (alone, type(alone)), (numbers, other)


def at(found: object, place: int) -> object:
    return tuple(one.values.item(place) for one in found) if isinstance(found, tuple) else found.values.item(place)


def test_two_swept_numbers_lie_across_each_other() -> None:
    found = swept(1, 2, 3).values.reshape(3, 1), swept(10, 2**62).values.reshape(1, 2)
    product = Swept(found[0]) * Swept(found[1])
    assert product.values.tolist() == [[10, 2**62], [20, 2**63], [30, 3 * 2**62]]


def test_it_is_rounded_half_to_even() -> None:
    numbers = (0.5, 1.5, -2.5, 2.6, 1e15 + 0.5, 1e22)
    assert round(swept(*numbers)).values.tolist() == [round(one) for one in numbers]
    assert round(swept(7, 8)).values.tolist() == [7, 8]
    assert (-swept(7, -8)).values.tolist() == [-7, 8]
    assert abs(swept(7, -8)).values.tolist() == [7, 8]


def test_truth_values_count_one_each() -> None:
    assert sum([swept(1, 5) > 2, swept(3, 5) > 2]).values.tolist() == [1, 2]


@pytest.mark.parametrize(
    "use",
    [bool, int, float, hash, range, lambda one: [0] * one, lambda one: max(one, 2), lambda one: 1 / one, divmod],
)
def test_where_points_differ_there_is_no_single_answer(use) -> None:
    with pytest.raises(Split) as told:
        use(swept(0, 2, 5)) if use is not divmod else divmod(7, swept(0, 2, 5))
    assert not told.value.told


def test_where_they_do_not_it_is_a_number() -> None:
    alike = swept(3, 3)
    assert (int(alike), float(alike), [*range(alike)], {3: "x"}[alike]) == (3, 3.0, [0, 1, 2], "x")
    assert f"{alike:03}" == "003"
    assert str(alike) == repr(alike) == "3"
    assert max(alike, 2) is alike
    with pytest.raises(ZeroDivisionError):
        1 / swept(0, 0)


def test_a_text_is_of_the_first_point_or_of_each_alone() -> None:
    with pytest.raises(Split) as told:
        str(swept(3, 4))
    assert told.value.told
    with telling():
        assert f"{swept(3, 4)}" == "3"


def test_it_is_no_partner_for_what_is_no_number() -> None:
    with pytest.raises(TypeError):
        swept(1, 2) + "x"
    assert (swept(1, 2) == None) is False  # noqa: E711
    assert (np.float64(2.0) * swept(1, 2)).values.tolist() == [2.0, 4.0]


# ---- parts ----


def column(address: str, *numbers: int) -> Column:
    return Column(address, numbers, numbers, "count")


def test_parts_make_up_all_points_once() -> None:
    points = Points(((column("a", 1, 2, 3, 4),), (column("b", 1, 2, 3), column("c", 7, 7, 8)), (column("d", 1, 2),)))
    seen = np.zeros(points.shape, int)

    def evaluate(changes: dict[str, object]) -> object:
        total = changes["a"] * changes["b"] + changes["d"]  # type: ignore[operator]
        return [0] * changes["a"], total if total > 5 else -total, changes["c"]  # type: ignore[operator]

    for part, (zeros, total, c) in parts.each_part(points, evaluate):
        seen[part.places] += 1
        for place in np.ndindex(part.shape):
            a, b, d = (at[tuple(np.minimum(place, np.array(at.shape) - 1))] for at in part.places)
            value = (a + 1) * (b + 1) + d + 1
            total_there = np.broadcast_to(getattr(total, "values", total), part.shape)[place]
            assert len(zeros) == a + 1
            assert total_there == (value if value > 5 else -value)
            assert np.broadcast_to(getattr(c, "values", c), part.shape)[place] == (7, 7, 8)[b]
    assert (seen == 1).all()


def test_what_a_swept_number_can_not_do_is_done_point_by_point() -> None:
    points = Points(((column("a", 1, 2, 2),), (column("b", 5, 6),)))
    found = dict.fromkeys(np.ndindex(points.shape))

    def evaluate(changes: dict[str, object]) -> object:
        return Fraction(changes["a"], changes["b"])  # type: ignore[arg-type]

    for part, value in parts.each_part(points, evaluate):
        for one in zip(*(np.broadcast_to(at, part.shape).ravel() for at in part.places), strict=True):
            found[tuple(map(int, one))] = value
    assert found == {(a, b): Fraction((1, 2, 2)[a], 5 + b) for a in range(3) for b in range(2)}


def test_a_fault_is_no_failure() -> None:
    def faulty(changes: dict[str, object]) -> object:
        raise TypeError("a fault")

    with pytest.raises(TypeError, match="a fault"):
        list(parts.each_part(Points(((column("a", 1, 2),),)), faulty))


def test_names_are_told_apart_and_numbers_go_through_at_once(monkeypatch) -> None:
    calls = []
    replace = type(TEST).replace

    def counted(self, changes, *value):
        if isinstance(changes, dict) and CLOCK in changes:
            calls.append(changes)
        return replace(self, changes, *value)

    monkeypatch.setattr(type(TEST), "replace", counted)
    ns.bounds(TEST, {CLOCK: [f"{100 + number} MHz" for number in range(500)], "sender.bus": ["pci-32-33", "pci-64-66"]})
    assert len(calls) == 2


def test_unequal_clients_go_through_at_once(monkeypatch) -> None:
    """Each point has a linear programme of its own; everything else is computed once."""
    calls = []
    bounds = ns.Chariot.bounds
    monkeypatch.setattr(ns.Chariot, "bounds", lambda test: calls.append(test) or bounds(test))
    test = ns.Chariot(server=PC, clients=[PC, PC, PC], switch="aceswitch-180", flow="upload")
    cycles = "server.nics.0.driver.rx_cycles"
    ns.bounds(test, {cycles: range(5000, 5020), "clients.2.memory.read": ["1 MB/s", "2 MB/s"]})
    assert len(calls) == 1


NUMBERS = [
    ("aggregation", "mtu", [1400, 1500]),
    ("chariot", "mtu", [1400, 1500]),
    ("chariot", "server.nics.0.driver.rx_cycles", [9000, 9100]),
    ("flows", "mtu", [1400, 1500]),
    ("flows", "flows.questions.request", [100, 120]),
    ("p166", "mtu", [1400, 1500]),
    ("p166", "sender.system.tcp.tx_cycles", [1000, 1200]),
    ("packets", "frame", [64, 68]),
    ("pktgen-rings", "frame", [1000, 1010]),
    ("pcie-slot", "size", [100, 104]),
    ("requests", "request", [100, 104]),
    ("perform3", "server.memory.read", ["9 MB/s", "10 MB/s"]),
    ("perform3", "file_sizes.3", [1100, 1200]),
    ("netbench", "mix.sizes.0", [1100, 1200]),
    ("pktgen-rings", "driver.tx_cycles", [100, 110]),
    ("router", "mtu", [1400, 1500]),
    ("serverbench", "mix.client_cycles", [100_000, 110_000]),
    ("tcp-rr-moderation", "sender.nics.0.driver.rx_cycles", [9000, 9100]),
]


@pytest.mark.parametrize(("example", "address", "values"), NUMBERS)
def test_no_part_refuses_a_swept_number(monkeypatch, example, address, values) -> None:
    """A part that does, such as a compiled function of whole numbers, makes a sweep take its points one by one."""
    test = ns.load(Path(__file__).parents[2] / "examples" / f"{example}.toml")
    monkeypatch.setattr(parts, "_fewest", lambda points, part: None)  # so the refusal is raised
    found = ns.bounds(test, {address: values})
    assert [*found.limit] == [test.replace(address, one).bounds().limit for one in values]


def test_sizes_of_files_are_few_parts() -> None:
    """2,000 sizes differ only in whether there is a whole request, a rest, and enough data for a frame."""
    test = ns.load(Path(__file__).parents[2] / "examples" / "perform3.toml")
    evaluated = []

    def evaluate(changes: dict[str, object]) -> None:
        evaluated.append(test.replace(changes).bounds())

    points = Points.of(test, {"file_sizes.3": range(1, 2001)})
    assert sum(part.size for part, _ in parts.each_part(points, evaluate)) == 2000
    assert len(evaluated) <= 8


def test_whole_is_one_part() -> None:
    assert Part.whole((3, 4)).size == 12
    assert [part.size for part in Part.whole((3, 4)).divided(np.array([[1], [2], [1]]))] == [8, 4]


# ---- results ----


def test_each_point_has_its_bounds() -> None:
    grid = ns.bounds(TEST, {CLOCK: CLOCKS, "mtu": [576, 1500]})
    assert grid.shape == (3, 2)
    assert grid.axes == {CLOCK: tuple(CLOCKS), "mtu": (576, 1500)}
    for place in np.ndindex(grid.shape):
        alone = TEST.replace({CLOCK: CLOCKS[place[0]], "mtu": (576, 1500)[place[1]]}).bounds()
        assert {name: times[place] for name, times in grid.demand.items()} == alone.demand
        assert grid.throughput("sender bus")[place] == alone.throughput("sender bus")
        assert (grid.limit[place], grid.bottleneck[place]) == (alone.limit, alone.bottleneck)
    assert not grid.failed.any()
    with pytest.raises(ns.ScenarioError, match='did you mean "sender bus"'):
        grid.throughput("sendr bus")


@pytest.mark.parametrize(
    "axes",
    [
        ns.zipped({CLOCK: CLOCKS, "mtu": [576, 1500, 1000]}) * {"receiver.processors.clock": ["200 MHz", "1 GHz"]},
        ns.sobol({CLOCK: ("50 MHz", "1 GHz"), "mtu": (576, 1500)}, points=8),
        ns.latin_hypercube({"sender.processors.relative_cpi": (1, 3)}, points=5),
    ],
)
def test_whatever_can_be_swept_has_bounds(axes) -> None:
    grid = ns.bounds(TEST, axes)
    assert grid.shape == axes.shape
    points = Points.of(TEST, axes)
    alone = [TEST.replace(points.changes(points.place(number))).bounds().limit for number in range(len(points))]
    assert grid.limit.ravel().tolist() == alone


def test_rows_of_a_table_are_points() -> None:
    table = pd.DataFrame({CLOCK: CLOCKS, "mtu": [576, 1500, 9000]})
    grid = ns.bounds(TEST, table)
    assert grid.shape == (3,)
    assert grid.limit[1] == TEST.replace({CLOCK: "100 MHz", "mtu": 1500}).bounds().limit
    assert grid.failed.tolist() == [False, False, True]
    assert str(grid.failures[0]) == "1 point is no scenario: mtu: 9000 bytes are more than the link allows (1500)"
    assert grid.failures[0].first == {CLOCK: 600_000_000, "mtu": 9000}
    frame = grid.to_frame()
    assert list(frame)[:4] == [f"{CLOCK} [Hz]", "mtu [B]", "throughput", "bottleneck"]
    assert frame[f"{CLOCK} [Hz]"].tolist() == [50_000_000, 100_000_000, 600_000_000]
    assert frame["throughput"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize("order", [1, -1])
def test_numbers_within_another_axis_have_their_unit(order: int) -> None:
    clock = "receiver.processors.clock"
    given = {"receiver": ["p166", "piii-600"], clock: ["100 MHz", "0.2 GHz"]}
    axes = dict([*given.items()][::order])
    grid = ns.bounds(TEST, axes)
    frame = grid.to_frame()
    assert [*frame.columns[:2]] == ["receiver", f"{clock} [Hz]"][::order]
    assert sorted(frame[f"{clock} [Hz]"].tolist()) == [10**8, 10**8, 2 * 10**8, 2 * 10**8]
    assert frame[f"{clock} [Hz]"].dtype == np.int64
    alone = [TEST.replace(dict(zip(axes, one, strict=True))).bounds().limit for one in product(*axes.values())]
    assert grid.limit.ravel().tolist() == alone
    assert Points.of(TEST, axes).dims[order == 1][0].unit == "Hz"


def test_an_address_that_only_another_axis_has_is_a_number_of_its_quantity() -> None:
    address = "sender.nics.0.bridge.read_latency"
    with pytest.raises(ns.ScenarioError, match="no such address"):
        ns.bounds(TEST, {address: [10]})
    cards = ["dfe570tx/tulip", {"model": "dfe570tx/tulip", "max_ports": 4}]
    frame = ns.bounds(TEST, {"sender.nics.0": cards, address: ["10", 20]}).to_frame()
    assert frame[address].tolist() == [10, 20] * 2


def test_quantities_that_differ_within_another_axis_leave_the_values_as_given(monkeypatch) -> None:
    quantities = iter(["time", "frequency"])
    monkeypatch.setattr("netsim.explore.points.quantity_at", lambda scenario, address: next(quantities))
    grid = ns.bounds(TEST, {"receiver": ["p166", "piii-600"], "receiver.processors.clock": ["1 GHz"]})
    assert grid.to_frame()["receiver.processors.clock"].tolist() == ["1 GHz"] * 2


def test_what_is_not_there_is_not_a_number() -> None:
    grid = ns.bounds(TEST, {"receiver.processors.count": [1, 2]})
    assert np.isnan(grid.throughput("receiver kernel lock")).tolist() == [True, False]
    assert not np.isnan(grid.limit).any()


def test_what_is_needed_at_some_points_only_allows_all_at_the_others(monkeypatch) -> None:
    """A resource that has no work if a cost is zero."""
    bounds = type(TEST).bounds

    def with_a_gate(test: ns.Netperf) -> Bounds:
        found = bounds(test)
        return replace(found, demand={**found.demand, Resource("", "gate"): test.sender.nics[0].driver.tx_cycles})

    monkeypatch.setattr(type(TEST), "bounds", with_a_gate)
    grid = ns.bounds(TEST, {"sender.nics.0.driver.tx_cycles": [0, 500, 1000]})
    assert grid.demand["gate"].tolist() == [0, 500, 1000]
    assert np.isinf(grid.throughput("gate")).tolist() == [True, False, False]


def test_combinations_that_are_no_scenario_are_told_of() -> None:
    jumbo = TEST.replace({"sender.nics.0.max_frame": 9018, "receiver.nics.0.max_frame": 9018})
    grid = ns.bounds(jumbo, {"mtu": [1500, 4000, 9000], "link.mtu": [1500, 9000], CLOCK: CLOCKS})
    assert grid.failed[..., 0].tolist() == [[False, False], [True, False], [True, False]]
    assert [(one.points, one.first["mtu"]) for one in grid.failures] == [(6, 4000)]
    assert "6 points are no scenario: mtu: 4000 bytes are more than the link allows (1500)" in str(grid)
    assert "TCP_STREAM at 3 x 2 x 3 points" in str(grid)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"mtuu": [1]}, 'mtuu: no such address (did you mean "mtu"?)'),
        ({"mtu": ["5 us"]}, 'mtu: "5 us" is not an MTU; allowed: a whole number, or a number with B, KiB, MiB, GiB'),
        ({"mtu": [1500, 0]}, "mtu: 0 is out of range for an MTU; allowed: 68 B to 65535 B"),
        ({CLOCK: [100]}, f'{CLOCK}: 100 needs a unit, such as "100 MHz"; allowed: a number with Hz, kHz, MHz, GHz'),
        ({"mtu": []}, "mtu: [] is not allowed; allowed: at least one value"),
        ({"mtu": "1500"}, 'mtu: "1500" is not allowed; allowed: a list of values'),
        ({"mtu": 1500}, "mtu: 1500 is not allowed; allowed: a list of values"),
        ({}, "no axes; allowed: at least one address with its values"),
        ({"mtu": range(10**6), CLOCK: range(10**6)}, "1000000000000 points are too many; allowed: up to 10000000"),
        ({"mtu": range(10**12)}, "mtu: 1000000000000 values are too many; allowed: up to 10000000"),
        ({"sender.nics.0.driver.tx_checksum": ["hosst"]}, 'sender.nics.0.driver.tx_checksum: "hosst" is not allowed'),
    ],
)
def test_bad_axes_are_refused_before_anything_is_worked_out(monkeypatch, axes, message) -> None:
    monkeypatch.setattr(type(TEST), "bounds", lambda self: pytest.fail("computed"))
    with pytest.raises(ns.ScenarioError) as told:
        ns.bounds(TEST, {"duration": ["1 s"]} | axes if axes else axes)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"mtu": [1500, 9000]}, "mtu: 9000 bytes are more than the link allows (1500)"),
        ({"mtu": [576, 1500], "sender.bus": ["pci-32-34"]}, 'sender.bus: nothing in buses is called "pci-32-34"'),
        (pd.DataFrame({"mtu": [8000, 9000]}), "mtu: 8000 bytes are more than the link allows (1500)"),
    ],
)
def test_a_value_that_no_combination_allows_is_refused(axes, message) -> None:
    with pytest.raises(ns.ScenarioError) as told:
        ns.bounds(TEST, axes)
    assert str(told.value).startswith(message)


def test_an_axis_may_lie_in_what_another_one_puts_there() -> None:
    axes = {"sender.nics.0.rx_moderation": [{"policy": "absolute-delay", "delay": "5 us"}]}
    axes = {f"sender.nics.0.driver.{at.rsplit('.', 1)[1]}": value for at, value in axes.items()}
    (at,) = axes
    grid = ns.bounds(TEST, axes | {f"{at}.delay": ["5 us", "9 us"]})
    assert grid.shape == (1, 2)
    assert not grid.failed.any()


def test_none_is_a_value_beside_numbers() -> None:
    (column,) = (one for _, one in Points.of(TEST, {"message": ["none", 1000, 2000, 1000]}).columns)
    assert column.numbers is None
    assert column.codes.tolist() == [0, 1, 2, 1]


def test_a_scenario_with_swept_numbers_is_written_and_read_again() -> None:
    """As happens when a test passes on its hosts with changes."""
    values = Swept(np.array([100, 200]))
    test = TEST.replace({"mtu": values}).replace("duration", "3 s")
    assert test.mtu is values
    assert test.duration == 3 * 10**12


def test_it_can_be_sent_to_another_process() -> None:
    grid = pickle.loads(pickle.dumps(ns.bounds(TEST, {"mtu": [576, 1500]})))
    assert grid.limit.shape == (2,)


# ---- tables and pictures ----


def test_a_dataset_has_the_axes_as_dimensions() -> None:
    pytest.importorskip("xarray")
    grid = ns.bounds(TEST, {CLOCK: CLOCKS, "sender.bus": ["pci-32-33", "pci-64-66"]})
    data = grid.to_xarray()
    assert data["throughput"].sel({CLOCK: 100_000_000, "sender.bus": "pci-64-66"}) == grid.limit[1, 1]
    assert (data["demand"].sel(resource="sender bus") == grid.demand["sender bus"]).all()
    table = ns.bounds(TEST, pd.DataFrame({CLOCK: CLOCKS, "mtu": [576, 1000, 1500]})).to_xarray()
    assert table["throughput"].dims == ("point",)
    assert table["mtu"].to_numpy().tolist() == [576, 1000, 1500]


def test_a_curve_for_each_combination_in_colours_by_one_address() -> None:
    grid = ns.bounds(TEST, {CLOCK: CLOCKS[::-1], "mtu": [576, 1500], "receiver.processors.count": [1, 2]})
    ax = grid.plot(hue="mtu")
    assert len({line.get_linestyle() for line in ax.lines}) == len(ax.texts)  # not only by colour
    assert len(ax.lines) == 4
    assert len({line.get_color() for line in ax.lines}) == 2
    assert {text.get_text() for text in ax.texts} == {"576 B", "1500 B"}  # at the curves' ends
    assert ax.get_legend() is None
    assert ax.lines[0].get_xdata().tolist() == [50.0, 100.0, 600.0]
    assert ax.get_xlabel() == f"{CLOCK} (MHz)"
    assert ax.lines[0].get_ydata().tolist() == [grid.limit[at, 0, 0] / 1e6 for at in (2, 1, 0)]
    with pytest.raises(ns.ScenarioError, match='did you mean "mtu"'):
        grid.plot(x="mtuu")


def test_a_curve_for_each_resource() -> None:
    grid = ns.bounds(TEST, {CLOCK: CLOCKS})
    ax = grid.plot(hue="resource")
    assert sorted(text.get_text() for text in ax.texts) == sorted(grid.allowed)
    assert grid.plot(y="sender bus").lines[0].get_ydata().tolist() == (grid.throughput("sender bus") / 1e6).tolist()


def test_none_is_a_name_on_an_axis_and_of_a_curve() -> None:
    grid = ns.bounds(TEST, {"send_buffer": [None, "16 KiB"], "receive_buffer": [None, "8 KiB"]})
    ax = grid.plot(x="send_buffer", hue="receive_buffer")
    assert [[*line.get_xdata()] for line in ax.lines] == [["none", "16 KiB"]] * 2
    assert {text.get_text() for text in ax.texts} == {"none", "8 KiB"}
    table = grid.to_frame()  # has NaN for None, as a sweep's table does
    drawn = Picture(grid, "send_buffer", "throughput", None).compared(table, 0.05)
    assert [*drawn["send_buffer [B]"]] == ["none", "none", "16 KiB", "16 KiB"]
    assert not drawn["far"].any()


def simulated() -> pd.DataFrame:
    """As from three runs: on the bound, 4 % and 6 % below it. Not all are points of the sweep; one is in base units."""
    at = [(75_000_000, 1500), ("100 MHz", 576), (CLOCKS[2], 1500)]
    limits = [
        TEST.replace({CLOCK: Exact(one) if isinstance(one, int) else one, "mtu": mtu}).bounds().limit for one, mtu in at
    ]
    rows = zip(at, limits, (1, 0.96, 0.94), strict=True)
    return pd.DataFrame([{CLOCK: one, "mtu": mtu, "throughput": limit * share} for (one, mtu), limit, share in rows])


def test_what_is_further_off_than_it_may_is_marked() -> None:
    grid = ns.bounds(TEST, {CLOCK: CLOCKS, "mtu": [576, 1500]})
    frame = Picture(grid, None, "throughput", "mtu").compared(simulated(), 0.05)
    assert frame["far"].tolist() == [False, False, True]
    assert (frame["simulated"] / frame["throughput"]).tolist() == pytest.approx([1, 0.96, 0.94])
    ax = grid.plot(hue="mtu", simulated=simulated(), share=0.03)
    dots, rings = ax.collections
    assert len(dots.get_offsets()) == 3
    assert rings.get_offsets()[:, 0].tolist() == [100.0, 600.0]
    assert rings.get_label() == "off by more than 3 %: 2 of 3"


def test_what_was_simulated_has_to_say_where() -> None:
    grid = ns.bounds(TEST, {CLOCK: CLOCKS, "mtu": [576, 1500]})
    for missing in ("mtu", "throughput"):
        with pytest.raises(ns.ScenarioError, match=f'no column "{missing}"'):
            grid.plot(simulated=simulated().drop(columns=missing))
    named = simulated().rename(columns={CLOCK: f"{CLOCK} [Hz]", "mtu": "mtu [B]"})  # as in a sweep's table
    assert grid.plot(simulated=named).collections[1].get_label() == "off by more than 5 %: 1 of 3"
    one = ns.bounds(TEST, {CLOCK: CLOCKS, "mtu": [1500]})
    ax = one.plot(simulated=simulated().iloc[[0]].drop(columns="mtu"))
    assert ax.collections[1].get_label() == "off by more than 5 %: 0 of 1"


def test_a_processor_held_up_by_masters_does_not_divide_a_sweep() -> None:
    """A chipset that keeps it off memory meanwhile (netsim.closed_form.load)."""
    pc = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
    assert not pc.is_concurrent
    test = ns.Netperf(test="UDP_STREAM", sender=pc, receiver=pc, message="1024 B")
    points = Points.of(test, {"receiver.nics.0.driver.rx_cycles": list(range(1000, 1050))})
    found = list(parts.each_part(points, lambda changes: test.replace(changes).bounds()))
    assert [part.size for part, _ in found] == [50]


def test_addresses_with_the_same_values_share_their_numbers() -> None:
    """So what they change alike is computed once."""
    ((column,),) = Points.of(TEST, {CLOCK: CLOCKS}).dims
    points = Points(((column, replace(column, address="receiver.processors.clock")),))
    found = [changes for _, changes in parts.each_part(points, lambda changes: changes)]
    assert found[0][CLOCK] is found[0]["receiver.processors.clock"]
