"""Reads a Perfetto trace back, using its protos alone: in order of time, as Perfetto's own reader does, and in file
order where times are equal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


@dataclass
class Slice:
    """Times in ns; `notes` are its annotations, possibly several per name; `depth` is 0 for a slice in no other."""

    name: str
    start: int
    notes: dict[str, list]
    flows: list[int]
    depth: int
    end: int | None = None


@dataclass
class Track:
    name: str
    group: str
    slices: list[Slice] = field(default_factory=list)
    instants: list[tuple[str, int, list[int]]] = field(default_factory=list)  # name, time, flows
    values: list[tuple[int, int]] = field(default_factory=list)  # time, value


def read(path):
    """The tracks by name; checks that the slices nest."""
    packets = Trace.FromString(path.read_bytes()).packet
    groups, tracks, by_uuid = {}, {}, {}
    names, notes = {}, {}
    events = []
    assert packets[0].sequence_flags == 1
    for number, packet in enumerate(packets):
        for known, entries in (
            (names, packet.interned_data.event_names), (notes, packet.interned_data.debug_annotation_names)
        ):  # fmt: skip
            for entry in entries:
                assert entry.iid not in known
                known[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            one = packet.track_descriptor
            if one.HasField("process"):
                groups[one.uuid] = one.process.process_name
            else:
                assert one.name not in tracks
                tracks[one.name] = by_uuid[one.uuid] = Track(one.name, groups[one.parent_uuid])
        elif packet.HasField("track_event"):
            event = packet.track_event
            about = defaultdict(list)
            for note in event.debug_annotations:
                value = note.string_value if note.HasField("string_value") else note.int_value
                about[notes[note.name_iid]].append(value)
            name = names[event.name_iid] if event.name_iid else event.name
            track = by_uuid[event.track_uuid]  # must be described already
            events.append((packet.timestamp, number, event.type, track, name, dict(about), list(event.flow_ids),
                           event.counter_value))  # fmt: skip
    stacks = defaultdict(list)
    for time, _, kind, track, name, about, flows, value in sorted(events, key=lambda event: event[:2]):
        stack = stacks[track.name]
        if kind == TrackEvent.TYPE_SLICE_BEGIN:
            stack.append(Slice(name, time, about, flows, len(stack)))
            track.slices.append(stack[-1])
        elif kind == TrackEvent.TYPE_SLICE_END:
            stack.pop().end = time
        elif kind == TrackEvent.TYPE_INSTANT:
            track.instants.append((name, time, flows))
        else:
            assert kind == TrackEvent.TYPE_COUNTER
            track.values.append((time, value))
    assert not any(stacks.values()), "slices without an end"
    return tracks
