"""The receiving half of a TCP connection: order and window. No processor time is spent here."""

from __future__ import annotations

from bisect import insort

from mypy_extensions import mypyc_attr

from netsim.engine import Fifo
from netsim.machine import Place
from netsim.stack.socket_spec import SocketSpec
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_spec import TcpSpec


@mypyc_attr(allow_interpreted_subclasses=True)
class Reception:
    """The received data. `rcv_nxt` is the first missing byte, `rcv_wnd_end` the first beyond the offered window
    (rcv_nxt + rcv_wnd), `last_ack_sent` the first that is not acknowledged to the peer, `ts_recent` the timestamp to
    echo: that of the earliest unacknowledged segment (RFC 1323, 3.4; -1: none has arrived). There is `disorder` while
    there is a hole, and after a duplicate until data arrive in order.

    `blocks` are the bytes beyond a hole as (first byte, first after), the most recently extended block first (RFC 2018,
    4).
    """

    def __init__(self, spec: TcpSpec, mss: int, socket: SocketSpec) -> None:
        self.mss = mss
        self.spec = spec
        self.shift = 0  # the number of bits by which a segment's window field is shifted
        self._empty_window, self._window_clamp = spec.empty_window(mss), spec.clamp(0)
        self._window_share = spec.window_share
        self._doubles = spec.window_update == "doubles"
        self._payload = socket.counts == "payload"
        # For the process: bytes, where they are, memory (here and below as the socket's buffer counts it).
        self.queue: Fifo[tuple[int, Place, int]] = Fifo()
        # Beyond a hole: first byte, first after, where they are, memory.
        self._out_of_order_queue: list[tuple[int, int, Place, int]] = []
        self.blocks: list[tuple[int, int]] = []
        self.disorder = False
        self.rcv_nxt = self.last_ack_sent = 0
        self.rcv_wnd_end = spec.window(0, mss)
        self.window_moved = 0  # `rcv_nxt` when the window last moved on
        self.memory = 0
        self.ts_recent = -1
        self.duplicates = self.out_of_order = self.beyond_window = 0

    def scale(self) -> None:
        """Both ends have agreed to scale windows."""
        self.shift = self.spec.window_shift(True)
        self._window_clamp = self.spec.clamp(self.shift)
        self.rcv_wnd_end = self.spec.window(0, self.mss, self.shift)

    def take(self, segment: TcpSegment, place: Place) -> bool:
        """Receive `segment`; True if the process has more to read."""
        start = segment.seq
        end = start + segment.length
        if end <= self.rcv_nxt:
            self.duplicate(segment)
            return False
        if end > self.rcv_wnd_end:
            self.beyond(segment)
            return False
        memory = segment.length if self._payload else segment.memory
        if start > self.rcv_nxt:
            self._keep_out_of_order(segment, place, memory)
            return False
        if start <= self.last_ack_sent:
            self.ts_recent = segment.tsval
        self._append(end, place, memory)
        if self.disorder:
            self._drain_out_of_order_queue()
        return True

    def _append(self, end: int, place: Place, memory: int) -> None:
        """Bytes up to `end` are now in order; skip those that the process already has."""
        nbytes = end - self.rcv_nxt
        if self._payload:
            memory = nbytes
        self.queue.append((nbytes, place, memory))
        self.rcv_nxt = end
        self.memory += memory

    def _drain_out_of_order_queue(self) -> None:
        """The hole is filled: data after it are now in order, too."""
        while self._out_of_order_queue and self._out_of_order_queue[0][0] <= self.rcv_nxt:
            _, end, place, memory = self._out_of_order_queue.pop(0)
            self.memory -= memory
            if end > self.rcv_nxt:
                self._append(end, place, memory)
        self.blocks = [block for block in self.blocks if block[0] > self.rcv_nxt]
        self.disorder = bool(self._out_of_order_queue)

    def duplicate(self, segment: TcpSegment) -> None:
        """All of `segment` was received before."""
        self.duplicates += 1
        self.disorder = True

    def beyond(self, segment: TcpSegment) -> None:
        """`segment` ends beyond the window, and is dropped."""
        self.beyond_window += 1

    def _keep_out_of_order(self, segment: TcpSegment, place: Place, memory: int) -> None:
        start, end = segment.seq, segment.seq + segment.length
        self.out_of_order += 1
        self.disorder = True
        if self._report(start, end):
            self.duplicate(segment)
            return
        self.memory += memory
        insort(self._out_of_order_queue, (start, end, place, memory))

    def _report(self, start: int, end: int) -> bool:
        """Put the block with these bytes in front, to be reported first; True if the block already had them all."""
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
        """The window of a segment that is sent now (bytes from `rcv_nxt`), rounded as in its field; it never
        shrinks."""
        edge = self.rcv_nxt + self._window()
        if edge >= self.rcv_wnd_end:
            self.rcv_wnd_end = edge
            self.window_moved = self.rcv_nxt
        return (self.rcv_wnd_end - self.rcv_nxt) >> self.shift << self.shift

    def _window(self, more: int = 0) -> int:
        """As TcpSpec.window, for the data now buffered and `more` bytes of memory."""
        window = int(self._empty_window - (self.memory + more) * self._window_share)
        if window > self._window_clamp:
            window = self._window_clamp
        return window // self.mss * self.mss if window > 0 else 0

    def holds_more(self, end: int) -> bool:
        """Whether data are held beyond a hole when everything up to `end` is in order."""
        queue = self._out_of_order_queue
        return bool(queue) and queue[-1][1] > end

    def window_doubles(self, end: int, segment: TcpSegment) -> bool:
        """Whether the window that could be offered after `segment`, which ends at `end`, is more than twice the
        remaining window."""
        memory = segment.length if self._payload else segment.memory
        return self._window(memory) > 2 * (self.rcv_wnd_end - end)

    def read(self, nbytes: int) -> None:
        """`nbytes` of the first segment of the queue have been copied. A segment's memory is freed with its last byte;
        payload is freed byte by byte."""
        there, source, memory = self.queue[0]
        if nbytes < there:
            freed = nbytes if self._payload else 0
            self.queue[0] = (there - nbytes, source, memory - freed)
        else:
            freed = memory
            self.queue.popleft()
        self.memory -= freed

    def window_opened(self, nbytes: int) -> bool:
        """Whether the peer should be notified of the window that a call has opened by reading `nbytes`: another full
        segment fits below the clamp, and either the call has read as much as the peer may still send, or the peer could
        now send twice as much (TcpSpec.window_update)."""
        now, new = self.rcv_wnd_end - self.rcv_nxt, self._window()
        if now + self.mss > self._window_clamp:
            return False
        return 0 < new >= 2 * now if self._doubles else nbytes >= now and new > now
