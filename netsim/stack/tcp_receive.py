"""The receiving half of a TCP connection: order, window, when to acknowledge. No processor time is spent here."""

from __future__ import annotations

from bisect import insort
from collections import deque

from netsim.machine import Place
from netsim.stack.socket import SocketSpec
from netsim.stack.tcp import TcpSegment, TcpSpec


class Reception:
    """What has come in. `next` is the first byte missing, `edge` the first beyond the window that was offered.

    `blocks` are the bytes beyond a hole as (first byte, first behind), the one that grew last first (RFC 2018, 4).
    """

    def __init__(self, spec: TcpSpec, segment: int, socket: SocketSpec) -> None:
        self.segment = segment
        self._empty_window, self._share, self._clamp = spec.empty_window(segment), spec.window_share, spec.window_clamp
        self._payload = socket.counts == "payload"
        self._overhead = socket.buffer_overhead
        # For the process: bytes, where they lie, memory (here and below what the socket's buffer counts).
        self.queue: deque[tuple[int, Place, int]] = deque()
        self._early: list[tuple[int, int, Place, int]] = []  # beyond a hole: first byte, end, place, memory
        self.blocks: list[tuple[int, int]] = []
        # Something was not in order, and no segment in order has come since: Linux 2.2 then acknowledges each segment
        # (tcp_enter_quickack_mode), until one in order feeds its estimate of the acknowledgement's delay again.
        self._quick = False
        self.next = 0
        self.acknowledged = 0  # what the peer has been told
        self.edge = spec.window(0, segment)
        self.memory = 0
        self.echo = -1
        self.duplicates = self.out_of_order = self.beyond_window = 0

    def wants_ack(self, segment: TcpSegment) -> bool:
        """Whether `segment`, just coming in, has to be acknowledged at once: it is the second one, or not in order,
        or fills a hole (RFC 1122, 4.2.3.2; RFC 2581, 4.2), or is the next after such a one."""
        if not segment.length:
            return False
        if segment.seq != self.next or self._quick or segment.seq + segment.length > self.edge:
            return True
        return segment.seq + segment.length - self.acknowledged > self.segment

    def take(self, segment: TcpSegment, place: Place) -> bool:
        """Take `segment` in; True if the process has more to read."""
        start = segment.seq
        end = start + segment.length
        if end <= self.next:
            self.duplicates += 1
            self._quick = True
            return False
        if end > self.edge:
            self.beyond_window += 1
            return False
        memory = segment.length if self._payload else segment.size + self._overhead
        if start > self.next:
            self._keep_early(start, end, place, memory)
            return False
        self.echo = segment.stamp
        self._append(end, place, memory)
        if self._quick:
            self._append_early()
        return True

    def _append(self, end: int, place: Place, memory: int) -> None:
        """Bytes up to `end` are now in order; those the process has already are passed over."""
        nbytes = end - self.next
        if self._payload:
            memory = nbytes
        self.queue.append((nbytes, place, memory))
        self.next = end
        self.memory += memory

    def _append_early(self) -> None:
        """The hole is filled: what lies behind it is in order as well."""
        while self._early and self._early[0][0] <= self.next:
            _, end, place, memory = self._early.pop(0)
            self.memory -= memory
            if end > self.next:
                self._append(end, place, memory)
        self.blocks = [block for block in self.blocks if block[0] > self.next]
        self._quick = bool(self._early)

    def _keep_early(self, start: int, end: int, place: Place, memory: int) -> None:
        self.out_of_order += 1
        self._quick = True
        if self._report(start, end):
            self.duplicates += 1
            return
        self.memory += memory
        insort(self._early, (start, end, place, memory))

    def _report(self, start: int, end: int) -> bool:
        """Put the block with these bytes in front, so that it is reported first; True if it had them all already."""
        known, apart = False, []
        for block in self.blocks:
            if block[1] < start or block[0] > end:
                apart.append(block)
                continue
            known = known or (block[0] <= start and end <= block[1])
            start, end = min(start, block[0]), max(end, block[1])
        self.blocks = [(start, end), *apart]
        return known

    def offer(self) -> int:
        """The window to put into a segment that goes out now (bytes from `next`); it never shrinks."""
        edge = self.next + self._window()
        if edge > self.edge:
            self.edge = edge
        self.acknowledged = self.next
        return self.edge - self.next

    def _window(self) -> int:
        """As TcpSpec.window, with what is buffered now."""
        window = int(self._empty_window - self.memory * self._share)
        if window > self._clamp:
            window = self._clamp
        return window // self.segment * self.segment if window > 0 else 0

    def read(self, nbytes: int) -> None:
        """So many bytes of the first segment of the queue have been copied. The memory of a segment is freed with its
        last byte, payload with each."""
        there, source, memory = self.queue[0]
        if nbytes < there:
            freed = nbytes if self._payload else 0
            self.queue[0] = (there - nbytes, source, memory - freed)
        else:
            freed = memory
            self.queue.popleft()
        self.memory -= freed

    def window_opened(self, nbytes: int) -> bool:
        """Whether the peer should be told of the window that a call has opened by reading so many bytes: they are as
        many as it may still send, and a full segment more fits below the clamp (Linux 2.2: cleanup_rbuf)."""
        now = self.edge - self.next
        return nbytes >= now and now + self.segment <= self._clamp and self._window() > now
