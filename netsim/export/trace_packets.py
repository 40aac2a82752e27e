"""Perfetto's packets as bytes, fields in the order of their numbers (protos/perfetto/trace/perfetto_trace.proto).

A trace has dozens of packets for each frame, so those of events are written byte by byte. The length of a message
stands in front of it, so it is counted first.
"""

from __future__ import annotations

from typing import BinaryIO, Final

from librt.strings import BytesWriter, write_i16_le, write_i32_le, write_i64_le
from mypy_extensions import i64

from netsim.export.protobuf import field, put, size, varint
from netsim.watch.journeys import Journey
from netsim.watch.watcher import NOBODY, Parts

_PS_PER_NS: Final = 1000
_BYTES_AT_ONCE: Final = 1 << 16
_BEGIN: Final = 1  # TrackEvent.Type
_INSTANT: Final = 3
_COUNTER: Final = 4
_EXPLICIT: Final = 3  # TrackDescriptor.ChildTracksOrdering

_SEQUENCE: Final = field(10, 1)  # trusted_packet_sequence_id
_CLEARED: Final = field(13, 1)  # sequence_flags
_NEEDS: Final = field(13, 2)
FIRST: Final = field(1, _SEQUENCE + _CLEARED + field(87, 1))  # the first packet of the sequence, and of a file
_AROUND: Final = 1 + 3 + 2  # bytes of a packet beside its time, its event, and the length of that
_PACKET: Final = 1 << 3 | 2  # keys: in the file
_TIME: Final = 8 << 3  # in a packet
_EVENT: Final = 11 << 3 | 2  # track_event
# Short fields are written two or four bytes at once: _SEQUENCE, _NEEDS, and an event's type.
_SAME_SEQUENCE: Final = 10 << 3 | 1 << 8
_NEEDS_STATE: Final = 13 << 3 | 2 << 8
_IS_BEGIN: Final = 9 << 3 | 1 << 8
_IS_END: Final = 9 << 3 | 2 << 8
_OWN_NAME: Final = 0x01BA  # the key of field 23
_NOTE: Final = 4 << 3 | 2  # in an event: debug_annotations
_TYPE: Final = 9 << 3
_NAME: Final = 10 << 3  # interned
_TRACK: Final = 11 << 3
_VALUE: Final = varint(30 << 3)
_FLOW: Final = varint(47 << 3 | 1)
_FLOW_SIZE: Final = len(_FLOW) + 8
_NOTE_NAME: Final = 1 << 3  # in an annotation
_NOTE_NUMBER: Final = 4 << 3
_NOTE_TEXT: Final = 6 << 3 | 2


