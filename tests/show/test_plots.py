"""Pictures of results and bounds: units on the axes, legends, distinctions beyond colour, any style."""

import importlib
import inspect
import pkgutil
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex, to_rgb

import netsim as ns
from netsim.accounts import Bounds, Resource
from netsim.accounts.resource import LATENCY
from netsim.explore import BoundsGrid
from netsim.explore.sobol_indices import Sensitivity
from netsim.machine.work import NAMES
from netsim.results.curve import CurvePoint
from netsim.results.phases import Phase
from netsim.results.result import Result
from netsim.results.transaction_kinds import TransactionKind
from netsim.show import looks, palette
from netsim.show.looks import in_order, name_lines, work_look
from netsim.show.occupancy import occupancies
from netsim.show.result_picture import pictures
from netsim.sweeps import Sweep
from netsim.watch.timeline import Timeline

matplotlib.use("Agg")
PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC.replace("processors.clock", "200 MHz"))


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def result():
    return ns.simulate(TEST, precision=0.02)


@pytest.fixture(scope="module")
def series(result):
    points = [CurvePoint(size, 50e-6 + size * 80e-9, 1e-6) for size in (1, 64, 1024, 16384, 262144)]
    return replace(result, curve=tuple(points), latency=points[0].half_round_trip)


@pytest.fixture(scope="module")
def outage(result):
    phases = Phase(0, 1, 90e6, "start"), Phase(1, 2, 40e6, "server port 1 fails")
    return replace(result, phases=phases, history=((0.5, 90e6), (1.25, 30e6), (1.75, 50e6)))


@pytest.fixture(scope="module")
def closed_test(result):
    kinds = TransactionKind("read", 75, 0.75, 2e-3, 400), TransactionKind("write", 25, 0.25, 8e-3, 100)
    return replace(result, kinds=kinds)


def lengths(ax):
    """The length of each horizontal bar."""
    found = {}
    for bar in ax.patches:
        place = round(bar.get_y() + bar.get_height() / 2)
        found[place] = found.get(place, 0) + bar.get_width()
    return [found[place] for place in sorted(found)]


def ticks(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_breakdown(result):
    ax = result.plot("breakdown")
    shown = [line for line in occupancies(result) if "transmitter" not in line.name and line.share >= 0.005]
    assert [name.removeprefix("limits ▸ ") for name in ticks(ax)] == [line.name for line in shown]
    assert lengths(ax) == pytest.approx([100 * line.share for line in shown])
    assert ax.get_xlabel() == "busy (% of the time)"
    inside = {text.get_text() for text in ax.texts}
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"interrupt", "driver", "protocol", "copy"} <= inside | {*legend}
    assert not inside & {*legend}  # once is enough
    assert legend == [name for name in NAMES if name in legend]


def test_pieces_do_not_overlap(result):
    ax = result.plot("breakdown")
    bars = sorted((bar.get_x(), bar.get_width()) for bar in ax.patches if abs(bar.get_y() + bar.get_height() / 2) < 0.1)
    assert len(bars) > 3
    for (x, width), (following, _) in pairwise(bars):
        assert following == pytest.approx(x + width)


EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def example(name):
    return ns.simulate(ns.load(EXAMPLES / f"{name}.toml"), precision=0.05)


@pytest.mark.parametrize("what", ["breakdown", "utilisation"])
def test_a_test_without_processors_has_bars(what):
    ax = example("pcie-slot").plot(what)
    assert f"limits ▸ {example('pcie-slot').bottleneck}" in ticks(ax)
    assert max(lengths(ax)) == pytest.approx(100)


def test_where_nothing_was_busy_there_are_no_bars():
    one = example("iperf3-udp")
    latency = Resource("", LATENCY)
    idle = replace(one, utilisation=dict.fromkeys(one.utilisation, 0.001), bottleneck=latency)
    assert [*pictures(idle)] == ["kinds"]
    with pytest.raises(ns.ScenarioError, match=r"^what: no resource was busy for 0\.5 % of .* allowed: kinds$"):
        idle.plot("breakdown")
    with pytest.raises(ns.ScenarioError, match=r"so there is nothing to draw; allowed: nothing$"):
        replace(idle, kinds=()).plot()


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize("name", ["iperf3-100g", "packets", "pktgen-rings", "requests"])
def test_names_of_current_hosts_look_different(name, style):
    """In the bars and the legend, and no name leaves its piece."""
    with pyplot.style.context(style):
        ax = example(name).plot("breakdown")
        ax.figure.draw_without_rendering()
    names = {name for shares in example(name).processors.values() for name in shares}
    assert len({work_look(one, ax)["facecolor"] for one in names}) == len(names) > 1
    assert names <= {*in_order(names)[: len(names)]} <= {one for row in looks._NAMES for one in row}
    written = [text.get_window_extent() for text in ax.texts if text.get_text() in names]
    assert not any(one.overlaps(other) for one, other in combinations(written, 2))
    pieces = [bar.get_window_extent() for bar in ax.patches]
    assert all(any(bar.x0 <= one.x0 and one.x1 <= bar.x1 and bar.y0 <= one.y0 and one.y1 <= bar.y1 for bar in pieces)
               for one in written)  # fmt: skip


