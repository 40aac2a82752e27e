"""Draws the pictures of README and documentation, in light and dark: `python docs/picture.py [ROWS.json]`.

`journey` is the first example of README, resource by resource. `scatter` has every measured row of every report, from
the file build/validation/rows.json that `make reproduce` writes; it is drawn only if that file exists.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import netsim as ns
from netsim.show import palette
from netsim.show.palette import Palette

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
ROWS = ROOT / "build" / "validation" / "rows.json"
WIDTH = 8.6  # inches, shown in README at about a hundred pixels each
SCATTER = "errors by quantity and basis, and the share of rows within each error"
LABEL = 6.5  # per cent of the picture's scale that a line of small print takes


INKS = {"light": palette.LIGHT, "dark": palette.DARK}


def first_example() -> ns.Netperf:
    """The scenario that README begins with."""
    fast = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
    slow = ns.host("p166", system="linux-2.2.16", nics=["3c905b/3c59x"])
    return ns.Netperf(test="TCP_STREAM", sender=fast, receiver=slow)


# ---- the journey of a frame ----

STAGES = {  # resource in the accounts -> (its label, its name among the bounds)
    "sender processor 0": ("processor\nPentium III, 600 MHz", "sender processors"),
    "sender bus": ("PCI bus\n32 bit, 33 MHz", "sender bus"),
    "sender nic 0 transmitter": ("3C905B\nsending half", "sender nic 0 transmitter"),
    "wire to receiver": ("wire\n100 Mbit/s", "wire to receiver"),
    "receiver bus": ("PCI bus\n32 bit, 33 MHz", "receiver bus"),
    "receiver processor 0": ("processor\nPentium, 166 MHz", "receiver processors"),
}


def journey(result: ns.Result, ink: Palette) -> Figure:
    """A column for each resource, in the order of a frame's path: its utilisation by activity."""
    figure, axes = _new(3.7, ink)
    for place, (resource, (title, bound)) in enumerate(STAGES.items()):
        decides = resource == result.bottleneck
        share = 100 * result.utilisation[resource]
        edge = {"edgecolor": ink.limits, "lw": 2} if decides else {"edgecolor": ink.line, "lw": 1}
        axes.bar(place, 100, 0.5, facecolor="none", **edge)
        parts = result.processors.get(resource, {"": result.utilisation[resource]})
        _stack(axes, place, parts, ink)
        allowed = result.scenario.bounds().throughput(bound) / 1e6
        words = f"{share:.0f} %" + "  bottleneck" * decides
        axes.text(place, 103, words, ha="center", weight="bold", color=ink.limits if decides else ink.ink)
        axes.text(place, -6, f"{title}\nallows {allowed:.0f} Mbit/s", ha="center", va="top", size=8, linespacing=1.35)
    _frame_of(axes, result, ink)
    return figure


def _stack(axes: Axes, place: int, parts: Mapping[str, float], ink: Palette) -> None:
    """The activities of a resource, from the bottom up; parts of less than 2 % are combined."""
    shown = {name: 100 * share for name, share in parts.items() if share >= 0.02}
    rest = 100 * sum(parts.values()) - sum(shown.values())
    bottom, free = 0.0, -LABEL
    for name, share in (shown | ({"other": rest} if rest >= 0.2 else {})).items():
        shade = {"facecolor": ink.muted, "alpha": 0.35 if name else 0.8, "edgecolor": ink.page}
        axes.bar(place, share, 0.5, bottom=bottom, lw=0.8, **shade)
        if name and share >= 2.5:
            free = max(free + LABEL, bottom + share / 2)
            axes.text(place + 0.275, free, f"{name} {share:.0f}", size=7, va="center", color=ink.muted)
        bottom += share


def _frame_of(axes: Axes, result: ns.Result, ink: Palette) -> None:
    axes.set(xlim=(-0.5, 5.95), ylim=(-33, 122), xticks=[], yticks=[0, 25, 50, 75, 100])
    axes.set_ylabel("busy share of the time, %", y=0.54)
    axes.spines[["left", "bottom"]].set_visible(False)
    title = f"{result.scenario.label}: {result.mbit_per_s:.1f} ± {result.half_width / 1e6:.1f} Mbit/s"
    axes.set_title(f"{title}, limited by {result.bottleneck}", loc="left", size=10, weight="bold", pad=4)
    arrow = {"arrowstyle": "-|>", "color": ink.muted, "lw": 1}
    axes.annotate("", (5.6, 117), (-0.28, 117), arrowprops=arrow)
    axes.text(2.5, 117, " a frame's path, from process to process ", ha="center", va="center", size=8, color=ink.muted,
              backgroundcolor=ink.page)
    for start, end, host in ((-0.3, 2.35, "sender"), (3.65, 5.9, "receiver")):
        axes.plot([start, end], [-27, -27], color=ink.line, lw=1)
        axes.text((start + end) / 2, -28.5, host, ha="center", va="top", size=8, color=ink.muted)


