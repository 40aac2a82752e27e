"""What a network's flows got, each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from netsim.accounts import Accounts
from netsim.results.iteration import Iteration
from netsim.results.latencies import Latencies, latencies
from netsim.units import PS_PER_S


@dataclass(frozen=True)
class FlowResult:
    """The payload that processes of the flow called `name` have read, as `throughput` (bit/s), requests and responses
    together. Of these, how many `transactions` there were per second, and how long they took; both None of others."""

    name: str
    throughput: float
    transactions: float | None = None
    latencies: Latencies | None = None

    def record(self) -> dict[str, Any]:
        """One number a name."""
        numbers = {"throughput": self.throughput, "transactions": self.transactions}
        nested = {"latencies": self.latencies.record()} if self.latencies else {}
        return {name: one for name, one in numbers.items() if one is not None} | nested

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """From what `to_dict` gives."""
        return cls(**dict(data) | {"latencies": data["latencies"] and Latencies.from_dict(data["latencies"])})


def flow_results(
    names: Sequence[str], accounts: Accounts, iterations: Sequence[Iteration], confidence: float
) -> tuple[FlowResult, ...]:
    """Of the flows of these names, as the accounts of the window have them."""
    seconds = accounts.elapsed / PS_PER_S
    return tuple(
        FlowResult(
            name,
            8 * accounts.pairs[name] / seconds,
            accounts.ended[name] / seconds if name in accounts.ended else None,
            latencies([one.of_flows[name] for one in iterations if name in one.of_flows], confidence),
        )
        for name in names
    )
