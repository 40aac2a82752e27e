"""Draws the pictures of README and documentation, in light and dark: `python docs/picture.py [ROWS.json]`.

`journey` is the first example of README, resource by resource. `scatter` has every measured row of every report, as
`make reproduce` has written them into build/validation/rows.json; it is drawn only if that file is there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import netsim as ns

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
ROWS = ROOT / "build" / "validation" / "rows.json"
WIDTH = 8.6  # inches, which README shows at about as many hundred pixels
HATCHES = {"protocol": "////", "driver": "||||", "interrupt": "xxxx", "checksum": "----"}
LABEL = 6.5  # per cent of the picture's scale that a line of small print takes


@dataclass(frozen=True)
class Ink:
    """The colours of a picture on one ground."""

    ground: str
    text: str
    muted: str
    line: str
    fill: str
    decides: str
    light: str


INKS = {
    "light": Ink("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#4c78a8", "#b5482a", "#a9c3df"),
    "dark": Ink("#0d1117", "#e6edf3", "#9198a1", "#3d444d", "#6ea3d8", "#f0885a", "#2f4a66"),
}


def first_example() -> ns.Netperf:
    """The scenario that README begins with."""
    fast = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    slow = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return ns.Netperf(test="TCP_STREAM", sender=fast, receiver=slow)


# ---- the journey of a frame ----

STAGES = {  # resource in the accounts -> (what it is, what it is called among the bounds)
    "sender processor 0": ("processor\nPentium III, 600 MHz", "sender processors"),
    "sender bus": ("PCI bus\n32 bit, 33 MHz", "sender bus"),
    "sender nic 0 transmitter": ("3C905B\nsending half", "sender nic 0 transmitter"),
    "wire to receiver": ("wire\n100 Mbit/s", "wire to receiver"),
    "receiver bus": ("PCI bus\n32 bit, 33 MHz", "receiver bus"),
    "receiver processor 0": ("processor\nPentium, 166 MHz", "receiver processors"),
}


def journey(result: ns.Result, ink: Ink) -> Figure:
    """A column for each resource, in the order in which a frame comes by: how busy it is, and with what."""
    figure, axes = _new(3.7, ink)
    for place, (resource, (title, bound)) in enumerate(STAGES.items()):
        decides = resource == result.bottleneck
        share = 100 * result.utilisation[resource]
        edge = {"edgecolor": ink.decides, "lw": 2} if decides else {"edgecolor": ink.line, "lw": 1}
        axes.bar(place, 100, 0.5, facecolor="none", **edge)
        parts = result.processors.get(resource, {"": result.utilisation[resource]})
        _stack(axes, place, parts, ink)
        allowed = result.scenario.bounds().throughput(bound) / 1e6
        words = f"{share:.0f} %" + "  bottleneck" * decides
        axes.text(place, 103, words, ha="center", weight="bold", color=ink.decides if decides else ink.text)
        axes.text(place, -6, f"{title}\nallows {allowed:.0f} Mbit/s", ha="center", va="top", size=8, linespacing=1.35)
    _frame_of(axes, result, ink)
    return figure


def _stack(axes: Axes, place: int, parts: Mapping[str, float], ink: Ink) -> None:
    """What a resource is busy with, from the bottom up; parts of less than 2 % together."""
    shown = {name: 100 * share for name, share in parts.items() if share >= 0.02}
    rest = 100 * sum(parts.values()) - sum(shown.values())
    bottom, free = 0.0, -LABEL
    for name, share in (shown | ({"other": rest} if rest >= 0.2 else {})).items():
        style = {"facecolor": ink.light if name else ink.fill, "edgecolor": ink.fill, "hatch": HATCHES.get(name, "")}
        axes.bar(place, share, 0.5, bottom=bottom, lw=0.6, **style)
        if name and share >= 2.5:
            free = max(free + LABEL, bottom + share / 2)
            axes.text(place + 0.275, free, f"{name} {share:.0f}", size=7, va="center", color=ink.muted)
        bottom += share


def _frame_of(axes: Axes, result: ns.Result, ink: Ink) -> None:
    axes.set(xlim=(-0.5, 5.95), ylim=(-33, 122), xticks=[], yticks=[0, 25, 50, 75, 100])
    axes.set_ylabel("busy share of the time, %", y=0.54)
    axes.spines[["left", "bottom"]].set_visible(False)
    title = f"{result.scenario.label}: {result.mbit_per_s:.1f} +/- {result.half_width / 1e6:.1f} Mbit/s"
    axes.set_title(f"{title}, limited by {result.bottleneck}", loc="left", size=10, weight="bold", pad=4)
    arrow = {"arrowstyle": "-|>", "color": ink.muted, "lw": 1}
    axes.annotate("", (5.6, 117), (-0.28, 117), arrowprops=arrow)
    axes.text(2.5, 117, " a frame's way, from process to process ", ha="center", va="center", size=8, color=ink.muted,
              backgroundcolor=ink.ground)
    for start, end, host in ((-0.3, 2.35, "sender"), (3.65, 5.9, "receiver")):
        axes.plot([start, end], [-27, -27], color=ink.line, lw=1)
        axes.text((start + end) / 2, -28.5, host, ha="center", va="top", size=8, color=ink.muted)


# ---- all rows ----


def scatter(rows: Sequence[Mapping[str, Any]], ink: Ink) -> Figure:
    """Every row: what was simulated over what was measured, and how many are how far off."""
    figure, (points, shares) = _new(3.9, ink, columns=2)
    _scatter(points, rows, ink)
    _shares(shares, rows, ink)
    reports = len({one["report"] for one in rows})
    points.set_title(f"All {len(rows)} rows of {reports} published reports", loc="left", size=10, weight="bold")
    shares.set_title("How far off they are", loc="left", size=10, weight="bold")
    return figure


def _scatter(axes: Axes, rows: Sequence[Mapping[str, Any]], ink: Ink) -> None:
    """Each row in its own unit."""
    ends, ticks = [0.8, 1500], [1, 3, 10, 30, 100, 300, 1000]
    low, high = ([factor * one for one in ends] for factor in (0.9, 1.1))
    axes.fill_between(ends, low, high, color=ink.line, alpha=0.5, lw=0, label="within 10 %")
    axes.plot(ends, ends, color=ink.muted, lw=0.8)
    for basis, style in _marks(ink).items():
        own = [one for one in rows if one["basis"] == basis]
        measured, simulated = ([one[what] for one in own] for what in ("measured", "simulated"))
        axes.scatter(measured, simulated, linewidths=0.9, zorder=3, label=f"{basis}: {len(own)}", gid=basis, **style)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xticks=ticks, yticks=ticks)
    axes.set(xlabel="measured: Mbit/s, KB/s, µs, % of CPU, quotient", ylabel="simulated")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:.0f}")
    axes.minorticks_off()
    axes.legend(loc="upper left", frameon=False)


def _shares(axes: Axes, rows: Sequence[Mapping[str, Any]], ink: Ink) -> None:
    """The share of rows that are no further off than so much."""
    for basis, style in {"predicted": "-", "chosen": ":", "fitted": "--"}.items():
        own = sorted(100 * abs(one["simulated"] / one["measured"] - 1) for one in rows if one["basis"] == basis)
        share = [100 * number / len(own) for number in range(1, len(own) + 1)]
        colour = {"predicted": ink.decides, "chosen": ink.muted}.get(basis, ink.fill)
        axes.step(own, share, where="post", ls=style, color=colour, label=basis)
    ticks = [0.1, 0.3, 1, 3, 10, 30]
    axes.set(xscale="log", xlim=(0.05, 70), ylim=(0, 100), xticks=ticks, xticklabels=map("{:g}".format, ticks))
    axes.set(xlabel="difference between simulated and measured, %", ylabel="rows that are no further off, %")
    axes.minorticks_off()
    axes.grid(color=ink.line, lw=0.6)
    axes.legend(loc="upper left", frameon=False)


def _marks(ink: Ink) -> dict[str, dict[str, Any]]:
    hollow = {"marker": "s", "facecolors": "none", "edgecolors": ink.fill, "s": 18}
    return {
        "fitted": hollow,
        "chosen": {"marker": "^", "color": ink.muted, "s": 14},
        "predicted": {"marker": "o", "color": ink.decides, "s": 14},
    }


# ---- both ----


def _new(height: float, ink: Ink, columns: int = 1) -> tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor=ink.ground)
    axes = figure.subplots(1, columns)
    for one in figure.axes:
        one.set_facecolor(ink.ground)
    return figure, axes


@contextmanager
def _style(ink: Ink) -> Iterator[None]:
    colours = dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), ink.text)
    colours |= dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), ink.line)
    plain = {"axes.spines.top": False, "axes.spines.right": False, "font.size": 9, "hatch.linewidth": 0.6}
    with mpl.rc_context({**colours, **plain, "svg.hashsalt": "netsim", "svg.fonttype": "path"}):
        yield


def main(rows: Path = ROWS) -> None:
    """Draw all pictures into docs/pictures. Each says in its description what it shows, for who can't see it."""
    result = ns.simulate(first_example(), seed=1)
    found = json.loads(rows.read_text(encoding="utf-8"))["rows"] if rows.exists() else []
    for ground, ink in INKS.items():
        with _style(ink):
            _save(journey(result, ink), f"journey-{ground}", str(result))
            if found:
                _save(scatter(found, ink), f"scatter-{ground}", f"{len(found)} rows, simulated over measured")


def _save(figure: Figure, name: str, description: str) -> None:
    figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Description": description})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
