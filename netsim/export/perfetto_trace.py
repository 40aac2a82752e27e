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

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from netsim.errors import ScenarioError
from netsim.export.whole_file import Kind, check_place, whole_file
from netsim.watch.journeys import Journey, Journeys
from netsim.watch.track import Track
from netsim.watch.watching import Observer, Piece

_PS_PER_NS = 1000
_PACKETS_AT_ONCE = 2048
_SEQUENCE = 1
_CLEARED, _NEEDS = 1, 2  # TracePacket.SequenceFlags
FRAMES = "frames"
TRACE = Kind("a trace", rb"\x0a\x07\x50\x01\x68\x01\xb8\x05\x01")  # how PerfettoTrace begins


def _protos() -> Any:
    """Perfetto's. Raises ScenarioError where they are not installed."""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ModuleNotFoundError:
        text = "needs the perfetto package: pip install perfetto"
        raise ScenarioError(text, address="perfetto") from None
    return perfetto_trace_pb2


@contextmanager
def perfetto_trace(path: str | Path, *, force: bool = False) -> Iterator[PerfettoTrace]:
    """An Observer that writes a trace to `path`, which is there at the end, unless an exception ends the `with`
    statement. A file that is no trace of netsim's keeps its place without `force`. Raises ScenarioError for that, and
    where perfetto is not installed."""
    check_place(Path(path), "path", TRACE, force=force)
    with whole_file(Path(path)) as unfinished, open(unfinished, "wb") as file:
        trace = PerfettoTrace(file)
        yield trace
        trace.finish()


