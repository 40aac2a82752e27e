"""A run's timeline as a file for Perfetto (ui.perfetto.dev): https://perfetto.dev/docs/reference/synthetic-track-event

Events are written as they are reported; memory does not grow with the run. Each resource has a track, in a group for
its host or for the wires. A slice for frames has their numbers, and flows of these numbers connect the slices of each
frame. In the group "frames" every frame has a slice from its beginning to its end, with its stages inside; it is
written when the journey is over, on a track that has no other frame at that time, so the number of tracks never exceeds
the frames under way at once.

Perfetto counts whole ns: times are rounded down, so consecutive slices stay consecutive. `ps` has the exact duration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from mypy_extensions import i64

from netsim.export.trace_packets import FIRST, NumberedActivity, TracePackets
from netsim.export.whole_file import Kind, check_place, whole_file
from netsim.watch.activity import Activity
from netsim.watch.journeys import Journey
from netsim.watch.watched_track import WatchedTrack
from netsim.watch.watcher import NO_FRAMES, Observer

FRAMES: Final = "frames"
TRACE: Final = Kind("a trace", re.escape(FIRST))


@contextmanager
def perfetto_trace(path: str | Path, *, force: bool = False) -> Iterator[PerfettoTrace]:
    """An Observer that writes a trace to `path`. The file appears at the end, unless an exception ends the `with`
    statement. Without `force`, a file that is not a trace of netsim's is not replaced: raises ScenarioError."""
    check_place(Path(path), "path", TRACE, force=force)
    with whole_file(Path(path)) as unfinished, open(unfinished, "wb") as file:
        trace = PerfettoTrace(file)
        yield trace
        trace.finish()


class NumberedTrack:
    """The uuid of a track in one of several traces."""

    def __init__(self, trace: PerfettoTrace, uuid: i64) -> None:
        self.trace = trace
        self.uuid = uuid


class PerfettoTrace(Observer):
    """Writes all reports to `file`; call `finish` at the end."""

    def __init__(self, file: BinaryIO) -> None:
        self.spans = self.frames = 0  # written so far; frames: those whose journeys are over
        self._packets = TracePackets(file)
        self._tracks: dict[str, int] = {}  # uuids by name, also of groups
        self._under_way: Sequence[Journey] = ()
        # Lanes in the order in which they become free.
        self._free: list[int] = []  # when the last frame of each is over (ps)
        self._lanes: list[int] = []  # numbers, from 1 on
        self._uuids: list[int] = []  # in the order of these
        self._last = 0  # the latest time so far (ps)

    # --- reports -----------------------------------------------------------------------------------------------------

    def spent(
        self, track: WatchedTrack, activity: Activity, start: int, end: int, frames: list[int] = NO_FRAMES
    ) -> None:
        packets, known = self._packets, activity.known
        uuid = self._number(track)
        if isinstance(known, NumberedActivity) and known.packets is packets:
            what = known
        else:
            what = packets.activity(activity)
            activity.known = what if known is packets else packets  # an activity reported only once is not kept
        packets.slice(uuid, what, start, end, frames)
        self.spans += 1 + len(what.parts)
        if end > self._last:
            self._last = end

    def happened(self, track: WatchedTrack, name: str, time: int, frames: list[int] = NO_FRAMES) -> None:
        self._packets.instant(self._number(track), time, name, frames)

    def counted(self, track: WatchedTrack, value: int, time: int) -> None:
        self._packets.count(self._number(track, counter=True), time, value)

    def over(self, journey: Journey) -> None:
        if journey.times:
            self.frames += 1
            lane = self._lane(journey.times[0], journey.end)
            if lane > len(self._uuids):
                self._uuids.append(self._track(f"lane {lane}", FRAMES))
            self._packets.journey(self._uuids[lane - 1], journey)
            self.spans += 1 + len(journey.times)
            if journey.end > self._last:
                self._last = journey.end

    def under_way(self, journeys: Sequence[Journey]) -> None:
        self._under_way = journeys

    def finish(self) -> None:
        """Write everything that is left: frames under way, up to the latest reported time."""
        for journey in self._under_way:
            self.over(journey.until(self._last))
        self._packets.flush()

    # --- tracks ------------------------------------------------------------------------------------------------------

    def _lane(self, start: int, end: int) -> int:
        """The number of a lane that is free from `start` on; of several, the one that became free last."""
        times, lanes = self._free, self._lanes
        free = _behind(times, start)
        number = len(lanes) + 1
        if free:
            number = lanes.pop(free - 1)
            times.pop(free - 1)
        place = _behind(times, end)
        while place and times[place - 1] == end and lanes[place - 1] > number:
            place -= 1
        times.insert(place, end)
        lanes.insert(place, number)
        return number

    def _number(self, track: WatchedTrack, *, counter: bool = False) -> i64:
        """The track's uuid."""
        known = track.known
        if not (isinstance(known, NumberedTrack) and known.trace is self):
            known = track.known = NumberedTrack(self, self._track(track.name, track.name.group, counter=counter))
        return known.uuid

    def _track(self, name: str, group: str, *, counter: bool = False) -> int:
        """The track's uuid; the track is described at its first use."""
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


def _behind(times: list[int], time: int) -> int:
    """The index after all entries equal to `time` (bisect.bisect_right, compiled)."""
    low, high = 0, len(times)
    while low < high:
        middle = low + high >> 1
        if time < times[middle]:
            high = middle
        else:
            low = middle + 1
    return low
