"""Receive-side scaling: the queue of a frame, by the Toeplitz hash of its addresses and ports.

Source: Microsoft, "Introduction to Receive Side Scaling" (NDIS): the hash, the key of its verification suite, and the
table that the hash's lower bits look up.
"""

from __future__ import annotations

from functools import cache
from typing import Final

# The key of Microsoft's verification suite, which many drivers set.
KEY: Final = bytes.fromhex(
    "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa"
)
_TABLE: Final = 128  # entries
_WINDOW: Final = 32  # bits of the key used at a time


def toeplitz(key: bytes, data: bytes) -> int:
    """The hash of `data`: the XOR, over all of its bits that are set, of the 32 bits of the key from that place on."""
    bits = int.from_bytes(key, "big")
    length = 8 * len(key)
    found = 0
    for place in range(8 * len(data)):
        if data[place >> 3] >> (7 - (place & 7)) & 1:
            found ^= bits >> (length - _WINDOW - place) & 0xFFFFFFFF
    return found


def four_tuple(source: bytes, destination: bytes, source_port: int, destination_port: int) -> bytes:
    """The input of the hash for TCP (and for UDP, if the driver wants its ports hashed): the addresses and ports as on
    the wire."""
    return source + destination + source_port.to_bytes(2, "big") + destination_port.to_bytes(2, "big")


def queue(value: int, queues: int) -> int:
    """The queue of a hash value: the table lists the queues in turn, as drivers set it up."""
    return value % _TABLE % queues


@cache
def spread(flows: int, queues: int, ports: bool) -> tuple[int, ...]:
    """The queue of each of n UDP flows, from 198.18.0.1 to 198.19.0.1 (RFC 2544, C.2.2) and port 9, whose source
    ports count up from 1024. If their `ports` aren't hashed, all have the same hash."""
    source, destination = bytes((198, 18, 0, 1)), bytes((198, 19, 0, 1))
    if not ports:
        return flows * (queue(toeplitz(KEY, source + destination), queues),)
    tuples = [four_tuple(source, destination, 1024 + one, 9) for one in range(flows)]
    return tuple([queue(toeplitz(KEY, one), queues) for one in tuples])
