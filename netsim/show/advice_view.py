"""The limits of a user's own machine, and the changes that would help, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from netsim.accounts import Resource
from netsim.accounts.resource import CABLE, LATENCY, PCIE_DOWNSTREAM, PCIE_UPSTREAM, PROCESSOR
from netsim.own_machine import ImportedMachine
from netsim.own_machine.advice import Advice, Advised, StreamBound, bounds_of
from netsim.own_machine.finding import UNKNOWN, Finding, gbit
from netsim.own_machine.prediction import Gain, Prediction
from netsim.own_machine.proposals import NOT_WRONG
from netsim.own_machine.simulated_run import Simulated
from netsim.own_machine.stream_test import StreamTest

_WIDTH = 110
_WITHIN = ("kernel.tcp", "server.", "driver.stream")  # parts of a host whose own parts are distinguished


def advice_lines(machine: ImportedMachine, advised: Advised) -> Iterator[str]:
    """The limits of a stream over each adapter, and the changes that would help, the best first."""
    for bound in bounds_of(machine):
        yield from _bound(bound)
    for one in advised.simulated:
        yield from simulated(one)
    for number, each in enumerate(advised.advice, 1):
        yield ""
        yield from finding(number, each.finding, _rows(each))
    if advised.together:
        yield ""
    for name, (which, gain) in advised.together.items():
        numbers = " and ".join(str(1 + advised.advice.index(one)) for one in which)
        yield from _wrapped(f"{name}: {numbers} together give {_gained(gain)}", "")
    for one in advised.simulated:
        yield from assumed_of(one)


def advice_json(machine: ImportedMachine, advised: Advised) -> dict[str, Any]:
    """The same as data."""
    streams = [asdict(one) | {"bottleneck": one.bottleneck, "lowest": one.lowest} for one in bounds_of(machine)]
    return {
        "streams": streams,
        "simulated": [simulated_json(one) for one in advised.simulated],
        "advice": [asdict(one.finding) | {"simulated": _gain_json(one.gain)} for one in advised.advice],
        "together": {
            name: {"advice": [advised.advice.index(one) for one in which], "simulated": _gain_json(gain)}
            for name, (which, gain) in advised.together.items()
        },
    }


def _bound(bound: StreamBound) -> Iterator[str]:
    each = ", ".join(f"{part} {gbit(rate)}" for part, rate in sorted(bound.bounds.items(), key=lambda one: one[1]))
    yield f"{bound.adapter}: at most {gbit(bound.lowest)} of payload ({each})"
    if bound.measured is not None:
        over = "; impossible: another adapter's run, or another MTU" if bound.measured > bound.lowest else ""
        of = f"measured {gbit(bound.measured)} of at most {gbit(bound.lowest)}: the {bound.bottleneck}"
        share = f"{bound.measured / bound.lowest:.0%} of a bound that ignores processor time"
        yield f"{bound.adapter}: {of} ({share}){over}"


def _rows(one: Advice) -> dict[str, str]:
    if one.gain is None:
        return {"do": one.finding.remedy, "gives": one.finding.gain, "where": one.finding.where}
    closed = {} if UNKNOWN in one.finding.gain or one.finding.gain == NOT_WRONG else {"bound": one.finding.gain}
    return {"do": one.finding.remedy, "gives": _gained(one.gain), **closed, "where": one.finding.where}


def _gained(gain: Gain) -> str:
    between = f"{gain.low:.2f} to {gain.high:.2f}"
    if gain.sure:
        return f"{gain.factor:.2f} times the throughput ({between}): {gbit(gain.rate)}"
    if gain.likely:
        return f"{gain.factor:.2f} times the throughput, but not certain ({between}): {gbit(gain.rate)}"
    if gain.possible:
        return f"no certain gain: {between} times the throughput"
    return f"no gain within its interval ({between} times the throughput)"


def _gain_json(gain: Gain | None) -> dict[str, Any] | None:
    return None if gain is None else asdict(gain) | {"sure": gain.sure}


# ---- a simulated run ----


def simulated(one: Simulated) -> Iterator[str]:
    """The measurement, the simulation, its error, and what limits the run."""
    measured = f"measured {gbit(one.measured)}, " if one.measured is not None else ""
    if one.test is None or one.prediction is None:
        yield from _wrapped(f"{one.adapter}: {measured}not simulated: {one.refused}", "")
        return
    found = one.prediction
    between = f"{found.low / 1e9:.3g} to {gbit(found.high)}"
    text = f"{one.adapter}: {measured}simulated {gbit(found.likely.throughput)} ({between}, by the processors' costs)"
    if one.miss is not None:
        held = "contains" if one.holds else "does not contain"
        text += f"; the error is {one.miss:+.0%}, and the interval {held} the measurement"
    yield from _wrapped(text, "")
    yield from _wrapped(f"{one.adapter}: the simulated run is limited by {_limit(one.test, found)}", "")


def _limit(test: StreamTest, found: Prediction) -> str:
    """The bottleneck with costs as assumed, and the alternatives with other costs."""
    names = list(dict.fromkeys(limit_of(test, one.bottleneck) for one in found.results))
    likely = found.likely
    share = f"{likely.bottleneck_share:.0%} {'lost' if likely.limited_by_losses else 'busy'}"
    share = "nothing is saturated" if likely.bottleneck.kind == LATENCY else share
    sent = likely.counts["segments sent"]
    lost = [(count, f"the {place.what} of {_machine(test, place.where)}") for place, count in likely.dropped.items()]
    drops = "".join(f"; {count} of {sent} segments were lost at {place}" for count, place in lost)
    other = f"; with other costs, by {' or '.join(names[1:])}" if names[1:] else ""
    return f"{names[0]} ({share}{drops}){other}"


def _machine(test: StreamTest, host: str) -> str:
    return "this machine" if host == test.own else "the other end"


def limit_of(test: StreamTest, resource: Resource) -> str:
    """A resource of the test, in terms of its machines."""
    whose = f"{_machine(test, resource.host)}'s"
    if resource.kind == PROCESSOR:
        host = test.scenario.get(resource.host)
        does = "writing" if resource.host == "sender" else "reading"
        if (resource.number or 0) >= test.scenario.streams:
            return f"{whose} core for softirqs"
        return f"{whose} core for the {does} process{' and softirqs' if host.arfs else ''}"
    if resource.kind == LATENCY:
        return "windows, losses and waiting"
    words = {CABLE: "the wire", PCIE_UPSTREAM: f"{whose} slot", PCIE_DOWNSTREAM: f"{whose} slot"}
    return words.get(resource.kind, f"{whose} {resource.kind}")


def assumed_of(one: Simulated) -> Iterator[str]:
    """The assumptions of its simulation."""
    if one.test is not None:
        yield from part(f"assumed in the simulation of {one.adapter}", [*_grouped(one.test), *one.test.assumed])


def _grouped(test: StreamTest) -> Iterator[str]:
    """The values that this machine's own host takes from elsewhere: its parts, by their source."""
    found: dict[str, dict[str, int]] = {}
    for address, source in test.scenario.get(test.own).provenance().items():
        if source.kind == "assumed" and source.reason:
            parts = found.setdefault(source.reason, {})
            whole = 2 if address.startswith(_WITHIN) else 1
            at = ".".join(address.split(".")[:whole])
            parts[at] = parts.get(at, 0) + 1
    for reason, parts in found.items():
        yield f"{', '.join(f'{at} ({count})' if count > 1 else at for at, count in parts.items())}: {reason}"


