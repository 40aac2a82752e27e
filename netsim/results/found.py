"""A Result from the measurements: iterations, and their combined accounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add

from netsim.accounts import Accounts, Bounds, Resource
from netsim.accounts.resource import OFFERED, THREADS, by_host
from netsim.compiled import COMPILED
from netsim.results import phases
from netsim.results.bottleneck import bottleneck
from netsim.results.curve import CurvePoint
from netsim.results.fairness import fairness
from netsim.results.flow_results import flow_results
from netsim.results.iteration import Ending, Iteration, mean_rates
from netsim.results.latencies import latencies
from netsim.results.means import means, traces
from netsim.results.result import Result
from netsim.results.samples import Samples
from netsim.results.transaction_kinds import jitter, kinds
from netsim.scenario import Scenario
from netsim.statistics import Estimate
from netsim.units import PS_PER_S


def found(
    scenario: Scenario,
    seed: int,
    iterations: Sequence[Iteration],
    estimate: Estimate,
    curve: Mapping[int, Estimate],
    ending: Ending,
) -> Result:
    """The result of iterations, whose combined mean is `estimate`; `curve` is that of a series, by message size."""
    from netsim import __version__

    accounts = reduce(add, (one.window for one in iterations))
    utilisation = accounts.utilisation()
    bounds = scenario.bounds()
    least = {one: estimate.mean / bounds.throughput(one) for one in bounds.demand}  # share of the time it is needed
    # Threads are busy also while they wait for processors and disks; a curve's points keep different ones busy.
    needed = {one: share for one, share in least.items() if curve or one.kind == THREADS}
    needed |= _delivered(bounds, estimate.mean)
    alone = estimate.mean / bounds.undelayed if scenario.closed else None
    cpu = by_host(utilisation, accounts.busy)
    samples = tuple(one.samples for one in iterations if one.samples is not None)
    name, share = bottleneck(accounts, needed, alone, scenario.client_names, least)
    points = tuple(CurvePoint.of(size, one) for size, one in curve.items())
    pairs = mean_rates([(one.window.pairs, one.window.elapsed) for one in iterations])
    return Result(
        label=scenario.label,
        throughput=estimate.mean,
        half_width=estimate.half_width,
        confidence=scenario.confidence,
        iterations=tuple(one.estimate.mean for one in iterations),
        precision=ending.precision,
        settled=ending.settled,
        converged=ending.converged and 2 * ending.share <= scenario.interval,
        cut_short=ending.cut_short,
        processors=_shares(accounts, accounts.busy),
        cpu=cpu,
        cpu_half_width=_half_widths(scenario, samples, cpu),
        samples=samples,
        utilisation=utilisation,
        waiting=_shares(accounts, accounts.waited),
        bottleneck=name,
        bottleneck_share=share,
        drops=dict(accounts.drops),
        pairs={name: rate * scenario.unit.each for name, rate in pairs.items()},
        fairness=fairness(pairs, iterations),
        counts=_counts(accounts),
        frames=sum(accounts.frames.values()),
        elapsed=accounts.elapsed / PS_PER_S,
        simulated=sum(one.simulated for one in iterations) / PS_PER_S,
        events=sum(one.events for one in iterations),
        latency=points[0].half_round_trip if points else None,
        curve=points,
        phases=tuple(phases.phases(iterations)),
        history=tuple(phases.history(iterations)),
        kinds=() if scenario.flow_pieces else kinds(accounts),
        jitter=jitter(accounts),
        flows=flow_results(scenario.flow_pieces, pairs, iterations, scenario.confidence, scenario.alike),
        scenario=scenario,
        scenario_hash=scenario.hash12,
        seed=seed,
        version=__version__,
        latencies=latencies([one.responses for one in iterations if one.responses is not None], scenario.confidence),
        compiled=COMPILED,
    )


def _half_widths(scenario: Scenario, samples: Sequence[Samples], cpu: Mapping[str, float]) -> dict[str, float]:
    """The half-width of each host's CPU share, if there are samples."""
    if not samples:
        return {}
    found = {host: means(traces(samples, host), scenario.confidence, scenario.alike) for host in cpu}
    return {host: cpu[host] * one.relative if cpu[host] else 0.0 for host, one in found.items()}


def _counts(accounts: Accounts) -> dict[str, int]:
    """All counts, and the number of finished transactions of each kind."""
    ended = {f"transactions {kind}": number for kind, number in accounts.ended.items()}
    return {name: count for name, count in accounts.counts.items() if name != "events"} | ended


def _delivered(bounds: Bounds, throughput: float) -> dict[Resource, float]:
    """The share of the offered load that is delivered at a throughput (in the unit of Result.throughput), if nothing
    else limits the closed form. Of several loads, none alone limits it."""
    if bounds.bottleneck.kind != OFFERED:
        return {}
    loads = [one for one in bounds.demand if one.kind == OFFERED]
    return {loads[0] if len(loads) == 1 else Resource("", OFFERED): min(1.0, throughput / bounds.limit)}


def _shares(
    accounts: Accounts, times: Mapping[Resource, Mapping[str, int]]
) -> dict[Resource, dict[str, float]]:
    """Times (ps) by name as shares of the whole time, largest first."""
    return {
        name: {what: ps / accounts.elapsed for what, ps in sorted(parts.items(), key=lambda one: -one[1])}
        for name, parts in times.items()
    }
