"""Protobuf's wire format (https://protobuf.dev/programming-guides/encoding): fields as bytes, and whole numbers that
are written into a buffer of bytes, which makes no objects where that is compiled."""

from __future__ import annotations

from librt.strings import BytesWriter
from mypy_extensions import i64, u8


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


def size(number: i64) -> i64:
    """The bytes of a varint that is not negative."""
    found: i64 = 1
    while number > 127:
        number >>= 7
        found += 1
    return found


def put(out: BytesWriter, number: i64) -> None:
    """Write such a varint."""
    while number > 127:
        low: int = number & 127 | 128
        byte: u8 = low  # one that is declared is appended without a call
        out.append(byte)
        number >>= 7
    rest: int = number
    last: u8 = rest
    out.append(last)
