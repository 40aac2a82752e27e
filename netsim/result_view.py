"""A Result for people: a few aligned lines of text, or a small table in HTML."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from netsim.books import CLIENT
from netsim.bottleneck import LATENCY
from netsim.units import MEBIBIT, PS_PER_S, RateUnit, format_quantity, format_time

if TYPE_CHECKING:
    from netsim.kinds import Kind
    from netsim.result import Result
    from netsim.series import CurvePoint

_SHOWN = 0.005  # busy share from which on a name is worth its place
_RATE = 38  # characters
_CLIENTS = 4  # so many have a line each
# Counts that are shown if there are any, by words in their names.
_TROUBLE = {"TCP": ("retransmi", "out of order"), "NCP": ("repeated",), "segment": ("collisions", "deferred")}


def text(result: Result) -> str:
    """The result in a line, one line for each host (many clients have one together), and one each for drops,
    retransmissions and what is missing."""
    hosts = _lines(result)
    left = max(len(one) for one in (result.label, *hosts)) + 3
    cpu = {name: f"CPU {_between([result.cpu[host] for host in own])}" for name, own in hosts.items()}
    work = {name: _listed(_mean([result.cpu_by_name(host) for host in own])) for name, own in hosts.items()}
    middle, right = (max(map(len, column.values())) + 3 for column in (cpu, work))
    first = rate(result)
    lines = [f"{result.label:<{left}}{first:<{max(_RATE, len(first) + 3)}}{limited_by(result)}"]
    lines += [f"{name:<{left}}{cpu[name]:<{middle}}{work[name]:<{right}}{_bus(result, name)}" for name in hosts]
    lines += [f"{title:<{left}}{line}" for title, line in remarks(result)]
    return "\n".join(line.rstrip() for line in lines)


def html(result: Result) -> str:
    """A table with a bar for every resource; it takes its colours from the page."""
    words = {"rate": rate(result), "limited_by": limited_by(result)}
    lines = [*efficiency(result), *remarks(result)]
    work = {name: _listed(shares) for name, shares in result.processors.items()}
    busy = {name: share for name, share in result.utilisation.items() if not _is_one_of_many(result, name)}
    for name, own in _lines(result).items():
        if len(own) > 1:
            busy[name] = sum(result.cpu[host] for host in own) / len(own)
            work[name] = _listed(_mean([result.cpu_by_name(host) for host in own]))
    return str(_template().render(result=result, busy=busy, remarks=lines, work=work, percent=_percent, **words))


def _lines(result: Result) -> dict[str, list[str]]:
    """The hosts of each line, by what it is called."""
    lines = {host: [host] for host in result.cpu if not _is_one_of_many(result, host)}
    rest = [host for host in result.cpu if host not in lines]
    return lines | ({f"{len(rest)} {CLIENT}s": rest} if rest else {})


def _is_one_of_many(result: Result, resource: str) -> bool:
    """Whether it belongs to a client, of so many that they share a line."""
    many = sum(host.startswith(CLIENT) for host in result.cpu) > _CLIENTS
    return many and resource.startswith(CLIENT)


def _between(shares: list[float]) -> str:
    """From the least to the most, in per cent."""
    least, most = _percent(min(shares)), _percent(max(shares))
    return most if least == most else f"{least.removesuffix(' %')} to {most}"


def _mean(shares: list[dict[str, float]]) -> dict[str, float]:
    """What several hosts do on average, the largest share first."""
    total: Counter[str] = Counter()
    for one in shares:
        total.update(one)
    return {name: share / len(shares) for name, share in total.most_common()}


@lru_cache(maxsize=1)
def _template() -> Any:
    from jinja2 import Environment  # here, because printing needs no HTML

    source = files("netsim").joinpath("templates/result.html").read_text(encoding="utf-8")
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)


def rate(result: Result) -> str:
    """Throughput and interval in the tool's unit, with as many digits as the interval is worth; a series' in NetPIPE's
    own unit as well, and its latency."""
    unit = result.scenario.unit
    width = unit.of(result.half_width)
    digits = 2 if width < 0.05 else 1
    interval = f"{width:.{digits}f}" if width >= 0.005 else "<0.01"
    text = f"{unit.of(result.throughput):.{digits}f} {unit.name}  +/- {interval} ({_percent(result.confidence)})"
    if result.latency is None:
        return text
    return f"{text} = {result.throughput / MEBIBIT:.{digits}f} x 2^20 bit/s   latency {result.latency * 1e6:.1f} us"


def limited_by(result: Result) -> str:
    """What is in the way, and how busy it is."""
    share = _percent(result.bottleneck_share, 1)
    if result.bottleneck == LATENCY and result.scenario.closed:
        return f"limited by {LATENCY} ({share} of what clients reach that never wait for each other)"
    if result.bottleneck == LATENCY:
        return f"limited by {LATENCY} (busiest resource: {share})"
    return f"limited by {_named(result.bottleneck)} ({share})"


def _named(resource: str) -> str:
    """A resource in a sentence. Of the wires between two hosts only one can matter; a switch has many."""
    if not resource.startswith("wire "):
        return resource
    return f"the {resource}" if " switch" in resource else "the wire"


def efficiency(result: Result) -> Iterator[tuple[str, str]]:
    """(title, line) for the P/E of the host that pays most."""
    indices, unit = result.performance_efficiency, result.scenario.unit
    if indices:
        host = min(indices, key=lambda name: indices[name])
        yield "P/E", f"{host} {unit.of(indices[host] * unit.common.size):.2f} {unit.name} per % of CPU"


def remarks(result: Result) -> Iterator[tuple[str, str]]:
    """(title, line) for a curve, phases, kinds of transactions, a file cache, locks, several pairs, drops, what was
    sent again or held up, and a precision that was missed, only where there are any."""
    unit = result.scenario.unit
    if result.curve:
        yield "curve", " ... ".join(_point(point, unit) for point in (result.curve[0], result.curve[-1]))
    yield from (("phase", line) for line in _phases(result))
    if result.kinds:
        yield "kinds", "  ".join(map(_kind, result.kinds))
    if result.hit_ratio is not None:
        yield "cache", f"hit ratio {_percent(result.hit_ratio, 1)}"
    for lock, waiting in result.waiting.items():
        yield "lock", f"{lock} held {_percent(result.utilisation[lock])}; {_waiting(result, lock, waiting)}"
    if len(result.pairs) > 1:
        yield "pairs", _range(list(result.pairs.values()), unit)
    if result.dropped:
        yield "dropped", "  ".join(f"{place} {count}" for place, count in result.dropped.items())
    for title, words in _TROUBLE.items():
        trouble = {name: n for name, n in result.counts.items() if n and any(word in name for word in words)}
        if trouble:
            yield title, "  ".join(f"{name} {count}" for name, count in trouble.items())
    if not result.converged:
        yield "note", f"the precision asked for was not reached in {result.simulated:.4g} s of simulated time"


def _point(point: CurvePoint, unit: RateUnit) -> str:
    size, time = format_quantity("bytes", point.size), format_time(point.half_round_trip * PS_PER_S)
    return f"{size} in {time} ({unit.of(point.throughput):.2f} {unit.name})"


def _phases(result: Result) -> Iterator[str]:
    """From when until when, how fast, and what it began with, aligned."""
    times = [f"{phase.start:.4g} - {phase.end:.4g} s" for phase in result.phases]
    width = max(map(len, times), default=0)
    unit = result.scenario.unit
    for time, phase in zip(times, result.phases, strict=True):
        yield f"{time:<{width}}{unit.of(phase.throughput):>9.1f} {unit.name}   {phase.cause}"


def _kind(kind: Kind) -> str:
    """Its mean response, and how many of all transactions it is."""
    return f"{kind.name} {kind.response * 1e3:.4g} ms ({_percent(kind.share)})"


def _waiting(result: Result, lock: str, waiting: Mapping[str, float]) -> str:
    """Who waits for a lock, of a hundred moments in how many, and how much processors idle meanwhile."""
    idle = result.held_up[lock.partition(" ")[0]]
    text = f"waiting: {_listed(waiting) or 'nobody'}"
    return f"{text}; processors idle meanwhile {_percent(idle)}" if idle >= _SHOWN else text


def _range(rates: list[float], unit: RateUnit) -> str:
    """How many there are, and from the slowest to the fastest."""
    return f"{len(rates)}, each {unit.of(min(rates)):.1f} to {unit.of(max(rates)):.1f} {unit.name}"


def _listed(shares: Mapping[str, float]) -> str:
    """What a processor does, in per cent."""
    return "  ".join(f"{name} {share * 100:.0f}" for name, share in shares.items() if share >= _SHOWN)


def _bus(result: Result, host: str) -> str:
    share = result.utilisation.get(f"{host} bus", math.nan)
    return "" if math.isnan(share) else f"bus {_percent(share)}"


def _percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"
