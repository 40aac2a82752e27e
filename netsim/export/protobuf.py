"""Protobuf's wire format (https://protobuf.dev/programming-guides/encoding): fields as bytes."""

from __future__ import annotations


def varint(number: int) -> bytes:
    """Seven bits per byte, the lowest first; a negative number has 64 bits."""
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
