"""The traffic between processes on two hosts of a network: streams, datagrams, requests and responses."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.stack import ComputerSpec, udp
from netsim.units import BitRate, Count, MessageBytes, PositiveTime, Time, format_time


class FlowSpec(Spec):
    """Traffic of this `kind` from a process on the host `sender` to one on the host `receiver`, from `start` until
    `stop` (ps from the start of the test; None: until its end)."""

    tag: ClassVar[str] = "kind"

    kind: str = "stream"
    sender: str
    receiver: str
    start: Time = 0
    stop: PositiveTime | None = None

    @model_validator(mode="after")
    def _between_two(self) -> Self:
        if self.sender == self.receiver:
            raise ScenarioError(f'"{self.receiver}" is the sender; allowed: another host', address="receiver")
        if self.stop is not None and self.stop <= self.start:
            text = f"{format_time(self.stop)} is not after the start; allowed: more than {format_time(self.start)}"
            raise ScenarioError(text, address="stop")
        return self

    @property
    @abstractmethod
    def over_tcp(self) -> bool:
        """Whether its processes have a connection."""

    @property
    def datagrams(self) -> tuple[int, ...]:
        """Bytes of payload of each datagram from its sender, and of each one from its receiver."""
        return ()

    @property
    def piece(self) -> int:
        """Bytes of payload that are delivered at once; 0: those of a segment."""
        return 0

    @abstractmethod
    def check(self, sender: ComputerSpec) -> None:
        """Check that its sizes fit this sender. Raises ScenarioError."""


class StreamSpec(FlowSpec):
    """Messages of `message` bytes over TCP, as fast as the connection accepts them (None: as large as the sender's
    buffer, as in netperf's TCP_STREAM)."""

    kind: Literal["stream"] = "stream"
    message: MessageBytes | None = None

    @property
    def over_tcp(self) -> bool:
        return True

    def check(self, sender: ComputerSpec) -> None:
        """Any size is allowed."""


class DatagramsSpec(FlowSpec):
    """Datagrams with `size` bytes of payload over UDP, `offered` bit/s of payload at even intervals (None: as fast as
    the socket accepts them)."""

    kind: Literal["datagrams"] = "datagrams"
    size: MessageBytes = 1472
    offered: BitRate | None = None

    @property
    def over_tcp(self) -> bool:
        return False

    @property
    def datagrams(self) -> tuple[int, ...]:
        return self.size, 1

    @property
    def piece(self) -> int:
        return self.size

    def check(self, sender: ComputerSpec) -> None:
        udp.check_size("size", self.size)


class RequestsSpec(FlowSpec):
    """The `sender` sends requests of `request` bytes and the `receiver` responses of `response` bytes, over TCP or UDP.
    `outstanding` requests are under way at once; the sender waits for `think` (ps) between a response and the next
    request. With `nodelay` TCP never holds back small segments."""

    kind: Literal["request-response"] = "request-response"
    over: Literal["tcp", "udp"] = "tcp"
    request: MessageBytes = 1
    response: MessageBytes = 1
    outstanding: Count = 1
    think: Time = 0
    nodelay: bool = False

    @property
    def over_tcp(self) -> bool:
        return self.over == "tcp"

    @property
    def datagrams(self) -> tuple[int, ...]:
        return () if self.over_tcp else (self.request, self.response)

    @property
    def piece(self) -> int:
        return self.request + self.response

    def check(self, sender: ComputerSpec) -> None:
        if self.over_tcp:
            self._check_room(sender.system.tcp.send_buffer // 2)
            return
        udp.check_size("request", self.request)
        udp.check_size("response", self.response)
        if self.nodelay:
            text = "does not apply to UDP, which has no Nagle algorithm; allowed: false, or over TCP"
            raise ScenarioError(text, address="nodelay")

    def _check_room(self, room: int) -> None:
        """Check that there is room for all requests under way; otherwise both ends would wait for each other
        forever."""
        if self.outstanding > 1 and self.outstanding * self.request > room:
            text = f"{self.outstanding} requests of {self.request} bytes don't fit into half of the send buffer"
            raise ScenarioError(f"{text}; allowed: 1 to {max(1, room // self.request)}", address="outstanding")
