"""What if: the gigabit report's cards on other buses, with other interrupt moderation, with other frame sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from experiments.drawing import SERIES, new_figure, style, svg
from experiments.study import Found, Point, Study
from experiments.tolly_200233 import chariot
from netsim.ethernet.frame import FCS, HEADER, MAX_PAYLOAD
from netsim.results.result import Result
from netsim.show.looks import name_lines
from netsim.workload import Chariot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NICS = ("syskonnect-sk9843", "intel-pro1000f", "3com-3c985b")
FLOWS = ("download", "upload")
BUSES = {
    "32 bits, 33 MHz": (4, "33.333333 MHz"),
    "64 bits, 33 MHz": (8, "33.333333 MHz"),
    "64 bits, 66 MHz": (8, "66.666667 MHz"),
}
GAPS = (0, 20, 50, 100, 200, 500, 1000)  # us
MTUS = (1500, 3000, 4500, 6000, 9000)
FRAME = HEADER + MAX_PAYLOAD + FCS
MARKERS = "os^"
LINES = {"download": "-", "upload": "--"}


def studies() -> list[Callable[[], Study]]:
    """The three sweeps."""
    return [buses, moderation, frame_sizes]


def buses() -> Study:
    """The server's slot."""
    return Study(
        title="The same cards on three buses",
        caption="Windows 2000, frames of 1518 bytes: what the server sends and receives with its card in a slot of 32 "
        "bits at 33 MHz, of 64 bits at 33 MHz, and of 64 bits at 66 MHz as in the report.",
        points=lambda: [
            Point(f"{nic}, {flow}", place, partial(on_bus, nic, flow, bus))
            for nic in NICS for flow in FLOWS for place, bus in enumerate(BUSES)
        ],
        draw=partial(_draw, name="buses", axis="bus of the server's card", ticks=dict(enumerate(BUSES))),
    )  # fmt: skip


def moderation() -> Study:
    """The minimum time between interrupts of the server's card."""
    return Study(
        title="Interrupt moderation",
        caption="Linux 2.2.14, frames of 1518 bytes, SysKonnect's card with a minimum time between interrupts, which "
        "its Linux driver does not set (0 in the report).",
        points=lambda: [Point(flow, gap, partial(moderated, flow, gap)) for flow in FLOWS for gap in GAPS],
        draw=partial(_draw, name="moderation", axis="minimum time between interrupts (μs)"),
    )


def frame_sizes() -> Study:
    """From standard to jumbo frames."""
    return Study(
        title="Frame size",
        caption="Linux 2.2.14: what the server sends and receives with frames from 1518 to 9018 bytes.",
        points=lambda: [
            Point(f"{nic}, {flow}", mtu + HEADER + FCS, partial(with_mtu, nic, flow, mtu))
            for nic in NICS for flow in FLOWS for mtu in MTUS
        ],
        draw=partial(_draw, name="frame-sizes", axis="frame (bytes)"),
    )  # fmt: skip


# ---- scenarios ----


def _short(test: Chariot) -> Chariot:
    """The test with one iteration, which is precise enough for a picture."""
    return test.replace({"min_iterations": 1, "max_iterations": 1})


def on_bus(nic: str, flow: str, bus: str) -> Chariot:
    """Windows 2000 with the card in another slot."""
    width, clock = BUSES[bus]
    test = _short(chariot("windows-2000", nic, flow, FRAME))
    return test.replace({"server.bus.width": width, "server.bus.clock": clock})


def moderated(flow: str, gap: int) -> Chariot:
    """SysKonnect's card under Linux with `gap` us between interrupts; 0: no moderation, as in the report."""
    test = _short(chariot("linux-2.2.14", "syskonnect-sk9843", flow, FRAME))
    policy = {"policy": "minimum-gap", "gap": f"{gap} us"} if gap else {"policy": "none"}
    return test.replace({f"server.nics.0.driver.{way}_moderation": policy for way in ("rx", "tx")})


def with_mtu(nic: str, flow: str, mtu: int) -> Chariot:
    """Linux with frames of another size."""
    return _short(chariot("linux-2.2.14", nic, flow, mtu + HEADER + FCS))


# ---- pictures ----


def _draw(found: Found, *, name: str, axis: str, ticks: dict[int, str] | None = None) -> str:
    """Throughput above, the server's CPU below; a colour for each card, a line style for each direction."""
    curves = {series: list(points) for series, points in groupby(found, key=lambda one: one[0].series)}
    with style():
        figure = new_figure(4.6, 5.8)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        for series, points in curves.items():
            look = _look(series, list(curves))
            _line(above, points, lambda result: result.mbit_per_s, **look)
            _line(below, points, lambda result: 100 * result.cpu["server"], **look)
        above.set(ylabel="throughput (Mbit/s)", ylim=(0, 1000))
        below.set(ylabel="server's CPU (%)", ylim=(0, 104), xlabel=axis)
        if ticks:
            below.set_xticks(list(ticks), [tick.replace(", ", ",\n") for tick in ticks.values()])
        name_lines(above, [(str(line.get_label()), line) for line in above.get_lines()])
        ends = [f"{series} {points[0][1].mbit_per_s:.0f} to {points[-1][1].mbit_per_s:.0f} Mbit/s"
                for series, points in curves.items()]  # fmt: skip
        return svg(figure, name, f"Throughput and the server's CPU over {axis}, from left to right: {'; '.join(ends)}")


def _look(series: str, every: Sequence[str]) -> dict[str, Any]:
    card, _, flow = series.rpartition(", ")
    cards = list(dict.fromkeys(one.rpartition(", ")[0] for one in every))
    number = cards.index(card)
    return {
        "color": SERIES[number], "linestyle": LINES[flow], "marker": MARKERS[number], "markersize": 4, "label": series,
    }  # fmt: skip


def _line(axes: Axes, points: Sequence[tuple[Point, Result]], value: Callable[[Result], float], **look: Any) -> None:
    axes.plot([point.x for point, _ in points], [value(result) for _, result in points], **look)
