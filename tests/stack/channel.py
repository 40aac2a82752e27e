"""The two halves of a TCP connection without computers around them, on a path that behaves as a test says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from netsim.engine import Environment
from netsim.machine import Place
from netsim.stack.delayed_ack import DelayedAck
from netsim.stack.tcp import TcpSegment
from netsim.stack.tcp_receive import Reception
from netsim.stack.tcp_send import Transmission
from netsim.stack.tcp_spec import TcpSpec
from tests.stack.transfer import PC, SECOND

MS = SECOND // 1000
MEMORY = Place("memory", aligned=True)
SPEC = PC.system.tcp
BARE = PC.system.socket
Fates = Mapping[int, Sequence[int]]  # per frame: how many overtake each copy; with no copy it is lost


def segment(
    seq: int = 0, length: int = 0, ack: int = 0, window: int = 0, tsval: int = 0, tsecr: int = -1
) -> TcpSegment:
    made = TcpSegment(length + 70, None, seq, length, ack, window, tsval, tsecr)
    made.memory = made.size
    return made


class Channel:
    """`nbytes` from a Transmission to a Reception, one frame a millisecond, with a delay of one millisecond; keeps
    track of every byte received and every byte reported to the sender."""

    def __init__(
        self, nbytes: int, size: int, data: Fates, acks: Fates, spec: TcpSpec = SPEC, nodelay: bool = False
    ) -> None:
        self.env = Environment(seed=1)
        self.spec = spec
        self.size = size  # of a segment, in bytes
        self.nbytes = nbytes
        self.output = Transmission(self.env, spec, size, self.pump, nodelay)
        self.input = Reception(spec, size, BARE)
        self.sent: list[tuple[int, int]] = []
        self.acks: list[TcpSegment] = []
        self.received: set[int] = set()
        self.reported: set[int] = set()  # what the sender has been told
        self.read = self.slowness = 0
        self._fates = {True: data, False: acks}
        self._free = {True: 0, False: 0}
        self.delayed_ack = DelayedAck(self.env, spec.delayed_ack, size, self.input, self._acknowledge)
        self.output.write_seq = nbytes
        self.pump()

    def run(self, seconds: int = 100_000) -> Channel:
        """Run until everything is acknowledged and read."""
        while self.output.snd_una < self.nbytes or self.read < self.nbytes:
            assert self.env.peek() < seconds * SECOND, "nothing happens any more"
            self.env.step()
            self.check()
        return self

    def check(self) -> None:
        """What must hold at any time."""
        output, input = self.output, self.input
        assert output.snd_una <= input.rcv_nxt <= output.snd_max <= output.write_seq
        assert output.snd_una <= output.snd_nxt <= output.snd_max
        assert output.snd_nxt - output._flight_start >= 0
        assert self.read + sum(nbytes for nbytes, _, _ in input.queue) == input.rcv_nxt
        assert set(range(input.rcv_nxt)) <= self.received
        for seq, length in output.retransmit_queue:
            assert output.snd_una <= seq < seq + length <= output.snd_max

    # --- forward -----------------------------------------------------------------------------------------------------

    def pump(self) -> None:
        """Send what may be sent."""
        while (planned := self.output.upcoming())[1]:
            seq, length = planned
            if not self.output.timeouts:
                assert not self.reported & set(range(seq, seq + length)), "the peer said that it has this"
            frame = segment(seq, length, tsval=self.env.now)
            self.output.sent(seq, length)
            self._send(True, len(self.sent), lambda frame=frame: self._data(frame))
            self.sent.append(planned)

    def _send(self, there: bool, number: int, arrives: Callable[[], None]) -> None:
        start = self._free[there] = max(self._free[there], self.env.now) + MS
        for late in self._fates[there].get(number, (0,)):
            delay = late * MS + MS // 2 if late else 0  # this many frames overtake it
            self.env.call_at(start + MS + delay, lambda _: arrives())

    def _data(self, frame: TcpSegment) -> None:
        input = self.input
        at_once = self.delayed_ack.acks_now(frame)
        if frame.seq + frame.length <= input.rcv_wnd_end:
            self.received.update(range(frame.seq, frame.seq + frame.length))
        if input.take(frame, MEMORY):
            self.env.call_in(self.slowness * MS, lambda _: self._read())
        if at_once:
            self._acknowledge()
        else:
            self.delayed_ack.later()

    def _read(self) -> None:
        before = self.read
        while self.input.queue:
            nbytes = self.input.queue[0][0]
            self.input.read(nbytes)
            self.read += nbytes
        if self.input.window_opened(self.read - before):
            self._acknowledge()

    # --- return ------------------------------------------------------------------------------------------------------

    def _acknowledge(self) -> None:
        self.delayed_ack.sent()
        input = self.input
        frame = segment(ack=input.rcv_nxt, window=input.offer(), tsecr=input.ts_recent)
        self._check_blocks()
        frame.sacked = tuple(input.blocks[: self.spec.sack_blocks])
        self._send(False, len(self.acks), lambda: self._acknowledged(frame))
        self.acks.append(frame)

    def _check_blocks(self) -> None:
        """The blocks hold exactly what has arrived beyond the first hole, each byte in one block."""
        held = [one for start, end in self.input.blocks for one in range(start, end)]
        assert len(held) == len(set(held))
        assert set(held) == {one for one in self.received if one >= self.input.rcv_nxt}
        assert self.input.rcv_nxt not in held
        ordered = sorted(self.input.blocks)
        assert all(before[1] < after[0] for before, after in pairwise(ordered))

    def _acknowledged(self, frame: TcpSegment) -> None:
        for start, end in frame.sacked:
            self.reported.update(range(start, min(end, self.output.snd_nxt)))
        self.output.acknowledged(frame)
        self.pump()
