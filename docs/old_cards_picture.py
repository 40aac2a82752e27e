"""Draws the picture of the page about old cards: the processor time of each on a 486 that sends or receives over thin
Ethernet.

`python docs/old_cards_picture.py` writes it into docs/pictures, in light and dark.
"""

from __future__ import annotations

from typing import Final

from matplotlib.figure import Figure

import netsim as ns
from docs.picture import INKS, _new, _save, _style
from netsim.show.looks import text_on
from netsim.show.palette import Palette

CARDS: Final = {
    "ne2000/ne": "NE2000\nprogrammed I/O", "3c509/3c509": "3C509\nFIFO", "etherexpress16/eexpress": "EtherExpress 16\n"
    "programmed I/O", "smc-elite16/wd": "SMC Elite16\nshared memory", "at1500/lance": "AT1500\nbus master",
}  # fmt: skip


def results() -> dict[str, ns.Result]:
    """TCP between two hosts with the same card."""
    test = ns.load("examples/ne2000-10base2.toml")
    both = ("sender.nics.0", "receiver.nics.0")
    return {card: ns.simulate(test.replace(dict.fromkeys(both, card)), precision=0.02, seed=1) for card in CARDS}


def picture(found: dict[str, ns.Result], ink: Palette) -> Figure:
    """Two bars per card: processor time by activity, of the sender and of the receiver."""
    figure, axes = _new(3.4, ink)
    for place, (card, result) in enumerate(found.items()):
        for side, host in ((-0.2, "sender"), (0.2, "receiver")):
            _bar(axes, place + side, result.processors[f"{host} processor 0"], ink, host)
        axes.text(place, 108, f"{result.mbit_per_s:.1f} Mbit/s", ha="center", weight="bold", size=8)
        axes.text(place, -13, CARDS[card], ha="center", va="top", size=8)
    axes.set(ylim=(-32, 116), xlim=(-0.6, len(found) - 0.1), xticks=[], yticks=[0, 25, 50, 75, 100])
    axes.set_ylabel("busy share of the processor, %", y=0.6)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_title("TCP between two 486DX2-66 on thin Ethernet, by card", loc="left", size=10, weight="bold")
    return figure


def _bar(axes, place, parts, ink, host):  # type: ignore[no-untyped-def]
    moving = sum(parts.get(name, 0.0) for name in ("programmed I/O", "shared memory"))
    others = {"moves": moving, "driver": parts.get("driver", 0.0) + parts.get("interrupt", 0.0)}
    others["rest"] = sum(parts.values()) - sum(others.values())
    bottom = 0.0
    for name, colour in zip(others, ink.series, strict=False):
        share = 100 * others[name]
        axes.bar(place, share, 0.34, bottom=bottom, facecolor=colour, edgecolor=ink.page, lw=0.6)
        if share > 6:
            axes.text(place, bottom + share / 2, f"{name} {share:.0f}", ha="center", va="center", size=6.5,
                      color=text_on(colour))  # fmt: skip
        bottom += share
    axes.text(place, -2, host, ha="center", va="top", size=6.5, color=ink.muted)


def main() -> None:
    found = results()
    for ground, ink in INKS.items():
        with _style(ink):
            words = "; ".join(f"{card}: {one.mbit_per_s:.1f} Mbit/s" for card, one in found.items())
            _save(picture(found, ink), f"old-cards-{ground}", words)


if __name__ == "__main__":
    main()
