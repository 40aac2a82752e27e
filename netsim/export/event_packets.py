"""Packets of Perfetto's track events, byte by byte: a trace has dozens for each frame of a run.

The length of a message precedes it, so it is counted first. Short values are written several bytes at once, the first
one in the lowest place: keys and lengths of one byte, and the moment (ns) if it has four bytes or five.
"""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter, write_i16_le, write_i32_le, write_i64_le
from mypy_extensions import i16, i32, i64, u8

from netsim.watch.journeys import Journey

_PS_PER_NS: Final = 1000
_BEGIN: Final = 1  # TrackEvent.Type
_INSTANT: Final = 3
_COUNTER: Final = 4

# Keys, and fields of two bytes with their values.
_PACKET: Final = 1 << 3 | 2  # in the file
_TIME: Final = 8 << 3  # in a packet
_SEQUENCE: Final = 10 << 3 | 1 << 8  # trusted_packet_sequence_id
_EVENT: Final = 11 << 3 | 2  # track_event
_NEEDS: Final = 13 << 3 | 2 << 8  # sequence_flags: needs the state before
_AROUND: Final = 1 + 2 + 1 + 2  # bytes of a packet beside its time, its event, and the length of that
_NOTE: Final = 4 << 3 | 2  # in an event: debug_annotations
_TYPE: Final = 9 << 3
_NAME: Final = 10 << 3  # interned
_TRACK: Final = 11 << 3
_OWN_NAME: Final = 0x01BA  # field 23
_VALUE: Final = 0x01F0  # field 30
_FLOW: Final = 0x02F9  # field 47
_NOTE_NAME: Final = 1 << 3  # in an annotation
_NOTE_NUMBER: Final = 4 << 3
_NOTE_TEXT: Final = 6 << 3 | 2

_IS_END: Final = _TYPE | 2 << 8 | _TRACK << 16
_IS_NAMED: Final = _TYPE | _NAME << 16 | _TRACK << 32 | _NEEDS << 48  # between: the type, the name, and the track
_EVENT_BEHIND: Final = _SEQUENCE >> 8 | _EVENT << 8  # behind the first byte of the sequence


