"""One flow in a running simulation: a process at each end."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from netsim.accounts import DropPlace
from netsim.engine import Environment, ResponseLog, Transactions
from netsim.stack import Arrivals, TcpEndpoint, TcpSocket, UdpEndpoint, UdpReceiver, UdpSender, connect
from netsim.topology.routes import Route
from netsim.topology.tester import TesterSink, TesterSource
from netsim.workload import tcp_accounts, udp_accounts
from netsim.workload.dialogue import Crossing, Dialogue
from netsim.workload.offered import Offered
from netsim.workload.streaming import Reader

if TYPE_CHECKING:
    from netsim.topology.network_run import NetworkRun
    from netsim.workload.flows.flow_spec import DatagramsSpec, FlowSpec, RequestsSpec, StreamSpec
    from netsim.workload.flows.tool import Flows


class FlowRun:
    """A flow called `name`, on its routes `there` and `back`."""

    log: ResponseLog | None = None  # for its transactions, if it has any

    def __init__(self, run: NetworkRun, test: Flows, name: str, there: Route, back: Route) -> None:
        self.env: Environment = run.env
        self.name = name
        self.spec: FlowSpec = test.each[name]
        self.there, self.back = there, back
        self.mtu = test.mtu
        self.path_mtu = test.path_mtu(there, back)  # as reported to senders that ask for it
        self.peers = tuple(
            test.peer(one.hops[0].near.name, one.hops[-1].far.name, one.ports[0]) for one in (there, back)
        )
        self.over = False

    def connect(self, run: NetworkRun, test: Flows, *, nodelay: bool = False) -> tuple[TcpSocket, TcpSocket]:
        """The flow's connection, opened by the sender: its socket, and the receiver's."""
        opening, answering = (run.computers[host] for host in (self.spec.sender, self.spec.receiver))
        as_answered = test.ends_of(self.spec)[1]
        one, other = self.peers
        round_trip = sum(hop.distance for hop in (*self.there.hops, *self.back.hops))
        near, far = connect(
            opening, answering, self.path_mtu, self.name, nodelay, (one, other), as_answered, round_trip
        )
        run.learn(near.peer_port, self.there, other)
        run.learn(far.peer_port, self.back, one)
        return near, far

    def stop(self, _: object = None) -> None:
        """Send nothing after the data under way."""
        self.over = True

    @abstractmethod
    def listen(self) -> None:
        """The receiver is ready."""

    @abstractmethod
    def begin(self, _: object = None) -> None:
        """The sender begins, and continues until the flow is stopped."""

    @property
    @abstractmethod
    def delivered(self) -> int:
        """Bytes that its processes have read, both ways."""

    def unsent(self, since: int) -> int:
        """See StreamRun."""
        return 0

    @abstractmethod
    def counts(self) -> Mapping[str, int]:
        """The flow's counts for accounts."""

    def lost(self) -> Mapping[DropPlace, int]:
        """Datagrams or fragments that its sockets have dropped, by place."""
        return {}

    @abstractmethod
    def audit(self) -> None:
        """Raises ConservationError if more is read than was sent."""

    @abstractmethod
    def waiting_for(self) -> str:
        """A text that says what the flow waits for."""


class StreamFlow(FlowRun):
    """Messages over TCP."""

    def __init__(self, run: NetworkRun, test: Flows, spec: StreamSpec, name: str, there: Route, back: Route) -> None:
        super().__init__(run, test, name, there, back)
        self.out, self.into = self.connect(run, test)
        near, far = test.ends_of(spec)
        self._message = spec.message or near.system.tcp.send_buffer
        self._reader = Reader(self.into, far.system.tcp.receive_buffer)

    def begin(self, _: object = None) -> None:
        if not self.over:
            self.out.send(self._message, self.begin)

    def listen(self) -> None:
        self._reader.begin()

    @property
    def delivered(self) -> int:
        return self.into.read_bytes

    def counts(self) -> Mapping[str, int]:
        return tcp_accounts.counts(self.out, self.into)

    def audit(self) -> None:
        tcp_accounts.audit(self.out, self.into)

    def waiting_for(self) -> str:
        return tcp_accounts.waiting_for(self.out)


class _Datagrams:
    """Datagrams from a socket on one host to one on another, or from or to a tester; their frames carry `name`."""

    def __init__(self, flow: FlowRun, run: NetworkRun, name: str, size: int, *, response: bool = False) -> None:
        route = flow.back if response else flow.there
        own, other = reversed(flow.peers) if response else flow.peers
        near, far = route.hops[0].near.name, route.hops[-1].far.name
        self.out: UdpSender | TesterSource
        self.into: UdpReceiver | TesterSink
        if near in run.testers:
            self.out = run.env.part(TesterSource)(run.testers[near], name, size)
        else:
            host = run.computers[near]
            room, mtu = host.spec.system.tcp.send_buffer, host.spec.datagram_mtu(flow.mtu, flow.path_mtu)
            self.out = run.env.part(UdpSender)(host, name, size, mtu, room, own)
        if far in run.testers:
            self.into = TesterSink(run.testers[far], name)
        else:
            host = run.computers[far]
            sender = None if near in run.testers else run.computers[near].spec
            room = host.spec.system.tcp.receive_buffer
            self.into = run.env.part(UdpReceiver)(host, name, room, flow.mtu, sender)
        self.at = far
        run.learn(name, route, other)

    @property
    def sockets(self) -> tuple[UdpSender | TesterSource, UdpReceiver | TesterSink]:
        """Where the datagrams leave and arrive."""
        return self.out, self.into

    def lost(self) -> dict[DropPlace, int]:
        return udp_accounts.drops(self.into, self.at)

    def audit(self) -> None:
        udp_accounts.audit(self.out, self.into, self.at)


