"""A Result for human readers: a few aligned lines of text, or small tables in HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from netsim.accounts import Resource
from netsim.accounts.resource import BUS, CABLE, LATENCY, MINIPORT_LOCK, OFFERED, SEGMENT
from netsim.show import latency_view
from netsim.show.html import render
from netsim.show.in_step import IN_STEP, in_step
from netsim.show.occupancy import IDLE, host_lines, mean_work, occupancies
from netsim.units import MEBIBIT, PS_PER_S, TPS, RateUnit, decimals, fixed, format_quantity, format_time

if TYPE_CHECKING:
    from netsim.results.curve import CurvePoint
    from netsim.results.latencies import Latencies
    from netsim.results.phases import Phase
    from netsim.results.result import Result
    from netsim.results.transaction_kinds import TransactionKind

_RATE = 38  # characters
_POINTS = 7  # of a curve
_TABLES = ("curve", "phase", "kinds", "latency", "median", "tail")  # remarks with a table in HTML
# Counts shown if they are not zero, by words in their names.
_TROUBLE = {"TCP": ("retransmi", "out of order"), "NCP": ("repeated",), "segment": ("collisions", "deferred")}


def text(result: Result) -> str:
    """The result in a line, a line for each host (one for many clients), and one each for drops, retransmissions and
    missing data."""
    hosts = host_lines(result)
    left = max(len(one) for one in (result.label, *hosts)) + 3
    cpu = {name: f"CPU {_cpu(result, own)}" for name, own in hosts.items()}
    work = {name: _listed(mean_work(result, own)) for name, own in hosts.items()}
    middle, right = (max(map(len, column.values()), default=0) + 3 for column in (cpu, work))
    first = rate(result)
    lines = [f"{result.label:<{left}}{first:<{max(_RATE, len(first) + 3)}}{limited_by(result)}"]
    lines += [f"{name:<{left}}{cpu[name]:<{middle}}{work[name]:<{right}}{_bus(result, name)}" for name in hosts]
    lines += [f"{title:<{left}}{line}" for title, line in remarks(result)]
    return "\n".join(line.rstrip() for line in lines)


def line(result: Result) -> str:
    """The result in a few words: its name, its rate, and what limits it."""
    return " ".join(f"{result.label} {rate(result)}, {limited_by(result)}".split())


def html(result: Result) -> str:
    """A bar for every resource that did anything, with the bottleneck marked; a table each for a curve, phases and
    kinds; and the remarks. It takes its colours from the page."""
    lines = occupancies(result)
    idle = [line.name for line in lines if max(line.shares) < IDLE and not line.limits]
    notes = [*efficiency(result), *((title, line) for title, line in remarks(result) if title not in _TABLES)]
    return render(
        "result.html",
        result=result,
        rate=rate(result),
        limited_by=limited_by(result),
        resources=[(line, _between(line.shares), _listed(line.work)) for line in lines if line.name not in idle],
        tables=list(_tables(result)),
        notes=notes + [("idle", ", ".join(idle))] * bool(idle),
    )


def _cpu(result: Result, hosts: Sequence[str]) -> str:
    """One host's CPU with its interval; several hosts' CPU from the lowest to the highest."""
    if len(hosts) > 1 or hosts[0] not in result.cpu_half_width:
        return _between([result.cpu[host] for host in hosts])
    share, width = (100 * of[hosts[0]] for of in (result.cpu, result.cpu_half_width))
    digits = 1 if 0.05 <= width < 2 else 0
    return f"{share:.{digits}f} +/- {width:.{digits}f} %" if digits or width >= 2 else _percent(share / 100)


def _between(shares: Sequence[float]) -> str:
    """Least to most, in per cent."""
    least, most = _percent(min(shares)), _percent(max(shares))
    return most if least == most else f"{least.removesuffix(' %')} to {most}"


class Table(NamedTuple):
    """Heads, and rows: the cells of each, and its share of the largest row, shown as a bar after them."""

    heads: Sequence[str]
    rows: Sequence[tuple[Sequence[str], float]]


def _tables(result: Result) -> Iterator[Table]:
    """Tables of content that does not fit in a line: points of a curve, phases, kinds of transactions."""
    unit = result.scenario.unit
    if result.curve:
        most = max(point.throughput for point in result.curve)
        rows = [(_point_cells(point, unit), point.throughput / most) for point in _some(result.curve)]
        yield Table(("message", "half a round trip", "throughput"), rows)
    if result.phases:
        most = max(phase.throughput for phase in result.phases) or 1.0
        rows = [(_phase(phase, unit), phase.throughput / most) for phase in result.phases]
        yield Table(("phase", "begins with", "throughput"), rows)
    if result.latencies:
        yield from _latency_tables(result.latencies)
    elif result.kinds:
        longest = max(kind.response for kind in result.kinds)
        cells = [(kind.name, _percent(kind.share), _time(kind.response)) for kind in result.kinds]
        rows = [(row, kind.response / longest) for row, kind in zip(cells, result.kinds, strict=True)]
        yield Table(("kind", "of all", "mean response"), rows)


def _latency_tables(found: Latencies) -> Iterator[Table]:
    """Percentiles, and the stages of transactions around the median and in the tail."""
    rows = [(latency_view.percentile_cells(one), one.time / found.most) for one in found.percentiles]
    yield Table(("of all", "take no longer than", "interval"), rows)
    longest = max(stage.tail for stage in found.stages)
    times = [(stage, [f"{each * 1e6:.1f} us" for each in (stage.median, stage.tail)]) for stage in found.stages]
    yield Table(("stage", "median", "slowest 1 %"), [((s.name, *cells), s.tail / longest) for s, cells in times])


def _some(curve: Sequence[CurvePoint]) -> list[CurvePoint]:
    """The ends of a curve and points between them."""
    last = len(curve) - 1
    return [curve[n] for n in sorted({round(last * step / (_POINTS - 1)) for step in range(_POINTS)})]


def _point_cells(point: CurvePoint, unit: RateUnit) -> tuple[str, ...]:
    size, time = format_quantity("bytes", point.size), format_time(point.half_round_trip * PS_PER_S)
    return size, time, f"{fixed(unit.of(point.throughput))} {unit.name}"


def _phase(phase: Phase, unit: RateUnit) -> tuple[str, ...]:
    return f"{phase.start:.4g} - {phase.end:.4g} s", phase.cause, f"{fixed(unit.of(phase.throughput), 1)} {unit.name}"


def rate(result: Result) -> str:
    """Throughput and interval in the tool's unit, with as many digits as the interval justifies; a series also in
    NetPIPE's unit, with its latency."""
    unit = result.scenario.unit
    width = unit.of(result.half_width)
    if not result.throughput:
        return f"0 {unit.name}, {_upper_limit(result)}"
    digits = decimals(unit.of(result.throughput), 2 if width < 0.05 else 1)
    within = f"{_half_width(width, digits)} ({_percent(result.confidence)})"
    text = f"{unit.of(result.throughput):.{digits}f} {unit.name}  +/- {within}"
    if result.latency is None:
        return text
    return f"{text} = {result.throughput / MEBIBIT:.{digits}f} x 2^20 bit/s   latency {result.latency * 1e6:.1f} us"