@pytest.mark.parametrize("name", ["iperf3-100g", "packets", "pcie-slot", "p166"])
def test_marks_of_bounds_do_not_touch(name):
    ax = ns.load(EXAMPLES / f"{name}.toml").bounds().plot()
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    marks = [tick.label1.get_window_extent() for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    assert len(marks) > 1
    assert all(one.x1 + 3 < other.x0 for one, other in pairwise(marks))


def test_bounds_of_a_fast_test_are_in_gbit_per_s():
    bounds = ns.load(EXAMPLES / "iperf3-100g.toml").bounds()
    ax = bounds.plot()
    assert ax.get_xlabel() == "allowed by each resource alone (Gbit/s)"
    assert f"{bounds.limit / 1e9:.4g} Gbit/s" in ax.get_title(loc="left")


def test_utilisation_marks_what_limits(result):
    ax = result.plot("utilisation")
    marked = [name for name in ticks(ax) if name.startswith("limits")]
    assert marked == [f"limits ▸ {result.bottleneck}"]
    place = ticks(ax).index(marked[0])
    red = [bar for bar in ax.patches if to_hex(bar.get_facecolor()) == palette.LIGHT.limits]
    assert [round(bar.get_y() + bar.get_height() / 2) for bar in red] == [place]
    assert max(lengths(ax)) == pytest.approx(100 * max(result.utilisation.values()))


def test_curve_and_latency(series):
    ax = series.plot()
    assert (ax.get_xscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "message size (bytes)", "throughput (Mbit/s)")
    line = ax.containers[0].lines[0]
    assert [*line.get_xdata()] == [point.size for point in series.curve]
    assert [*line.get_ydata()] == pytest.approx([point.throughput / 1e6 for point in series.curve])
    assert [text.get_text() for text in ax.texts] == ["half of the maximum:\nfrom 1 KiB on"]
    ax = series.plot("latency")
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylabel()) == ("log", "log", "half a round trip (μs)")
    assert ax.containers[0].lines[0].get_ydata()[0] == pytest.approx(50.08)


def test_history(outage):
    ax = outage.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "throughput (Mbit/s)")
    assert [text.get_text() for text in ax.texts] == ["mean 90", "start", "mean 40", "server port 1 fails"]
    assert [*ax.lines[0].get_ydata()] == pytest.approx([90, 30, 50])


def test_kinds(closed_test):
    ax = closed_test.plot()
    assert (ticks(ax), ax.get_xlabel()) == (["read", "write"], "mean response (ms)")
    assert lengths(ax) == pytest.approx([2, 8])
    assert ax.texts[1].get_text() == " 8 ms, 25 % of all"


