"""TCP_RR and UDP_RR in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts
from netsim.engine import Environment, Meter, Transactions
from netsim.stack import Arrivals, TcpEndpoint, UdpEndpoint, UdpReceiver, UdpSender
from netsim.topology.pair import RECEIVER, SENDER
from netsim.workload import tcp_accounts, udp_accounts
from netsim.workload.dialogue import KIND, Crossing, Dialogue
from netsim.workload.netperf.run import NetperfRun

if TYPE_CHECKING:
    from netsim.workload.netperf.tool import Netperf

_Ends = tuple[TcpEndpoint | UdpEndpoint, TcpEndpoint | UdpEndpoint]


class RequestResponse(NetperfRun):
    """A client that sends requests, and a server that responds."""

    dialogue: Dialogue

    def _arrivals(self, test: Netperf) -> tuple[Arrivals, Arrivals]:
        """Those of responses, and those of requests."""
        switched = test.switch is not None
        return Arrivals(switched=switched), Arrivals(switched=switched)

    def _converse(self, test: Netperf, ends: _Ends, arrivals: tuple[Arrivals, Arrivals]) -> None:
        sizes = test.request_size, test.response_size
        transactions = self.ledger.transactions = Transactions(self.env, [KIND], test.outstanding)
        crossing = Crossing(test.medium, test.distance, test.distance, test.switch is not None)
        self.dialogue = Dialogue(
            self.env, ends, arrivals, (crossing, crossing), sizes, test.outstanding, transactions
        )
        self.response_log = self.dialogue.log

    def _send(self) -> None:
        self.dialogue.begin()

    def _receive(self, nbytes: int) -> None:
        self.dialogue.listen()

    @property
    def delivered(self) -> int:
        """The number of finished transactions."""
        return self.dialogue.transactions.completed

    @property
    def meter(self) -> Meter:
        return self.dialogue.transactions

    def waiting_for(self) -> str:
        return f"{self.dialogue.transactions.all.inside} transactions are under way"


class TcpRequests(RequestResponse):
    """TCP_RR."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test)
        self.near, self.far = self.connect("requests", nodelay=bool(test.nodelay))
        responses, requests = self.near.arrivals, self.far.arrivals = self._arrivals(test)
        self._converse(test, (TcpEndpoint(self.near), TcpEndpoint(self.far)), (responses, requests))

    def accounts(self) -> Accounts:
        """The accounts, with counts for both directions."""
        there, back = tcp_accounts.counts(self.near, self.far), tcp_accounts.counts(self.far, self.near)
        both = {name: there[name] + back[name] for name in there}
        return self.ledger.read(self.delivered, {**both, **self.contention()})

    def audit(self) -> None:
        self.ledger.audit()
        tcp_accounts.audit(self.near, self.far)
        tcp_accounts.audit(self.far, self.near)


class UdpRequests(RequestResponse):
    """UDP_RR: lost datagrams are not sent again."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test)
        sends, receives, mtu = env.part(UdpSender), env.part(UdpReceiver), test.mtu
        near, far = self.sender, self.receiver
        room, receive = test.send_buffer_size, test.receive_buffer_size
        out = (
            sends(near, "requests", test.request_size, mtu, room),
            receives(near, "responses", receive, mtu, far.spec),
        )
        into = (
            sends(far, "responses", test.response_size, mtu, room),
            receives(far, "requests", receive, mtu, near.spec),
        )
        responses, requests = out[1].arrivals, into[1].arrivals = self._arrivals(test)
        self.learn("requests", RECEIVER)
        self.learn("responses", SENDER)
        self._ways = {RECEIVER: (out[0], into[1]), SENDER: (into[0], out[1])}
        self._converse(test, (UdpEndpoint(*out), UdpEndpoint(*into)), (responses, requests))

    def accounts(self) -> Accounts:
        counts = udp_accounts.counts(self._ways.values())
        drops = {
            place: count
            for host, (_, into) in self._ways.items()
            for place, count in udp_accounts.drops(into, host).items()
        }
        return self.ledger.read(self.delivered, {**counts, **self.contention()}, drops)

    def audit(self) -> None:
        self.ledger.audit()
        for host, (out, into) in self._ways.items():
            udp_accounts.audit(out, into, host)

    def waiting_for(self) -> str:
        return f"{super().waiting_for()}; {udp_accounts.NOT_REPEATED}"
