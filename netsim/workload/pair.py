"""What every test between two hosts shares: the machines, the cable between them, and the books of both."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from netsim.books import Ledger
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.ethernet import Link, LinkSpec
from netsim.ethernet.frame import frame_size
from netsim.scenario import Run, Scenario
from netsim.stack import Computer, ComputerSpec
from netsim.units import PositiveBytes


class Pair(Scenario):
    """Two hosts, each with its first adapter on one cable. `mtu` in bytes."""

    sender: ComputerSpec
    receiver: ComputerSpec
    link: LinkSpec = Field(default_factory=lambda: LinkSpec.from_name("100base-tx"))
    mtu: PositiveBytes = 1500

    @model_validator(mode="after")
    def _connected(self) -> Self:
        """The link carries the mtu, and both adapters do the link."""
        if self.mtu > self.link.mtu:
            raise ScenarioError(f"{self.mtu} bytes are more than the link allows ({self.link.mtu})", address="mtu")
        for name, host in (("sender", self.sender), ("receiver", self.receiver)):
            _check_adapter(name, host, self.link, self.mtu)
        return self


def _check_adapter(name: str, host: ComputerSpec, link: LinkSpec, mtu: int) -> None:
    if not host.nics:
        raise ScenarioError("a host in a test needs an adapter", address=f"{name}.nics")
    nic = host.nics[0]
    if nic.rate < link.rate:
        raise ScenarioError(f"{link.rate} bit/s are more than the adapter of the {name} can do", address="link.rate")
    if frame_size(mtu) > nic.max_frame:
        raise ScenarioError(f"frames of {frame_size(mtu)} bytes are more than the adapter takes", address="mtu")


class PairRun(Run):
    """Two computers and a cable in a running simulation."""

    def __init__(self, env: Environment, link: LinkSpec, sender: ComputerSpec, receiver: ComputerSpec) -> None:
        self.env = env
        self.sender = Computer(env, sender, "sender")
        self.receiver = Computer(env, receiver, "receiver")
        there = Link(env, link, "wire to receiver")
        back = Link(env, link, "wire to sender")
        self.sender.nics[0].plug(there, back)
        self.receiver.nics[0].plug(back, there)
        self._ledger = Ledger(env, {"sender": self.sender, "receiver": self.receiver}, [there, back])
