"""Result: the outcome of a simulation, as numbers, text, a table row and HTML.

Shares are of the simulated time, 0 to 1; rates are in bit/s, or in transactions/s if the scenario's unit counts these.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from netsim.accounts import DropPlace, Resource
from netsim.accounts.accounts import CACHE_HITS, CACHE_MISSES
from netsim.accounts.resource import together
from netsim.errors import ScenarioError, nearest, show
from netsim.results import means, record
from netsim.results.comparable import check_comparable, check_confidence
from netsim.results.curve import CurvePoint
from netsim.results.flow_results import FlowResult
from netsim.results.latencies import Latencies
from netsim.results.phases import Phase
from netsim.results.plain_scenario import to_plain
from netsim.results.samples import Samples
from netsim.results.transaction_kinds import TransactionKind, harmonic_mean
from netsim.show import result_view

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from netsim.scenario import Scenario
    from netsim.show.comparison import Comparison

Shares = Mapping[str, float]


@dataclass(frozen=True)
class Result:
    """The outcome of `simulate` for a scenario.

    `throughput` in bit/s (transactions/s if `scenario.unit` counts these) is the mean of `iterations`, and lies within
    +/- `half_width` of the long-run mean with probability `confidence` (netsim.statistics.replications; `never` if it
    is 0). `converged` is true if the half-width reached the requested `precision` (a share of the mean; 0: none was
    requested) and the tool's `interval`, the start-up phase was over by then, and bit errors, where there are any, had
    lost a few frames (`settled`). `cut_short` says why a run ended early with the result so far, "interrupted" or "wall
    limit"; it is empty for other runs.

    `processors`: "sender processor 0" -> name -> share of the time; `cpu`: "sender" -> busy share as the operating
    system reports it, the mean over its processors, and `cpu_half_width` its half-width, for each host of a test with a
    steady state; `utilisation`: resource -> busy share. `bottleneck` is one of these resources, with the busy share
    `bottleneck_share` (0 to 1; of a segment: the share of the time in which a station has a frame to send), a place
    that drops frames, with the share that it drops (`limited_by_losses`), an offered load, with the share of it that is
    delivered, or "latency" if none is busy enough and the sender waits. `waiting`: lock -> "receive", "send" or "calls"
    -> the mean number of these that wait for it.

    `pairs`: in a test with several pairs of endpoints, the throughput of each (in the unit of `throughput`), by name,
    such as "client1 download"; these are also means over `iterations`. `fairness` is Jain's index of their throughputs
    in an iteration, on average: 1 if all are equal, 1 / n if one of n gets everything. It is None if there is one pair,
    nothing was delivered, or an earlier version saved the result. `drops` by place (all places; `dropped` has those
    with any), `counts` (such as retransmissions) and `frames` on all wires cover the measured part, which is `elapsed`
    (s) long; `simulated` (s) and `events` cover the whole run.

    A series of message sizes (NetPIPE) has a `curve`, which is empty for other tools. `throughput` is its maximum, or
    the mean of its iterations' maxima, and the measured part is the window of these points; `latency` (s) is half a
    round trip of the smallest message. In a series the ends take turns in sending, and no wire is busy for more than
    half of the time. So the bottleneck is also judged by the share of the time for which the closed form
    (`Scenario.bounds`) needs a resource.

    A test with outages has `phases`, which begin and end with them, and a `history` with the middle (s) and the
    throughput (bit/s) of each sample; both are empty for other tests. Throughput and all other results cover all phases
    together, with each of the `iterations` run to its end; for such a test `converged` only says that the tool's
    `interval` was reached.

    A closed test has `kinds` of transactions (those of which any have finished), each with its mean response time (s);
    an open test, if its tool times anything: the round trips of segments, the transit of datagrams, or transfers over a
    bus. `jitter` (s) is that of iperf3's datagrams, the mean over all of them; None for other tests.

    A closed test's bottleneck is the host's processors together ("server processors"), another resource, or "latency"
    if clients rarely wait for each other; `bottleneck_share` is then their throughput as a share of its value if none
    ever waited for another (netsim.results.bottleneck).

    `latencies` has the distribution of the times of single transactions, if the tool times each one (netperf's TCP_RR,
    UDP_RR and TCP_CRR, and `requests`): percentiles, a histogram, and the time in each stage. Otherwise it is None.

    `flows` has the throughput of each flow of a network, and the times of its transactions; it is empty for other
    tools.

    `samples`, one for each iteration of a test with a steady state, are the basis of intervals and of comparisons
    between two results with the same seed (`compare`, `quotient`).

    `compiled`: whether netsim's compiled parts made the result. No other value depends on this, so results that differ
    only in this are equal.
    """

    label: str
    throughput: float
    half_width: float
    confidence: float
    iterations: tuple[float, ...]
    precision: float
    settled: bool
    converged: bool
    cut_short: str
    processors: Mapping[Resource, Shares]
    cpu: Shares
    cpu_half_width: Shares
    utilisation: dict[Resource, float]
    waiting: Mapping[Resource, Shares]
    bottleneck: Resource
    bottleneck_share: float
    drops: Mapping[DropPlace, int]
    pairs: Mapping[str, float]
    fairness: float | None
    counts: Mapping[str, int]
    frames: int
    elapsed: float
    simulated: float
    events: int
    latency: float | None
    curve: tuple[CurvePoint, ...]
    phases: tuple[Phase, ...]
    history: tuple[tuple[float, float], ...]
    kinds: tuple[TransactionKind, ...]
    jitter: float | None
    flows: tuple[FlowResult, ...]
    scenario: Scenario
    scenario_hash: str
    seed: int
    version: str
    samples: tuple[Samples, ...]
    latencies: Latencies | None
    compiled: bool = field(compare=False)

    @property
    def mbit_per_s(self) -> float:
        """`throughput` in Mbit/s. Raises ScenarioError for a test that counts transactions."""
        return float(self.scenario.unit.mbit_per_s(self.throughput))

    @property
    def dropped(self) -> dict[DropPlace, int]:
        """The places where anything was dropped, and how many."""
        return {place: count for place, count in self.drops.items() if count}

    @property
    def limited_by_losses(self) -> bool:
        """Whether the bottleneck is a place that drops frames."""
        return any(self.bottleneck == place.itself for place in self.dropped)

    def cpu_by_name(self, host: str) -> dict[str, float]:
        """The time shares of a host's processors by work, largest first; they add up to `cpu[host]`. Raises
        ScenarioError for a name that is none of the hosts'."""
        own = [shares for name, shares in self.processors.items() if name.host == host]
        if not own:
            known = [name.host for name in self.processors]
            text = f"no host of this result is called {show(host)}{nearest(str(host), known)}"
            raise ScenarioError(text, address="host")
        total: Counter[str] = Counter()
        for shares in own:
            total.update(shares)
        return {name: share / len(own) for name, share in total.most_common()}

    @property
    def performance_efficiency(self) -> dict[str, float]:
        """P/E by host: throughput in Mbit/s (or transactions/s) over CPU in per cent (Ziff-Davis Labs, PC Week, 1995).
        Idle hosts are left out."""
        rate = self.scenario.unit.common.of(self.throughput)
        return {host: rate / (100 * share) for host, share in self.cpu.items() if share}

    @property
    def harmonic_mean(self) -> float | None:
        """For a closed test, the harmonic mean of the rates (transactions/s) that all clients would reach with one kind
        alone, weighted by the kinds' shares, as computed by a tool that records only the times of transactions. By
        Little's law it equals the transactions per second, except for those cut off by the window's edges. None for
        other tests."""
        return harmonic_mean(self.kinds) if self.scenario.closed else None

    @property
    def hit_ratio(self) -> float | None:
        """The share of requests that a server's file cache could answer; None without a file cache."""
        hits, misses = (self.counts.get(name, 0) for name in (CACHE_HITS, CACHE_MISSES))
        return hits / (hits + misses) if hits + misses else None

    def to_dict(self) -> dict[str, Any]:
        """The full result as plain data; the scenario as address -> value in base units, and as TOML (`scenario_toml`),
        with the catalogue names of its parts, and the addresses that are `set_by_user`. The texts of `resources` and
        `places` are included with their fields."""
        return self._plain() | {
            "scenario": self.scenario.addresses(),
            **to_plain(self.scenario),
            "resources": {one: one.fields() for one in self._resources()},
            "places": {one: one.fields() for one in self.drops},
        }

    def _resources(self) -> Iterator[Resource]:
        """All resources that the result names, with repetitions."""
        yield from (*self.processors, *self.utilisation, *self.waiting, self.bottleneck)
        for place in self.drops:
            yield from (one for one in (place.where, place.ahead) if isinstance(one, Resource))

    def _plain(self) -> dict[str, Any]:
        """`to_dict` with the scenario as it is."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        lists: dict[str, Any] = {"iterations": list(self.iterations)}
        lists |= {name: getattr(self, name) for name in ("performance_efficiency", "harmonic_mean", "hit_ratio")}
        lists["kinds"] = [asdict(kind) for kind in self.kinds]
        for nested in ("processors", "waiting"):
            lists[nested] = {name: dict(shares) for name, shares in plain[nested].items()}
        lists["curve"] = [asdict(point) | {"throughput": point.throughput} for point in self.curve]
        lists["flows"] = [one.to_dict() for one in self.flows]
        lists["phases"] = [asdict(phase) for phase in self.phases]
        lists["samples"] = [one.to_dict() for one in self.samples]
        lists["latencies"] = self.latencies.to_dict() if self.latencies else None
        lists["history"] = [list(sample) for sample in self.history]
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in (plain | lists).items()}

    def to_json(self) -> str:
        """`to_dict` as JSON text, which `from_json` reads back."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=str)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """The result, with its scenario, equal to the one that wrote this text by `to_json`; the sources of the
        scenario's numbers are lost. Raises ScenarioError for any other text."""
        from netsim.results import saved

        return saved.read(text)

    def quotient(self, other: Result) -> tuple[float, float]:
        """This throughput divided by the other's, and the half-width of the quotient. Runs with the same seed are
        compared sample by sample, if their samples begin at the same times; two closed tests with the same number of
        clients, by equal pieces of the work that both did, so their quotient is that of the times which the same work
        takes. At least half of the samples or pieces of each must have one in the other; otherwise the runs count as
        independent, like those with different seeds. Raises ScenarioError if one counts bytes and the other
        transactions, if their intervals differ in confidence, or if the other throughput is 0."""
        check_comparable(self, other)
        check_confidence(self, other)
        if not other.throughput:
            raise ScenarioError("nothing was delivered there, so the ratio is not defined", address="other")
        if not self.throughput:
            return 0.0, self.half_width / other.throughput
        found = None
        if self.pairs_with(other):
            one, two = self.traces_beside(other)
            found = means.quotient(one, two, self.confidence, self.scenario.alike)
        if found is not None:
            return found.mean, found.half_width
        value = self.throughput / other.throughput
        return value, value * math.hypot(self.half_width / self.throughput, other.half_width / other.throughput)

    def pairs_with(self, other: Result) -> bool:
        """Whether the other result has the same random numbers, and an interval of the same confidence."""
        return self.seed == other.seed and self.confidence == other.confidence

    def traces_beside(self, other: Result) -> tuple[list[means.Trace], list[means.Trace]]:
        """The traces of deliveries in both, for pairing; none if they count as independent."""
        one, two = self.scenario, other.scenario
        same_work = one.closed and type(one) is type(two) and len(one.client_names) == len(two.client_names)
        if not same_work or len(self.samples) != len(other.samples):
            return means.traces(self.samples), means.traces(other.samples)
        pairs = [means.of_work(*both) for both in zip(self.samples, other.samples, strict=True)]
        known = [pair for pair in pairs if pair is not None]
        if len(known) < len(pairs):
            return [], []
        return [pair[0] for pair in known], [pair[1] for pair in known]

    def compare(self, other: Result) -> Comparison:
        """This result and another side by side, with the differences between their scenarios: prints as text, shows in
        a notebook, and converts to a table. Raises ScenarioError if one counts bytes and the other transactions."""
        from netsim.show.comparison import Comparison

        return Comparison(self, other)

    def to_record(self) -> dict[str, Any]:
        """The data of `to_dict` as one flat row, with one key per number: `cpu.sender`, `utilisation.sender bus`,
        `drops.receiver: backlog`, `phases.0.throughput`, `kinds.read.response`, `latencies.p99`,
        `flows.web.throughput`; without the scenario, curve, history, samples and `compiled`."""
        return record.flat_row(self._plain(), self.latencies, self.flows)

    def to_frame(self) -> pd.DataFrame:
        """One row, with the columns of `to_record`. The curve of a series and the history of outages are separate
        tables: `curve_frame`, `history_frame`."""
        import pandas as pd

        return pd.DataFrame([self.to_record()])

    def resources(self) -> pd.DataFrame:
        """Each resource's bound beside its measurement (`Bounds.to_frame`): the throughput that it alone allows, the
        share of the time for which this throughput needs it, and the share for which it was busy."""
        busy = self.utilisation | together(self.utilisation)
        return self.scenario.bounds().to_frame(busy, self.throughput)

    def curve_frame(self) -> pd.DataFrame:
        """A row for each message size of a series: `size` (bytes), `half_round_trip` and `half_width` (s), `throughput`
        (bit/s)."""
        import pandas as pd

        columns = ["size", "half_round_trip", "half_width", "throughput"]
        return pd.DataFrame(self._plain()["curve"], columns=columns)

    def history_frame(self) -> pd.DataFrame:
        """A row for each sample of a test with outages: `time`, its middle (s), and `throughput` (bit/s)."""
        import pandas as pd

        return pd.DataFrame(self.history, columns=["time", "throughput"])

    def plot(self, what: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw a picture into `ax` (None: new axes), and return it. Every result has a "breakdown" (processor time by
        name, and the busy shares of buses and wires) and the "utilisation" of every resource; a series has the "curve"
        (throughput over message size) and the "latency"; a test with outages the "history"; a closed test the "kinds"
        of transactions or, if each is timed, their "latencies" and "stages". Without `what` it draws the first one that
        is specific to the test, or otherwise the breakdown.

        Raises ScenarioError if the result has no such picture.
        """
        from netsim.show.result_picture import draw

        return draw(self, what, ax)

    def __str__(self) -> str:
        return result_view.text(self)

    def __repr__(self) -> str:
        return f"<Result: {result_view.line(self)}>"

    def _repr_html_(self) -> str:
        return result_view.html(self)
