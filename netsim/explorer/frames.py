"""The journeys of three frames as pictures for the page, in its colours, one for a desktop and one for a phone."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.show import timeline_picture
from netsim.units import MS
from netsim.watch.journeys import Journey
from netsim.watch.timeline import Timeline, timeline

FRAMES = 3
_START = 10 * MS  # ps: connections have begun
_LONGEST = 128 * MS
_WIDE, _NARROW = 9.2, 3.7  # inches
# Placeholders for the page's own colours.
_INK, _LINE, _PAGE = "#010101", "#020202", "#0e0e0e"
_SERIES = ("#060606", "#070707", "#080808")
_COLOURS = {_INK: "currentColor", _LINE: "var(--line)", _PAGE: "var(--card)"} | {
    colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES, start=1)
}


class Frames(NamedTuple):
    """Both pictures (SVG), and their content in words."""

    wide: str
    narrow: str
    words: str


def drawn(scenario: Scenario, tell: Callable[[float], None]) -> Frames:
    """The first three large frames whose journeys begin and end within the shortest sufficient time. Raises
    ScenarioError for a test without such frames."""
    line = _long_enough(scenario)
    tell(0.5)
    words = _in_words(line)
    return Frames(_svg(line, _WIDE, words, "wide"), _svg(line, _NARROW, words, "narrow"), words)


def _long_enough(scenario: Scenario) -> Timeline:
    """A timeline with the journeys of these frames only."""
    chosen: list[Journey] = []
    line: Timeline | None = None
    for start, duration in _windows(scenario):
        line = timeline(scenario, start=start, duration=duration)
        largest = max((one.size for one in line.journeys), default=0)
        chosen = [one for one in line.journeys if one.is_whole and 2 * one.size > largest][:FRAMES]
        if len(chosen) == FRAMES:
            break
    if line is None or not chosen:
        raise ScenarioError("no frame goes from host to host in the first 0.1 s of this test; nothing to draw")
    return replace(line, journeys=chosen)


def _windows(scenario: Scenario) -> Iterator[tuple[int, int]]:
    """(start, duration) in ps, the shortest first, within the test."""
    last: int = getattr(scenario, "duration", _START + _LONGEST)
    start = min(_START, last // 2)
    duration = 2 * MS
    while duration < min(_LONGEST, last - start):
        yield start, duration
        duration *= 4
    yield start, min(_LONGEST, last - start)


def _in_words(line: Timeline) -> str:
    """Each frame's journey in words: how long it took, and where it spent most of the time."""
    told = []
    for journey in line.journeys:
        stages = journey.stages()
        whole = sum(end - start for _, start, end in stages)
        name, start, end = max(stages, key=lambda stage: stage[2] - stage[1])
        told.append(
            f"frame {journey.frame}, {journey.size} bytes: {whole / 1e6:.1f} us, "
            f"the longest part of it in stage {name}, {(end - start) / 1e6:.1f} us"
        )
    return "; ".join(told)


def _svg(line: Timeline, width: float, words: str, name: str) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_style()):
        frames = {one.frame for one in line.journeys}
        lanes = len({span.track for span in line.spans if frames.intersection(span.frames)})
        figure = Figure(figsize=(width, 0.9 + (0.42 if width == _WIDE else 0.46) * lanes), layout="constrained")
        timeline_picture.draw(line, FRAMES, figure.add_subplot())
        target = io.StringIO()
        figure.savefig(target, format="svg", transparent=True, metadata={"Date": None})
    return _on_a_page(target.getvalue(), words, name)


def _style() -> dict[Any, Any]:
    from cycler import cycler

    return {
        "svg.fonttype": "none", "svg.hashsalt": "netsim", "font.size": 9, "text.color": _INK,
        "axes.edgecolor": _LINE, "axes.facecolor": _PAGE, "axes.labelcolor": _INK, "axes.titlesize": 9,
        "axes.prop_cycle": cycler(color=_SERIES),
        "xtick.color": _LINE, "xtick.labelcolor": _INK, "ytick.color": _LINE, "ytick.labelcolor": _INK,
    }  # fmt: skip


def _on_a_page(svg: str, words: str, name: str) -> str:
    """An element with unique ids, the page's colours, and words for those who can't see it."""
    text = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", text)
    head = rf'<svg \1 role="img" aria-label="{escape(words)}">'
    text = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', head, text, count=1)
    for colour, own in _COLOURS.items():
        text = text.replace(colour, own)
    return text
