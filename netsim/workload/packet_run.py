"""The common part of packet runs: processors of a current host, each with its own queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSOR
from netsim.engine import Environment
from netsim.errors import ConservationError
from netsim.machine import InterruptPolicy
from netsim.scenario import StreamRun
from netsim.units import format_time
from netsim.workload.packet_scenario import HOST, PacketScenario


class Core(Protocol):
    """A processor with its queue."""

    interrupts: int
    policy: InterruptPolicy

    def start(self) -> None:
        """Begin."""

    @property
    def delivered(self) -> int:
        """The number of packets that it has finished."""

    def work(self, now: int) -> Mapping[str, int]:
        """The times (ps) spent up to `now`, by activity."""


class PacketRun(StreamRun):
    """A run of packets; a tool's subclass makes the `cores`. `link_times` are the times (ps) of the link to memory, up
    and down, for each packet. The wire leads to the host `end`."""

    cores: Sequence[Core]
    end = HOST
    still = "nothing was delivered"  # packets are counted only when a processor looks at them

    def __init__(self, env: Environment, test: PacketScenario, link_times: tuple[int, int]) -> None:
        self.env = env
        self.duration = test.duration
        self._up, self._down = link_times
        self._wire = test.link.frame_time(test.frame)
        self._message = test.adapter.interrupt_time(test.pcie)

    def start(self) -> None:
        """All processors begin at once."""
        for one in self.cores:
            one.start()

    @property
    def delivered(self) -> int:
        return sum(one.delivered for one in self.cores)

    @property
    def interrupts(self) -> int:
        """The interrupts of all processors up to now."""
        return sum(one.interrupts for one in self.cores)

    def unannounced(self, address: str) -> str:
        """For an error message: the setting at `address` has let no interrupt come yet; empty if one has come."""
        interval = self.cores[0].policy.interval
        return "" if self.interrupts or not interval else f"; no interrupt yet, {address} waits {format_time(interval)}"

    def shares(self, on_wire: int, moved: int) -> dict[str, Any]:
        """The accounts of processors, the wire and the link, for `on_wire` packets on the wire and `moved` packets over
        the link."""
        now = self.env.now
        busy = {Resource(HOST, PROCESSOR, number): one.work(now) for number, one in enumerate(self.cores)}
        return {
            "busy": busy,
            "idle": {name: now - sum(work.values()) for name, work in busy.items()},
            "occupied": {
                Resource(self.end, CABLE): on_wire * self._wire,
                Resource(HOST, PCIE_UPSTREAM): moved * self._up + self.interrupts * self._message,
                Resource(HOST, PCIE_DOWNSTREAM): moved * self._down,
            },
            "frames": {Resource(self.end, CABLE): on_wire},
        }

    def audit(self) -> None:
        """Check that no processor has worked for longer than the run. Raises ConservationError."""
        now = self.env.now
        for one in self.cores:
            if (busy := sum(one.work(now).values())) > now:
                raise ConservationError(f"a processor was busy for {busy} of {now} ps")
