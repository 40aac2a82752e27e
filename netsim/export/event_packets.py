"""Packets of Perfetto's track events, byte by byte: a trace has dozens for each frame of a run.

The length of a message precedes it and is therefore counted first. Short values are written several bytes at once, the
first one in the lowest place: keys and lengths of one byte, and the time (ns) if it has four or five bytes.
"""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter, write_i16_le, write_i32_le, write_i64_le
from mypy_extensions import i16, i32, i64, u8

from netsim.watch.journeys import Journey

_PS_PER_NS: Final = 1000
_BEGIN: Final = 1  # TrackEvent.Type
_END: Final = 2
_INSTANT: Final = 3
_COUNTER: Final = 4

# Keys, and fields of two bytes with their values.
_PACKET: Final = 1 << 3 | 2  # in the file
_TIME: Final = 8 << 3  # in a packet
_SEQUENCE: Final = 10 << 3 | 1 << 8  # trusted_packet_sequence_id
_EVENT: Final = 11 << 3 | 2  # track_event
_NEEDS: Final = 13 << 3 | 2 << 8  # sequence_flags: needs the state before
_AROUND: Final = 1 + 2 + 1 + 2  # bytes of a packet besides its time, its event, and the length of that
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

_NUMBER_NOTE: Final = _NOTE | 3 << 8 | _NOTE_NAME << 16  # the number's bytes are added to its length; then: its name
_AROUND_NUMBER: Final = 5  # bytes of such an annotation besides the number
_OF_TRACK: Final = _TYPE | _TRACK << 16  # between: the type; after: the track
_NAMED: Final = _TYPE | _NAME << 16 | _TRACK << 32  # between: the type, the name, and the track
_EVENT_BEHIND: Final = _SEQUENCE >> 8 | _EVENT << 8  # after the first byte of the sequence