def _upper_limit(result: Result) -> str:
    """That of a result of 0. A run too short to exclude even the closed form's rate says nothing with confidence."""
    unit, most = result.scenario.unit, result.scenario.bounds().limit
    if result.half_width >= most:
        return f"where the closed form allows {fixed(unit.of(most))}"
    return f"below {unit.of(result.half_width):.2g} ({_percent(result.confidence)})"


def limited_by(result: Result) -> str:
    """The bottleneck, and how busy it is, or the share of the frames or datagrams that it loses, or of the load that is
    delivered."""
    share = _percent(result.bottleneck_share, 1)
    if result.bottleneck == LATENCY and result.scenario.closed:
        return f"limited by {LATENCY} ({share} of the rate of clients that never wait for each other)"
    if result.bottleneck == LATENCY:
        return f"limited by {LATENCY} (busiest resource: {share})"
    what = " lost" if result.limited_by_losses else " delivered" if result.bottleneck.kind == OFFERED else ""
    return f"limited by {_named(result.bottleneck)} ({share}{what})"


def _named(resource: Resource) -> str:
    """A resource in a sentence. Between two hosts only one wire can matter; a switch has many, and so does a network,
    where segments have names."""
    if not resource.is_wire:
        return resource
    alone = resource.kind == CABLE or (resource.kind == SEGMENT and not resource.host)
    return "the wire" if alone else f"the {resource}"


def efficiency(result: Result) -> Iterator[tuple[str, str]]:
    """(title, line) for the lowest P/E of any host."""
    indices, unit = result.performance_efficiency, result.scenario.unit
    if indices:
        host = min(indices, key=lambda name: indices[name])
        yield "P/E", f"{host} {fixed(unit.of(indices[host] * unit.common.size))} {unit.name} per % of CPU"


def remarks(result: Result) -> Iterator[tuple[str, str]]:
    """(title, line) for a curve, phases, latencies or kinds of transactions, jitter, a file cache, locks, flows or
    several pairs, drops, retransmissions and delayed data, a run that was cut short, and a missed precision; each only
    if it applies."""
    unit = result.scenario.unit
    if result.curve:
        yield "curve", " ... ".join(_point(point, unit) for point in (result.curve[0], result.curve[-1]))
    yield from (("phase", line) for line in _phases(result))
    if result.latencies:
        yield from latency_view.lines(result.latencies)
    elif result.kinds:
        yield "kinds", "  ".join(map(_kind, result.kinds))
    if result.jitter is not None:
        yield "jitter", _time(result.jitter)
    if result.hit_ratio is not None:
        yield "cache", f"hit ratio {_percent(result.hit_ratio, 1)}"
    for lock, waiting in _in_demand(result):
        share = _percent(result.utilisation[lock])
        yield "lock", f"{lock} held {share}; waiting: {_listed(waiting) or 'nothing'}"
    yield from (("flow", line) for line in _flows(result))
    if len(result.pairs) > 1 and not result.flows:
        yield "pairs", _range(list(result.pairs.values()), unit)
    if result.dropped:
        yield "dropped", "  ".join(f"{place} {count}" for place, count in result.dropped.items())
    for title, words in _TROUBLE.items():
        trouble = {name: n for name, n in result.counts.items() if n and any(word in name for word in words)}
        if trouble:
            yield title, "  ".join(f"{name} {count}" for name, count in trouble.items())
    if in_step(result):
        yield "note", IN_STEP
    if result.cut_short:
        yield "note", f"cut short ({result.cut_short}): result after {result.simulated:.4g} s of simulated time"
    elif not result.converged:
        yield "note", f"{missed(result)}, in {result.simulated:.4g} s of simulated time"


