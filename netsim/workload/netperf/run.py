"""netperf in a running simulation: a process at each end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, DropPlace
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.scenario import StreamRun
from netsim.stack import UdpReceiver, UdpSender
from netsim.topology.pair import RECEIVER
from netsim.topology.pair_run import PairRun
from netsim.units import PS_PER_S
from netsim.workload import tcp_accounts
from netsim.workload.streaming import Reader, Writer

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf

_START_SPREAD = 10**9  # ps: the phase between the two hosts is drawn within a millisecond


class NetperfRun(PairRun, StreamRun):
    """A process at each end, one sending and one receiving."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test, *test.buffered())
        self.test = test
        self.duration = test.duration

    def start(self) -> None:
        """The receiver starts first; the sender begins at a time drawn from the seed."""
        self._receive(0)
        self.env.call_in(int(self.env.stream("start").integers(_START_SPREAD)), lambda _: self._send())

    def _send(self) -> None:
        raise NotImplementedError

    def _receive(self, nbytes: int) -> None:
        raise NotImplementedError


class TcpStream(NetperfRun):
    """TCP_STREAM."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test)
        self.out, self.into = self.connect("stream")
        self._writer = Writer(self.out, test.message_size)
        self._reader = Reader(self.into, test.receive_buffer_size)

    def _send(self) -> None:
        self._writer.begin()

    def _receive(self, nbytes: int) -> None:
        self._reader.begin()

    @property
    def delivered(self) -> int:
        return self.into.read_bytes

    def accounts(self) -> Accounts:
        return self.ledger.read(self.delivered, {**tcp_accounts.counts(self.out, self.into), **self.contention()})

    def audit(self) -> None:
        self.ledger.audit()
        tcp_accounts.audit(self.out, self.into)

    def waiting_for(self) -> str:
        return tcp_accounts.waiting_for(self.out)


class UdpStream(NetperfRun):
    """UDP_STREAM."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test)
        size, room = test.message_size, test.send_buffer_size
        self.out = env.part(UdpSender)(self.sender, "stream", size, test.mtu, room)
        self.learn("stream", RECEIVER)
        self.into = env.part(UdpReceiver)(self.receiver, "stream", test.receive_buffer_size, test.mtu)
        self._interval = round(size * 8 * PS_PER_S / test.offered) if test.offered else 0
        self._due = 0  # when the next datagram is due

    def _send(self) -> None:
        now = self.env.now
        self._due = (self._due or now) + self._interval
        if self._due - self._interval > now:
            self.env.call_at(self._due - self._interval, lambda _: self.out.send(self._send))
        else:
            self.out.send(self._send)

    def _receive(self, nbytes: int) -> None:
        self.into.receive(self._receive)

    @property
    def delivered(self) -> int:
        return self.into.received_bytes

    def accounts(self) -> Accounts:
        lost = {**self.into.drops, **self.into.reassembly.drops}
        drops = {DropPlace("receiver", what): count for what, count in lost.items()}
        counts = {"datagrams sent": self.out.datagrams, "datagrams received": self.into.datagrams}
        return self.ledger.read(self.delivered, {**counts, **self.contention()}, drops)

    def audit(self) -> None:
        """Check that every datagram read was sent. Raises ConservationError."""
        self.ledger.audit()
        into = self.into
        known = into.datagrams + into.queued + into.drops["socket buffer"] + into.reassembly.incomplete
        if known > self.out.datagrams + 1:
            raise ConservationError(f"datagrams: {known} at the receiver, {self.out.datagrams} sent")

    def waiting_for(self) -> str:
        return f"{self.out.datagrams} datagrams sent, {self.into.datagrams} received"