class PerfettoTrace(Observer):
    """Writes to `file` what it is told; `finish` it in the end. Raises ScenarioError where perfetto isn't installed."""

    def __init__(self, file: BinaryIO) -> None:
        self.spans = self.frames = 0  # written so far; frames, those whose journeys are over among them
        self._file = file
        self._protos = protos = _protos()
        self._trace = protos.Trace()
        self._waiting = 0  # packets in it
        self._tracks: dict[str, int] = {}  # uuids by name, of groups as well
        self._names: dict[str, int] = {}  # of events: interned
        self._notes: dict[str, int] = {}  # names of annotations: interned
        self._journeys = Journeys()
        self._lanes: list[int] = []  # when the last frame of each was over (ps)
        self._last = 0  # the latest time so far (ps)
        event = protos.TrackEvent
        self._begin, self._end = event.TYPE_SLICE_BEGIN, event.TYPE_SLICE_END
        self._instant, self._counter = event.TYPE_INSTANT, event.TYPE_COUNTER
        packet = self._packet()
        packet.sequence_flags, packet.first_packet_on_sequence = _CLEARED, True

    # --- what is told ------------------------------------------------------------------------------------------------

    def spent(
        self, track: Track, name: str, start: int, end: int, frames: Sequence[int] = (), parts: Sequence[Piece] = ()
    ) -> None:
        uuid = self._track(track, track.group)
        self._about(self._slice(uuid, start, end, name), frames)
        self._end_slice(uuid, end, parts)

    def happened(self, track: Track, name: str, time: int, frames: Sequence[int] = ()) -> None:
        self._about(self._event(self._instant, self._track(track, track.group), time, name), frames)

    def counted(self, track: Track, value: int, time: int) -> None:
        packet = self._event(self._counter, self._track(track, track.group, counter=True), time)
        packet.track_event.counter_value = value

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
        self._flush()

    # --- frames ------------------------------------------------------------------------------------------------------

    def _write(self, journey: Journey) -> None:
        stages = journey.stages()
        if not stages:
            return
        self.frames += 1
        start, end = stages[0][1], stages[-1][2]
        track = self._track(f"lane {self._lane(start, end)}", FRAMES)
        packet = self._slice(track, start, end)
        packet.track_event.name = f"frame {journey.frame}"  # not interned: there is one of each
        self._note(packet, "frame", journey.frame)
        self._note(packet, "bytes", journey.size)
        self._note(packet, "for", journey.port)
        self._note(packet, "ended", journey.how or "under way")
        self._end_slice(track, end, stages)

    def _lane(self, start: int, end: int) -> int:
        """The number of a lane that is free from `start` on; of several the one that has been for the least time."""
        lanes = self._lanes
        free = [(over, number) for number, over in enumerate(lanes) if over <= start]
        number = max(free)[1] if free else len(lanes)
        if not free:
            lanes.append(0)
        lanes[number] = end
        return number + 1

    # --- slices ------------------------------------------------------------------------------------------------------

    def _slice(self, track: int, start: int, end: int, name: str = "") -> Any:
        """The packet that begins a slice, which `_end_slice` has to end."""
        self.spans += 1
        packet = self._event(self._begin, track, start, name)
        self._note(packet, "ps", end - start)
        return packet

    def _end_slice(self, track: int, end: int, parts: Sequence[Piece]) -> None:
        """What is inside a slice, and its end."""
        for name, begin, over in parts:
            self._slice(track, begin, over, name)
            self._event(self._end, track, over)
        self._event(self._end, track, end)
        self._last = max(self._last, end)

    def _about(self, packet: Any, frames: Sequence[int]) -> None:
        packet.track_event.flow_ids.extend(frames)
        for frame in frames:
            self._note(packet, "frame", frame)

    # --- packets -----------------------------------------------------------------------------------------------------

    def _event(self, kind: int, track: int, time: int, name: str = "") -> Any:
        packet = self._packet()
        packet.timestamp = time // _PS_PER_NS
        event = packet.track_event
        event.type, event.track_uuid = kind, track
        if name:
            event.name_iid = self._interned(packet, self._names, "event_names", name)
        return packet

    def _note(self, packet: Any, name: str, value: int | str) -> None:
        note = packet.track_event.debug_annotations.add()
        note.name_iid = self._interned(packet, self._notes, "debug_annotation_names", name)
        if isinstance(value, int):
            note.int_value = value
        else:
            note.string_value = value

    def _interned(self, packet: Any, known: dict[str, int], where: str, name: str) -> int:
        """The number of a name, which is written when it is first used, in the same packet."""
        number = known.get(name)
        if number is None:
            known[name] = number = len(known) + 1
            entry = getattr(packet.interned_data, where).add()
            entry.iid, entry.name = number, name
        return number

    def _track(self, name: str, group: str, *, counter: bool = False) -> int:
        """The track's uuid; it is described when it is first used."""
        uuid = self._tracks.get(name)
        if uuid is None:
            parent = self._group(group)
            uuid = self._tracks[name] = len(self._tracks) + 1
            track = self._packet().track_descriptor
            track.uuid, track.parent_uuid, track.name, track.sibling_order_rank = uuid, parent, name, uuid
            if counter:
                track.counter.SetInParent()
        return uuid

    def _group(self, name: str) -> int:
        """The uuid of a group, shown as a process: of a host, of all wires, or of all frames."""
        uuid = self._tracks.get(f"group {name}")
        if uuid is None:
            uuid = self._tracks[f"group {name}"] = len(self._tracks) + 1
            track = self._packet().track_descriptor
            track.uuid, track.child_ordering = uuid, track.EXPLICIT
            track.process.pid, track.process.process_name, track.process.legacy_sort_index = uuid, name, uuid
        return uuid

    def _packet(self) -> Any:
        if self._waiting == _PACKETS_AT_ONCE:
            self._flush()
        self._waiting += 1
        packet = self._trace.packet.add()
        packet.trusted_packet_sequence_id, packet.sequence_flags = _SEQUENCE, _NEEDS
        return packet

    def _flush(self) -> None:
        self._file.write(self._trace.SerializeToString())
        self._trace = self._protos.Trace()
        self._waiting = 0