class EventPackets:
    """Writes packets into `out`. Times are in ps, and rounded down to ns; names and tracks go by their numbers."""

    def __init__(self, out: BytesWriter) -> None:
        self._out = out
        # The numbers of annotations, fewer than 128; 0: it is not described yet.
        self.ps: i64 = 0
        self.frame: i64 = 0
        self.size: i64 = 0
        self.port: i64 = 0
        self.ended: i64 = 0

    def begin(self, track: i64, time: i64, name: i64, ps: i64, frames: list[int]) -> None:
        """A slice begins that lasts for `ps`, and is about some frames."""
        nbytes = _note_size(ps) + 4 + _size(name) + _size(track)
        if frames:
            nbytes += _about_size(frames)
        self._open(time, nbytes)
        self._note(self.ps, ps)
        if frames:
            self._about(frames)
        self._named(_BEGIN, track, name, frames)

    def begin_journey(self, track: i64, journey: Journey) -> None:
        """A slice begins under a name of which there is only this one, with annotations."""
        out, start = self._out, journey.times[0]
        port, how = journey.port.encode(), (journey.how or "under way").encode()
        name, ps = f"frame {journey.frame}".encode(), journey.end - start
        numbers = _note_size(ps) + _note_size(journey.frame) + _note_size(journey.size)
        texts = _text_size(port) + _text_size(how)
        self._open(start, numbers + texts + 3 + _size(track) + 2 + _size(len(name)) + len(name))
        self._note(self.ps, ps)
        self._note(self.frame, journey.frame)
        self._note(self.size, journey.size)
        self._text(self.port, port)
        self._text(self.ended, how)
        write_i16_le(out, i16(_TYPE | _BEGIN << 8))
        out.append(_TRACK)
        self._put(track)
        write_i16_le(out, _OWN_NAME)
        self._put(len(name))
        out.write(name)
        write_i16_le(out, _NEEDS)

    def end(self, track: i64, time: i64) -> None:
        """The last slice that has begun, and not ended, ends."""
        out = self._out
        self._open(time, 3 + _size(track))
        if track < 128:
            write_i32_le(out, i32(_IS_END | track << 24))
        else:
            write_i16_le(out, i16(_IS_END & 0xFFFF))
            out.append(_TRACK)
            self._put(track)
        write_i16_le(out, _NEEDS)

    def instant(self, track: i64, time: i64, name: i64, frames: list[int]) -> None:
        """Something happens, which is about some frames."""
        self._open(time, 4 + _size(name) + _size(track) + _about_size(frames))
        self._about(frames)
        self._named(_INSTANT, track, name, frames)

    def count(self, track: i64, time: i64, value: i64) -> None:
        """A counter has a new value."""
        out = self._out
        self._open(time, 3 + _size(track) + 2 + _size(value))
        write_i16_le(out, i16(_TYPE | _COUNTER << 8))
        out.append(_TRACK)
        self._put(track)
        write_i16_le(out, _VALUE)
        self._put(value)
        write_i16_le(out, _NEEDS)

    # --- fields ------------------------------------------------------------------------------------------------------

    def _open(self, time: i64, nbytes: i64) -> None:
        """A packet up to its event, which has that many bytes."""
        out, ns = self._out, time // _PS_PER_NS
        if nbytes < 112 and 1 << 21 <= ns < 1 << 28:
            start = _PACKET | (_AROUND + 5 + nbytes) << 8 | _TIME << 16
            write_i64_le(out, start | _four(ns) << 24 | (_SEQUENCE & 0xFF) << 56)
            write_i16_le(out, i16(_EVENT_BEHIND))
            out.append(u8(nbytes))
        elif nbytes < 112 and 1 << 28 <= ns < 1 << 35:
            start = _PACKET | (_AROUND + 6 + nbytes) << 8 | _TIME << 16
            write_i64_le(out, start | (ns & 127 | 128) << 24 | _four(ns >> 7) << 32)
            write_i32_le(out, i32(_SEQUENCE | _EVENT << 16 | nbytes << 24))
        else:
            out.append(_PACKET)
            self._put(_size(ns) + _AROUND + _size(nbytes) + nbytes)
            out.append(_TIME)
            self._put(ns)
            write_i16_le(out, _SEQUENCE)
            out.append(_EVENT)
            self._put(nbytes)

    def _named(self, kind: i64, track: i64, name: i64, frames: list[int]) -> None:
        """The rest of an event with a name, behind its annotations."""
        out = self._out
        if name < 128 and track < 128 and not frames:
            write_i64_le(out, _IS_NAMED | kind << 8 | name << 24 | track << 40)
            return
        write_i16_le(out, i16(_TYPE | kind << 8))
        out.append(_NAME)
        self._put(name)
        out.append(_TRACK)
        self._put(track)
        for frame in frames:
            write_i16_le(out, _FLOW)
            write_i64_le(out, frame)
        write_i16_le(out, _NEEDS)

    def _about(self, frames: list[int]) -> None:
        for frame in frames:
            self._note(self.frame, frame)

    def _note(self, name: i64, value: i64) -> None:
        """A number's annotation."""
        write_i32_le(self._out, i32(_NOTE | (_note_size(value) - 2) << 8 | _NOTE_NAME << 16 | name << 24))
        self._out.append(_NOTE_NUMBER)
        self._put(value)

    def _text(self, name: i64, text: bytes) -> None:
        """A text's annotation."""
        out = self._out
        out.append(_NOTE)
        self._put(_inside(text))
        out.append(_NOTE_NAME)
        self._put(name)
        out.append(_NOTE_TEXT)
        self._put(len(text))
        out.write(text)

    def _put(self, number: i64) -> None:
        """A varint that is not negative."""
        out = self._out
        if number < 1 << 7:
            out.append(u8(number))
        elif number < 1 << 14:
            write_i16_le(out, i16(number & 127 | 128 | number >> 7 << 8))
        elif 1 << 21 <= number < 1 << 28:
            write_i32_le(out, i32(_four(number)))
        else:
            out.append(u8(number & 127 | 128))
            self._put(number >> 7)


def _size(number: i64) -> i64:
    """The bytes of a varint that is not negative."""
    if number < 1 << 14:
        return 1 if number < 1 << 7 else 2
    if number < 1 << 28:
        return 3 if number < 1 << 21 else 4
    return 4 + _size(number >> 28)


def _four(number: i64) -> i64:
    """A varint of four bytes, as one number."""
    low = number & 127 | (number >> 7 & 127) << 8 | (number >> 14 & 127) << 16
    return low | 0x808080 | number >> 21 << 24


def _note_size(value: i64) -> i64:
    return 5 + _size(value)


def _about_size(frames: list[int]) -> i64:
    """Annotations and flows."""
    nbytes: i64 = 0
    for frame in frames:
        nbytes += _note_size(frame) + 10
    return nbytes


def _inside(text: bytes) -> i64:
    """Of an annotation's message."""
    return 3 + _size(len(text)) + len(text)


def _text_size(text: bytes) -> i64:
    """Of an annotation."""
    inside = _inside(text)
    return 1 + _size(inside) + inside
