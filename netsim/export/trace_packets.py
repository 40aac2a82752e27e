"""Perfetto's packets as bytes: protobuf's wire format (https://protobuf.dev/programming-guides/encoding), fields in the
order of their numbers (protos/perfetto/trace/perfetto_trace.proto).

A trace has dozens of packets for each frame, so what recurs is kept as bytes: all of an event but its time, where it
names no frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import BinaryIO

_PS_PER_NS = 1000
_BYTES_AT_ONCE = 1 << 16
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4  # TrackEvent.Type
_EXPLICIT = 3  # TrackDescriptor.ChildTracksOrdering


@lru_cache(1 << 12)
def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number is one of 64 bits."""
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def field(number: int, value: int | str | bytes) -> bytes:
    """A field with its key."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


_SEQUENCE = field(10, 1)  # trusted_packet_sequence_id
_EVENT = _SEQUENCE + varint(11 << 3 | 2)  # track_event, ahead of its length
_CLEARED, _NEEDS = field(13, 1), field(13, 2)  # sequence_flags
FIRST = field(1, _SEQUENCE + _CLEARED + field(87, 1))  # the first packet of the sequence, and of a file


@lru_cache(1 << 10)
def _stamp(time: int) -> bytes:
    """A time (ps), rounded down to ns."""
    ns = time // _PS_PER_NS
    if ns < 1 << 14:
        return varint(ns)
    return bytes((ns & 127 | 128, ns >> 7 & 127 | 128)) + varint(ns >> 14)  # that has rarely changed


def _around(stamp: int, event: bytes) -> tuple[bytes, bytes]:
    """What a packet has ahead of its time, which takes `stamp` bytes, and behind it."""
    behind = b"%b%b%b%b" % (_EVENT, varint(len(event)), event, _NEEDS)
    return _ahead(stamp + len(behind)), behind


@lru_cache(1 << 10)
def _ahead(length: int) -> bytes:
    """Of the time; `length`: of that, and of all behind it."""
    return b"\x0a" + varint(length + 1) + b"\x40"


@lru_cache(1 << 15)
def _begun(track: int, name: int, ps: int, duration: int, stamp: int) -> tuple[bytes, bytes]:
    """Around the time at which a slice begins that lasts `duration`, which is annotated as `ps`."""
    return _around(stamp, _note(ps, duration) + field(9, _BEGIN) + field(10, name) + field(11, track))


@lru_cache(1 << 12)
def _ended(track: int, stamp: int) -> tuple[bytes, bytes]:
    return _around(stamp, field(9, _END) + field(11, track))


def _note(name: int, value: int | str) -> bytes:
    return field(4, field(1, name) + field(4 if isinstance(value, int) else 6, value))


@lru_cache(1 << 12)
def _number(name: int, number: int) -> bytes:
    """An annotation that several events have."""
    return _note(name, number)


@lru_cache(1 << 12)
def _named(kind: int, name: int, track: int) -> bytes:
    return field(9, kind) + field(10, name) + field(11, track)


@lru_cache(1 << 12)
def _flow(frame: int) -> bytes:
    return b"\xf9\x02" + frame.to_bytes(8, "little")  # field 47, fixed64


class TracePackets:
    """Writes packets to `file`, many at once. Tracks and groups go by their uuids; names are interned."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer = bytearray(FIRST)
        self._names: dict[str, int] = {}  # of events
        self._notes: dict[str, int] = {}  # of annotations

    def group(self, uuid: int, name: str) -> None:
        """Describe a group of tracks, shown as a process."""
        process = field(1, uuid) + field(3, uuid) + field(6, name)
        self._define(60, field(1, uuid) + field(3, process) + field(11, _EXPLICIT))

    def track(self, uuid: int, parent: int, name: str, *, counter: bool) -> None:
        """Describe a track in a group."""
        kind = field(8, b"") if counter else b""
        self._define(60, field(1, uuid) + field(2, name) + field(5, parent) + kind + field(12, uuid))

    def begin(self, track: int, time: int, name: str, duration: int, frames: Sequence[int] = ()) -> None:
        """A slice begins, which is about frames."""
        stamp = _stamp(time)
        number, ps = self._name(name), self._note("ps")
        if frames:
            notes, flows = self._about(frames)
            ahead, behind = _around(len(stamp), _number(ps, duration) + notes + _named(_BEGIN, number, track) + flows)
        else:
            ahead, behind = _begun(track, number, ps, duration, len(stamp))
        self._buffer += ahead + stamp + behind

    def end(self, track: int, time: int, parts: Iterable[tuple[str, int, int]]) -> None:
        """The slice ends, and has these slices in it: names, from when, until when (ps)."""
        packets: list[bytes] = []
        ps = self._note("ps")
        for name, start, over in parts:
            from_, until = _stamp(start), _stamp(over)
            ahead, behind = _begun(track, self._name(name), ps, over - start, len(from_))
            before, after = _ended(track, len(until))
            packets += ahead, from_, behind, before, until, after
        stamp = _stamp(time)
        before, after = _ended(track, len(stamp))
        packets += before, stamp, after
        self._buffer += b"".join(packets)
        if len(self._buffer) > _BYTES_AT_ONCE:
            self.flush()

    def begin_alone(self, track: int, time: int, name: str, notes: Mapping[str, int | str]) -> None:
        """A slice begins under a name of which there is only this one, with annotations."""
        about = b"".join([_note(self._note(key), value) for key, value in notes.items()])
        self._event(time, about + field(9, _BEGIN) + field(11, track) + field(23, name))

    def instant(self, track: int, time: int, name: str, frames: Sequence[int]) -> None:
        """Something happens, which is about frames."""
        notes, flows = self._about(frames)
        self._event(time, notes + _named(_INSTANT, self._name(name), track) + flows)

    def count(self, track: int, time: int, value: int) -> None:
        """A counter has a new value."""
        self._event(time, field(9, _COUNTER) + field(11, track) + field(30, value))

    def flush(self) -> None:
        """Write what is left."""
        self._file.write(self._buffer)
        self._buffer = bytearray()

    def _event(self, time: int, event: bytes) -> None:
        stamp = _stamp(time)
        ahead, behind = _around(len(stamp), event)
        self._buffer += ahead + stamp + behind

    def _define(self, number: int, what: bytes) -> None:
        """A packet of one field, for packets behind it to refer to."""
        packet = (_SEQUENCE, field(number, what), _NEEDS) if number < 13 else (_SEQUENCE, _NEEDS, field(number, what))
        self._buffer += field(1, b"".join(packet))

    def _about(self, frames: Sequence[int]) -> tuple[bytes, bytes]:
        """Annotations and flows."""
        note = self._note("frame")
        if len(frames) == 1:
            return _number(note, frames[0]), _flow(frames[0])
        return b"".join([_number(note, frame) for frame in frames]), b"".join(map(_flow, frames))

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
