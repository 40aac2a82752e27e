"""NetIQ Chariot 3.x: files between a server and its clients, all pairs of endpoints at once, in aggregate.

FILESNDL and FILERCVL ("file send, long connection", "file receive, long connection") move a file of 100,000 bytes per
transaction in buffers of 32,767, each confirmed by the end that got it, over one connection; each mirrors the other.
Chariot prints the files' payload of all pairs per second, over timing records of several transactions; here it is what
the reading processes got, in steady state. Starts are spread over some transactions.
Source: general knowledge of the scripts' defaults (confidence: medium to high).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from netsim.accounts import Accounts, Bounds
from netsim.engine import Environment
from netsim.scenario import StreamRun
from netsim.topology.star import Star, StarRun
from netsim.units import MS, Count, Fraction, PositiveBytes, PositiveTime, S
from netsim.workload import tcp_accounts
from netsim.workload.chariot.bounds import chariot_bounds
from netsim.workload.chariot.file_pair import FilePair

_START_SPREAD = 10 * MS  # ps: a file takes 3 on four shares of 1 Gbit/s
_LABELS = {"download": "FILESNDL", "upload": "FILERCVL", "bidirectional": "FILESNDL + FILERCVL"}


class Chariot(Star):
    """A Chariot test. `flow` "download" has the server send files (FILESNDL), "upload" the clients (FILERCVL), and
    "bidirectional" both at once; `pairs` of endpoints for each client and direction. `file_size`, the `buffer` of each
    call and the `confirmation` are in bytes. A timing record is of `transactions_per_record`. The figure is the mean of
    three iterations of `duration` (ps), however much they differ.

    Without names: flow, server, clients, switch.
    """

    positional: ClassVar[tuple[str, ...]] = ("flow", "server", "clients", "switch")

    flow: Literal["download", "upload", "bidirectional"]
    pairs: Count = 1
    file_size: PositiveBytes = 100_000
    buffer: PositiveBytes = 32_767
    transactions_per_record: Count = 10
    confirmation: PositiveBytes = 1
    duration: PositiveTime = 180 * S
    min_iterations: Count = 3
    max_iterations: Count = 3
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.99
    interval: Fraction = 0.05

    if TYPE_CHECKING:  # or values without names, and texts, would be refused

        def __init__(
            self, flow: Any = ..., server: Any = ..., clients: Any = ..., switch: Any = ..., **keys: Any
        ) -> None: ...

    @property
    def label(self) -> str:
        return _LABELS[self.flow]

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which files go."""
        return ("download", "upload") if self.flow == "bidirectional" else (self.flow,)

    def bounds(self) -> Bounds:
        return chariot_bounds(self)

    def build(self, env: Environment) -> ChariotRun:
        return ChariotRun(env, self)


class ChariotRun(StarRun, StreamRun):
    """All pairs of endpoints. A pair is called "client1 download"."""

    def __init__(self, env: Environment, test: Chariot) -> None:
        super().__init__(env, test)
        self.moments = test.moments()
        self.test = test
        self.duration = test.duration
        self.pairs = [
            self._pair(client, direction, number if test.pairs > 1 else 0)
            for client in test.client_names
            for direction in test.directions
            for number in range(1, test.pairs + 1)
        ]

    def _pair(self, client: str, direction: str, number: int) -> FilePair:
        name = f"{client} {direction}" + (f" {number}" if number else "")
        ends = ("server", client) if direction == "download" else (client, "server")
        test = self.test
        return FilePair(name, *self.connect(*ends, f"pair {name}"), test.file_size, test.buffer, test.confirmation)

    def start(self) -> None:
        """The receiving ends are there first; the sending ends begin at times drawn from the seed."""
        starts = self.env.stream("start").integers(_START_SPREAD, size=len(self.pairs))
        for pair, start in zip(self.pairs, starts, strict=True):
            pair.listen()
            self.env.call_in(int(start), FilePair.begin, pair)

    @property
    def delivered(self) -> int:
        """The payload of files, without confirmations."""
        return sum(pair.into.read_bytes for pair in self.pairs)

    def accounts(self) -> Accounts:
        counts: Counter[str] = Counter()
        for pair in self.pairs:
            counts["timing records"] += pair.transactions // self.test.transactions_per_record
            counts.update(tcp_accounts.counts(pair.out, pair.into))
            counts.update(tcp_accounts.counts(pair.into, pair.out))
        pairs = {pair.name: pair.into.read_bytes for pair in self.pairs}
        return self.ledger.read(self.delivered, counts, pairs=pairs)

    def audit(self) -> None:
        self.ledger.audit()
        for pair in self.pairs:
            pair.audit()

    def waiting_for(self) -> str:
        return "; ".join(pair.waiting_for() for pair in self.pairs)
