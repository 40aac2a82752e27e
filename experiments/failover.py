"""A cable of the server fails in the middle of a test and recovers, with the report's four adapters aggregated and
separate. The report did not test this.

Without IPsec and one way, so that the wires are the bottleneck and throughput falls by the failed one's share. Driver
and switch detect the failure sooner than in models/, after the same time in both cases, so that three seconds show
everything.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from experiments.drawing import INK, MUTED, PREDICTED, new_figure, style, svg
from experiments.study import Found, Point, Study
from experiments.tolly_201105 import THREECOM, WINDOWS, chariot
from netsim.results.phases import Phase
from netsim.results.result import Result
from netsim.workload import Chariot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CASES = {"aggregated": True, "separate": False}
PORT = 1
FAILS, IS_BACK, DURATION = "500 ms", "1.5 s", "3 s"
DETECTION = "100 ms"
SAMPLE = "25 ms"


def study() -> Study:
    """The picture with its points."""
    return Study(
        title="A cable fails and recovers",
        caption="Windows 2000, four 3Com adapters that send files to sixteen clients, no IPsec. In both cases a "
        "quarter of the throughput is lost with the cable. Aggregated adapters: all clients share the other three; "
        f"driver and switch notice after {DETECTION} (set shorter than in the catalogue), and TCP retransmits what was "
        "lost. Separate adapters: the port's four clients wait and resume at TCP's next timeout, which has doubled "
        "each time.",
        points=points,
        draw=draw,
    )


def points() -> list[Point]:
    """With the adapters as one, and separate."""
    settings = {"limit": DURATION, "sample": SAMPLE}
    return [Point(name, PORT, partial(scenario, aggregated), settings) for name, aggregated in CASES.items()]


def scenario(aggregated: bool) -> Chariot:
    """One run of the report's download, with an outage."""
    outage = {"host": "server", "port": PORT, "at": FAILS, "until": IS_BACK}
    noticed = {"switch.link_detection": DETECTION} | ({"server.bond.detection": DETECTION} if aggregated else {})
    once = {"duration": DURATION, "min_iterations": 1, "max_iterations": 1}
    return chariot(WINDOWS, aggregated, "none", "download", THREECOM).replace(noticed | once | {"outages": [outage]})


def draw(found: Found) -> str:
    """Throughput over time, a panel for each case."""
    with style():
        figure = new_figure(4.6, 5.0)
        panels = figure.subplots(len(found), 1, sharex=True, sharey=True)
        for axes, (point, result) in zip(panels, found, strict=True):
            _course(axes, result)
            axes.set_title(f"four {point.series} adapters", loc="left", fontsize=9, color=INK)
            axes.set(ylabel="throughput (Mbit/s)")
        top = max(rate for _, result in found for _, rate in result.history) / 1e6
        panels[0].set(xlim=(0, found[0][1].phases[-1].end), ylim=(0, 1.3 * top))
        panels[-1].set(xlabel="time (s)")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=2, frameon=False)
        means = [f"four {point.series} adapters {', '.join(f'{one.mbit_per_s:.0f}' for one in result.phases)} Mbit/s"
                 for point, result in found]  # fmt: skip
        title = f"Throughput before, during and after the failure of a cable: {'; '.join(means)}"
        return svg(figure, "failover", title)


def _course(axes: Axes, result: Result) -> None:
    """Every sample, the mean of each phase, and the event that starts each phase after the first."""
    times, rates = zip(*result.history, strict=True)
    axes.plot(times, [rate / 1e6 for rate in rates], color=PREDICTED, linewidth=1, label=f"throughput, every {SAMPLE}")
    for number, phase in enumerate(result.phases):
        _mean(axes, phase, label="_" if number else "mean of a phase")
        if number:
            _moment(axes, phase)


def _mean(axes: Axes, phase: Phase, label: str) -> None:
    rate = phase.mbit_per_s
    axes.hlines(rate, phase.start, phase.end, color=INK, linewidth=1.5, linestyle="--", label=label)
    middle = (phase.start + phase.end) / 2
    axes.annotate(f"{rate:.0f}", (middle, rate), xytext=(0, 7), textcoords="offset points", ha="center", color=INK)


def _moment(axes: Axes, phase: Phase) -> None:
    axes.axvline(phase.start, color=MUTED, linewidth=1, linestyle=":")
    place = axes.get_xaxis_transform()
    axes.annotate(phase.cause, (phase.start, 0.98), xycoords=place, xytext=(4, 0), textcoords="offset points",
                  va="top", color=INK)  # fmt: skip