class TracePackets:
    """Writes packets to `file`, many at once. Tracks and groups go by their uuids; names are interned. Times are in ps,
    and rounded down to ns."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._out = BytesWriter()
        self._out.write(FIRST)
        self._names: dict[str, int] = {}  # of events
        self._notes: dict[str, int] = {}  # of annotations: fewer than 128
        self._ps = self._frame = 0  # the numbers of two of these; 0: not described yet

    def group(self, uuid: int, name: str) -> None:
        """Describe a group of tracks, shown as a process."""
        process = field(1, uuid) + field(3, uuid) + field(6, name)
        self._define(60, field(1, uuid) + field(3, process) + field(11, _EXPLICIT))

    def track(self, uuid: int, parent: int, name: str, *, counter: bool) -> None:
        """Describe a track in a group."""
        kind = field(8, b"") if counter else b""
        self._define(60, field(1, uuid) + field(2, name) + field(5, parent) + kind + field(12, uuid))

    def slice(self, track: int, name: str, start: int, end: int, frames: list[int], parts: Parts) -> None:
        """A slice which is about frames, with its parts in it, one behind the other."""
        number, at, place = self._name(name), start, 0
        self._ps = self._ps or self._note("ps")
        self._begin(track, start, number, end - start, frames)
        if parts:
            numbers = [self._name(part) for part, _ in parts]
            for _, ps in parts:
                self._begin(track, at, numbers[place], ps, NOBODY)
                at += ps
                self._end(track, at)
                place += 1
        self._end(track, end)
        if len(self._out) > _BYTES_AT_ONCE:
            self.flush()

    def journey(self, track: int, journey: Journey) -> None:
        """A slice for a journey that is over, with its stages in it."""
        names, times, end = journey.names, journey.times, journey.end
        self._begin_journey(track, journey)
        numbers = [self._name(name) for name in names]
        last = len(times) - 1
        for place, start in enumerate(times):
            over = end if place == last else times[place + 1]
            self._begin(track, start, numbers[place], over - start, NOBODY)
            self._end(track, over)
        self._end(track, end)

    def instant(self, track: int, time: int, name: str, frames: list[int]) -> None:
        """Something happens, which is about frames."""
        self._frame = self._frame or self._note("frame")
        number = self._name(name)
        self._open(time, _named_size(track, number) + _about_size(frames))
        self._put_about(frames)
        self._put_named(_INSTANT, track, number)
        self._put_flows(frames)
        self._out.write(_NEEDS)

    def count(self, track: int, time: int, value: int) -> None:
        """A counter has a new value."""
        out = self._out
        self._open(time, 3 + size(track) + len(_VALUE) + size(value))
        out.append(_TYPE)
        out.append(_COUNTER)
        out.append(_TRACK)
        put(out, track)
        out.write(_VALUE)
        put(out, value)
        out.write(_NEEDS)

    def flush(self) -> None:
        """Write what is left."""
        self._file.write(self._out.getvalue())
        self._out.truncate(0)

    # --- events ------------------------------------------------------------------------------------------------------

    def _open(self, time: i64, nbytes: i64) -> None:
        """A packet up to its event, which has that many bytes."""
        out, ns = self._out, time // _PS_PER_NS
        length = size(ns) + _AROUND + size(nbytes) + nbytes
        if length < 128:
            start: int = _PACKET | length << 8
            write_i16_le(out, start)
        else:
            out.append(_PACKET)
            put(out, length)
        out.append(_TIME)
        put(out, ns)
        write_i16_le(out, _SAME_SEQUENCE)
        out.append(_EVENT)
        put(out, nbytes)

    def _begin(self, track: i64, time: i64, name: i64, ps: i64, frames: list[int]) -> None:
        """A slice begins that lasts for `ps`."""
        nbytes = _note_size(ps) + _named_size(track, name)
        if frames:
            self._frame = self._frame or self._note("frame")
            nbytes += _about_size(frames)
        self._open(time, nbytes)
        self._put_note(self._ps, ps)
        if frames:
            self._put_about(frames)
        self._put_named(_BEGIN, track, name)
        if frames:
            self._put_flows(frames)
        write_i16_le(self._out, _NEEDS_STATE)

    def _end(self, track: i64, time: i64) -> None:
        """The last slice that has begun, and not ended, ends."""
        out = self._out
        self._open(time, 3 + size(track))
        write_i16_le(out, _IS_END)
        self._put_track(track)
        write_i16_le(out, _NEEDS_STATE)

    def _put_track(self, track: i64) -> None:
        if track < 128:
            both: int = _TRACK | track << 8
            write_i16_le(self._out, both)
        else:
            self._out.append(_TRACK)
            put(self._out, track)

    def _begin_journey(self, track: i64, journey: Journey) -> None:
        """A slice begins under a name of which there is only this one, with annotations."""
        out, start = self._out, journey.times[0]
        self._ps = self._ps or self._note("ps")
        self._frame = self._frame or self._note("frame")
        nbytes, port, ended = self._note("bytes"), self._note("for"), self._note("ended")
        receiver, how = journey.port.encode(), (journey.how or "under way").encode()
        name, ps = f"frame {journey.frame}".encode(), journey.end - start
        numbers = _note_size(ps) + _note_size(journey.frame) + _note_size(journey.size)
        texts = _text_size(receiver) + _text_size(how)
        self._open(start, numbers + texts + 3 + size(track) + 2 + size(len(name)) + len(name))
        self._put_note(self._ps, ps)
        self._put_note(self._frame, journey.frame)
        self._put_note(nbytes, journey.size)
        self._put_text(port, receiver)
        self._put_text(ended, how)
        write_i16_le(out, _IS_BEGIN)
        self._put_track(track)
        write_i16_le(out, _OWN_NAME)
        put(out, len(name))
        out.write(name)
        write_i16_le(out, _NEEDS_STATE)

    def _put_named(self, kind: i64, track: i64, name: i64) -> None:
        out = self._out
        if name < 128:
            fields: int = _TYPE | kind << 8 | _NAME << 16 | name << 24
            write_i32_le(out, fields)
        else:
            out.append(_TYPE)
            put(out, kind)
            out.append(_NAME)
            put(out, name)
        self._put_track(track)

    def _put_note(self, name: i64, value: i64) -> None:
        """A number's annotation, which is shorter than 128 bytes."""
        out = self._out
        start: int = _NOTE | (_note_size(value) - 2) << 8 | _NOTE_NAME << 16 | name << 24
        write_i32_le(out, start)
        out.append(_NOTE_NUMBER)
        put(out, value)

    def _put_text(self, name: i64, text: bytes) -> None:
        """A text's annotation."""
        out = self._out
        out.append(_NOTE)
        put(out, 3 + size(len(text)) + len(text))
        out.append(_NOTE_NAME)
        put(out, name)
        out.append(_NOTE_TEXT)
        put(out, len(text))
        out.write(text)

    def _put_about(self, frames: list[int]) -> None:
        for frame in frames:
            self._put_note(self._frame, frame)

    def _put_flows(self, frames: list[int]) -> None:
        for frame in frames:
            self._out.write(_FLOW)
            write_i64_le(self._out, frame)

    # --- names -------------------------------------------------------------------------------------------------------

    def _define(self, number: int, what: bytes) -> None:
        """A packet of one field, for packets behind it to refer to."""
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


def _named_size(track: i64, name: i64) -> i64:
    return 4 + size(track) + size(name)


def _note_size(value: i64) -> i64:
    return 5 + size(value)


def _about_size(frames: list[int]) -> i64:
    """Annotations and flows."""
    nbytes: i64 = 0
    for frame in frames:
        nbytes += _note_size(frame) + _FLOW_SIZE
    return nbytes


def _text_size(text: bytes) -> i64:
    """Of an annotation."""
    inside = 3 + size(len(text)) + len(text)
    return 1 + size(inside) + inside