class EventPackets:
    """Writes packets into `out`. Times are in ps, rounded down to ns; names and tracks are given by number."""

    def __init__(self, out: BytesWriter) -> None:
        self._out = out
        # The numbers of annotations, fewer than 128; 0: not described yet.
        self.ps: i64 = 0
        self.frame: i64 = 0
        self.size: i64 = 0
        self.port: i64 = 0
        self.ended: i64 = 0
        self._time: i64 = -1  # of the last packet (ps): a part begins when the previous one ends
        self._ns_bytes: i64 = 0  # of this time
        self._start: i64 = 0  # the first eight bytes of a packet of this time, if the time has four or five

    def begin(self, track: i64, time: i64, name: i64, ps: i64, frames: list[int]) -> None:
        """A slice of `ps` begins, for some frames."""
        ps_bytes = _size(ps)
        nbytes = _AROUND_NUMBER + ps_bytes + _named_size(name, track)
        note = _NUMBER_NOTE + (ps_bytes << 8) | self.ps << 24 | _NOTE_NUMBER << 32
        if not frames:
            self._open_with(time, nbytes, note)
            self._put(ps)
            self._named(_BEGIN, track, name, _NEEDS)
        elif len(frames) == 1:  # the usual case
            frame: i64 = frames[0]
            self._open_with(time, nbytes + _AROUND_NUMBER + _size(frame) + 10, note)
            self._put(ps)
            self._note(self.frame, frame)
            self._named(_BEGIN, track, name, _FLOW)
            write_i64_le(self._out, frame)
            write_i16_le(self._out, _NEEDS)
        else:
            self._open_with(time, nbytes + _about_size(frames), note)
            self._put(ps)
            self._about(frames)
            self._named(_BEGIN, track, name, _FLOW)
            self._flows(frames)

    def begin_journey(self, track: i64, journey: Journey) -> None:
        """A slice with a unique name begins, with annotations."""
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
        self._of_track(_BEGIN, track)
        write_i16_le(out, _OWN_NAME)
        self._put(len(name))
        out.write(name)
        write_i16_le(out, _NEEDS)

    def end(self, track: i64, time: i64) -> None:
        """The latest open slice ends."""
        if track < 128:
            self._open_with(time, 4, _OF_TRACK | _END << 8 | track << 24 | (_NEEDS & 0xFF) << 32)
            self._out.append(_NEEDS >> 8)
            return
        self._open(time, 3 + _size(track))
        self._of_track(_END, track)
        write_i16_le(self._out, _NEEDS)

    def instant(self, track: i64, time: i64, name: i64, frames: list[int]) -> None:
        """Something happens to some frames."""
        nbytes = _named_size(name, track)
        if not frames:
            self._open(time, nbytes)
            self._named(_INSTANT, track, name, _NEEDS)
            return
        self._open(time, nbytes + _about_size(frames))
        self._about(frames)
        self._named(_INSTANT, track, name, _FLOW)
        self._flows(frames)

    def count(self, track: i64, time: i64, value: i64) -> None:
        """A counter has a new value."""
        self._open(time, 3 + _size(track) + 2 + _size(value))
        self._of_track(_COUNTER, track)
        write_i16_le(self._out, _VALUE)
        self._put(value)
        write_i16_le(self._out, _NEEDS)

    # --- fields ------------------------------------------------------------------------------------------------------

    def _open_with(self, time: i64, nbytes: i64, five: i64) -> None:
        """A packet up to the first five bytes of its event of `nbytes`."""
        if time != self._time:
            self._come_to(time)
        out = self._out
        if nbytes < 112 and self._ns_bytes == 4:
            write_i64_le(out, self._start + (nbytes << 8))
            write_i64_le(out, _EVENT_BEHIND | nbytes << 16 | five << 24)
        elif nbytes < 112 and self._ns_bytes == 5:
            write_i64_le(out, self._start + (nbytes << 8))
            write_i64_le(out, _SEQUENCE | _EVENT << 16 | nbytes << 24 | (five & 0xFFFFFFFF) << 32)
            out.append(u8(five >> 32))
        else:
            self._open(time, nbytes)
            write_i32_le(out, i32(five & 0xFFFFFFFF))
            out.append(u8(five >> 32))

    def _open(self, time: i64, nbytes: i64) -> None:
        """A packet up to its event."""
        if time != self._time:
            self._come_to(time)
        out = self._out
        if nbytes < 112 and 4 <= self._ns_bytes <= 5:
            write_i64_le(out, self._start + (nbytes << 8))
            if self._ns_bytes == 5:
                out.append(_SEQUENCE & 0xFF)
            write_i16_le(out, i16(_EVENT_BEHIND))
            out.append(u8(nbytes))
            return
        out.append(_PACKET)
        self._put(self._ns_bytes + _AROUND + _size(nbytes) + nbytes)
        out.append(_TIME)
        self._put(time // _PS_PER_NS)
        write_i16_le(out, _SEQUENCE)
        out.append(_EVENT)
        self._put(nbytes)

    def _come_to(self, time: i64) -> None:
        """Set the time of the following packets."""
        ns = time // _PS_PER_NS
        self._time = time
        if 1 << 21 <= ns < 1 << 28:
            self._ns_bytes = 4
            self._start = _PACKET | (_AROUND + 5) << 8 | _TIME << 16 | _four(ns) << 24 | (_SEQUENCE & 0xFF) << 56
        elif 1 << 28 <= ns < 1 << 35:
            self._ns_bytes = 5
            self._start = _PACKET | (_AROUND + 6) << 8 | _TIME << 16 | (ns & 127 | 128) << 24 | _four(ns >> 7) << 32
        else:
            self._ns_bytes = _size(ns)

    def _of_track(self, kind: i64, track: i64) -> None:
        """The kind of an event, and its track."""
        if track < 128:
            write_i32_le(self._out, i32(_OF_TRACK | kind << 8 | track << 24))
        else:
            write_i16_le(self._out, i16(_TYPE | kind << 8))
            self._out.append(_TRACK)
            self._put(track)

    def _named(self, kind: i64, track: i64, name: i64, behind: i64) -> None:
        """The kind of an event, its name and its track, and the two bytes after these."""
        out = self._out
        if name < 128 and track < 128:
            write_i64_le(out, _NAMED | kind << 8 | name << 24 | track << 40 | behind << 48)
        else:
            write_i16_le(out, i16(_TYPE | kind << 8))
            out.append(_NAME)
            self._put(name)
            out.append(_TRACK)
            self._put(track)
            write_i16_le(out, i16(behind))

    def _flows(self, frames: list[int]) -> None:
        """Arrows to other events of the same frames, after the key of the first one, and the end of a packet."""
        out, last = self._out, len(frames) - 1
        for place, frame in enumerate(frames):
            write_i64_le(out, frame)
            write_i16_le(out, _NEEDS if place == last else _FLOW)

    def _about(self, frames: list[int]) -> None:
        for frame in frames:
            self._note(self.frame, frame)

    def _note(self, name: i64, value: i64) -> None:
        """A number as an annotation."""
        write_i32_le(self._out, i32(_NUMBER_NOTE + (_size(value) << 8) | name << 24))
        self._out.append(_NOTE_NUMBER)
        self._put(value)

    def _text(self, name: i64, text: bytes) -> None:
        """A text as an annotation."""
        out = self._out
        out.append(_NOTE)
        self._put(_inside(text))
        out.append(_NOTE_NAME)
        self._put(name)
        out.append(_NOTE_TEXT)
        self._put(len(text))
        out.write(text)

    def _put(self, number: i64) -> None:
        """A non-negative varint."""
        out = self._out
        if number < 1 << 7:
            out.append(u8(number))
        elif number < 1 << 14:
            write_i16_le(out, i16(number & 127 | 128 | number >> 7 << 8))
        elif number < 1 << 21:
            out.append(u8(number & 127 | 128))
            write_i16_le(out, i16(number >> 7 & 127 | 128 | number >> 14 << 8))
        elif number < 1 << 28:
            write_i32_le(out, i32(_four(number)))
        else:
            out.append(u8(number & 127 | 128))
            self._put(number >> 7)


def _size(number: i64) -> i64:
    """The bytes of a non-negative varint."""
    if number < 1 << 14:
        return 1 if number < 1 << 7 else 2
    if number < 1 << 28:
        return 3 if number < 1 << 21 else 4
    return 4 + _size(number >> 28)


def _four(number: i64) -> i64:
    """A varint of four bytes, as one number."""
    low = number & 127 | (number >> 7 & 127) << 8 | (number >> 14 & 127) << 16
    return low | 0x808080 | number >> 21 << 24


def _named_size(name: i64, track: i64) -> i64:
    """The kind of an event, its name and its track."""
    if name < 128 and track < 128:
        return 6
    return 4 + _size(name) + _size(track)


def _note_size(value: i64) -> i64:
    return _AROUND_NUMBER + _size(value)


def _about_size(frames: list[int]) -> i64:
    """Annotations and flows."""
    nbytes: i64 = 0
    for frame in frames:
        nbytes += _AROUND_NUMBER + _size(frame) + 10
    return nbytes


def _inside(text: bytes) -> i64:
    """The bytes of an annotation's message."""
    return 3 + _size(len(text)) + len(text)


def _text_size(text: bytes) -> i64:
    """The bytes of an annotation."""
    inside = _inside(text)
    return 1 + _size(inside) + inside
