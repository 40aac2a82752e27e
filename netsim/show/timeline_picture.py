"""The journeys of a few frames as a picture: a lane for each resource, a bar for each thing that it does for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, product
from typing import TYPE_CHECKING, NamedTuple

from netsim.errors import ScenarioError, show
from netsim.units import QUANTITIES
from netsim.watch.track import WIRES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.watch.journeys import Journey
    from netsim.watch.timeline import Span, Timeline

_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "ooo")  # things are told apart by more than colour
_COLOURS = 10  # of matplotlib's cycle
_LINES = ("-", "--", ":", "-.")  # of frames, from lane to lane
_HEIGHT = 0.7  # of a bar, in lanes
_LETTER = 0.012  # of the width of the picture


class Bar(NamedTuple):
    """What a resource does for a frame (ps)."""

    track: str
    name: str
    start: int
    end: int
    frame: int


def draw(timeline: Timeline, frames: int | slice, ax: Axes | None) -> Axes:
    """A lane for each resource, in `ax`, which is returned. Raises ScenarioError if there is no such frame."""
    chosen = _chosen(timeline, frames)
    bars = list(_bars(timeline.spans, {journey.frame for journey in chosen}))
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained", figsize=(11, 1 + 0.35 * len(_lanes(bars))))[1]
    start = min(bar.start for bar in bars)
    scale, unit = _unit(max(bar.end for bar in bars) - start)
    _draw_bars(ax, bars, start, scale)
    _join(ax, bars, start, scale)
    lanes = _lanes(bars)
    ax.set_yticks(range(len(lanes)), lanes)
    ax.set_ylim(len(lanes) - 0.5, -0.5)
    ax.set_xlabel(f"time since {start / scale:.10g} {unit} ({unit})")
    ax.set_title(f"{timeline.label}: {_named([journey.frame for journey in chosen])}")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, handleheight=1.5)
    return ax


def _chosen(timeline: Timeline, frames: int | slice) -> Sequence[Journey]:
    if isinstance(frames, bool) or not isinstance(frames, int | slice) or (isinstance(frames, int) and frames < 1):
        raise ScenarioError(f"{show(frames)} is not allowed; allowed: a count, 1 or more, or a slice", address="frames")
    every = timeline.journeys
    whole = [one for one in every if one.is_whole]
    chosen = (whole or every)[:frames] if isinstance(frames, int) else every[frames]
    if not chosen:
        raise ScenarioError(f"none of the {len(every)} frames there are", address="frames")
    return chosen


def _bars(spans: Sequence[Span], frames: set[int]) -> Iterator[Bar]:
    for span in sorted(spans, key=lambda span: span.start):
        for frame in frames.intersection(span.frames):
            parts = span.parts or ((_called(span), span.start, span.end),)
            for name, start, end in parts:
                yield Bar(span.track, name, start, end, frame)


def _called(span: Span) -> str:
    """A frame on a wire, or in a card, has the name of the place."""
    return "wire" if span.track.group == WIRES else "card" if span.name == "frame" else span.name


def _lanes(bars: Sequence[Bar]) -> list[str]:
    """Tracks, in the order of the first frame's journey, and then those that only others need."""
    first = min(bar.frame for bar in bars)
    return list(dict.fromkeys(bar.track for bar in sorted(bars, key=lambda bar: (bar.frame != first, bar.start))))


def _draw_bars(axes: Axes, bars: Sequence[Bar], start: int, scale: float) -> None:
    lanes = {track: place for place, track in enumerate(_lanes(bars))}
    styles = dict(zip(dict.fromkeys(bar.name for bar in bars), cycle(_styles()), strict=False))
    width = max(bar.end for bar in bars) - start
    drawn: set[str] = set()
    for bar in bars:
        colour, hatch = styles[bar.name]
        label = "" if bar.name in drawn else bar.name
        drawn.add(bar.name)
        left, length = (bar.start - start) / scale, (bar.end - bar.start) / scale
        axes.barh(
            lanes[bar.track], length, _HEIGHT, left, color=colour, hatch=hatch, edgecolor="black", linewidth=0.4,
            alpha=0.8, label=label,
        )  # fmt: skip
        if bar.end - bar.start > _LETTER * len(str(bar.frame)) * width:
            axes.text(left + length / 2, lanes[bar.track], str(bar.frame), ha="center", va="center", fontsize="small",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})


def _styles() -> list[tuple[str, str]]:
    """Colours and hatches, so that neighbours differ in both."""
    every = list(product(range(len(_HATCHES)), range(_COLOURS)))
    return [(f"C{colour}", _HATCHES[(hatch + colour) % len(_HATCHES)]) for hatch, colour in every]


def _join(axes: Axes, bars: Sequence[Bar], start: int, scale: float) -> None:
    """A line for each frame, from the beginning of what one resource does to that of what the next one does."""
    lanes = {track: place for place, track in enumerate(_lanes(bars))}
    for frame, line in zip(sorted({bar.frame for bar in bars}), cycle(_LINES), strict=False):
        places = sorted((bar.start, lanes[bar.track]) for bar in bars if bar.frame == frame)
        axes.plot(
            [(time - start) / scale for time, _ in places], [lane for _, lane in places], line, color="0.3",
            linewidth=0.8, zorder=0,
        )  # fmt: skip


def _unit(width: int) -> tuple[float, str]:
    """The largest unit of time that a width (ps) has several of, and its ps."""
    units = QUANTITIES["time"].units or {}
    return next(((ps, unit) for unit, ps in units.items() if width >= 5 * ps), (1, "ps"))


def _named(frames: Sequence[int]) -> str:
    numbers = ", ".join(map(str, frames[:5])) + (" ..." if len(frames) > 5 else "")
    return f"frame {numbers}" if len(frames) == 1 else f"frames {numbers}"
