"""netperf 2.1: bulk transfer from one host to another by TCP or UDP.

TCP_STREAM writes messages as large as the send buffer until the time is up, and counts the bytes that the receiver
reads; UDP_STREAM sends datagrams as fast as the socket accepts them, and counts those that the receiving process reads.
TCP_RR and UDP_RR send a request and wait for the response, and count transactions; a burst (netperf 2.4, `-b`) is the
number of additional requests under way at once. TCP_CRR opens and closes a connection for each transaction. The test is
repeated until the mean is known to the requested precision: `-i max,min -I confidence,width`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from netsim.accounts.bounds import Bounds
from netsim.closed_form.stream import tcp_bounds
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.stack import ComputerSpec, udp
from netsim.topology.cabling import AskedBuffer, check_windows
from netsim.topology.pair import RECEIVER, SENDER, Pair
from netsim.units import (
    MBIT_PER_S,
    TPS,
    BitRate,
    Count,
    Fraction,
    MessageBytes,
    NonNegativeCount,
    PositiveBytes,
    PositiveTime,
    RateUnit,
)
from netsim.workload.netperf.bounds import udp_bounds
from netsim.workload.netperf.connect_bounds import connect_bounds
from netsim.workload.netperf.connect_run import TcpConnectRequests
from netsim.workload.netperf.request_bounds import request_bounds
from netsim.workload.netperf.requests_run import TcpRequests, UdpRequests
from netsim.workload.netperf.run import NetperfRun, TcpStream, UdpStream

REQUESTS = ("TCP_RR", "UDP_RR", "TCP_CRR")
OVER_UDP = ("UDP_STREAM", "UDP_RR")
_BY_DEFAULT = "the default is the size of the send buffer, and "


TestName = Literal["TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"]


class Netperf(Pair):
    """A netperf test, by default `-l 60 -i 10,2 -I 99,5`. The socket buffers are in bytes (None: the system's default),
    and so is `message` (None: the size of the send buffer; on some systems no datagram has room for that, so UDP_STREAM
    needs it there). `offered` paces UDP_STREAM at this rate of payload (bit/s): datagrams begin at even intervals, or
    as soon as the previous one has been sent if that is later (None: as fast as the socket accepts them).

    For TCP_RR, UDP_RR and TCP_CRR, `request` and `response` are the bytes of a message each way (`-r`; None: 1),
    `burst` the number of additional requests in flight (`-b`; None: 0; not for TCP_CRR), and `nodelay` switches Nagle's
    algorithm off (`-D`). The `sender` is the client.

    Positional arguments: test, sender, receiver.
    """

    positional: ClassVar[tuple[str, ...]] = ("test", "sender", "receiver")

    test: TestName
    message: MessageBytes | None = None
    send_buffer: PositiveBytes | None = None
    receive_buffer: PositiveBytes | None = None
    offered: BitRate | None = None
    request: MessageBytes | None = None
    response: MessageBytes | None = None
    burst: NonNegativeCount | None = None
    nodelay: bool | None = None
    duration: PositiveTime = 60 * 10**12
    min_iterations: Count = 2
    max_iterations: Count = 10
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, test: Any = ..., sender: Any = ..., receiver: Any = ..., **keys: Any) -> None: ...

    @property
    def label(self) -> str:
        return self.test

    @property
    def unit(self) -> RateUnit:
        return TPS if self.closed else MBIT_PER_S

    @property
    def closed(self) -> bool:
        return self.test in REQUESTS

    @property
    def request_size(self) -> int:
        """Bytes, by default 1."""
        return self.request or 1

    @property
    def response_size(self) -> int:
        """Bytes, by default 1."""
        return self.response or 1

    @property
    def outstanding(self) -> int:
        """Transactions under way at once."""
        return 1 + (self.burst or 0)

    @property
    def message_size(self) -> int:
        """Bytes per message: by default the size of the send buffer."""
        return self.message or self.send_buffer_size

    @property
    def send_buffer_size(self) -> int:
        """Bytes of the sender's socket buffer."""
        system = self.sender.system
        return system.socket.send_buffer(self.send_buffer) if self.send_buffer else system.tcp.send_buffer

    @property
    def receive_buffer_size(self) -> int:
        """Bytes of the receiver's socket buffer."""
        system = self.receiver.system
        return system.socket.receive_buffer(self.receive_buffer) if self.receive_buffer else system.tcp.receive_buffer

    def buffered(self) -> tuple[ComputerSpec, ComputerSpec]:
        """Sender and receiver with the socket buffers that netperf's -s and -S request."""
        sender, receiver = self.sender, self.receiver
        if self.send_buffer is not None:
            sender = sender.replace("system.tcp.send_buffer", self.send_buffer_size)
        if self.receive_buffer is not None:
            receiver = receiver.replace("system.tcp.receive_buffer", self.receive_buffer_size)
        return sender, receiver

    @model_validator(mode="after")
    def _connected_so(self) -> Self:
        """The connection can express the requested window."""
        if self.test not in OVER_UDP and self.receive_buffer is not None:
            sender, receiver = self.buffered()
            asked = AskedBuffer("receive_buffer", self.receive_buffer)
            check_windows((SENDER, sender), (RECEIVER, receiver), self.mtu, asked)
        return self

    @model_validator(mode="after")
    def _possible(self) -> Self:
        """Checks that involve several values."""
        over_udp, sizes = self.test in OVER_UDP, {"message": self.message_size}
        if self.closed:
            sizes = {"request": self.request_size, "response": self.response_size}
        if over_udp:  # UDP_STREAM's receiver counts as sending 1 byte
            for name, size in sizes.items():
                udp.check_size(name, size, "" if self.closed or self.message else _BY_DEFAULT)
            for host, size in zip(self.ends, [*sizes.values(), 1], strict=False):
                host.check_datagram(size + udp.HEADER, self.mtu)
        return self

    @model_validator(mode="after")
    def _of_its_test(self) -> Self:
        """Keys of other tests are refused, not ignored."""
        if self.offered is not None and self.test != "UDP_STREAM":
            raise ScenarioError(f"does not apply to {self.test}; allowed for UDP_STREAM", address="offered")
        foreign = ("message",) if self.closed else ("request", "response", "burst", "nodelay")
        for name in foreign:
            if getattr(self, name) is not None:
                others = [one for one in _BUILT if (one in REQUESTS) != self.closed]
                raise ScenarioError(f"does not apply to {self.test}; allowed for {' and '.join(others)}", address=name)
        if self.nodelay and self.test not in ("TCP_RR", "TCP_CRR"):
            text = f"does not apply to {self.test}, as UDP has no Nagle algorithm; allowed for TCP_RR and TCP_CRR"
            raise ScenarioError(text, address="nodelay")
        if self.burst and self.test == "TCP_CRR":
            raise ScenarioError("a connection has one transaction; allowed for TCP_CRR: 0", address="burst")
        return self

    @model_validator(mode="after")
    def _connects(self) -> Self:
        """The costs of opening a connection are known for both systems, and no connection is protected by IPsec."""
        if self.test == "TCP_CRR":
            if self.ipsec is not None:
                text = "IPsec is not modelled for connections that open and close; allowed for TCP_CRR: none"
                raise ScenarioError(text, address="ipsec")
            for name, host in ((SENDER, self.sender), (RECEIVER, self.receiver)):
                if host.system.tcp.connection is None:
                    text = "the costs of opening and closing a connection are not known for this system"
                    text += "; allowed for TCP_CRR: a table, as in linux-2.2.16"
                    raise ScenarioError(text, address=f"{name}.system.tcp.connection")
        return self

    @model_validator(mode="after")
    def _answered(self) -> Self:
        """There is room for all requests under way; otherwise client and server would wait for each other forever."""
        if self.test == "TCP_RR" and self.burst and self.outstanding * self.request_size > self.send_buffer_size // 2:
            most = self.send_buffer_size // 2 // self.request_size - 1
            text = f"{self.outstanding} requests of {self.request_size} bytes don't fit into half of the send buffer"
            raise ScenarioError(f"{text}; allowed: 0 to {max(0, most)}", address="burst")
        return self

    def bounds(self) -> Bounds:
        return _BUILT[self.test][0](self)

    def build(self, env: Environment) -> NetperfRun:
        return _BUILT[self.test][1](env, self)


_BUILT: dict[str, tuple[Callable[[Netperf], Bounds], Callable[[Environment, Netperf], NetperfRun]]] = {
    "TCP_STREAM": (tcp_bounds, TcpStream),
    "UDP_STREAM": (udp_bounds, UdpStream),
    "TCP_RR": (request_bounds, TcpRequests),
    "UDP_RR": (request_bounds, UdpRequests),
    "TCP_CRR": (connect_bounds, TcpConnectRequests),
}