def test_bounds():
    bounds = TEST.bounds()
    ax = bounds.plot()
    assert ax.get_xlabel() == "allowed by each resource alone (Mbit/s)"
    assert ax.get_xscale() == "log"
    dots = {line.get_ydata()[0]: line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"}
    assert [dots[place] for place in range(len(dots))] == sorted(dots.values())  # each in its place, none cut off
    place = ticks(ax).index(f"limits ▸ {bounds.bottleneck}")
    assert dots[place] == min(dots.values()) == pytest.approx(bounds.limit / 1e6)
    assert f"{bounds.limit / 1e6:.4g} Mbit/s" in ax.get_title(loc="left")


def test_all_that_limit_are_marked():
    wires = ns.Chariot(flow="download", server=PC, clients=[PC], switch="aceswitch-180", link="100base-tx").bounds()
    rates = [one.rate for one in wires.alike()]
    marked = [name for name in ticks(wires.plot()) if name.startswith("limits ▸ ")]
    assert len(marked) == sum(rate == pytest.approx(rates[0], rel=1e-6) for rate in rates) > 1


def test_equal_resources_of_bounds_are_together():
    clients = [PC] * 6
    bounds = ns.Chariot(flow="download", server=PC, clients=clients, switch="aceswitch-180", link="100base-tx").bounds()
    together = {one.name: one for one in bounds.alike()}
    assert "client1 bus, 6 alike" in together
    assert sum(len(one.resources) for one in together.values()) == sum(demand > 0 for demand in bounds.demand.values())
    assert sum(one.limits for one in together.values()) == 1


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_all_pictures_in_every_style(result, series, outage, closed_test, style):
    with pyplot.style.context(style):
        for one in (result, series, outage, closed_test):
            for what in pictures(one):
                ax = pyplot.subplots()[1]
                assert one.plot(what, ax=ax) is ax
                ax.figure.canvas.draw()
                text = ax.xaxis.label.get_color()
                assert matplotlib.colors.to_hex(text) != matplotlib.colors.to_hex(ax.get_facecolor())
                pyplot.close(ax.figure)


def test_names_look_different():
    """And differ from the colours of predicted, chosen, fitted, measured and the bottleneck."""
    ax = pyplot.subplots()[1]
    colours = [to_hex(work_look(name, ax)["facecolor"]) for name in NAMES]
    assert len({*colours}) == len(NAMES)
    own = palette.LIGHT
    assert not {*colours} & {own.predicted, own.chosen, own.fitted, own.limits, own.ink}


@pytest.mark.parametrize("one", [palette.LIGHT, palette.DARK])
def test_each_colour_has_one_meaning_and_can_be_read(one):
    """Text and marks contrast with the background (WCAG 2.1: 4.5 for text, 3 for graphics)."""
    meanings = [one.ink, one.muted, one.predicted, one.chosen, one.fitted, one.limits, *one.series]
    assert len({*meanings}) == len(meanings)
    assert min(_contrast(text, one.page) for text in (one.ink, one.muted, one.predicted, one.limits)) >= 4.5
    assert min(_contrast(mark, one.page) for mark in meanings) >= 3


def _contrast(one, other):
    lights = [np.dot((0.2126, 0.7152, 0.0722), [*map(_linear, to_rgb(colour))]) for colour in (one, other)]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def _linear(part):
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def test_the_palette_follows_the_ground():
    ax = pyplot.subplots()[1]
    assert palette.of(ax) is palette.LIGHT
    ax.set_facecolor("black")
    assert palette.of(ax) is palette.DARK


def test_names_at_the_ends_of_lines_do_not_lie_on_each_other():
    ax = pyplot.subplots()[1]
    lines = [(name, ax.plot([0, 1], [0, height])[0]) for name, height in {"one": 1, "two": 1.001, "far": 2}.items()]
    name_lines(ax, lines)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert {text.get_text(): text.get_color() for text in ax.texts} == {name: one.get_color() for name, one in lines}


def test_a_picture_carries_its_words():
    """And is shown only once."""
    found = ns.described(TEST.bounds().plot(), 'What "each" resource allows & how far')
    assert 'alt="What &quot;each&quot; resource allows &amp; how far"' in found._repr_html_()
    assert found._repr_html_().startswith('<img src="data:image/png;base64,iVBOR')
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(("picture", "alt", "said"), [(5, "x", "picture: 5 is in no figure"), (None, 3, "alt: 3 is")])
def test_only_a_picture_with_words_is_described(picture, alt, said):
    with pytest.raises(ns.ScenarioError, match=f"^{said}.*; allowed: "):
        ns.described(picture, alt)


DRAWN = [Result, Bounds, BoundsGrid, Sweep, Sensitivity, Timeline]


def test_everything_that_can_be_drawn_is_known():
    found = set()
    for module in pkgutil.walk_packages(ns.__path__, "netsim."):
        if not module.name.endswith("__main__"):
            own = [one for one in vars(importlib.import_module(module.name)).values() if inspect.isclass(one)]
            found |= {one for one in own if hasattr(one, "plot") and one.__module__.startswith("netsim.")}
    assert found == {*DRAWN}


@pytest.mark.parametrize("cls", DRAWN, ids=lambda cls: cls.__name__)
def test_every_plot_takes_its_arguments_in_one_order(cls):
    """First what is drawn, then how, by keyword only, and where last."""
    _, *given = inspect.signature(cls.plot).parameters.values()
    assert all(one.default is not one.empty for one in given)
    names = [one.name for one in given if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert names in ([], ["what"], ["frames"], ["x", "y", "hue"])
    by_name = [one.name for one in given if one.kind is one.KEYWORD_ONLY]
    assert by_name[-1] == "ax"
    assert names + by_name == [one.name for one in given]
    assert "`ax` (None: new axes), and return it" in " ".join(cls.plot.__doc__.split())


def test_wrong_names(result, series):
    with pytest.raises(ns.ScenarioError, match=r'what: "brakedown" .*mean "breakdown"\?.*breakdown, utilisation'):
        result.plot("brakedown")
    with pytest.raises(ns.ScenarioError, match=r'"curve" is not allowed; allowed: breakdown, utilisation'):
        result.plot("curve")
    with pytest.raises(ns.ScenarioError, match="allowed: curve, latency, breakdown, utilisation"):
        series.plot("")
