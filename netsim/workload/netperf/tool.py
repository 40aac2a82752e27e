"""netperf 2.1: bulk transfer from one host to another by TCP or UDP.

TCP_STREAM writes messages as large as the send buffer until the time is up and counts what the receiver read;
UDP_STREAM sends datagrams as fast as the socket takes them, and what counts is what the receiving process got.
The test is repeated until the mean is known well enough: `-i max,min -I confidence,width`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from netsim.accounts.bounds import Bounds
from netsim.closed_form.stream import tcp_bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.topology.pair import Pair
from netsim.units import BitRate, Count, Fraction, MessageBytes, PositiveBytes, PositiveTime
from netsim.workload.netperf.bounds import udp_bounds
from netsim.workload.netperf.run import NetperfRun, TcpStream, UdpStream

_MAX_DATAGRAM = 65_507  # bytes of payload (RFC 768, RFC 791)


class Netperf(Pair):
    """A netperf test, by default `-l 60 -i 10,2 -I 99,5`. `message` and the socket buffers in bytes (None: the
    system's default). `offered` paces UDP_STREAM to that many bit/s of payload: datagrams begin at even intervals, or
    as soon as the one before is sent (None: as fast as the socket takes them).

    Without names: test, sender, receiver.
    """

    positional: ClassVar[tuple[str, ...]] = ("test", "sender", "receiver")

    test: Literal["TCP_STREAM", "UDP_STREAM"]
    message: MessageBytes | None = None
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
        system = self.sender.system
        return system.socket.requested(self.send_buffer) or system.tcp.send_buffer

    @property
    def receive_buffer_size(self) -> int:
        """Bytes of the receiver's socket buffer."""
        system = self.receiver.system
        return system.socket.requested(self.receive_buffer) or system.tcp.receive_buffer

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
