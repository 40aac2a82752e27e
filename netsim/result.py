"""Result: what a simulation found, as numbers, as text, as a table row and as HTML.

Shares are of the simulated time, 0 to 1; rates in bit/s.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from netsim import result_view
from netsim.books import PAIR, Books
from netsim.bottleneck import bottleneck
from netsim.series import CurvePoint
from netsim.units import PS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from netsim.measurement import Iteration
    from netsim.scenario import Scenario
    from netsim.statistics import Estimate

Shares = Mapping[str, float]


@dataclass(frozen=True)
class Result:
    """What `simulate` found out about a scenario.

    `throughput` in bit/s is the mean of `iterations`, and lies within +/- `half_width` of the long-run mean with the
    probability `confidence`: netsim.statistics.replications says how that is known from few iterations. `converged` is
    true if each iteration reached the precision asked for and all together the tool's own `interval`.

    `processors`: "sender processor 0" -> name -> share of the time; `cpu`: "sender" -> busy share as the operating
    system reports it, the mean over its processors; `utilisation`: resource -> busy share. `bottleneck` is one of
    these, `bottleneck_share` how busy it is; "latency" if none is busy enough and the sender waits.

    `drops` by place (all places; `dropped` has those with any), `counts` (retransmissions and the like) and `frames`
    on all wires are of the part measured, which is `elapsed` (s) long; `simulated` (s) and `events` are of everything.

    A series of message sizes (NetPIPE) has a `curve`, which is empty for other tools. `throughput` is its maximum, and
    what was measured is the window of that point; `latency` (s) is half a round trip of the smallest message. The ends
    take turns in sending there, and no wire is busy for more than half of the time: so what decides is judged by the
    share of the time in which the closed form (`Scenario.bounds`) needs a resource, too.
    """

    label: str
    throughput: float
    half_width: float
    confidence: float
    iterations: tuple[float, ...]
    converged: bool
    processors: Mapping[str, Shares]
    cpu: Shares
    utilisation: Shares
    bottleneck: str
    bottleneck_share: float
    drops: Mapping[str, int]
    counts: Mapping[str, int]
    frames: int
    elapsed: float
    simulated: float
    events: int
    latency: float | None
    curve: tuple[CurvePoint, ...]
    scenario: Scenario
    scenario_hash: str
    seed: int
    version: str

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        seed: int,
        iterations: Sequence[Iteration],
        estimate: Estimate,
        curve: Mapping[int, Estimate],
    ) -> Result:
        """The result of iterations, whose combined mean is `estimate`; `curve` is that of a series, by message size."""
        from netsim import __version__

        books = reduce(add, (one.window for one in iterations))
        utilisation = books.utilisation()
        name, share = bottleneck(books, utilisation | _needed(scenario, estimate.mean) if curve else None)
        points = tuple(CurvePoint.of(size, one) for size, one in curve.items())
        return cls(
            label=scenario.label,
            throughput=estimate.mean,
            half_width=estimate.half_width,
            confidence=scenario.confidence,
            iterations=tuple(one.estimate.mean for one in iterations),
            converged=all(one.reached for one in iterations) and 2 * estimate.relative <= scenario.interval,
            processors=_processors(books),
            cpu=_cpu(books, utilisation),
            utilisation=utilisation,
            bottleneck=name,
            bottleneck_share=share,
            drops=dict(books.drops),
            counts={name: count for name, count in books.counts.items() if name != "events"},
            frames=sum(books.frames.values()),
            elapsed=books.elapsed / PS_PER_S,
            simulated=sum(one.simulated for one in iterations) / PS_PER_S,
            events=sum(one.events for one in iterations),
            latency=points[0].half_round_trip if points else None,
            curve=points,
            scenario=scenario,
            scenario_hash=scenario.hash12,
            seed=seed,
            version=__version__,
        )

    @property
    def dropped(self) -> dict[str, int]:
        """The places where something was dropped, and how much."""
        return {place: count for place, count in self.drops.items() if count}

    def cpu_by_name(self, host: str) -> dict[str, float]:
        """What a host's processors do, largest share first; the shares sum up to `cpu[host]`."""
        own = [shares for name, shares in self.processors.items() if _host(name) == host]
        total: Counter[str] = Counter()
        for shares in own:
            total.update(shares)
        return {name: share / len(own) for name, share in total.most_common()}

    @property
    def pairs(self) -> dict[str, float]:
        """What each pair of endpoints got (bit/s) in a test that has several, by its name, "client1 download"."""
        own = {name: count for name, count in self.counts.items() if name.startswith(PAIR)}
        return {name.removeprefix(PAIR): count * 8 / self.elapsed for name, count in own.items()}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data; the scenario as address -> value in base units."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        nested = {name: dict(shares) for name, shares in self.processors.items()}
        lists = {"iterations": list(self.iterations), "processors": nested, "scenario": self.scenario.addresses()}
        lists["curve"] = [asdict(point) | {"throughput": point.throughput} for point in self.curve]
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in (plain | lists).items()}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=str)

    def to_frame(self) -> pd.DataFrame:
        """One row, with one column per number: `cpu.sender`, `utilisation.sender bus`, `drops.receiver: backlog`. The
        curve of a series is a table of its own: `curve_frame`."""
        import pandas as pd

        data = self.to_dict()
        del data["scenario"], data["curve"]
        data["iterations"] = len(self.iterations)
        return pd.json_normalize(data)

    def curve_frame(self) -> pd.DataFrame:
        """A row for each message size of a series: `size` (bytes), `half_round_trip` and `half_width` (s), `throughput`
        (bit/s)."""
        import pandas as pd

        columns = ["size", "half_round_trip", "half_width", "throughput"]
        return pd.DataFrame(self.to_dict()["curve"], columns=columns)

    def __str__(self) -> str:
        return result_view.text(self)

    def _repr_html_(self) -> str:
        return result_view.html(self)


def _host(resource: str) -> str:
    return resource.partition(" ")[0]


def _needed(scenario: Scenario, throughput: float) -> dict[str, float]:
    """The share of the time in which each resource is needed at the least, at a throughput (bit/s)."""
    bounds = scenario.bounds()
    return {name: throughput / bounds.throughput(name) for name in bounds.demand}


def _processors(books: Books) -> dict[str, dict[str, float]]:
    return {
        name: {what: ps / books.elapsed for what, ps in sorted(parts.items(), key=lambda one: -one[1])}
        for name, parts in books.busy.items()
    }


def _cpu(books: Books, utilisation: Shares) -> dict[str, float]:
    """Per host, the mean over its processors."""
    hosts = {host: [utilisation[name] for name in books.busy if _host(name) == host] for host in map(_host, books.busy)}
    return {host: sum(shares) / len(shares) for host, shares in hosts.items()}
