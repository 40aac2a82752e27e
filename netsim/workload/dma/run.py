"""A device's transfers in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import (
    DMA_ENGINE,
    DMA_TAGS,
    IOMMU_WALKERS,
    NONPOSTED_HEADERS,
    PCIE_DOWNSTREAM,
    PCIE_UPSTREAM,
    POSTED_DATA,
    POSTED_HEADERS,
)
from netsim.bus import (
    CreditedDirection,
    DmaCommand,
    DmaEngine,
    Iommu,
    IommuSpec,
    PcieDirection,
    RootComplex,
    TranslatingRootComplex,
)
from netsim.engine import Environment, Transactions
from netsim.errors import ConservationError
from netsim.scenario import StreamRun

if TYPE_CHECKING:
    from netsim.workload.dma.tool import Dma


class DmaRun(StreamRun):
    """A device that repeats a command, the link, and the root complex."""

    def __init__(self, env: Environment, test: Dma) -> None:
        self.env = env
        self.test = test
        self.duration = test.duration
        upstream, credits = Resource("", PCIE_UPSTREAM), test.credits
        self.credited = None if credits is None else CreditedDirection(env, test.pcie, upstream, credits)
        self.up = self.credited or PcieDirection(env, test.pcie, upstream)
        self.down = PcieDirection(env, test.pcie, Resource("", PCIE_DOWNSTREAM))
        self.iommu = _iommu(test.iommu)
        self.root_complex = self._memory(env, test)
        self.engine = DmaEngine(env, test.engine, self.up, test.pcie.request_bytes, self.root_complex)
        self.transactions = Transactions(env, [test.operation], test.under_way)
        self._writes, self._reads = test.writes, test.reads
        self._began: dict[DmaCommand, int] = {}
        self._pages, self._page, self._random = test.pages, 0, env.stream("pages")

    def _memory(self, env: Environment, test: Dma) -> RootComplex:
        times = test.answer_time, test.visible_time
        if self.iommu is None and self.credited is None:
            return RootComplex(env, self.down, *times)
        return TranslatingRootComplex(env, self.down, *times, self.iommu, self.credited)

    def start(self) -> None:
        """All that may be under way is."""
        for _ in range(self.test.under_way):
            self._begin()

    def _begin(self) -> None:
        command = DmaCommand(self._writes, self._reads, self._done)
        if self._pages > 1:
            command.page = self._next_page()
        self._began[command] = self.transactions.begin(self.test.operation)
        self.engine.put(command)

    def _next_page(self) -> int:
        if self.test.access == "random":
            return int(self._random.integers(self._pages))
        self._page = (self._page + 1) % self._pages
        return self._page

    def _done(self, command: DmaCommand) -> None:
        self.transactions.end(self.test.operation, self._began.pop(command))
        self._begin()

    @property
    def delivered(self) -> int:
        return self.test.size * self.transactions.completed

    def busy(self) -> dict[str, int]:
        """There are no processors."""
        return {}

    def accounts(self) -> Accounts:
        now, engine = self.env.now, self.engine
        occupied = {
            self.up.name: self.up.busy_until(now),
            self.down.name: self.down.busy_until(now),
            Resource("", DMA_ENGINE): engine.busy_until(now),
            Resource("", DMA_TAGS): engine.held_until(now) // engine.tags,
        }
        if self.credited is not None:
            pools = (POSTED_HEADERS, self.credited.posted), (POSTED_DATA, self.credited.data)
            for kind, pool in (*pools, (NONPOSTED_HEADERS, self.credited.nonposted)):
                occupied[Resource("", kind)] = pool.held_until(now) // pool.credits
        if self.iommu is not None:
            occupied[Resource("", IOMMU_WALKERS)] = self.iommu.busy_until(now) // self.iommu.walkers
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            occupied=occupied,
            frames={self.up.name: self.up.packets, self.down.name: self.down.packets},
            counts={"events": self.env.events} | ({"walks": self.iommu.walks} if self.iommu else {}),
            ended=self.transactions.counts(),
            stays=self.transactions.stays(),
            under_way=self.transactions.all.area_until(now),
        )

    def audit(self) -> None:
        """Little's law holds for commands; each tag that is held has a read that was not answered; and what is over has
        moved all its bytes, with no more than what is under way beside it."""
        self.transactions.audit()
        engine, memory, test = self.engine, self.root_complex, self.test
        _require(engine.tags - engine.tags_free, memory.under_way, "tags held")
        _require(engine.bytes_written, memory.bytes_written, "bytes written")
        over, most = self.delivered, self.delivered + test.under_way * test.size
        if test.operation != "read" and not over <= engine.bytes_written <= most:
            raise ConservationError(f"bytes written: {engine.bytes_written}, commands over have {over}")
        if test.operation != "write" and not over <= engine.bytes_read <= memory.bytes_read <= most:
            text = f"{memory.bytes_read} sent, {engine.bytes_read} arrived, commands over have {over}"
            raise ConservationError(f"bytes read: {text}")

    def waiting_for(self) -> str:
        return f"{self.transactions.all.inside} commands are under way, {self.engine.tags_free} tags are free"


def _iommu(spec: IommuSpec | None) -> Iommu | None:
    return None if spec is None else Iommu(spec.entries, spec.walk_time, spec.walkers)


def _require(found: int, expected: int, what: str) -> None:
    if found != expected:
        raise ConservationError(f"{what}: {found} accounted for, {expected} expected")
