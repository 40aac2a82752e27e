"""The journeys of a few frames as a picture: a lane for each resource, a colour for each frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from netsim.errors import ScenarioError, plain, show
from netsim.units import QUANTITIES
from netsim.watch.track import WIRES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netsim.watch.journeys import Journey
    from netsim.watch.timeline import Span, Timeline

_HEIGHT = 0.42  # of a bar, in lanes; text is above it
_LETTER = 0.062  # inches
_WIDE = 6  # inches of a picture with lane names beside the lanes
_NARROW = 0.03  # inches: the minimum width of a bar, so that it can be seen


class Bar(NamedTuple):
    """A resource's work for a frame (ps), in words."""

    track: str
    words: str
    start: int
    end: int
    frame: int
    first: bool  # the first one of the frame


def draw(timeline: Timeline, frames: int | slice, ax: Axes | None) -> Axes:
    """A lane for each resource, in `ax`, which is returned. Raises ScenarioError if none of these has work."""
    chosen = _chosen(timeline, frames)
    bars = list(_bars(timeline.spans, {journey.frame for journey in chosen}))
    lanes = {track: place for place, track in enumerate(_lanes(bars))}
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained", figsize=(11, 1 + 0.45 * len(lanes)))[1]
    start = min(bar.start for bar in bars)
    scale, unit = _unit(max(bar.end for bar in bars) - start)
    _name_lanes(ax, list(lanes))
    ax.set_xlim(0, 1.01 * (max(bar.end for bar in bars) - start) / scale)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_xlabel(f"time since {start / scale:.10g} {unit} ({unit})")
    ax.set_title(f"{timeline.label}: {_named([journey.frame for journey in chosen])}", loc="left")
    shown = [bar._replace(start=bar.start - start, end=bar.end - start) for bar in bars]
    _draw_bars(ax, shown, lanes, scale)
    return ax


def _name_lanes(ax: Axes, lanes: Sequence[str]) -> None:
    """Names beside their lanes, or above them in a narrow picture."""
    ax.set_yticks(range(len(lanes)), lanes)
    ax.set_ylim(len(lanes) - 0.5, -0.7)
    if _is_narrow(ax):
        ax.set_yticks([])
        for place, name in enumerate(lanes):
            ax.text(0, place - _HEIGHT / 2 - 0.04, f" {name}", transform=ax.get_yaxis_transform(), va="bottom",
                    size="small", alpha=0.75)


def _width(axes: Axes) -> float:
    """The width of the picture, in inches."""
    return float(axes.figure.bbox.width / axes.figure.dpi)


def _is_narrow(axes: Axes) -> bool:
    """Whether names do not fit beside lanes."""
    return _width(axes) < _WIDE


def _chosen(timeline: Timeline, frames: int | slice) -> Sequence[Journey]:
    frames = plain(frames)
    if isinstance(frames, bool) or not isinstance(frames, int | slice) or (isinstance(frames, int) and frames < 1):
        raise ScenarioError(f"{show(frames)} is not allowed; allowed: a count, 1 or more, or a slice", address="frames")
    every, worked = timeline.journeys, {frame for span in timeline.spans for frame in span.frames}
    shown = [one for one in every if one.frame in worked]
    whole = [one for one in shown if one.is_whole]
    picked = (whole or shown)[:frames] if isinstance(frames, int) else every[frames]
    chosen = [one for one in picked if one.frame in worked]
    if not chosen:
        text = f"no frame is selected; allowed: of the {len(shown)} with work in this time"
        raise ScenarioError(text, address="frames")
    return chosen


def _bars(spans: Sequence[Span], frames: set[int]) -> Iterator[Bar]:
    """A bar for each span and frame; in a call for several frames, each frame has its own."""
    seen: set[int] = set()
    for span in sorted(spans, key=lambda span: span.start):
        for frame in sorted(frames.intersection(span.frames)):
            words = dict.fromkeys(name for name, _, _ in span.parts) or [_called(span)]
            yield Bar(span.track, ", ".join(words), span.start, span.end, frame, frame not in seen)
            seen.add(frame)


def _called(span: Span) -> str:
    """For a frame on a wire or in a card, the name of the place."""
    return "wire" if span.track.group == WIRES else "card" if span.name == "frame" else span.name


