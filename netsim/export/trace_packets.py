"""Perfetto's packets as bytes, fields in the order of their numbers (protos/perfetto/trace/perfetto_trace.proto)."""

from __future__ import annotations

from typing import BinaryIO, Final

from librt.strings import BytesWriter
from mypy_extensions import i64

from netsim.export.event_packets import EventPackets
from netsim.export.protobuf import field
from netsim.watch.activity import Activity
from netsim.watch.journeys import Journey
from netsim.watch.watcher import NO_FRAMES

_BYTES_AT_ONCE: Final = 1 << 16
_EXPLICIT: Final = 3  # TrackDescriptor.ChildTracksOrdering

_SEQUENCE: Final = field(10, 1)  # trusted_packet_sequence_id
_CLEARED: Final = field(13, 1)  # sequence_flags
_NEEDS: Final = field(13, 2)
FIRST: Final = field(1, _SEQUENCE + _CLEARED + field(87, 1))  # the first packet of the sequence, and of a file


class NumberedPart:
    """Part of an activity: the number of its name, and its duration (ps)."""

    def __init__(self, number: i64, ps: i64) -> None:
        self.number = number
        self.ps = ps


class NumberedActivity:
    """An activity with the number that `packets` has given its name, and with its parts once they are written."""

    def __init__(self, packets: TracePackets, activity: Activity, number: i64) -> None:
        self.packets = packets
        self.activity = activity
        self.number = number
        self.parts: list[NumberedPart] = []


class TracePackets:
    """Writes packets to `file`, many at once. Tracks and groups are given by their uuids; names are interned. Times are
    in ps, rounded down to ns."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._out = BytesWriter()
        self._out.write(FIRST)
        self._events = EventPackets(self._out)
        self._names: dict[str, int] = {}  # of events
        self._notes: dict[str, int] = {}  # of annotations: fewer than 128
        self._stages: list[str] = []  # of the last journey,
        self._stage_numbers: list[int] = []  # and their numbers

    def group(self, uuid: int, name: str) -> None:
        """Describe a group of tracks, shown as a process."""
        process = field(1, uuid) + field(3, uuid) + field(6, name)
        self._define(60, field(1, uuid) + field(3, process) + field(11, _EXPLICIT))

    def track(self, uuid: int, parent: int, name: str, *, counter: bool) -> None:
        """Describe a track in a group."""
        kind = field(8, b"") if counter else b""
        self._define(60, field(1, uuid) + field(2, name) + field(5, parent) + kind + field(12, uuid))

    def slice(self, track: i64, what: NumberedActivity, start: i64, end: i64, frames: list[int]) -> None:
        """A slice for frames, with its consecutive parts inside."""
        events = self._events
        if not events.ps:
            self._describe_durations()
        if frames and not events.frame:
            self._describe_frames()
        events.begin(track, start, what.number, end - start, frames)
        for part in what.parts or self._parts_of(what):
            events.begin(track, start, part.number, part.ps, NO_FRAMES)
            start += part.ps
            events.end(track, start)
        events.end(track, end)
        if len(self._out) > _BYTES_AT_ONCE:
            self.flush()

    def activity(self, activity: Activity) -> NumberedActivity:
        """An activity with the number of its name; its parts get theirs when they are written."""
        return NumberedActivity(self, activity, self._name(activity.name))

    def _parts_of(self, what: NumberedActivity) -> list[NumberedPart]:
        if what.activity.parts:
            what.parts = [NumberedPart(self._name(name), ps) for name, ps in what.activity.parts]
        return what.parts

    def journey(self, track: int, journey: Journey) -> None:
        """A slice for a completed journey, with its stages inside."""
        events, times, end = self._events, journey.times, journey.end
        self._describe_journeys()
        events.begin_journey(track, journey)
        if journey.names != self._stages:  # usually those of the last one
            self._stages, self._stage_numbers = journey.names, [self._name(name) for name in journey.names]
        numbers = self._stage_numbers
        start, last = times[0], len(times) - 1
        for place, number in enumerate(numbers):
            over = end if place == last else times[place + 1]
            events.begin(track, start, number, over - start, NO_FRAMES)
            events.end(track, over)
            start = over
        events.end(track, end)

    def instant(self, track: int, time: int, name: str, frames: list[int]) -> None:
        """Something happens to frames."""
        self._describe_frames()
        self._events.instant(track, time, self._name(name), frames)

    def count(self, track: int, time: int, value: int) -> None:
        """A counter has a new value."""
        self._events.count(track, time, value)

    def flush(self) -> None:
        """Write everything that is left."""
        self._file.write(self._out.getvalue())
        self._out.truncate(0)

    # --- names -------------------------------------------------------------------------------------------------------

    def _define(self, number: int, what: bytes) -> None:
        """A packet of one field, which later packets refer to."""
        packet = (_SEQUENCE, field(number, what), _NEEDS) if number < 13 else (_SEQUENCE, _NEEDS, field(number, what))
        self._out.write(field(1, b"".join(packet)))

    def _name(self, name: str) -> int:
        """The number of an event's name."""
        return self._names.get(name) or self._new(2, self._names, name)

    def _note(self, name: str) -> int:
        """The number of an annotation's name."""
        return self._notes.get(name) or self._new(3, self._notes, name)

    def _new(self, where: int, known: dict[str, int], name: str) -> int:
        known[name] = number = len(known) + 1
        self._define(12, field(where, field(1, number) + field(2, name)))
        return number

    def _describe_durations(self) -> None:
        if not self._events.ps:
            self._events.ps = self._note("ps")

    def _describe_frames(self) -> None:
        if not self._events.frame:
            self._events.frame = self._note("frame")

    def _describe_journeys(self) -> None:
        events = self._events
        if not events.ended:
            self._describe_durations()
            self._describe_frames()
            events.size, events.port, events.ended = self._note("bytes"), self._note("for"), self._note("ended")
