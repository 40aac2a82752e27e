"""Draws the pictures of curves in the documentation, in light and dark: `python docs/curve_pictures.py [NAME ...]`.

Each shows a sweep of `examples/`; its description has the numbers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from picture import INKS, ROOT, _new, _save, _style

from netsim.show.palette import Palette
from netsim.sweeps import load
from netsim.workload.dialogue import STAGES

MARKERS = "osD^v"


def livelock(found: pd.DataFrame, ink: Palette) -> Figure:
    """Delivered over offered load, a curve for each clock."""
    figure, axes = _new(3.4, ink)
    load, clock = "offered [bit/s]", "receiver.processors.clock [Hz]"
    axes.plot([0, 25], [0, 25], color=ink.muted, lw=0.8, ls=":")
    for (hertz, curve), marker, colour in zip(
        found.groupby(clock), MARKERS, ink.series, strict=False
    ):
        axes.errorbar(
            curve[load] / 1e6, curve["throughput"] / 1e6, curve["half_width"] / 1e6, color=colour, marker=marker, ms=4
        )
        falling = curve.loc[curve["throughput"].idxmax() :]
        height = 0.93 * falling["throughput"].iloc[0]
        beside = np.interp(-height, -falling["throughput"], falling[load])
        name = f"{hertz / 1e6:.0f} MHz"
        axes.text(beside / 1e6 + 0.2, height / 1e6, name, color=colour, va="center", weight="bold", size=8)
    axes.text(17, 17.4, "offered load", color=ink.muted, size=8, ha="right")
    axes.set(xlabel="offered, Mbit/s of payload", ylabel="delivered, Mbit/s", xlim=(0, 25), ylim=(0, 18))
    axes.set_title("UDP, 64 B to a datagram: one peak each, then next to nothing", loc="left", size=10, weight="bold")
    return figure


def moderation(found: pd.DataFrame, ink: Palette) -> Figure:
    """A transaction's time by stage with one in flight, and transactions per second with one and with more."""
    figure, (stages, rates) = _new(3.2, ink, columns=2)
    names = [_policy(text) for text in found["receiver.nics.0.driver.rx_moderation"]]
    alone, many = (found[found["burst"] == burst] for burst in sorted(set(found["burst"])))
    places, left = range(len(alone)), pd.Series(0.0, index=alone.index)
    for colour, stage in zip(ink.series, STAGES, strict=False):
        lengths = alone[f"latencies.{stage}.median"] * 1e6
        stages.barh(places, lengths, 0.7, left, color=colour, edgecolor=ink.page, lw=0.8, label=stage)
        left += lengths
    for points, mark, colour in ((alone, "o", ink.series[0]), (many, "s", ink.series[1])):
        rates.plot(points["throughput"] / 1e3, places, mark, color=colour)
        words = f"{points['burst'].iloc[0] + 1} under way"
        place = points["throughput"].iloc[0] / 1e3
        rates.annotate(words, (place, 0), (0, 6), textcoords="offset points", ha="center", color=colour)
    for axes, title in ((stages, "A transaction's time, around the median"), (rates, "Transactions per second")):
        axes.set_ylim(len(alone) - 0.4, -0.8)
        axes.set_yticks(places, names[: len(alone)] if axes is stages else [])
        axes.set_title(title, loc="left", size=10, weight="bold")
    stages.set(xlabel="μs, there and back")
    rates.set(xlabel="thousands per second", xlim=(0, None))
    rates.grid(axis="x", color=ink.line, lw=0.6)
    stages.legend(frameon=False, ncols=3, loc="upper left", bbox_to_anchor=(-0.35, -0.2), fontsize=8)
    return figure


def _policy(text: str) -> str:
    """A policy's name."""
    return str(json.loads(text)["policy"])


def forwarding(found: pd.DataFrame, ink: Palette) -> Figure:
    """Forwarded over offered frames, a curve for each way to detect frames."""
    figure, axes = _new(3.6, ink)
    load, polling = "flows.load.offered [bit/s]", "hosts.gateway.system.kernel.polling"
    frames = 8 * 18 * 1e3  # payload of a thousand minimum-size frames per second, in bit/s
    axes.plot([0, 150], [0, 150], color=ink.muted, lw=0.8, ls=":")
    for (policy, words, place), marker, colour in zip(ROUTERS, MARKERS, ink.series, strict=False):
        curve = found[[_name_of(one) == policy for one in found[polling]]]
        axes.plot(curve[load] / frames, curve["throughput"] / frames, color=colour, marker=marker, ms=4)
        axes.text(*place, words, color=colour, ha="left", weight="bold")
    axes.text(96, 98, "offered load", color=ink.muted, size=8, ha="right")
    axes.set(xlabel="offered, thousand frames per second", ylabel="forwarded, thousand per second")
    axes.set(xlim=(0, 150), ylim=(0, 105))
    title = "A router, frames of 64 B: interrupts leave no time to forward them"
    axes.set_title(title, loc="left", size=10, weight="bold")
    return figure


ROUTERS = (
    ("none", "an interrupt for each frame", (63, 29)),
    ("masked", "interrupts masked, polled up to a budget", (88, 54)),
    ("ticks", "polled at each clock tick", (88, 62)),
    ("constant", "polled all the time", (88, 70)),
)


def _name_of(policy: object) -> str:
    """A policy's name in a table, or none."""
    text = str(policy)
    return next((name for name, *_ in ROUTERS if name in text), "none")


def gigabit(found: pd.DataFrame, ink: Palette) -> Figure:
    """The throughput of eight clients over the clock of the server's processors, a curve each for one and two."""
    figure, axes = _new(3.2, ink)
    count, clock = "hosts.server.processors.count", "hosts.server.processors.clock [Hz]"
    for (number, curve), marker, colour in zip(found.groupby(count), MARKERS, ink.series, strict=False):
        rate, (words, *place) = curve["throughput"] / 1e6, SERVERS[number]
        axes.errorbar(curve[clock] / 1e6, rate, curve["half_width"] / 1e6, color=colour, marker=marker, ms=4)
        axes.text(*place, words, color=colour, weight="bold")
    axes.set(xlabel="clock of the server's processors, MHz", ylabel="all flows, Mbit/s", ylim=(0, 750))
    axes.set_title("Seven file transfers and a client with requests", loc="left", size=10, weight="bold")
    return figure


SERVERS = {1: ("one processor", 605, 545), 2: ("two, with the locks between them", 605, 390)}
PICTURES: dict[str, tuple[str, Callable[[pd.DataFrame, Palette], Figure]]] = {
    "forwarding": ("router.toml", forwarding),
    "gigabit": ("flows.toml", gigabit),
    "livelock": ("livelock.toml", livelock),
    "moderation": ("tcp-rr-moderation.toml", moderation),
}


def main(names: list[str]) -> None:
    """Simulate, and draw into docs/pictures."""
    for name in names or PICTURES:
        example, draw = PICTURES[name]
        found = load(ROOT / "examples" / example).run(store=None).to_frame()
        for ground, ink in INKS.items():
            with _style(ink):
                _save(draw(found, ink), f"{name}-{ground}", found.to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
