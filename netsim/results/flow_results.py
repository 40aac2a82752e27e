"""The results of a network's flows, each separately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from netsim.results.iteration import Iteration, mean_rates
from netsim.results.latencies import Latencies, latencies
from netsim.results.means import mean_of
from netsim.results.samples import Samples
from netsim.statistics import degrees_of_each, replications


@dataclass(frozen=True)
class FlowResult:
    """The payload that the processes of the flow called `name` have read, as `throughput` (bit/s), with requests and
    responses together. It is the mean over iterations, like the result's throughput, so the flows add up to that
    (unless a test with phases was cut short: the flows also count a phase that has hardly begun). `half_width` is for
    the result's confidence (None if flows start or stop during the test, because there is no steady state); if nothing
    was read at all, it is the upper limit. A flow of requests and responses also has its `transactions` per second and
    their `latencies`; both are None for other flows."""

    name: str
    throughput: float
    half_width: float | None = None
    transactions: float | None = None
    latencies: Latencies | None = None

    def record(self) -> dict[str, Any]:
        """A flat row, with one number per name."""
        numbers = {"throughput": self.throughput, "half_width": self.half_width, "transactions": self.transactions}
        nested = {"latencies": self.latencies.record()} if self.latencies else {}
        return {name: one for name, one in numbers.items() if one is not None} | nested

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object from the data of `to_dict`."""
        return cls(**dict(data) | {"latencies": data["latencies"] and Latencies.from_dict(data["latencies"])})


def flow_results(
    pieces: Mapping[str, int], read: Mapping[str, float], iterations: Sequence[Iteration], confidence: float,
    alike: bool,
) -> tuple[FlowResult, ...]:
    """The results of the flows with these names, which deliver `pieces` of that many bytes, given the bytes per second
    that processes `read`."""
    ended = mean_rates([(one.window.ended, one.window.elapsed) for one in iterations])
    samples = [one.samples for one in iterations if one.samples is not None]
    return tuple(
        FlowResult(
            name,
            8 * read[name],
            _half_width([one.of(name) for one in samples], piece, confidence, alike),
            ended.get(name),
            latencies([one.of_flows[name] for one in iterations if name in one.of_flows], confidence),
        )
        for name, piece in pieces.items()
    )


def _half_width(samples: Sequence[Samples], piece: int, confidence: float, alike: bool) -> float | None:
    """The half-width of a flow's throughput; None if it is not known sample by sample."""
    if not samples:
        return None
    degrees = degrees_of_each(len(samples))
    return replications([mean_of(one, confidence, degrees, piece, 8) for one in samples], confidence, alike).half_width
