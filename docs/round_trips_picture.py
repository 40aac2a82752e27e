"""Draws the picture of the page about round trips: the time of each part, for each way that processes wait.

`python docs/round_trips_picture.py` writes it into docs/pictures, in light and dark.
"""

from __future__ import annotations

from typing import Final

from matplotlib.figure import Figure

import netsim as ns
from docs.picture import INKS, ROOT, _new, _save, _style
from netsim.results.latencies import Latencies
from netsim.show.palette import Palette

WAYS: Final = {"sleep": "sleeps", "spin": "polls\nits socket", "busy-poll": "polls\nthe queue"}
PARTS: Final = {  # of a round trip
    "calls": ("call", "receive", "return"),
    "protocol": ("send", "protocol", "IP", "steering"),
    "driver": ("IP and driver", "NAPI"),
    "adapter, slot": ("adapter", "memory"),
    "wire, switch": ("wire", "switch"),
    "moderation": ("moderation",),
    "interrupt, wake-up": ("interrupt", "wake-up"),
}


def found(wait: str) -> Latencies:
    test = ns.load(ROOT / "examples" / "requests.toml").replace({"client.wait": wait, "server.wait": wait})
    times = ns.simulate(test, warm_up="1 ms", sample="100 us").latencies
    assert times is not None
    return times


def picture(all_found: dict[str, Latencies], ink: Palette) -> Figure:
    """A bar for each way to wait, with a segment for each part."""
    figure, axes = _new(2.6, ink)
    for row, times in enumerate(all_found.values()):
        start = 0.0
        for number, (part, names) in enumerate(PARTS.items()):
            length = 1e6 * sum(stage.median for stage in times.stages if stage.name.partition(": ")[2] in names)
            look = {"facecolor": ink.series[number % len(ink.series)], "edgecolor": axes.get_facecolor()}
            axes.barh(row, length, 0.6, start, label=part if not row else None, **look)
            start += length
        axes.text(start + 0.2, row, f"{start:.1f} μs", va="center")
    axes.set_yticks(range(len(all_found)), [WAYS[wait] for wait in all_found])
    axes.invert_yaxis()
    axes.set(xlabel="round trip (μs)", xlim=(0, 1.15 * max(times.median * 1e6 for times in all_found.values())))
    axes.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(-0.05, 1.0), fontsize=8)
    return figure


def main() -> None:
    all_found = {wait: found(wait) for wait in WAYS}
    told = "; ".join(f"{wait}: {1e6 * times.median:.1f} us" for wait, times in all_found.items())
    for ground, ink in INKS.items():
        with _style(ink):
            _save(picture(all_found, ink), f"round-trips-{ground}", told)


if __name__ == "__main__":
    main()
