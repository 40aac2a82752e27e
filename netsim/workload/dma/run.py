"""A device's transfers in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.balance import require
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
    PcieSpec,
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
        self._connect(env, test, test.pcie, "")
        self.engine = DmaEngine(env, test.engine, self.up, test.pcie.request_bytes, self.root_complex)
        self.engines = [self.engine]

    def _connect(self, env: Environment, test: Dma, pcie: PcieSpec, of: str) -> None:
        """Make the link to the root complex, which is `of` a switch or a device."""
        self.env = env
        self.test = test
        self.duration = test.duration
        upstream, credits = Resource(of, PCIE_UPSTREAM), test.credits
        self.credited = None if credits is None else CreditedDirection(env, pcie, upstream, credits)
        self.up = self.credited or PcieDirection(env, pcie, upstream)
        self.down = PcieDirection(env, pcie, Resource(of, PCIE_DOWNSTREAM))
        self.iommu = _iommu(test.iommu)
        self.root_complex = self._memory(env, test)
        self.transactions = Transactions(env, [test.operation], test.under_way * test.devices)
        self._writes, self._reads = test.writes, test.reads
        self._began: dict[DmaCommand, tuple[int, DmaEngine]] = {}
        self._pages, self._page, self._random = test.pages, 0, env.stream("pages")

    def _memory(self, env: Environment, test: Dma) -> RootComplex:
        times = test.answer_time, test.visible_time
        if self.iommu is None and self.credited is None:
            return RootComplex(env, self.down, *times)
        return TranslatingRootComplex(env, self.down, *times, self.iommu, self.credited)

    def start(self) -> None:
        """Start as many commands as may be under way."""
        for _ in range(self.test.under_way):
            for engine in self.engines:
                self._begin(engine)

    def _begin(self, engine: DmaEngine) -> None:
        command = DmaCommand(self._writes, self._reads, self._done)
        if self._pages > 1:
            command.page = self._next_page()
        self._began[command] = self.transactions.begin(self.test.operation), engine
        engine.put(command)

    def _next_page(self) -> int:
        if self.test.access == "random":
            return int(self._random.integers(self._pages))
        self._page = (self._page + 1) % self._pages
        return self._page

    def _done(self, command: DmaCommand) -> None:
        since, engine = self._began.pop(command)
        self.transactions.end(self.test.operation, since)
        self._begin(engine)

    @property
    def delivered(self) -> int:
        return self.test.size * self.transactions.completed

    def busy(self) -> dict[str, int]:
        """There are no processors."""
        return {}

    def accounts(self) -> Accounts:
        now = self.env.now
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            occupied=self._link_occupied(now) | self._devices_occupied(now),
            frames={one.name: one.packets for one in self._directions()},
            counts={"events": self.env.events} | ({"walks": self.iommu.walks} if self.iommu else {}),
            ended=self.transactions.counts(),
            stays=self.transactions.stays(),
            under_way=self.transactions.all.area_until(now),
        )

    def _directions(self) -> list[PcieDirection]:
        return [self.up, self.down]

    def _link_occupied(self, now: int) -> dict[Resource, int]:
        """The busy times (ps) of the link to the root complex and the parts beyond it."""
        occupied = {self.up.name: self.up.busy_until(now), self.down.name: self.down.busy_until(now)}
        if self.credited is not None:
            pools = (POSTED_HEADERS, self.credited.posted), (POSTED_DATA, self.credited.data)
            for kind, pool in (*pools, (NONPOSTED_HEADERS, self.credited.nonposted)):
                occupied[Resource(self.up.name.host, kind)] = pool.held_until(now) // pool.credits
        if self.iommu is not None:
            occupied[Resource("", IOMMU_WALKERS)] = self.iommu.busy_until(now) // self.iommu.walkers
        return occupied

    def _devices_occupied(self, now: int) -> dict[Resource, int]:
        return engine_occupied(self.engine, "", None, now)

    def audit(self) -> None:
        """Check that Little's law holds for commands, that each held tag belongs to an unanswered read, and that
        finished commands have moved all their bytes. Raises ConservationError."""
        self.transactions.audit()
        engine, memory = self.engine, self.root_complex
        require(engine.tags - engine.tags_free, memory.under_way, "tags held")
        require(engine.bytes_written, memory.bytes_written, "bytes written")
        self._moved(engine.bytes_written, engine.bytes_read)

    def _moved(self, written: int, read: int) -> None:
        """Check that the bytes moved are those of finished commands, plus at most those under way."""
        memory, test = self.root_complex, self.test
        over, most = self.delivered, self.delivered + self.transactions.all.inside * test.size
        if test.operation != "read" and not over <= written <= most:
            raise ConservationError(f"bytes written: {written}, commands over have {over}")
        if test.operation != "write" and not over <= read <= memory.bytes_read <= most:
            text = f"{memory.bytes_read} sent, {read} arrived, commands over have {over}"
            raise ConservationError(f"bytes read: {text}")

    def waiting_for(self) -> str:
        free = sum(one.tags_free for one in self.engines)
        return f"{self.transactions.all.inside} commands are under way, {free} tags are free"


def _iommu(spec: IommuSpec | None) -> Iommu | None:
    return None if spec is None else Iommu(spec.entries, spec.walk_time, spec.walkers)


def engine_occupied(engine: DmaEngine, host: str, number: int | None, now: int) -> dict[Resource, int]:
    """The total times (ps) that an engine took to accept commands, and for which its tags were held."""
    return {
        Resource(host, DMA_ENGINE, number): engine.busy_until(now),
        Resource(host, DMA_TAGS, number): engine.held_until(now) // engine.tags,
    }