class DatagramFlow(FlowRun):
    """Datagrams, at even intervals or without a pause."""

    def __init__(self, run: NetworkRun, test: Flows, spec: DatagramsSpec, name: str, there: Route, back: Route) -> None:
        super().__init__(run, test, name, there, back)
        self._way = _Datagrams(self, run, name, spec.size)
        self._offered = Offered(spec.size, spec.offered)

    def begin(self, _: object = None) -> None:
        due = self._offered.next_due(self.env.now)
        if due > self.env.now:
            self.env.call_at(due, self._send)
        else:
            self._send()

    def _send(self, _: object = None) -> None:
        if not self.over:
            self._way.out.send(self.begin)

    def listen(self) -> None:
        self._receive(0)

    def _receive(self, nbytes: int) -> None:
        if isinstance(self._way.into, UdpReceiver):
            self._way.into.receive(self._receive)

    @property
    def delivered(self) -> int:
        return self._way.into.received_bytes

    def unsent(self, since: int) -> int:
        now, stop = self.env.now, self.spec.stop
        return self._offered.unsent(now if stop is None else min(now, stop), since)

    def counts(self) -> Mapping[str, int]:
        return udp_accounts.counts([self._way.sockets])

    def lost(self) -> Mapping[DropPlace, int]:
        return self._way.lost()

    def audit(self) -> None:
        self._way.audit()

    def waiting_for(self) -> str:
        return f"{self._way.out.datagrams} datagrams sent, {self._way.into.datagrams} received"


class RequestFlow(FlowRun):
    """Requests and responses; `delivered` counts both."""

    dialogue: Dialogue

    def converse(
        self, spec: RequestsSpec, ends: tuple[TcpEndpoint | UdpEndpoint, TcpEndpoint | UdpEndpoint],
        arrivals: tuple[Arrivals, Arrivals], transactions: Transactions,
    ) -> None:
        """Set up the dialogue between both ends, which are connected."""
        crossings = _crossing(self.there), _crossing(self.back)
        sizes = spec.request, spec.response
        self._bytes = sum(sizes)
        self.dialogue = Dialogue(
            self.env, ends, arrivals, crossings, sizes, spec.outstanding, transactions, self.name, spec.think
        )
        self.log = self.dialogue.log

    def arrivals(self) -> tuple[Arrivals, Arrivals]:
        """Those of responses, and those of requests."""
        responses, requests = (_crossing(route).switched for route in (self.back, self.there))
        return Arrivals(switched=responses), Arrivals(switched=requests)

    def begin(self, _: object = None) -> None:
        if not self.over:
            self.dialogue.begin()

    def stop(self, _: object = None) -> None:
        super().stop()
        self.dialogue.stop()

    def listen(self) -> None:
        self.dialogue.listen()

    @property
    def delivered(self) -> int:
        return self._bytes * len(self.dialogue.log.times)

    def waiting_for(self) -> str:
        return f"{self.dialogue.under_way} transactions are under way"


class TcpRequestFlow(RequestFlow):
    """Requests and responses over TCP."""

    def __init__(
        self, run: NetworkRun, test: Flows, spec: RequestsSpec, name: str, there: Route, back: Route
    ) -> None:
        super().__init__(run, test, name, there, back)
        self.out, self.into = self.connect(run, test, nodelay=spec.nodelay)
        responses, requests = self.out.arrivals, self.into.arrivals = self.arrivals()
        ends = TcpEndpoint(self.out), TcpEndpoint(self.into)
        self.converse(spec, ends, (responses, requests), run.ledger.transactions)

    def counts(self) -> Mapping[str, int]:
        there, back = tcp_accounts.counts(self.out, self.into), tcp_accounts.counts(self.into, self.out)
        return {name: there[name] + back[name] for name in there}

    def audit(self) -> None:
        tcp_accounts.audit(self.out, self.into)
        tcp_accounts.audit(self.into, self.out)


class UdpRequestFlow(RequestFlow):
    """Requests and responses over UDP. Lost datagrams are not sent again, and their transactions never end."""

    def __init__(
        self, run: NetworkRun, test: Flows, spec: RequestsSpec, name: str, there: Route, back: Route
    ) -> None:
        super().__init__(run, test, name, there, back)
        self._ways = asks, answers = (
            _Datagrams(self, run, f"{name} requests", spec.request),
            _Datagrams(self, run, f"{name} responses", spec.response, response=True),
        )
        responses, requests = self.arrivals()
        ends = _udp_endpoint(asks.out, answers.into, responses), _udp_endpoint(answers.out, asks.into, requests)
        self.converse(spec, ends, (responses, requests), run.ledger.transactions)

    def counts(self) -> Mapping[str, int]:
        return udp_accounts.counts([way.sockets for way in self._ways])

    def lost(self) -> Mapping[DropPlace, int]:
        return self._ways[0].lost() | self._ways[1].lost()

    def waiting_for(self) -> str:
        return f"{super().waiting_for()}; {udp_accounts.NOT_REPEATED}"

    def audit(self) -> None:
        for way in self._ways:
            way.audit()


def _udp_endpoint(out: UdpSender | TesterSource, into: UdpReceiver | TesterSink, arrivals: Arrivals) -> UdpEndpoint:
    """An endpoint of two sockets; a tester makes no requests."""
    assert isinstance(out, UdpSender)
    assert isinstance(into, UdpReceiver)
    into.arrivals = arrivals
    return UdpEndpoint(out, into)


def _crossing(route: Route) -> Crossing:
    """The crossing of a route's last leg. Earlier legs count as time before the wire."""
    hops = route.legs[-1].hops
    return Crossing(hops[0].medium, hops[0].distance, hops[-1].distance, len(hops) > 1)