def simulated_json(one: Simulated) -> dict[str, Any]:
    """A simulated run as data."""
    found: dict[str, Any] = {"adapter": one.adapter, "measured": one.measured, "refused": one.refused}
    if one.test is None or one.prediction is None:
        return found
    likely = one.prediction.likely
    return found | {
        "throughput": likely.throughput,
        "low": one.prediction.low,
        "high": one.prediction.high,
        "miss": one.miss,
        "holds": one.holds,
        "limit": limit_of(one.test, likely.bottleneck),
        "bottleneck": likely.bottleneck,
        "bottleneck_share": likely.bottleneck_share,
        "assumed": [*one.test.assumed],
        "scenario": one.test.scenario.to_toml(),
    }


# ---- lines ----


def part(title: str, lines: Sequence[str]) -> Iterator[str]:
    """A part with a title, unless it is empty."""
    if lines:
        yield from ["", title]
    for line in lines:
        yield from _wrapped(line, "  ")


def _wrapped(line: str, indent: str) -> list[str]:
    after = indent + "  "
    return textwrap.wrap(line, _WIDTH, initial_indent=indent, subsequent_indent=after, break_on_hyphens=False)


def finding(number: int, one: Finding, rows: Mapping[str, str]) -> Iterator[str]:
    """A fault or a recommendation, with rows about it."""
    limits = " (keeps it below the wire's rate)" if one.limits else ""
    part = one.part.removeprefix("adapters.")
    yield from textwrap.wrap(f"{number}. {part}: {one.what}{limits}", _WIDTH, subsequent_indent="   ")
    for name, text in rows.items():
        yield from textwrap.wrap(f"   {name:<7}{text}", _WIDTH, subsequent_indent=" " * 10, break_long_words=False)
