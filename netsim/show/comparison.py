"""Two results side by side: the differences between their scenarios, and the effect on the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import hypot, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from netsim.results import means
from netsim.results.comparable import check_comparable
from netsim.show.differences import Change, changes
from netsim.show.html import render
from netsim.show.occupancy import IDLE, host_lines, occupancies
from netsim.units import RateUnit, decimals, fixed

if TYPE_CHECKING:
    import pandas as pd

    from netsim.results.result import Result

_MOST = 6  # printed changes
_INTERVAL = ("throughput", "half_width")


class Line(NamedTuple):
    """A printed line: its subject, its text for both results, and their difference."""

    name: str
    this: str
    other: str
    difference: str = ""


@dataclass(frozen=True)
class Comparison:
    """`this` result and the `other` one, with their `names`. Differences are the other result minus this one. The
    difference of two throughputs, CPUs or latencies has an interval if both have one of the same confidence. Runs with
    the same seed are compared sample by sample, which makes the interval narrow. For other runs, and for latencies, its
    half-width is the root of the sum of both squares, which is slightly too wide for independent runs."""

    this: Result
    other: Result
    names: tuple[str, str] = ("this", "other")

    def __post_init__(self) -> None:
        check_comparable(self.this, self.other)

    @cached_property
    def changes(self) -> list[Change]:
        """The differences between the scenarios: address, and both values as texts."""
        return changes(self.this.scenario, self.other.scenario)

    @property
    def difference(self) -> float:
        """By how much the other throughput is larger (bit/s, or transactions/s)."""
        return self.other.throughput - self.this.throughput

    @property
    def half_width(self) -> float | None:
        """Half the width of the difference's interval, if known."""
        values = self.other.throughput, self.this.throughput
        found = self._paired(values)
        return self._combined(self.this.half_width, self.other.half_width) if found is None else found

    def cpu_half_width(self, host: str) -> float | None:
        """The same for the difference of a host's CPU."""
        one, two = (result.cpu_half_width.get(host) for result in (self.this, self.other))
        if one is None or two is None:
            return None
        found = self._paired((self.other.cpu[host], self.this.cpu[host]), host)
        return self._combined(one, two) if found is None else found

    def _paired(self, values: tuple[float, float], host: str | None = None) -> float | None:
        """The half-width from pairs of samples; None without pairs."""
        if not self.this.pairs_with(self.other):
            return None
        one, two = self.other.traces_beside(self.this) if host is None else (
            means.traces(result.samples, host) for result in (self.other, self.this)
        )
        found = means.difference(one, two, values, self.this.confidence, self.this.scenario.alike)
        return None if found is None else found.half_width

    def _combined(self, one: float, two: float) -> float | None:
        return hypot(one, two) if self.this.confidence == self.other.confidence else None

    def to_frame(self) -> pd.DataFrame:
        """A row for each number, named as in `Result.to_record`, with `this`, `other`, `difference` and, for an
        interval, `half_width`. Drops and counts are per second, as the measured sections differ in length."""
        import pandas as pd

        one, two = _numbers(self.this), _numbers(self.other)
        widths = {"throughput": self.half_width, "latency": self._latency_half_width}
        widths |= {f"cpu.{host}": self.cpu_half_width(host) for host in self.this.cpu}
        rows = [
            (name, one.get(name), two.get(name), _difference(one.get(name), two.get(name)), widths.get(name))
            for name in one | two
        ]
        table = pd.DataFrame(rows, columns=["name", "this", "other", "difference", "half_width"])
        return table.astype({"half_width": float})

    @property
    def _latency_half_width(self) -> float | None:
        one, two = self.this.curve[:1], self.other.curve[:1]
        return self._combined(one[0].half_width, two[0].half_width) if one and two else None

    def __str__(self) -> str:
        lines = list(self._lines())
        if len(self.changes) > _MOST:
            lines.insert(_MOST, Line(f"and {len(self.changes) - _MOST} more that differ", "", ""))
        widths = [max(map(len, column)) for column in zip(("", *self.names, ""), *lines, strict=True)]
        rows = (Line("", *self.names, "difference"), *lines)
        return "\n".join("   ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def __repr__(self) -> str:
        return f"<Comparison of {self.this!r} with {self.other!r}>"

    def _repr_html_(self) -> str:
        every = [Line(*one) for one in self.changes]
        return render("comparison.html", heads=self.names, changes=every, lines=[*self._results(), *self._rest()])

    # ---- lines ----

    def _lines(self) -> Iterator[Line]:
        yield from (Line(*one) for one in self.changes[:_MOST])
        yield from self._results()
        cuts = [result.cut_short for result in (self.this, self.other)]
        if any(cuts):
            yield Line("cut short", *(one or "no" for one in cuts))
        if any(result.dropped for result in (self.this, self.other)):
            yield _line("drops per second", _dropped(self.this), _dropped(self.other), "{:.4g}")

    def _results(self) -> Iterator[Line]:
        """Throughput, latency, CPU, the deciding resource and how busy it is."""
        yield self._throughput()
        if self.this.latency is not None and self.other.latency is not None:
            yield _line("latency (us)", 1e6 * self.this.latency, 1e6 * self.other.latency, "{:.1f}")
        yield from self._cpu()
        yield Line("limited by", self.this.bottleneck, self.other.bottleneck)
        yield from _shares(*(self._deciding(result) for result in (self.this, self.other)))

    def _cpu(self) -> Iterator[Line]:
        """The CPU of each host, or of many clients; for a single host the difference has its interval."""
        one, two = _cpu(self.this), _cpu(self.other)
        for host, line in zip(dict.fromkeys((*one, *two)), _shares(one, two), strict=True):
            width = self.cpu_half_width(host) if line.difference else None
            apart = f"{line.difference} +/- {100 * width:.1f}" if width is not None else line.difference
            yield Line(f"CPU {host}", line.this, line.other, apart)

    def _deciding(self, result: Result) -> dict[str, float]:
        """The utilisation in this result of the resources that decide in either one."""
        names = (self.this.bottleneck, self.other.bottleneck)
        return {name: result.utilisation[name] for name in names if name in result.utilisation}

    def _rest(self) -> Iterator[Line]:
        """Only in HTML: how busy the other resources are, and counts per second."""
        yield from _shares(_others(self.this), _others(self.other))
        one, two = _counts(self.this), _counts(self.other)
        for name in dict.fromkeys((*one, *two)):
            if one.get(name) or two.get(name):
                yield _line(name, one.get(name, 0), two.get(name, 0), "{:.4g}")

    def _throughput(self) -> Line:
        unit = self._unit
        rates, widths = ([unit.of(getattr(x, name)) for x in (self.this, self.other)] for name in _INTERVAL)
        digits = decimals(max(rates))
        one, two = (f"{fixed(rate)} +/- {width:.{decimals(rate)}f}" for rate, width in zip(rates, widths, strict=True))
        width = "" if self.half_width is None else f" +/- {unit.of(self.half_width):.{digits}f}"
        share = f" ({self.difference / self.this.throughput:+z.1%})" if self.this.throughput else ""
        return Line(f"throughput ({unit.name})", one, two, f"{unit.of(self.difference):+z.{digits}f}{width}{share}")

    @property
    def _unit(self) -> RateUnit:
        one, two = self.this.scenario.unit, self.other.scenario.unit
        return one if one == two else one.common


def _shares(one: Mapping[str, float], two: Mapping[str, float]) -> Iterator[Line]:
    """A line for each name with a share of the time; empty for a result without it."""
    for name in dict.fromkeys((*one, *two)):
        this, other = (f"{100 * shares[name]:.1f} %" if name in shares else "" for shares in (one, two))
        both = name in one and name in two
        yield Line(name, this, other, f"{100 * (two[name] - one[name]):+z.1f} points" if both else "")


def _line(name: str, one: float, two: float, form: str) -> Line:
    return Line(name, form.format(one), form.format(two), form.replace(":", ":+z").format(two - one))


def _numbers(result: Result) -> dict[str, Any]:
    """The compared numbers of a result, by their names in `Result.to_record`."""
    found: dict[str, Any] = {"throughput": result.throughput}
    if result.latency is not None:
        found["latency"] = result.latency
    found |= {f"cpu.{host}": share for host, share in result.cpu.items()}
    found |= {"bottleneck": result.bottleneck, "bottleneck_share": result.bottleneck_share}
    return found | {f"utilisation.{name}": share for name, share in result.utilisation.items()} | _counts(result)


def _counts(result: Result) -> dict[str, float]:
    """Drops and counts per second."""
    counts = {f"drops.{place} [1/s]": count for place, count in result.drops.items()}
    counts |= {f"counts.{name} [1/s]": count for name, count in result.counts.items()}
    return {name: count / result.elapsed for name, count in counts.items()}


def _cpu(result: Result) -> dict[str, float]:
    """CPU shares by host, many clients combined."""
    lines = {name if len(own) == 1 else "clients": own for name, own in host_lines(result).items()}
    return {name: sum(result.cpu[host] for host in own) / len(own) for name, own in lines.items()}


def _others(result: Result) -> dict[str, float]:
    """The utilisation of the resources that do not decide, many clients combined."""
    lines = [line for line in occupancies(result) if not line.limits and max(line.shares) >= IDLE]
    alike = {False: "clients", True: "wires of clients"}
    return {line.name if len(line.shares) == 1 else alike[line.carries]: line.share for line in lines}


def _difference(one: object, two: object) -> float:
    return two - one if isinstance(one, int | float) and isinstance(two, int | float) else nan


def _dropped(result: Result) -> float:
    return sum(result.dropped.values()) / result.elapsed