def _lanes(bars: Sequence[Bar]) -> list[str]:
    """Tracks, in the order of the first frame's journey, followed by those that only other frames need."""
    first = min(bar.frame for bar in bars)
    return list(dict.fromkeys(bar.track for bar in sorted(bars, key=lambda bar: (bar.frame != first, bar.start))))


def _draw_bars(axes: Axes, bars: Sequence[Bar], lanes: Mapping[str, int], scale: float) -> None:
    """Bars with their frame's number, text above them, and a line for each frame from lane to lane. Simultaneous bars
    of several frames are stacked."""
    inch = axes.get_xlim()[1] * scale / (axes.get_position().width * _width(axes))
    for place, frame in enumerate(sorted({bar.frame for bar in bars})):
        own, colour = [bar for bar in bars if bar.frame == frame], f"C{place}"
        way = sorted((bar.start, lanes[bar.track]) for bar in own)
        times, places = [time / scale for time, _ in way], [lane for _, lane in way]
        axes.plot(times, places, color=colour, linewidth=0.8, alpha=0.5, zorder=1)
        for bar in own:
            width = max(bar.end - bar.start, _NARROW * inch)
            height, top = _share(bar, bars)
            y = lanes[bar.track] + _HEIGHT * (top - 0.5 + height / 2)
            axes.barh(y, width / scale, _HEIGHT * height, bar.start / scale, color=colour, zorder=2)
            if height == 1 and width > _LETTER * inch * (len(str(frame)) + 1):
                middle = (bar.start + width / 2) / scale
                axes.text(middle, y, str(frame), ha="center", va="center", size="small", weight="bold",
                          color=axes.get_facecolor())
    for track, lane in lanes.items():
        _write(axes, [bar for bar in bars if bar.track == track], lane, scale, inch)
    for place, frame in enumerate(sorted({bar.frame for bar in bars})):
        first = next(bar for bar in bars if bar.frame == frame and bar.first)
        below = _is_narrow(axes)
        at = first.start / scale, lanes[first.track] + (_HEIGHT / 2 + 0.04) * (1 if below else -1)
        axes.text(*at, str(frame), va="top" if below else "bottom", size="small", color=f"C{place}", weight="bold")


def _share(bar: Bar, bars: Sequence[Bar]) -> tuple[float, float]:
    """The share of the height that a bar has among simultaneous bars of other frames in its lane, and where it
    begins."""
    own = [one for one in bars if one.track == bar.track]
    beside = sorted({one.frame for one in own if one.start < bar.end and bar.start < one.end})
    return 1 / len(beside), beside.index(bar.frame) / len(beside)


def _write(axes: Axes, bars: Sequence[Bar], lane: int, scale: float, inch: float) -> None:
    """Write the work above bars, once for simultaneous ones, as far as it fits before the next ones. At the beginning
    of a frame's journey its number takes that place."""
    starts: dict[int, str] = {}
    for bar in bars:
        starts.setdefault(bar.start, "" if bar.first else bar.words)
    if _is_narrow(axes):
        return  # the lanes' names are there
    end = axes.get_xlim()[1] * scale
    for (start, words), (following, _) in pairwise([*sorted(starts.items()), (round(end), "")]):
        room = int((following - start) / (_LETTER * inch))
        parts = words.split(", ")
        fits = [text for number in range(len(parts), 0, -1) if len(text := ", ".join(parts[:number])) <= room]
        if words and fits:
            text = fits[0] + (" ..." if len(fits) < len(parts) and len(fits[0]) + 4 <= room else "")
            axes.text(start / scale, lane - _HEIGHT / 2 - 0.04, text, va="bottom", size="small", alpha=0.75)


def _unit(width: int) -> tuple[float, str]:
    """The largest unit of time that fits several times into a width (ps), and its ps."""
    units = QUANTITIES["time"].units or {}
    return next(((ps, unit) for unit, ps in units.items() if width >= 5 * ps), (1, "ps"))


def _named(frames: Sequence[int]) -> str:
    numbers = ", ".join(map(str, frames[:5])) + (" ..." if len(frames) > 5 else "")
    return f"frame {numbers}" if len(frames) == 1 else f"frames {numbers}"
