"""A device's transfers in a running simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netsim.accounts import Accounts, Resource
from netsim.accounts.resource import DMA_ENGINE, DMA_TAGS, PCIE_DOWNSTREAM, PCIE_UPSTREAM
from netsim.bus import DmaCommand, DmaEngine, PcieDirection, RootComplex
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
        self.up = PcieDirection(env, test.pcie, Resource("", PCIE_UPSTREAM))
        self.down = PcieDirection(env, test.pcie, Resource("", PCIE_DOWNSTREAM))
        self.root_complex = RootComplex(env, self.down, test.answer_time, test.visible_time)
        self.engine = DmaEngine(env, test.engine, self.up, test.pcie.request_bytes, self.root_complex)
        self.transactions = Transactions(env, [test.operation], test.under_way)
        self._writes, self._reads = test.writes, test.reads
        self._began: dict[DmaCommand, int] = {}

    def start(self) -> None:
        """All that may be under way is."""
        for _ in range(self.test.under_way):
            self._begin()

    def _begin(self) -> None:
        command = DmaCommand(self._writes, self._reads, self._done)
        self._began[command] = self.transactions.begin(self.test.operation)
        self.engine.put(command)

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
        return Accounts(
            elapsed=now,
            delivered=self.delivered,
            occupied=occupied,
            frames={self.up.name: self.up.packets, self.down.name: self.down.packets},
            counts={"events": self.env.events},
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


def _require(found: int, expected: int, what: str) -> None:
    if found != expected:
        raise ConservationError(f"{what}: {found} accounted for, {expected} expected")
