"""A TCP socket: the two halves of a connection, and the processor time they take.

A process's `send` copies into the socket segment by segment, and each segment goes out at once if the windows allow.
What they hold back goes out in deferred work, when an acknowledgement opens them. Received segments are checked,
queued and acknowledged in deferred work; a process's `receive` copies them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from netsim.engine import Timer
from netsim.host import Work
from netsim.stack.tcp import SACK, SACK_BLOCK, Segment
from netsim.stack.tcp_costs import TcpCosts
from netsim.stack.tcp_receive import Reception
from netsim.stack.tcp_send import Transmission

if TYPE_CHECKING:
    from netsim.stack.computer import Computer


class TcpSocket:
    """One end of an established connection. Frames for it carry `port`; it sends to `peer_port`. With `nodelay`
    (TCP_NODELAY) small segments wait for nothing."""

    def __init__(self, host: Computer, port: Any, peer_port: Any, mtu: int, nodelay: bool = False) -> None:
        self.host = host
        self.device = host.device
        self.peer_port = peer_port
        costs = TcpCosts(host.spec)
        self._segment_work, self._arrival_work = costs.segment, costs.arrival
        self._write_work, self._read_work = costs.write, costs.read
        self._place = costs.place
        self.env = host.env
        self.spec = spec = host.spec.system.tcp
        self.segment = spec.segment_size(mtu)
        self.overhead = host.spec.system.socket.buffer_overhead
        self.output = Transmission(host.env, spec, self.segment, self._kick_output, nodelay)
        self.input = Reception(spec, self.segment, self.overhead)
        self.segments_sent = self.acks_sent = 0
        self.read_bytes = 0
        self.sack_blocks = spec.sack_blocks  # in one segment, at the most
        self._send_buffer = spec.send_buffer
        self._delayed_ack = spec.delayed_ack
        self._sizes: dict[int, int] = {}  # of frames, by bytes of payload
        self._ack_now = False
        self._ack_timer = Timer(host.env, self._acknowledge)
        self._wants_ack = False  # decided when a segment's deferred work begins
        self._planned = (0, 0)
        self._deferred = host.deferred(self._output_begin, self._output_end)
        self._write = host.process(self._write_begin, self._write_end)
        self._read = host.process(self._read_begin, self._read_end)
        self._left = 0  # bytes of the current send call that are not copied yet
        self._write_first = self._write_slept = False
        self._chunk = self._straight = 0
        self._sent: Callable[[], None] = lambda: None
        self._reading = self._read_first = self._read_slept = False
        self._read_count = self._read_limit = self._piece = 0
        self._received: Callable[[int], None] = lambda nbytes: None
        host.handlers[port] = self

    # --- segments out ------------------------------------------------------------------------------------------------

    def _transmit(self, seq: int, length: int) -> None:
        input = self.input
        window = input.offer()
        self._ack_now = False
        self._ack_timer.deadline = None
        size = self._sizes.get(length) or self._size(length)
        frame = Segment(size, self.peer_port, seq, length, input.next, window, self.env._now, input.echo)
        if input.blocks:
            self._report_blocks(frame)
        if length:
            self.segments_sent += 1
            self.output.sent(seq, length)
        else:
            self.acks_sent += 1
        self.device.transmit(frame)

    def _size(self, length: int) -> int:
        size = self._sizes[length] = self.spec.frame_size(length)
        return size

    def _report_blocks(self, frame: Segment) -> None:
        """The SACK option, as far as data leave room for it (Linux 2.2 makes the data shorter; but what comes out of
        order is acknowledged at once by a segment without data anyway)."""
        room = (self.segment - frame.length - SACK) // SACK_BLOCK
        blocks = tuple(self.input.blocks[: max(0, min(room, self.sack_blocks))])
        if blocks:
            frame.sacked = blocks
            frame.size = self.spec.frame_size(frame.length, len(blocks))

    def _kick_output(self) -> None:
        self.host.defer(self._deferred)

    def _acknowledge(self) -> None:
        """An acknowledgement, or a new window, has to go out."""
        self._ack_now = True
        self._kick_output()

    def _output_begin(self) -> Work | None:
        self._planned = self.output.upcoming()
        length = self._planned[1]
        if not length and not self._ack_now:
            return None
        segment = self._segment_work
        return segment(length, self.device.straight())

    def _output_end(self) -> bool:
        seq, length = self._planned
        if length and (seq, length) != self.output.upcoming():
            length = 0  # acknowledged, or sent by the process, in between
        if length or self._ack_now:
            self._transmit(seq if length else self.output.next, length)
        return self.output.next < self.output.written or bool(self.output.resend) or self._ack_now

    # --- segments in -------------------------------------------------------------------------------------------------

    def arriving(self, frame: Segment) -> Work:
        """See host.Handler."""
        length = frame.length
        ack = self._wants_ack = length > 0 and self.input.wants_ack(frame)
        arrival = self._arrival_work
        return arrival(length, frame.received_by, ack, self.device.straight() if ack else None)

    def arrived(self, frame: Segment) -> None:
        """See host.Handler."""
        output = self.output
        output.acknowledged(frame)
        if frame.length:
            self._data_arrived(frame)
        if output.written > output.una and output.upcoming()[1]:
            self._kick_output()
        if self._write_slept and 3 * self._memory() <= 2 * self._send_buffer:
            self.host.wake(self._write)

    def _data_arrived(self, segment: Segment) -> None:
        place = self._place
        if self.input.take(segment, place(segment.size, segment.received_by)) and self._reading:
            self.host.wake(self._read)
        if self._wants_ack:
            self._transmit(self.output.next, 0)
        elif self._ack_timer.deadline is None:
            self._ack_timer.set(self.env._now + self._delayed_ack)

    # --- the process that sends --------------------------------------------------------------------------------------

    def send(self, nbytes: int, then: Callable[[], None]) -> None:
        """Copy `nbytes` into the socket and call `then` when that system call returns."""
        self._left = nbytes
        self._write_first = True
        self._sent = then
        self.host.wake(self._write)

    def _memory(self) -> int:
        held = self.output.written - self.output.una
        return held + -(-held // self.segment) * self.overhead

    def _write_begin(self) -> Work | None:
        left = self._left
        if not left:
            return None
        if self._memory() >= self._send_buffer:
            self._write_slept = True
            return None
        chunk = self._chunk = left if left < self.segment else self.segment
        # Only what is next in line goes straight out; anything else is for deferred work.
        straight = self._straight = self.output.sendable(chunk)
        first, slept = self._write_first, self._write_slept
        self._write_first = self._write_slept = False
        write = self._write_work
        return write(chunk, straight, self.device.straight() if straight else None, first, slept)

    def _write_end(self) -> bool:
        output = self.output
        output.written += self._chunk
        self._left -= self._chunk
        seq, length = output.upcoming()
        if length and self._straight:
            self._transmit(seq, length)
            length = output.upcoming()[1] if output.written > output.next else 0
        if length:
            self._kick_output()
        if not self._left:
            self._sent()  # which may send more
        return self._left > 0

    # --- the process that receives -----------------------------------------------------------------------------------

    def receive(self, limit: int, then: Callable[[int], None]) -> None:
        """Wait for data, copy out what is there, at most `limit` bytes, and call `then` with the number of bytes when
        that system call returns."""
        self._reading = self._read_first = True
        self._read_count, self._read_limit = 0, limit
        self._received = then
        self.host.wake(self._read)

    def _read_begin(self) -> Work | None:
        if not self._reading:
            return None
        if not self.input.queue:
            self._read_slept = True
            return None
        nbytes, place, _ = self.input.queue[0]
        room = self._read_limit - self._read_count
        piece = self._piece = nbytes if nbytes < room else room  # the rest stays for the next call
        read = self._read_work
        work = read(piece, place, self._read_first, self._read_slept)
        self._read_first = self._read_slept = False
        return work

    def _read_end(self) -> bool:
        nbytes = self._piece
        self.input.read(nbytes)
        self.read_bytes += nbytes
        self._read_count += nbytes
        if self.input.queue and self._read_count < self._read_limit:
            return True
        if self.input.window_opened():
            self._acknowledge()
        self._reading = False
        self._received(self._read_count)  # which may receive more
        return self._reading


def connect(a: Computer, b: Computer, mtu: int, name: str, nodelay: bool = False) -> tuple[TcpSocket, TcpSocket]:
    """An established connection between two hosts, as its two sockets. SACK is used if both can (RFC 2018, 2)."""
    port_a, port_b = f"{name} a", f"{name} b"
    one = TcpSocket(a, port_a, port_b, mtu, nodelay)
    other = TcpSocket(b, port_b, port_a, mtu, nodelay)
    one.sack_blocks = other.sack_blocks = min(one.sack_blocks, other.sack_blocks)
    return one, other
