"""A device that reads and writes the host's memory: the throughput of its slot, and the latency of one transfer.

The device is that of pcie-bench, which repeats one command. No processors, drivers or descriptors are involved. Source:
pcie-bench (github.com/pcie-bench), and Neugebauer et al., "Understanding PCIe performance for end host networking"
(SIGCOMM 2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from netsim.accounts import Bounds
from netsim.bus import CreditsSpec, DmaEngineSpec, IommuSpec, PcieSpec, PcieSwitchSpec, RootComplexSpec
from netsim.bus.credits_spec import data_credits
from netsim.bus.pcie_spec import PAGE, Piece
from netsim.engine import Environment
from netsim.errors import ScenarioError
from netsim.scenario import Scenario
from netsim.units import (
    MS,
    Bytes,
    Count,
    Fraction,
    Parts,
    PositiveBytes,
    PositiveTime,
    Time,
    TransferBytes,
)
from netsim.workload.dma import bounds, switched_bounds
from netsim.workload.dma.run import DmaRun
from netsim.workload.dma.switched_run import SwitchedDmaRun


class Dma(Scenario):
    """A device repeats a command of `size` bytes, starting at `offset` within a page: a "read", a "write", or a
    "write-read", which reads what was just written. It keeps `outstanding` commands in flight, or as many as its engine
    allows: one measures latency, many measure throughput. The data are `cached` by the processor or not, and are in the
    memory of the device's own socket or of a `remote` one. They are in the pages of a `window` (bytes; None: always the
    same page), which the device uses in turn or at random (`access`: "sequential", "random"). Packets may wait for
    `credits` (None: they never run out). There may be an `iommu`, and switches on the path, which add `switch_time`
    (ps) in each direction (cut-through: a packet's own time counts once). Several `devices`, each with a link `pcie`,
    may do the same work behind a `switch`; `credits` are then those of the root port at the uplink. The throughput
    counts the `size` of all commands; a write ends when the root complex has passed it on to memory: its last bit has
    arrived, and an `iommu` knows its address.

    Positional arguments: operation, size.
    """

    positional: ClassVar[tuple[str, ...]] = ("operation", "size")

    operation: Literal["read", "write", "write-read"]
    size: TransferBytes
    offset: Bytes = 0
    outstanding: Parts = 1
    cached: bool = True
    remote: bool = False
    pcie: PcieSpec
    root_complex: RootComplexSpec
    engine: DmaEngineSpec
    window: PositiveBytes | None = None
    access: Literal["random", "sequential"] = "random"
    credits: CreditsSpec | None = None
    iommu: IommuSpec | None = None
    switch_time: Time = 0
    switch: PcieSwitchSpec | None = None
    devices: Parts = 1
    duration: PositiveTime = MS
    min_iterations: Count = 1
    max_iterations: Count = 1
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # type checkers would reject positional arguments and quantities as text

        def __init__(self, operation: Any = ..., size: Any = ..., **keys: Any) -> None: ...

    @model_validator(mode="after")
    def _begins_in_the_page(self) -> Self:
        """A transfer begins within a page."""
        if self.offset >= PAGE:
            text = f"{self.offset} B is beyond the page; allowed: 0 to {PAGE - 1} B"
            raise ScenarioError(text, address="offset")
        return self

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        """There are credits for the largest packet, and a transfer stays within a page that is translated as a
        whole."""
        behind = None if self.switch is None else self.switch.credits
        for address, credits in (("credits", self.credits), ("switch.credits", behind)):
            if credits is not None and not credits.holds(self.pcie):
                text = f"{credits.posted_data} don't hold a packet of {self.pcie.max_payload} B"
                least = data_credits(self.pcie.max_payload)
                raise ScenarioError(f"{text}; allowed: {least} or more", address=f"{address}.posted_data")
        if self.iommu is not None and self.offset + self.size > self.iommu.page:
            text = f"{self.size} B at offset {self.offset} B cross a page boundary; allowed with an IOMMU: up to"
            raise ScenarioError(f"{text} {max(0, self.iommu.page - self.offset)} B", address="size")
        return self

    @model_validator(mode="after")
    def _shares(self) -> Self:
        """Several devices need a switch, whose uplink carries their packets unchanged."""
        if self.switch is None:
            if self.devices > 1:
                raise ScenarioError(f"{self.devices} need a switch; allowed here: 1", address="devices")
            return self
        uplink = self.switch.uplink
        if uplink.max_payload < self.pcie.max_payload:
            text = f"{uplink.max_payload} B are less than pcie.max_payload, and switches don't split packets"
            text += f"; allowed: {self.pcie.max_payload} B or more"
            raise ScenarioError(text, address="switch.uplink.max_payload")
        return self

    @property
    def pages(self) -> int:
        """The number of pages in use."""
        page = PAGE if self.iommu is None else self.iommu.page
        return 1 if self.window is None else max(1, self.window // page)

    @property
    def missed(self) -> float:
        """The share of commands whose page has to be looked up in memory."""
        return 0.0 if self.iommu is None else self.iommu.missed(self.pages, self.access == "random")

    @property
    def label(self) -> str:
        return f"DMA {self.operation}"

    @property
    def under_way(self) -> int:
        """The number of commands under way at once."""
        return min(self.outstanding, self.engine.commands)

    @property
    def writes(self) -> list[Piece]:
        """The packets that a command writes."""
        return [] if self.operation == "read" else self.pcie.writes(self.offset, self.size)

    @property
    def reads(self) -> list[list[Piece]]:
        """The completions of each request of a command."""
        if self.operation == "write":
            return []
        most = self.root_complex.longest(self.pcie)
        return [self.pcie.completions(at, size, most) for at, size in self.pcie.reads(self.offset, self.size)]

    @property
    def answer_time(self) -> int:
        """The time (ps) from a request to its first completion."""
        return self.root_complex.answer_time(self.cached, self.remote) + 2 * self.switch_time

    @property
    def visible_time(self) -> int:
        """The time (ps) until written data can be read, by a request that takes the same path."""
        return self.root_complex.visible_time(self.remote)

    def bounds(self) -> Bounds:
        if self.switch is not None:
            return Bounds(switched_bounds.demand(self, self.switch), self.size)
        return Bounds(bounds.demand(self), self.size)

    def build(self, env: Environment) -> DmaRun | SwitchedDmaRun:
        return DmaRun(env, self) if self.switch is None else SwitchedDmaRun(env, self, self.switch)
