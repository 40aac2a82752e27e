"""A short section of a run in memory, to look at: tables and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from netsim.scenario import Scenario
from netsim.units import PS_PER_S, format_time
from netsim.watch.activity import Activity
from netsim.watch.driving import look_at, window
from netsim.watch.journeys import Journey
from netsim.watch.track import Track
from netsim.watch.watched_track import WatchedTrack
from netsim.watch.watcher import NO_FRAMES, Observer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


Piece = tuple[str, int, int]  # name, start and end (ps)


class Span(NamedTuple):
    """An activity of a resource (ps), and the frames that it was for."""

    track: Track
    name: str
    start: int
    end: int
    frames: Sequence[int]
    parts: Sequence[Piece]


class Instant(NamedTuple):
    """An event without duration, at `time` (ps)."""

    track: Track
    name: str
    time: int
    frames: Sequence[int]


class Recorder(Observer):
    """Keeps all reports."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.instants: list[Instant] = []
        self.counts: list[tuple[Track, int, int]] = []  # track, number, since when (ps)
        self.journeys: list[Journey] = []  # in the order in which they ended
        self._under_way: Sequence[Journey] = ()

    def spent(
        self, track: WatchedTrack, activity: Activity, start: int, end: int, frames: list[int] = NO_FRAMES
    ) -> None:
        pieces, at = [], start
        for part, ps in activity.parts:
            pieces.append((part, at, at + ps))
            at += ps
        self.spans.append(Span(track.name, activity.name, start, end, tuple(frames), tuple(pieces)))

    def happened(self, track: WatchedTrack, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        self.instants.append(Instant(track.name, name, time, tuple(frames)))

    def counted(self, track: WatchedTrack, value: int, time: int) -> None:
        self.counts.append((track.name, value, time))

    def over(self, journey: Journey) -> None:
        if journey.times:
            self.journeys.append(journey)

    def under_way(self, journeys: Sequence[Journey]) -> None:
        self._under_way = journeys

    def finish(self, time: int) -> None:
        """Keep the journeys under way at `time` (ps), too."""
        for journey in self._under_way:
            self.over(journey.until(time))


@dataclass(frozen=True)
class Timeline:
    """The events of a run from `since` until `until` (ps): all `spans` and `instants`, `counts` of waiting items
    (track, number, since when), and the `journeys` of frames, in the order of their numbers."""

    label: str
    since: int
    until: int
    spans: Sequence[Span]
    instants: Sequence[Instant]
    counts: Sequence[tuple[Track, int, int]]
    journeys: Sequence[Journey]

    def __str__(self) -> str:
        taken = sum(journey.how == "taken" for journey in self.journeys)
        return (
            f"{self.label} from {format_time(self.since)} for {format_time(self.until - self.since)}: "
            f"{len(self.journeys)} frames, {taken} of them taken; {len(self.spans)} spans on {len(self.tracks)} tracks"
        )

    def __repr__(self) -> str:
        return f"<Timeline: {self}>"

    @property
    def tracks(self) -> list[Track]:
        """The names of the resources, in the order of their first activity."""
        return list(dict.fromkeys(span.track for span in sorted(self.spans, key=lambda span: span.start)))

    def to_frame(self) -> pd.DataFrame:
        """A row for each span, for each of its parts, and for each instant, in the order in which they begin.

        kind: "span", "part" (of the last span of its track) or "instant"; track: the resource; name: its activity;
        start, end (s of the run); duration (ps: exact); frame: the number of the frame concerned, or of the first one
        (missing: none); frames: the number of frames concerned.
        """
        import pandas as pd

        rows: list[tuple[str, str, str, int, int, Sequence[int]]] = []
        for span in self.spans:
            rows.append(("span", *span[:5]))
            rows += [("part", span.track, *part, span.frames) for part in span.parts]
        rows += [("instant", one.track, one.name, one.time, one.time, one.frames) for one in self.instants]
        rows.sort(key=lambda row: row[3])  # a span stays ahead of its parts
        table = pd.DataFrame(
            [
                (kind, track, name, start / PS_PER_S, end / PS_PER_S, end - start, frames[0] if frames else None,
                 len(frames))
                for kind, track, name, start, end, frames in rows
            ],
            columns=["kind", "track", "name", "start", "end", "duration", "frame", "frames"],
        )  # fmt: skip
        return table.astype({"frame": "Int64"})

    def frames(self) -> pd.DataFrame:
        """A row for each stage of each frame's journey.

        frame: its number; size (bytes, with FCS); port: the key by which its receiver finds its owner; stage (see
        netsim.watch.journeys); start, end (s of the run); duration (ps: exact); ended: "taken", or where it was
        dropped, or "" for one under way at the end.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                (one.frame, one.size, one.port, stage, start / PS_PER_S, end / PS_PER_S, end - start, one.how)
                for one in self.journeys
                for stage, start, end in one.stages()
            ],
            columns=["frame", "size", "port", "stage", "start", "end", "duration", "ended"],
        )

    def plot(self, frames: int | slice = 3, *, ax: Axes | None = None) -> Axes:
        """Draw the journeys of some frames into `ax` (None: new axes), and return it. `frames` selects the first n
        journeys that begin and end within the time (of all journeys, if none does), or a slice of all journeys, by
        number. Every resource has a lane; lanes are ordered from top to bottom as the first of the frames reaches them.
        Each frame has a colour; the work of a resource for it is written above its bar where the text fits.

        Frames without work in this time have no bars; raises ScenarioError if there is no other.
        """
        from netsim.show.timeline_picture import draw

        return draw(self, frames, ax)


def timeline(
    scenario: Scenario, *, start: str | int = "0 s", duration: str | int = "2 ms", seed: int = 1
) -> Timeline:
    """The events of the first iteration of `scenario` from `start` on, for `duration`; both are texts with a unit, or
    numbers of ps.

    Everything is kept in memory, about 6 kB per frame; `netsim.trace` writes a file of any length. Raises ScenarioError
    for a wrong argument, ConservationError if something is missing.
    """
    since, until = window(scenario, start, duration, seed)
    recorder = Recorder()
    look_at(scenario, [recorder], since, until, seed)
    recorder.finish(until)
    journeys = sorted(recorder.journeys, key=lambda journey: journey.frame)
    return Timeline(
        scenario.label, since, until, recorder.spans, recorder.instants, recorder.counts, journeys
    )
