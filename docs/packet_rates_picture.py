"""Draws the picture of the page about packet rates: packets dropped per second by up to six cores, with two ring sizes,
simulated and measured.

`python docs/packet_rates_picture.py` writes it into docs/pictures, in light and dark.
"""

from __future__ import annotations

from typing import Final

from matplotlib.figure import Figure

from docs.picture import INKS, _new, _save, _style
from experiments.packet_rates import PacketRow, rows
from netsim.show.palette import Palette

LINES: Final = {  # the label of each, its marker, and where the label begins
    "xdp-drop-1024": ("dropped unread", "o", (1.5, 66)),
    "xdp-drop-read-512": ("read, ring of 512", "^", (3.62, 76)),
    "xdp-drop-read-1024": ("read, ring of 1024", "s", (4.75, 61)),
}


def picture(found: dict[str, list[PacketRow]], ink: Palette) -> Figure:
    """Lines are simulated, marks are measured."""
    figure, axes = _new(3.4, ink)
    for (name, (text, mark, place)), colour in zip(LINES.items(), ink.series[:3], strict=True):
        cores = range(1, len(found[name]) + 1)
        axes.plot(cores, [row.simulated / 1e6 for row in found[name]], color=colour)
        axes.text(*place, text, color=colour, weight="bold")
        axes.scatter(cores, [row.measured / 1e6 for row in found[name]], color=colour, marker=mark, s=22)
    axes.text(5.2, 92, "link to memory", size=8, color=ink.muted)
    axes.set(xlabel="cores, one queue each", ylabel="million packets per second", ylim=(0, 100), xticks=range(1, 7))
    axes.set_title("XDP drop of 64 bytes: lines simulated, marks measured", loc="left", size=10, weight="bold")
    return figure


def main() -> None:
    found = {name: [row for row in rows() if row.id.rpartition("-")[0] == f"packet-rate/{name}"] for name in LINES}
    told = "; ".join(f"{row.id}: {row.simulated / 1e6:.1f} Mpps" for lines in found.values() for row in lines)
    for ground, ink in INKS.items():
        with _style(ink):
            _save(picture(found, ink), f"packet-rates-{ground}", told)


if __name__ == "__main__":
    main()
