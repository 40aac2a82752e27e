"""Chariot in a running simulation: all pairs of endpoints."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from netsim.accounts import Accounts
from netsim.engine import Environment, Meter, SumMeter
from netsim.scenario import StreamRun
from netsim.topology.star_run import StarRun
from netsim.units import MS
from netsim.workload import tcp_accounts
from netsim.workload.chariot.file_pair import FilePair

if TYPE_CHECKING:
    from netsim.workload.chariot.tool import Chariot

_START_SPREAD = 10 * MS  # ps: a file takes 3 ms at a quarter of 1 Gbit/s


class ChariotRun(StarRun, StreamRun):
    """All pairs of endpoints. A pair's name is like "client1 download"."""

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
        self._read = SumMeter([pair.into for pair in self.pairs])

    def _pair(self, client: str, direction: str, number: int) -> FilePair:
        name = f"{client} {direction}" + (f" {number}" if number else "")
        ends = ("server", client) if direction == "download" else (client, "server")
        test = self.test
        return FilePair(name, *self.connect(*ends, f"pair {name}"), test.file_size, test.buffer, test.confirmation)

    def start(self) -> None:
        """The receiving ends start first; the sending ends begin at times drawn from the seed."""
        starts = self.env.stream("start").integers(_START_SPREAD, size=len(self.pairs))
        for pair, start in zip(self.pairs, starts, strict=True):
            pair.listen()
            self.env.call_in(int(start), FilePair.begin, pair)

    @property
    def delivered(self) -> int:
        """Bytes of files delivered, without confirmations."""
        return self._read.reading()

    @property
    def meter(self) -> Meter:
        return self._read

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
