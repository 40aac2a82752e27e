"""Delivered against offered load, and where frames are lost: UDP over bonded ports between the report's fast hosts.

The report has one point of each curve, its end: the goodput when the sender sends as fast as it can.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from experiments import beowulf
from experiments.drawing import MUTED, SERIES, new_figure, style, svg
from experiments.row import read_csv
from experiments.study import Found, Point, Study
from netsim.accounts import DropPlace
from netsim.results.result import Result
from netsim.show.looks import name_lines
from netsim.workload import Netperf

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "os^D"
CASES = (("3c905b", "3c59x", 3), ("dfe570tx", "tulip", 3), ("rtl8139", "rtl8139", 3), ("dfe570tx", "tulip", 4))
LEAST = 0.03  # of all losses: a smaller layer has no room for its name
LOADS = (60, 120, 180, 220, 240, 260, 280, 300, 320, 340, 360)  # Mbit/s of payload
FRAGMENTS = 6  # of a datagram
# A datagram that finds no room in the socket is lost with all its frames; other places lose single frames.
LOST = {"receive fifo": 1, "receive ring": 1, "backlog": 1, "socket buffer": FRAGMENTS}


def study() -> Study:
    """The picture with its points."""
    return Study(
        title="UDP beyond the knee",
        caption="Above: throughput of the receiving process, for datagrams offered at even intervals over bonded "
        "ports; large empty marks are the report's, with a sender that sends as fast as it can. Below: frames that "
        "reached the receiver over four ports and were dropped there, by place.",
        points=points,
        draw=draw,
    )


def points() -> list[Point]:
    """Each case at each load."""
    return [
        Point(_name(*case), load, partial(scenario, *case, load)) for case in CASES for load in LOADS
    ]


def scenario(nic: str, driver: str, ports: int, load: float) -> Netperf:
    """The report's test at `load` Mbit/s."""
    test = beowulf.netperf(beowulf.FAST, beowulf.FAST, "UDP_STREAM", nic, driver, ports)
    return test.replace("offered", f"{load} Mbit/s")


def draw(found: Found) -> str:
    """The curves, and the losses of the last case."""
    curves = {name: list(curve) for name, curve in groupby(found, key=lambda one: one[0].series)}
    with style():
        figure = new_figure(4.6, 5.8)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _delivered(above, curves)
        _lost(below, curves[_name(*CASES[-1])])
        below.set(xlabel="offered load (Mbit/s)")
        peaks = [f"{name} peaks at {max(one.mbit_per_s for _, one in curve):.0f} Mbit/s and ends at "
                 f"{curve[-1][1].mbit_per_s:.0f}" for name, curve in curves.items()]  # fmt: skip
        title = f"Delivered against offered load, and frames lost by place: {'; '.join(peaks)}"
        return svg(figure, "overload", title)


def _delivered(axes: Axes, curves: dict[str, list[tuple[Point, Result]]]) -> None:
    axes.plot((0, LOADS[-1]), (0, LOADS[-1]), color=MUTED, linewidth=0.8, linestyle=":")
    axes.annotate("everything offered", (335, 335), (-6, 2), textcoords="offset points", ha="right", color=MUTED)
    lines = []
    for colour, marker, (name, curve), case in zip(SERIES, MARKERS, curves.items(), CASES, strict=False):
        loads = [point.x for point, _ in curve]
        delivered = [one.mbit_per_s for _, one in curve]
        lines.append((name, axes.plot(loads, delivered, color=colour, marker=marker, markersize=4)[0]))
        sent = max(one.counts["datagrams sent"] * beowulf.MESSAGE * 8 / one.elapsed / 1e6 for _, one in curve)
        axes.plot(sent, _measured(*case), marker, markersize=9, fillstyle="none", color=colour)
    axes.set(ylabel="delivered (Mbit/s)", xlim=(0, 1.03 * LOADS[-1]), ylim=(0, None))
    name_lines(axes, lines)


def _lost(axes: Axes, curve: list[tuple[Point, Result]]) -> None:
    loads = [point.x for point, _ in curve]
    shares = {place: [_rate(one, place) for _, one in curve] for place in LOST}
    shown = {place: rates for place, rates in shares.items() if any(rates)}
    if shown:
        axes.stackplot(loads, *shown.values(), colors=SERIES, linewidth=0)
        _name_layers(axes, loads[-1], {place: rates[-1] for place, rates in shown.items()})
    axes.set(ylabel="frames lost per second")


def _name_layers(axes: Axes, x: float, heights: dict[str, float]) -> None:
    """Names each layer at its right end, if it is high enough there."""
    below = 0.0
    for colour, (place, height) in zip(SERIES, heights.items(), strict=False):
        if height > LEAST * sum(heights.values()):
            axes.annotate(place, (x, below + height / 2), (5, 0), textcoords="offset points", va="center", color=colour,
                          annotation_clip=False)  # fmt: skip
        below += height


def _rate(result: Result, place: str) -> float:
    return result.drops[DropPlace("receiver", place)] * LOST[place] / result.elapsed


def _measured(nic: str, driver: str, ports: int) -> float:
    case = {"sender": beowulf.FAST, "test": "UDP_STREAM", "nic": nic, "driver": driver, "ports": str(ports)}
    return float(next(_matching(case))["throughput_mbit_s"])


def _matching(case: dict[str, str]) -> Iterator[dict[str, str]]:
    return (line for line in read_csv("beowulf-netperf") if case.items() <= line.items())


def _name(nic: str, driver: str, ports: int) -> str:
    return f"{ports} × {nic}/{driver}"
