"""Events as bytes: Perfetto's own classes read them, and write the same bytes."""

from typing import NamedTuple

import pytest
from librt.strings import BytesWriter
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from netsim.export.event_packets import EventPackets

# First and last value of each number of bytes; a time in ns.
VALUES = [0, 1, *(one for power in (7, 14, 21, 28, 35, 42) for one in (2**power - 1, 2**power))]
PS, FRAME = 1, 127  # annotations


class Read(NamedTuple):
    time: int
    kind: int
    track: int
    name: int
    notes: list[tuple[int, int]]
    flows: list[int]


def read(what, *arguments):
    out = BytesWriter()
    events = EventPackets(out)
    events.ps, events.frame = PS, FRAME
    getattr(events, what)(*arguments)
    data = out.getvalue()
    trace = Trace.FromString(data)
    assert trace.SerializeToString() == data  # fields in order, without superfluous bytes
    (packet,) = trace.packet
    event = packet.track_event
    notes = [(note.name_iid, note.uint_value or note.int_value) for note in event.debug_annotations]
    return Read(packet.timestamp, event.type, event.track_uuid, event.name_iid, notes, list(event.flow_ids))


@pytest.mark.parametrize("value", VALUES)
def test_numbers_of_any_length(value):
    time = 2**22 if value > 2**28 else value  # a large value has a smaller time
    for track, name, frames in ((1, 2, []), (127, 128, [1]), (value, value, [value, 1]), (3, 4, [*range(1, 30)])):
        about = [(FRAME, frame) for frame in frames]
        begun = Read(time, TrackEvent.TYPE_SLICE_BEGIN, track, name, [(PS, value), *about], frames)
        assert read("begin", track, time * 1000, name, value, frames) == begun
        there = Read(value, TrackEvent.TYPE_INSTANT, track, name, about, frames)
        assert read("instant", track, value * 1000 + 999, name, frames) == there
        assert read("end", track, value * 1000).time == value
        assert read("count", track, value * 1000, value).track == track
