"""A run's timeline as a file for Perfetto (ui.perfetto.dev): https://perfetto.dev/docs/reference/synthetic-track-event

What happens is written as it is told, so that memory does not grow with the run. Each resource has a track, in a group
for its host or for the wires. A slice that is about frames has their numbers, and flows of these numbers join the
slices of each frame. In the group "frames" every frame has a slice from its beginning to its end, with its stages
inside; it is written when the journey is over, on a track on which no other one is at that time, so that there are no
more tracks than frames under way at once.

Perfetto counts whole ns: times are rounded down, so that what follows on each other still does. `ps` has the exact
duration.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from netsim.export.trace_packets import FIRST, TracePackets
from netsim.export.whole_file import Kind, check_place, whole_file
from netsim.watch.journeys import Journey, Journeys
from netsim.watch.track import Track
from netsim.watch.watching import Observer, Piece

FRAMES = "frames"
TRACE = Kind("a trace", re.escape(FIRST))


@contextmanager
def perfetto_trace(path: str | Path, *, force: bool = False) -> Iterator[PerfettoTrace]:
    """An Observer that writes a trace to `path`, which is there at the end, unless an exception ends the `with`
    statement. A file that is no trace of netsim's keeps its place without `force`: raises ScenarioError."""
    check_place(Path(path), "path", TRACE, force=force)
    with whole_file(Path(path)) as unfinished, open(unfinished, "wb") as file:
        trace = PerfettoTrace(file)
        yield trace
        trace.finish()


class PerfettoTrace(Observer):
    """Writes to `file` what it is told; `finish` it in the end."""

    def __init__(self, file: BinaryIO) -> None:
        self.spans = self.frames = 0  # written so far; frames, those whose journeys are over among them
        self._packets = TracePackets(file)
        self._tracks: dict[str, int] = {}  # uuids by name, of groups as well
        self._journeys = Journeys()
        self._lanes: list[tuple[int, int]] = []  # when the last frame of each was over (ps), and its number; in order
        self._last = 0  # the latest time so far (ps)

    # --- what is told ------------------------------------------------------------------------------------------------

    def spent(
        self, track: Track, name: str, start: int, end: int, frames: Sequence[int] = (), parts: Sequence[Piece] = ()
    ) -> None:
        uuid = self._tracks.get(track) or self._track(track, track.group)
        self._packets.begin(uuid, start, name, end - start, frames)
        self._end(uuid, end, parts)

    def happened(self, track: Track, name: str, time: int, frames: Sequence[int] = ()) -> None:
        self._packets.instant(self._track(track, track.group), time, name, frames)

    def counted(self, track: Track, value: int, time: int) -> None:
        self._packets.count(self._track(track, track.group, counter=True), time, value)

    def numbered(self, frame: int, size: int, port: str) -> None:
        self._journeys.numbered(frame, size, port)

    def reached(self, frame: int, stage: str, time: int) -> None:
        self._journeys.reached(frame, stage, time)

    def left(self, frame: int, how: str, time: int) -> None:
        self._write(self._journeys.left(frame, how, time))

    def finish(self) -> None:
        """Write what is left: frames that are under way, up to the latest time told of."""
        for journey in self._journeys.rest(self._last):
            self._write(journey)
        self._packets.flush()

    # --- frames ------------------------------------------------------------------------------------------------------

    def _write(self, journey: Journey) -> None:
        stages = journey.stages()
        if not stages:
            return
        self.frames += 1
        start, end = stages[0][1], stages[-1][2]
        track = self._track(f"lane {self._lane(start, end)}", FRAMES)
        about: dict[str, int | str] = {"ps": end - start, "frame": journey.frame, "bytes": journey.size}
        about |= {"for": journey.port, "ended": journey.how or "under way"}
        self._packets.begin_alone(track, start, f"frame {journey.frame}", about)
        self._end(track, end, stages)

    def _lane(self, start: int, end: int) -> int:
        """The number of a lane that is free from `start` on; of several the one that has been for the least time."""
        lanes = self._lanes
        free = bisect_right(lanes, (start, len(lanes) + 1))
        number = lanes.pop(free - 1)[1] if free else len(lanes) + 1
        insort(lanes, (end, number))
        return number

    # --- tracks ------------------------------------------------------------------------------------------------------

    def _end(self, track: int, end: int, parts: Sequence[Piece]) -> None:
        """The slice that has begun ends."""
        self._packets.end(track, end, parts)
        self.spans += 1 + len(parts)
        self._last = max(self._last, end)

    def _track(self, name: str, group: str, *, counter: bool = False) -> int:
        """The track's uuid; it is described when it is first used."""
        uuid = self._tracks.get(name)
        if uuid is None:
            parent = self._group(group)
            uuid = self._tracks[name] = len(self._tracks) + 1
            self._packets.track(uuid, parent, name, counter=counter)
        return uuid

    def _group(self, name: str) -> int:
        """The uuid of a group: of a host, of all wires, or of all frames."""
        uuid = self._tracks.get(f"group {name}")
        if uuid is None:
            uuid = self._tracks[f"group {name}"] = len(self._tracks) + 1
            self._packets.group(uuid, name)
        return uuid
