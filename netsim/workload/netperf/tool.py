"""netperf 2.1: bulk transfer from one host to another by TCP or UDP.

TCP_STREAM writes messages as large as the send buffer until the time is up and counts what the receiver read;
UDP_STREAM sends datagrams as fast as the socket takes them, and what counts is what the receiving process got.
The test is repeated until the mean is known well enough: `-i max,min -I confidence,width`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from netsim.accounts import Accounts, DropPlace
from netsim.accounts.bounds import Bounds
from netsim.closed_form.stream import tcp_bounds
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.scenario import StreamRun
from netsim.stack import ComputerSpec, UdpReceiver, UdpSender, connect
from netsim.topology.pair import Pair, PairRun
from netsim.units import PS_PER_S, BitRate, Count, Fraction, PositiveBytes, PositiveTime
from netsim.workload import tcp_accounts
from netsim.workload.netperf.bounds import udp_bounds

_MAX_DATAGRAM = 65_507  # bytes of payload (RFC 768, RFC 791)
_START_SPREAD = 10**9  # ps: the phase between the two hosts is drawn from a millisecond


class Netperf(Pair):
    """A netperf test, by default `-l 60 -i 10,2 -I 99,5`. `message` and the socket buffers in bytes (None: the
    system's default). `offered` paces UDP_STREAM to that many bit/s of payload: datagrams begin at even intervals, or
    as soon as the one before is sent (None: as fast as the socket takes them).

    Without names: test, sender, receiver.
    """

    positional: ClassVar[tuple[str, ...]] = ("test", "sender", "receiver")

    test: Literal["TCP_STREAM", "UDP_STREAM"]
    message: PositiveBytes | None = None
    send_buffer: PositiveBytes | None = None
    receive_buffer: PositiveBytes | None = None
    offered: BitRate | None = None
    duration: PositiveTime = 60 * 10**12
    min_iterations: Count = 2
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # or values without names, and texts, would be refused

        def __init__(self, test: Any = ..., sender: Any = ..., receiver: Any = ..., **keys: Any) -> None: ...

    @property
    def label(self) -> str:
        return self.test

    @property
    def message_size(self) -> int:
        """Bytes per message: as large as the send buffer, if not given."""
        return self.message or self.send_buffer_size

    @property
    def send_buffer_size(self) -> int:
        """Bytes of the sender's socket buffer."""
        return _requested(self.sender, self.send_buffer) or self.sender.system.tcp.send_buffer

    @property
    def receive_buffer_size(self) -> int:
        """Bytes of the receiver's socket buffer."""
        return _requested(self.receiver, self.receive_buffer) or self.receiver.system.tcp.receive_buffer

    @model_validator(mode="after")
    def _possible(self) -> Self:
        """What no single value shows."""
        if self.test == "UDP_STREAM" and self.message_size > _MAX_DATAGRAM:
            text = f"{self.message_size} bytes don't fit into a datagram; allowed: 1 to {_MAX_DATAGRAM}"
            raise ScenarioError(text, address="message")
        if self.test == "UDP_STREAM" and self.ipsec is not None:
            raise ScenarioError("only TCP goes under IPsec here; allowed for UDP_STREAM: none", address="ipsec")
        if self.test == "TCP_STREAM" and self.offered is not None:
            raise ScenarioError("TCP_STREAM sends as fast as it can; allowed: none", address="offered")
        return self

    def bounds(self) -> Bounds:
        return tcp_bounds(self) if self.test == "TCP_STREAM" else udp_bounds(self)

    def build(self, env: Environment) -> NetperfRun:
        return TcpStream(env, self) if self.test == "TCP_STREAM" else UdpStream(env, self)


def _with_buffer(host: ComputerSpec, name: str, nbytes: int | None) -> ComputerSpec:
    """The host with a TCP socket buffer as netperf's -s or -S asks for."""
    return host if nbytes is None else host.replace(f"system.tcp.{name}", _requested(host, nbytes))


def _requested(host: ComputerSpec, nbytes: int | None) -> int:
    """What a socket buffer is when a program asks for `nbytes`; 0 if it doesn't."""
    return (nbytes or 0) * host.system.socket.requested_factor


class NetperfRun(PairRun, StreamRun):
    """A process at each end, one sending and one receiving."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        sender = _with_buffer(test.sender, "send_buffer", test.send_buffer)
        super().__init__(env, test, sender, _with_buffer(test.receiver, "receive_buffer", test.receive_buffer))
        self.test = test
        self.duration = test.duration

    def start(self) -> None:
        """The receiver is there first; the sender begins at a time drawn from the seed."""
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
        self.out, self.into = connect(self.sender, self.receiver, test.mtu, "stream")

    def _send(self) -> None:
        self.out.send(self.test.message_size, self._send)

    def _receive(self, nbytes: int) -> None:
        self.into.receive(self.test.receive_buffer_size, self._receive)

    @property
    def delivered(self) -> int:
        return self.into.read_bytes

    def accounts(self) -> Accounts:
        return self.ledger.read(self.delivered, tcp_accounts.counts(self.out, self.into))

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
        self.out = UdpSender(self.sender, "stream", size, test.mtu, room)
        self.into = env.part(UdpReceiver)(self.receiver, "stream", test.receive_buffer_size)
        self._interval = round(size * 8 * PS_PER_S / test.offered) if test.offered else 0
        self._due = 0  # when the next datagram is

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
        return self.ledger.read(self.delivered, counts, drops)

    def audit(self) -> None:
        """No datagram is read that was not sent."""
        self.ledger.audit()
        into = self.into
        known = into.datagrams + into.queued + into.drops["socket buffer"] + into.reassembly.incomplete
        if known > self.out.datagrams + 1:
            raise ConservationError(f"datagrams: {known} at the receiver, {self.out.datagrams} sent")

    def waiting_for(self) -> str:
        return f"{self.out.datagrams} datagrams sent, {self.into.datagrams} received"
