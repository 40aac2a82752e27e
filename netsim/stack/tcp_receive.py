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
    """What has come in. `rcv_nxt` is the first byte missing, `rcv_wnd_end` the first beyond the window that was offered
    (rcv_nxt + rcv_wnd), `ts_recent` the timestamp that is echoed (RFC 1323, 3.4; -1: none has come).
    There is `disorder` as long as there is a hole, and after a duplicate until something comes in order.

    `blocks` are the bytes beyond a hole as (first byte, first behind), the one that grew last first (RFC 2018, 4).
    """

    def __init__(self, spec: TcpSpec, mss: int, socket: SocketSpec) -> None:
        self.mss = mss
        self.spec = spec
        self.shift = 0  # by how many bits a segment has the window less
        self._empty_window, self._window_clamp = spec.empty_window(mss), spec.clamp(0)
        self._window_share = spec.window_share
        self._doubles = spec.window_update == "doubles"
        self._payload = socket.counts == "payload"
        # For the process: bytes, where they lie, memory (here and below what the socket's buffer counts).
        self.queue: Fifo[tuple[int, Place, int]] = Fifo()
        # Beyond a hole: first byte, first behind, where they lie, memory.
        self._out_of_order_queue: list[tuple[int, int, Place, int]] = []
        self.blocks: list[tuple[int, int]] = []
        self.disorder = False
        self.rcv_nxt = 0
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
        """Take `segment` in; True if the process has more to read."""
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
        self.ts_recent = segment.tsval
        self._append(end, place, memory)
        if self.disorder:
            self._drain_out_of_order_queue()
        return True

    def _append(self, end: int, place: Place, memory: int) -> None:
        """Bytes up to `end` are now in order; those the process has already are passed over."""
        nbytes = end - self.rcv_nxt
        if self._payload:
            memory = nbytes
        self.queue.append((nbytes, place, memory))
        self.rcv_nxt = end
        self.memory += memory

    def _drain_out_of_order_queue(self) -> None:
        """The hole is filled: what lies behind it is in order as well."""
        while self._out_of_order_queue and self._out_of_order_queue[0][0] <= self.rcv_nxt:
            _, end, place, memory = self._out_of_order_queue.pop(0)
            self.memory -= memory
            if end > self.rcv_nxt:
                self._append(end, place, memory)
        self.blocks = [block for block in self.blocks if block[0] > self.rcv_nxt]
        self.disorder = bool(self._out_of_order_queue)

    def duplicate(self, segment: TcpSegment) -> None:
        """All of `segment` is here already."""
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
        """The window to put into a segment that goes out now (bytes from `rcv_nxt`), as its field says it; it never
        shrinks."""
        edge = self.rcv_nxt + self._window()
        if edge >= self.rcv_wnd_end:
            self.rcv_wnd_end = edge
            self.window_moved = self.rcv_nxt
        return (self.rcv_wnd_end - self.rcv_nxt) >> self.shift << self.shift

    def _window(self, more: int = 0) -> int:
        """As TcpSpec.window, with what is buffered now, and so much `more` memory."""
        window = int(self._empty_window - (self.memory + more) * self._window_share)
        if window > self._window_clamp:
            window = self._window_clamp
        return window // self.mss * self.mss if window > 0 else 0

    def holds_more(self, end: int) -> bool:
        """Whether something is held beyond a hole when all up to `end` is in order."""
        queue = self._out_of_order_queue
        return bool(queue) and queue[-1][1] > end

    def window_doubles(self, end: int, segment: TcpSegment) -> bool:
        """Whether more than twice of what may still come could be offered behind `segment`, which ends at `end`."""
        memory = segment.length if self._payload else segment.memory
        return self._window(memory) > 2 * (self.rcv_wnd_end - end)

    def read(self, nbytes: int) -> None:
        """`nbytes` of the first segment of the queue have been copied. The memory of a segment is freed with its last
        byte, payload with each."""
        there, source, memory = self.queue[0]
        if nbytes < there:
            freed = nbytes if self._payload else 0
            self.queue[0] = (there - nbytes, source, memory - freed)
        else:
            freed = memory
            self.queue.popleft()
        self.memory -= freed

    def window_opened(self, nbytes: int) -> bool:
        """Whether the peer should be notified of the window that a call has opened by reading `nbytes`: a full segment
        more fits below the clamp, and the call has read as many as it may still send, or it may send twice as many by
        now (TcpSpec.window_update)."""
        now, new = self.rcv_wnd_end - self.rcv_nxt, self._window()
        if now + self.mss > self._window_clamp:
            return False
        return 0 < new >= 2 * now if self._doubles else nbytes >= now and new > now
