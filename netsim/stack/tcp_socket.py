"""A TCP socket: the two halves of a connection, and the processor time they take.

Data that the windows hold back when a process writes are sent in deferred work, once an acknowledgement opens the
windows. Received segments are checked in deferred work; they are queued and acknowledged there, or by the process if it
is inside a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import i64, mypyc_attr

from netsim.engine import Fifo, Meter
from netsim.machine import Device, Ticks, Work
from netsim.machine.task import Worker
from netsim.stack.arrivals import Arrivals
from netsim.stack.delayed_ack import DelayedAck
from netsim.stack.estimated_ack import EstimatedAck
from netsim.stack.large_send import LargeSend
from netsim.stack.tcp import SACK, SACK_BLOCK, ProtectedSegment, TcpSegment
from netsim.stack.tcp_calls import Read, Write
from netsim.stack.tcp_costs import segments_at_once
from netsim.stack.tcp_handler import TcpHandler
from netsim.stack.tcp_receive import Reception
from netsim.stack.tcp_send import Transmission
from netsim.stack.tcp_works import works_of
from netsim.units import MS

if TYPE_CHECKING:
    from netsim.stack.computer import Computer
    from netsim.stack.computer_spec import ComputerSpec


_TICK: Final = 10 * MS  # of a clock that interrupts no processor
_CALLS_TAKEN: Final = 2  # AFD returns from a call while no more calls have unacknowledged data, however much


@mypyc_attr(allow_interpreted_subclasses=True)
class TcpSocket(TcpHandler, Worker, Meter):
    """One end of an established connection. Frames for it carry `port`; it sends to `peer_port`, on the host's `peer`
    of that number. With `nodelay` (TCP_NODELAY) small segments never wait. `computer` describes the host on this
    connection, if that differs from the host itself. `peer_works` are the other end's. `handler` takes in what arrives.

    Of all processors, one at a time sends: the work of a segment begins only when that of the segment before is done
    (`sending`). So no two do the work of the same segment."""

    __slots__ = (
        "_ack_memory", "_calendar", "_computer", "_copies", "_counts_memory", "_data_memory", "_deferred", "_late",
        "_lent", "_planned", "_protected", "_report_sizes", "_send_buffer", "_sizes", "_takes_whole", "acks_sent",
        "arrivals", "backlog", "costs", "delayed_ack", "device", "env", "handler", "host", "input", "locked", "mss",
        "output", "peer_port", "peer_works", "read", "read_bytes", "receive", "sack_blocks", "segments_sent", "send",
        "sending", "spec", "works", "write",
    )

    def __init__(
        self,
        host: Computer,
        port: Any,
        peer_port: Any,
        mtu: int,
        nodelay: bool = False,
        peer: int = 0,
        computer: ComputerSpec | None = None,
    ) -> None:
        self.host = host
        self.device: Device = host.towards(peer)
        self.peer_port = peer_port
        by_card, through = host.associations.by_card(peer, self.device.drivers), self.device.drivers[0].number
        self._computer = computer = computer or host.spec
        self.works = self.peer_works = works_of(host.env, computer, by_card, mtu, through)
        self.costs = self.works.costs
        self._protected = computer.ipsec is not None
        self.env = host.env
        self._calendar = host.env.calendar
        self.spec = spec = computer.system.tcp
        self.mss = computer.mss(mtu)
        socket = computer.system.socket
        self._counts_memory = socket.counts == "memory"
        self._data_memory, self._ack_memory = (socket.memory(nbytes + spec.headroom) for nbytes in (self.mss, 0))
        self._lent = 0  # bytes of memory of frames that drivers hold
        many = segments_at_once(computer.large_send(through), self.mss)
        self.output = Transmission(host.env, spec, self.mss, self._kick_output, nodelay, many)
        self.input = host.env.part(Reception)(spec, self.mss, socket)
        self.delayed_ack = self._delayed_ack()
        self.segments_sent = self.acks_sent = 0
        self.read_bytes = 0
        self.sack_blocks = spec.sack_blocks  # in one segment, at most
        self._send_buffer = spec.send_buffer
        self._takes_whole = socket.takes_whole
        self._copies = spec.receive_copy == "deferred"  # for a process that waits
        self._sizes: dict[int, int] = {}  # of frames, by bytes of payload
        self._report_sizes: dict[tuple[int, int], int] = {}  # the same with SACK, by bytes of payload and blocks
        self._planned: tuple[i64, i64] = (0, 0)
        self._deferred = host.deferred(self.begin, self.end)
        self.arrivals: Arrivals | None = None  # for a workload that asks
        self.locked = False  # a process is inside a call
        self.backlog: Fifo[TcpSegment] = Fifo()  # segments received since then
        self._late: TcpSegment | None = None  # the segment that deferred work takes out of the backlog
        self.sending = False  # a processor does the work of a segment
        self.handler: TcpHandler = self
        self.write, self.read = Write(self), host.env.part(Read)(self)
        self.send, self.receive = self.write.call, self.read.call
        host.handlers[port] = self

    def _delayed_ack(self) -> DelayedAck:
        env, spec, kick = self.env, self.spec, self._kick_output
        if not spec.delayed_ack_limit:
            return DelayedAck(env, spec.delayed_ack, self.mss, self.input, kick, spec.every_other)
        ticks = Ticks(env, self.host.spec.system.kernel.tick or _TICK, self.host.name)
        return EstimatedAck(
            env, spec, self.mss, self.input, kick, ticks, self.output.round_trip, lambda: self.locked
        )

    # --- segments out ------------------------------------------------------------------------------------------------

    def _transmit(self, seq: i64, length: i64) -> None:
        input = self.input
        window = input.offer()
        self.delayed_ack.sent()
        size = self._sizes.get(length) or self._size(length)
        now = self._calendar.now
        frame: TcpSegment
        if self._protected:
            frame = ProtectedSegment(size, self.peer_port, seq, length, input.rcv_nxt, window, now, input.ts_recent)
        else:
            frame = TcpSegment(size, self.peer_port, seq, length, input.rcv_nxt, window, now, input.ts_recent)
        if input.blocks:
            self._report_blocks(frame)
        if self._protected and isinstance(frame, ProtectedSegment):
            self._protect(frame)
        if length:
            frame.push = self.output.pushes(seq, length)
            self.output.sent(seq, length)
            self.segments_sent += 1 if length <= self.mss else length // self.mss
        else:
            self.acks_sent += 1
        if self._counts_memory and length <= self.mss:
            frame.owner = self
            self._lent += self._data_memory if length else self._ack_memory
        self.device.put(frame if length <= self.mss else LargeSend(frame, self.mss))

    def _size(self, length: int) -> int:
        size = self._sizes[length] = self._computer.frame_size(length)
        return size

    def _report_blocks(self, frame: TcpSegment) -> None:
        """Add the SACK option, if the data leave room for it (Linux 2.2 shortens the data; but data out of order are
        acknowledged at once by a segment without data anyway)."""
        room = (self.mss - frame.length - SACK) // SACK_BLOCK
        blocks = tuple(self.input.blocks[: max(0, min(room, self.sack_blocks))])
        if blocks:
            frame.sacked = blocks
            key = (frame.length, len(blocks))
            size = self._report_sizes.get(key)
            if size is None:
                size = self._report_sizes[key] = self._computer.frame_size(*key)
            frame.size = size

    def _protect(self, frame: ProtectedSegment) -> None:
        """Record which IPsec work is left to the cards at both ends. The connection has a separate association in each
        direction."""
        frame.number = self.segments_sent + self.acks_sent + 1
        length, blocks = frame.length, len(frame.sacked)
        frame.encipher = self.works.enciphered(length, blocks)
        frame.decipher = self.peer_works.enciphered(length, blocks)
        self.host.associations.packets[self.costs.by_card] += 1

    def _kick_output(self) -> None:
        self.host.defer(self._deferred)

    def begin(self) -> Work | None:
        """The next segment that deferred work takes out of the backlog, or sends."""
        if self.backlog and not self.locked:
            self._late = late = self.backlog.popleft()
            return self.handler.arrival(late, checked=True)
        if self.sending:
            return None  # the process starts deferred work again, if more has to be sent
        self._planned = self.output.upcoming()
        length = self._planned[1]
        if not length and not self.delayed_ack.due:
            return None
        self.sending = True
        return self.works.segment(length, self.device.straight(), self.output.is_idle)

    def end(self) -> bool:
        """The work is done: process that segment, or send it."""
        if self._late is not None:
            late, self._late = self._late, None
            self.handler.take_in(late)
            return True
        self.sending = False
        output = self.output
        seq, length = self._planned
        if not length:
            self._transmit(output.snd_nxt, 0)
        elif output.may_go(seq, length):  # not acknowledged in the meantime
            self._transmit(seq, length)
        if output.has_more or self.delayed_ack.due:
            return True
        self.handler.all_sent()
        return False

    # --- segments in -------------------------------------------------------------------------------------------------

    def arriving(self, frame: TcpSegment) -> Work:
        """While a process is inside a call, the segment is checked and waits for the process (Linux 2.2:
        tcp_v4_rcv)."""
        length = frame.length
        acks = length > 0 and frame.ack > self.output.snd_una
        arrived = frame.arrived = self.works.arrived(frame.size, length, frame.received_by, acks)
        frame.memory = arrived.memory
        frame.waits = self.locked
        return arrived.check() if frame.waits else self.handler.arrival(frame)

    def arrival(self, frame: TcpSegment, checked: bool = False) -> Work:
        length = frame.length
        ack = frame.answered = length > 0 and self.delayed_ack.acks_now(frame)
        frame.copied = self._straight_to_process(frame) if self._copies else 0
        copied = length if self._copies else 0  # the rest to one of the system's buffers
        if ack:
            return frame.arrived.answered(self.device.straight(), copied, checked)
        return frame.arrived.arrival(copied, checked)

    def _straight_to_process(self, segment: TcpSegment) -> int:
        """How many bytes of `segment` go straight to a waiting process, because they are next in line."""
        input = self.input
        if segment.seq != input.rcv_nxt or segment.seq + segment.length > input.rcv_wnd_end:
            return 0
        return min(segment.length, self.read.room)

    def put(self, frame: TcpSegment) -> None:
        """The work for `frame` is done. If a call on another processor has ended meanwhile, deferred work does the
        rest."""
        if not frame.waits:
            self.handler.take_in(frame)
            return
        self.backlog.append(frame)
        if not self.locked:
            self._kick_output()

    def take_in(self, frame: TcpSegment) -> None:
        """TCP processes `frame`."""
        if self._protected:
            self.host.associations.packets[self.costs.by_card] += 1
        output = self.output
        before = output.snd_una
        output.acknowledged(frame)
        if frame.length:
            self._data_arrived(frame)
        if output.write_seq > output.snd_una and output.upcoming()[1]:
            self._kick_output()
        if output.snd_una > before:
            self._wake()

    def freed(self, frame: TcpSegment) -> None:
        """A driver has released a frame."""
        self._lent -= self._data_memory if frame.length else self._ack_memory
        self._wake()

    def _wake(self) -> None:
        """Data are acknowledged, or a frame is sent: a process may write. If memory is counted, each freed buffer wakes
        every process that sleeps on the socket (Linux 2.2: tcp_write_space)."""
        if self._takes_whole and self.is_full():
            return
        if self.write.entry.slept:
            self.write.wake()
        if self._counts_memory and self.read.entry.slept:
            self.read.wake()

    def _data_arrived(self, segment: TcpSegment) -> None:
        more = self.input.take(segment, segment.arrived.place)
        if more and self.arrivals is not None:
            self.arrivals.note(self.input.rcv_nxt, segment.tsval, segment, self._calendar.now)
        if (
            more
            and self.read.active
            and (not segment.copied or self.read.fill(segment))
        ):
            self.host.wake(self.read.task)
        if segment.answered:
            self._transmit(self.output.snd_nxt, 0)
        else:
            self.delayed_ack.later()

    # --- for the calls -----------------------------------------------------------------------------------------------

    def is_full(self) -> bool:
        """Whether a writing process has to wait."""
        full = self._memory() >= self._send_buffer
        return full and (not self._takes_whole or self.output.calls > _CALLS_TAKEN)

    def _memory(self) -> int:
        """Bytes of the send buffer in use. If memory is counted, a segment held by a driver counts twice, because its
        clone shares the data but is accounted in full (Linux 2.2: tcp_transmit_skb)."""
        held = self.output.write_seq - self.output.snd_una
        return -(-held // self.mss) * self._data_memory + self._lent if self._counts_memory else held

    def chunk(self, left: int) -> int:
        """How many of the `left` bytes of a call are copied in one piece: a segment, or as many whole segments as go to
        the card at once and fit in the buffer."""
        mss = self.mss
        room = min(left, self.output.largest)
        if not self._takes_whole:
            free = self._send_buffer - self._memory()
            room = min(room, free // self._data_memory * mss if self._counts_memory else free)
        return min(left, max(mss, room // mss * mss))

    def written(self, nbytes: int, straight: bool) -> None:
        """A process has copied `nbytes` in; with `straight` it sends them at once, as far as the windows allow."""
        output = self.output
        output.write_seq += nbytes
        seq, length = output.upcoming()
        if straight:
            self.sending = False
            if length:
                self._transmit(seq, length)
                length = output.upcoming()[1] if output.has_more else 0
        if length or self.delayed_ack.due:
            self._kick_output()

    def has_read(self, nbytes: int) -> None:
        """`nbytes` have been copied out."""
        self.input.read(nbytes)
        self.read_bytes += nbytes

    def reading(self) -> i64:
        """Bytes that have been copied out."""
        return self.read_bytes

    def offer_window(self, nbytes: int) -> None:
        """A call has read `nbytes` and is done: notify the peer if that has opened the window."""
        if self.input.window_opened(nbytes):
            self.delayed_ack.now()


def connect(
    a: Computer,
    b: Computer,
    mtu: int,
    name: str,
    nodelay: bool = False,
    peers: tuple[int, int] = (0, 0),
    answering: ComputerSpec | None = None,
    round_trip: int = 0,
) -> tuple[TcpSocket, TcpSocket]:
    """An established connection between two hosts, as its two sockets. SACK is used if both ends support it (RFC 2018,
    2), and windows are scaled if both ends ask. `peers`: the number of the other end among the peers of `a` and of `b`
    (see Computer.towards). `answering` describes `b` on this connection, if that differs from `b` itself. A signal
    takes `round_trip` ps there and back."""
    port_a, port_b = f"{name} a", f"{name} b"
    part = a.env.part(TcpSocket)
    one = part(a, port_a, port_b, mtu, nodelay, peers[0])
    other = part(b, port_b, port_a, mtu, nodelay, peers[1], answering)
    one.peer_works, other.peer_works = other.works, one.works
    one.sack_blocks = other.sack_blocks = min(one.sack_blocks, other.sack_blocks)
    if one.spec.window_scaling == other.spec.window_scaling == "asks":
        one.input.scale()
        other.input.scale()
    for output in (one.output, other.output):
        output.round_trip.expect(round_trip)
    one.output.snd_wnd_end, other.output.snd_wnd_end = other.input.rcv_wnd_end, one.input.rcv_wnd_end
    return one, other