# ---- all rows ----


def scatter(rows: Sequence[Mapping[str, Any]], ink: Palette) -> Figure:
    """Every row: simulated over measured, and the share of rows within each error."""
    figure, (points, shares) = _new(3.9, ink, columns=2)
    _ratios(points, rows, ink)
    _shares(shares, rows, ink)
    reports = len({one["report"] for one in rows})
    points.set_title(f"All {len(rows)} rows of {reports} published reports", loc="left", size=10, weight="bold")
    shares.set_title("Share of rows within each error", loc="left", size=10, weight="bold")
    return figure


def _ratios(axes: Axes, rows: Sequence[Mapping[str, Any]], ink: Palette) -> None:
    """A lane for each quantity, so that no axis has two units; equal errors are drawn below each other."""
    lanes = list(dict.fromkeys(one["quantity"] for one in rows))
    axes.axvspan(0.9, 1 / 0.9, color=ink.line, alpha=0.7, lw=0)
    axes.axvline(1, color=ink.muted, lw=0.8)
    for number, one in enumerate(rows):
        place = lanes.index(one["quantity"]) + 0.11 * (number % 7 - 3)
        axes.scatter(one["simulated"] / one["measured"], place, zorder=3, gid=one["basis"], **_marks(ink)[one["basis"]])
    ticks = [0.5, 0.7, 1, 1.5, 2]
    axes.set(xscale="log", xticks=ticks, xticklabels=map("{:g}".format, ticks), ylim=(len(lanes) - 0.4, -0.6))
    axes.set_yticks(range(len(lanes)), lanes)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.minorticks_off()
    axes.set_xlabel("simulated / measured (grey: within 10 %)")


def _shares(axes: Axes, rows: Sequence[Mapping[str, Any]], ink: Palette) -> None:
    """A curve for each basis, with its name and mark at its end."""
    for basis, style in {"predicted": "-", "chosen": ":", "fitted": "--"}.items():
        own = sorted(100 * abs(one["simulated"] / one["measured"] - 1) for one in rows if one["basis"] == basis)
        share = [100 * number / len(own) for number in range(1, len(own) + 1)]
        axes.step(own, share, where="post", ls=style, color=getattr(ink, basis))
    _legend(axes, rows, ink)
    ticks = [0.1, 0.3, 1, 3, 10, 30]
    axes.set(xscale="log", xlim=(0.05, 110), ylim=(0, 101), xticks=ticks, xticklabels=map("{:g}".format, ticks))
    axes.set(xlabel="difference between simulated and measured, %", ylabel="share of rows within it, %")
    axes.minorticks_off()
    axes.grid(color=ink.line, lw=0.6)


def _legend(axes: Axes, rows: Sequence[Mapping[str, Any]], ink: Palette) -> None:
    """The legend of marks and curves in both panels: curves cross, so labels beside them would be ambiguous."""
    for place, (basis, mark) in enumerate(_marks(ink).items()):
        number = sum(one["basis"] == basis for one in rows)
        axes.scatter(0.065, 95 - 7 * place, **mark)
        axes.text(0.08, 95 - 7 * place, f"{basis}: {number} rows", color=mark["color"], va="center", weight="bold")


def _marks(ink: Palette) -> dict[str, dict[str, Any]]:
    """The same markers as on the validation page."""
    shapes = {"predicted": "o", "chosen": "^", "fitted": "D"}
    return {basis: {"marker": shape, "color": getattr(ink, basis), "s": 13, "lw": 0} for basis, shape in shapes.items()}


# ---- both ----


def _new(height: float, ink: Palette, columns: int = 1) -> tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor="none")
    axes = figure.subplots(1, columns)
    for one in figure.axes:
        one.set_facecolor("none")
    return figure, axes


@contextmanager
def _style(ink: Palette) -> Iterator[None]:
    colours = dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), ink.ink)
    colours |= dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), ink.line)
    plain = {"axes.spines.top": False, "axes.spines.right": False, "font.size": 9}
    with mpl.rc_context({**colours, **plain, "svg.hashsalt": "netsim", "svg.fonttype": "path"}):
        yield


def main(rows: Path = ROWS) -> None:
    """Draw all pictures into docs/pictures, each with a description for readers who can't see it."""
    result = ns.simulate(first_example(), seed=1)
    found = json.loads(rows.read_text(encoding="utf-8"))["rows"] if rows.exists() else []
    for ground, ink in INKS.items():
        with _style(ink):
            _save(journey(result, ink), f"journey-{ground}", str(result))
            if found:
                _save(scatter(found, ink), f"scatter-{ground}", f"{len(found)} rows: {SCATTER}")


def _save(figure: Figure, name: str, description: str) -> None:
    figure.savefig(PICTURES / f"{name}.svg", metadata={"Date": None, "Description": description})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