def missed(result: Result) -> str:
    """The precision reached by a result that has not converged."""
    if not result.throughput:
        return "nothing was delivered (the duration, or the limit if given, is too short)"
    relative, tool = result.half_width / result.throughput, result.scenario.interval
    widest = max([relative, *(point.half_width / point.half_round_trip for point in result.curve)])
    if 0 < result.precision <= widest:
        where = " of a message size" if widest > relative else ""
        return f"half-width{where} {_short(widest)} where {_short(result.precision)} was asked for"
    if 2 * relative > tool:
        return f"interval {_short(2 * relative)} wide where {result.scenario.tool()} asks for {_short(tool)}"
    unit, most = result.scenario.unit, result.scenario.bounds().limit
    if result.throughput - result.half_width > most:
        return f"not in steady state: the closed form allows {fixed(unit.of(most))} {unit.name}, so queues still drain"
    return "not in steady state: the first half still differs from the second"


def _short(share: float) -> str:
    """Per cent with two digits."""
    return f"{100 * share:.2g} %" if share < 0.995 else _percent(share)


def _point(point: CurvePoint, unit: RateUnit) -> str:
    size, time, throughput = _point_cells(point, unit)
    return f"{size} in {time} ({throughput})"


def _in_demand(result: Result) -> Iterator[tuple[Resource, Mapping[str, float]]]:
    """All locks, but the numbered locks of ports only if something waits for them, or they decide."""
    for lock, waiting in result.waiting.items():
        waited_for = max(waiting.values(), default=0) >= IDLE
        if waited_for or lock == result.bottleneck or lock.kind != MINIPORT_LOCK:
            yield lock, waiting


def _phases(result: Result) -> Iterator[str]:
    """Start and end of each phase, its rate, and the event that began it, aligned."""
    times = [f"{phase.start:.4g} - {phase.end:.4g} s" for phase in result.phases]
    width = max(map(len, times), default=0)
    unit = result.scenario.unit
    for time, phase in zip(times, result.phases, strict=True):
        yield f"{time:<{width}}{fixed(unit.of(phase.throughput), 1):>9} {unit.name}   {phase.cause}"


def _half_width(width: float, digits: int) -> str:
    """Not zero: below what the digits show."""
    least = f"{10**-digits:.{digits}f}"
    return f"<{least}" if width < float(least) / 2 else f"{width:.{digits}f}"


def _flows(result: Result) -> Iterator[str]:
    """The rate of each flow, aligned, and the time of its transactions."""
    width, unit = max((len(one.name) for one in result.flows), default=0), result.scenario.unit
    for one in result.flows:
        found = unit.of(one.throughput)
        line = f"{one.name:<{width}}{fixed(found):>9} {unit.name}"
        if one.half_width is not None:
            line += f"  +/- {_half_width(unit.of(one.half_width), decimals(found))}"
        if one.transactions is not None:
            line += f"   {one.transactions:.1f} {TPS.name}"
        yield line + (f"   {latency_view.short(one.latencies)}" if one.latencies else "")


def _kind(kind: TransactionKind) -> str:
    """Its mean response, and its share of all transactions."""
    return f"{kind.name} {_time(kind.response)} ({_percent(kind.share)})"


def _time(seconds: float) -> str:
    """In ms; times below 10 us, such as transfers over a bus, in ns."""
    return f"{seconds * 1e3:.4g} ms" if seconds >= 1e-5 else f"{seconds * 1e9:.4g} ns"


def _range(rates: list[float], unit: RateUnit) -> str:
    """Their number, and the range from slowest to fastest."""
    return f"{len(rates)}, each {fixed(unit.of(min(rates)), 1)} to {fixed(unit.of(max(rates)), 1)} {unit.name}"


def _listed(shares: Mapping[str, float]) -> str:
    """The work of a processor, in per cent."""
    return "  ".join(f"{name} {share * 100:.0f}" for name, share in shares.items() if share >= IDLE)


def _bus(result: Result, host: str) -> str:
    share = result.utilisation.get(Resource(host, BUS), math.nan)
    return "" if math.isnan(share) else f"bus {_percent(share)}"


def _percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"
