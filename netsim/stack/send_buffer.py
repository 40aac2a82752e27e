"""Linux's send buffer, which limits unacknowledged data and grows with the window.

Source: Linux 5.17, net/ipv4/tcp_input.c, tcp_sndbuf_expand; include/net/sock.h, sk_stream_memory_free,
sk_stream_is_writeable.
"""

from __future__ import annotations

from typing import Final, final

INITIAL: Final = 16_384  # bytes: tcp_wmem[1]
_TIMES: Final = 2  # windows
_AROUND: Final = 320 + 320  # bytes of headers, and of the structure after them
_PACKET: Final = 256  # bytes of the packet's own structure


@final
class SendBuffer:
    """The buffer, in accounted bytes, up to `most`; a segment has `mss` bytes of payload."""

    def __init__(self, mss: int, most: int) -> None:
        self._mss = mss
        self._most = most
        self._each = (1 << (mss + _AROUND - 1).bit_length()) + _PACKET
        self.size = min(INITIAL, most)

    def expand(self, window: int) -> None:
        """Make room for two congestion windows of `window` segments."""
        self.size = max(self.size, min(_TIMES * self._each * max(10, window), self._most))

    def full(self, segments: int) -> bool:
        """Whether the process has to wait with `segments` segments unacknowledged."""
        return segments * self._mss >= self.size

    def writable(self, segments: int) -> bool:
        """Whether the process is woken: a third of the room is free."""
        return 3 * segments * self._mss <= 2 * self.size
