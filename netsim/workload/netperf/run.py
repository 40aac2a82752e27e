"""netperf in a running simulation: a process at each end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts
from netsim.engine import Environment, Meter
from netsim.scenario import StreamRun
from netsim.stack import UdpReceiver, UdpSender
from netsim.topology.pair import RECEIVER
from netsim.topology.pair_run import PairRun
from netsim.units import MS
from netsim.workload import tcp_accounts, udp_accounts
from netsim.workload.offered import Offered
from netsim.workload.streaming import Reader, Writer

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf

_START_SPREAD = 1 * MS  # ps: the phase between the two hosts is drawn within a millisecond


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

    @property
    def meter(self) -> Meter:
        return self.into

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
        self.into = env.part(UdpReceiver)(self.receiver, "stream", test.receive_buffer_size, test.mtu, self.sender.spec)
        self._offered = Offered(size, test.offered)

    def _send(self) -> None:
        due = self._offered.next_due(self.env.now)
        if due > self.env.now:
            self.env.call_at(due, lambda _: self.out.send(self._send))
        else:
            self.out.send(self._send)

    def _receive(self, nbytes: int) -> None:
        self.into.receive(self._receive)

    @property
    def delivered(self) -> int:
        return self.into.received_bytes

    @property
    def meter(self) -> Meter:
        return self.into

    def unsent(self, since: int) -> int:
        return self._offered.unsent(self.env.now, since)

    def accounts(self) -> Accounts:
        counts = udp_accounts.counts([(self.out, self.into)])
        drops = udp_accounts.drops(self.into, RECEIVER)
        return self.ledger.read(self.delivered, {**counts, **self.contention()}, drops)

    def audit(self) -> None:
        self.ledger.audit()
        udp_accounts.audit(self.out, self.into, RECEIVER)

    def waiting_for(self) -> str:
        return f"{self.out.datagrams} datagrams sent, {self.into.datagrams} received"
