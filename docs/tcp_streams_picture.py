"""Draws the picture of the page about TCP streams: the throughput of one stream with each offload, and the load on its
cores.

`python docs/tcp_streams_picture.py` writes it into docs/pictures, in light and dark.
"""

from __future__ import annotations

from typing import Final

from matplotlib.figure import Figure

from docs.picture import INKS, _new, _save, _style
from experiments.tcp_100g import StreamRow, rows
from netsim.show.palette import Palette

STEPS: Final = ("none", "tso+gro", "tso+gro+jumbo", "tso+gro+jumbo+arfs")
NAMES: Final = ("none", "TSO, GRO", "and jumbo", "and aRFS")
SCALE: Final = 50  # Gbit/s at the height of 250 % of a core


def picture(found: dict[str, list[StreamRow]], ink: Palette) -> Figure:
    """Bars are simulated, marks are measured."""
    figure, axes = _new(3.4, ink)
    right = axes.twinx()
    for number, (name, colour) in enumerate(zip(found, ink.series[:3], strict=True)):
        own = axes if name == "throughput" else right
        places = [step + 0.26 * (number - 1) for step in range(len(STEPS))]
        own.bar(places, [row.simulated for row in found[name]], width=0.24, color=colour)
        marks = [row.measured for row in found[name]]
        own.scatter(places, marks, facecolor="none", edgecolor=ink.ink, marker="o", s=26, zorder=3)
        label = {"throughput": "Gbit/s", "sender-cpu": "sender's cores", "receiver-cpu": "receiver's cores"}[name]
        axes.text(-0.4, SCALE * (0.93 - 0.09 * number), label, color=colour, weight="bold")
    axes.set(ylabel="Gbit/s", ylim=(0, SCALE), xticks=range(len(STEPS)))
    axes.set_xticklabels(NAMES)
    right.set(ylabel="per cent of a core", ylim=(0, 250))
    axes.set_title("One TCP stream: bars simulated, marks measured", loc="left", size=10, weight="bold")
    return figure


def main() -> None:
    by_id = {row.id: row for row in rows()}
    found = {name: [by_id[f"tcp-100g/{name}-{step}"] for step in STEPS]
             for name in ("throughput", "sender-cpu", "receiver-cpu")}  # fmt: skip
    told = "; ".join(f"{row.id}: {row.simulated:.1f}" for own in found.values() for row in own)
    for ground, ink in INKS.items():
        with _style(ink):
            _save(picture(found, ink), f"tcp-streams-{ground}", told)


if __name__ == "__main__":
    main()
