"""netperf 2.1: bulk transfer from one host to another by TCP or UDP.

TCP_STREAM writes messages as large as the send buffer until the time is up and counts what the receiver read;
UDP_STREAM sends datagrams as fast as the socket takes them, and what counts is what the receiving process got.
The test is repeated until the mean is known well enough: `-i max,min -I confidence,width`.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from netsim.books import Books, Ledger
from netsim.bounds import Bounds
from netsim.engine import Environment
from netsim.errors import ConservationError, ScenarioError
from netsim.ethernet import Link, LinkSpec
from netsim.ethernet.frame import frame_size
from netsim.scenario import Run, Scenario
from netsim.stack import Computer, ComputerSpec, UdpReceiver, UdpSender, connect
from netsim.units import Count, Fraction, PositiveBytes, PositiveTime
from netsim.workload.netperf_bounds import tcp_bounds, udp_bounds

_MAX_DATAGRAM = 65_507  # bytes of payload (RFC 768, RFC 791)
_START_SPREAD = 10**9  # ps: the phase between the two hosts is drawn from a millisecond


class Netperf(Scenario):
    """A netperf test, `-l 60 -i 10,2 -I 99,5` if nothing else is said. `message` and the socket buffers in bytes (None:
    the system's default).
    """

    test: Literal["TCP_STREAM", "UDP_STREAM"]
    sender: ComputerSpec
    receiver: ComputerSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: PositiveBytes = 1500
    message: PositiveBytes | None = None
    send_buffer: PositiveBytes | None = None
    receive_buffer: PositiveBytes | None = None
    duration: PositiveTime = 60 * 10**12
    min_iterations: Count = 2
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    @property
    def label(self) -> str:
        """See Scenario."""
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
        if self.mtu > self.link.mtu:
            raise ScenarioError(f"{self.mtu} bytes are more than the link allows ({self.link.mtu})", address="mtu")
        for name, host in (("sender", self.sender), ("receiver", self.receiver)):
            _check_adapter(name, host, self.link, self.mtu)
        if _cables(self.sender) != _cables(self.receiver):
            text = f"{_cables(self.receiver)} ports can't be cabled to {_cables(self.sender)} of the sender"
            raise ScenarioError(text, address="receiver.nics")
        if self.test == "UDP_STREAM" and self.message_size > _MAX_DATAGRAM:
            text = f"{self.message_size} bytes don't fit into a datagram; allowed: 1 to {_MAX_DATAGRAM}"
            raise ScenarioError(text, address="message")
        if self.min_iterations > self.max_iterations:
            raise ScenarioError(f"more than max_iterations ({self.max_iterations})", address="min_iterations")
        return self

    @property
    def cables(self) -> int:
        """How many cables there are: one, or one for each port of a bond."""
        return _cables(self.sender)

    def wires(self, number: int) -> tuple[str, str]:
        """The names of a cable's two directions."""
        wire = f"wire {number}" if self.cables > 1 else "wire"
        return f"{wire} to receiver", f"{wire} to sender"

    def bounds(self) -> Bounds:
        """See Scenario."""
        return tcp_bounds(self) if self.test == "TCP_STREAM" else udp_bounds(self)

    def build(self, env: Environment) -> NetperfRun:
        """See Scenario."""
        return TcpStream(env, self) if self.test == "TCP_STREAM" else UdpStream(env, self)


def _check_adapter(name: str, host: ComputerSpec, link: LinkSpec, mtu: int) -> None:
    if not host.nics:
        raise ScenarioError("a netperf host needs an adapter", address=f"{name}.nics")
    for nic in host.nics if host.bonded else host.nics[:1]:
        if nic.rate < link.rate:
            raise ScenarioError(f"{link.rate} bit/s are more than an adapter of the {name} can do", address="link.rate")
        if frame_size(mtu) > nic.max_frame:
            raise ScenarioError(f"frames of {frame_size(mtu)} bytes are more than the adapter takes", address="mtu")


def _cables(host: ComputerSpec) -> int:
    """How many cables go into a host: into each port of a bond, else into its first."""
    return len(host.ports()) if host.bonded else 1


def _with_buffer(host: ComputerSpec, name: str, nbytes: int | None) -> ComputerSpec:
    """The host with a TCP socket buffer as netperf's -s or -S asks for."""
    return host if nbytes is None else host.replace(f"system.tcp.{name}", _requested(host, nbytes))


def _requested(host: ComputerSpec, nbytes: int | None) -> int:
    """What a socket buffer is when a program asks for `nbytes`; 0 if it doesn't."""
    return (nbytes or 0) * host.system.socket.requested_factor


class NetperfRun(Run):
    """Two computers and a cable in a running simulation."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        self.env = env
        self.test = test
        self.sender = Computer(env, _with_buffer(test.sender, "send_buffer", test.send_buffer), "sender")
        self.receiver = Computer(env, _with_buffer(test.receiver, "receive_buffer", test.receive_buffer), "receiver")
        links = []
        for number, ports in enumerate(zip(self.sender.nics, self.receiver.nics, strict=False)):
            if number < test.cables:
                there, back = (Link(env, test.link, name) for name in test.wires(number))
                ports[0].plug(there, back)
                ports[1].plug(back, there)
                links += [there, back]
        self._ledger = Ledger(env, {"sender": self.sender, "receiver": self.receiver}, links)

    def start(self) -> None:
        """See Run. The receiver is there first; the sender begins at a time drawn from the seed."""
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

    def books(self) -> Books:
        """See Run."""
        output = self.out.output
        counts = {
            "segments sent": self.out.segments_sent,
            "acknowledgements sent": self.into.acks_sent,
            "retransmitted segments": output.retransmitted,
            "fast retransmits": output.fast_retransmits,
            "retransmission timeouts": output.timeouts,
            "duplicate acknowledgements": output.duplicate_acks,
            "segments out of order": self.into.input.out_of_order,
            "segments received twice": self.into.input.duplicates,
            "segments beyond the window": self.into.input.beyond_window,
        }
        return self._ledger.read(self.into.read_bytes, {}, counts)

    def audit(self) -> None:
        """See Run. No byte is read that was not sent, none is acknowledged that has not come."""
        self._ledger.audit()
        queued = sum(nbytes for nbytes, _, _ in self.into.input.queue)
        if self.into.read_bytes + queued != self.into.input.next:
            text = f"{self.into.read_bytes} read and {queued} queued of {self.into.input.next}"
            raise ConservationError(f"TCP bytes: {text}")
        if not self.out.output.una <= self.into.input.next <= self.out.output.highest <= self.out.output.written:
            raise ConservationError("TCP bytes: more acknowledged than received, or more received than sent")

    def waiting_for(self) -> str:
        """See Run."""
        output = self.out.output
        return f"{output.written - output.una} bytes are not acknowledged, {output.next - output.una} on their way"


class UdpStream(NetperfRun):
    """UDP_STREAM."""

    def __init__(self, env: Environment, test: Netperf) -> None:
        super().__init__(env, test)
        size, room = test.message_size, test.send_buffer_size
        self.out = UdpSender(self.sender, "stream", size, test.mtu, room)
        self.into = UdpReceiver(self.receiver, "stream", test.receive_buffer_size)

    def _send(self) -> None:
        self.out.send(self._send)

    def _receive(self, nbytes: int) -> None:
        self.into.receive(self._receive)

    def books(self) -> Books:
        """See Run."""
        drops = {f"receiver: {place}": count for place, count in self.into.drops.items()}
        drops |= {f"receiver: {place}": count for place, count in self.into.reassembly.drops.items()}
        counts = {"datagrams sent": self.out.datagrams, "datagrams received": self.into.datagrams}
        return self._ledger.read(self.into.received_bytes, drops, counts)

    def audit(self) -> None:
        """See Run. No datagram is read that was not sent."""
        self._ledger.audit()
        into = self.into
        known = into.datagrams + into.queued + into.drops["socket buffer"] + into.reassembly.incomplete
        if known > self.out.datagrams + 1:
            raise ConservationError(f"datagrams: {known} at the receiver, {self.out.datagrams} sent")

    def waiting_for(self) -> str:
        """See Run."""
        return f"{self.out.datagrams} datagrams sent, {self.into.datagrams} received"
