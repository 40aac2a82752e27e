"""Published TCP over 100 Gbit/s with and without offloads, netsim's figures, and the fit of the costs behind them.

    python -m experiments.tcp_100g

fits all parameters together, by netsim.calibrate, and writes them into models/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import netsim as ns
from experiments.basis import Basis
from experiments.modern import Sources, lines
from netsim.calibration import Calibration, FitSettings, Observation, Parameter, calibrate
from netsim.results.result import Result

HOST = {"server": "xeon-gold-6128", "pcie": "pcie-3-x16", "adapter": "connectx-5", "driver": "mlx5-5.4",
        "kernel": "linux-5.4"}  # fmt: skip
FILES = ("servers/xeon-gold-6128", "queue-drivers/mlx5-5.4", "kernels/linux-5.4")
SIDES = ("sender", "receiver")
SHARES = {"copy": "copy", "etc": "etc", "lock": "lock", "memory": "memory", "netdevice": "netdevice",
          "scheduling": "scheduling", "skb": "skb", "tcpip": "tcp/ip"}  # fmt: skip
RUN = {"warm_up": "100 ms", "sample": "5 ms", "limit": "400 ms", "precision": 0.005}
AIMS = {"throughput": 10, "cpu": 10, "share": 5}  # per cent, and points
WHOLE = 100.0
_KERNEL = (
    "send", "receive", "ack_send", "ack_receive", "account", "xmit", "frame", "gro", "skb", "fragment", "head", "block",
    "page", "lock", "switch", "idle", "call",
)  # fmt: skip
FITTED = (
    *(f"kernels/linux-5.4:tcp.{name}_cycles" for name in _KERNEL),
    *(f"kernels/linux-5.4:tcp.{name}_lines" for name in ("socket", "lock", "sent")),
    *(f"queue-drivers/mlx5-5.4:stream.{name}_cycles" for name in ("refill", "map")),
    *(f"servers/xeon-gold-6128:memory.{name}" for name in ("copy_cycles", "memory_cycles", "remote_line")),
)


@dataclass(frozen=True)
class StreamRow:
    """A measured value: Gbit/s, processor time of a side (per cent of one core), a category's share of its cycles (per
    cent), or Gbit/s for each core of the busier side."""

    id: str
    quantity: str
    measured: float
    configuration: str
    of: Callable[[Result], float]

    @property
    def basis(self) -> Basis:
        """The row's label."""
        return sources().basis(self.id)

    @cached_property
    def simulated(self) -> float:
        """The simulated value."""
        return self.of(result(self.configuration))

    @property
    def error(self) -> float:
        """In per cent for a throughput, else in points."""
        if self.quantity == "throughput":
            return 100 * (self.simulated / self.measured - 1)
        return self.simulated - self.measured

    @property
    def observation(self) -> Observation:
        """The row as a fit uses it: the error aimed at has the same weight for every quantity."""
        whole = None if self.quantity == "throughput" else WHOLE
        scatter = AIMS[self.quantity] / 100 / 3
        return Observation(self.id, self.measured, partial(build, self.configuration), self.of, None, scatter, whole)


def build(configuration: str) -> ns.Iperf3:
    """The test of a configuration such as "tso+gro+jumbo+arfs"."""
    parts = configuration.split("+")
    host = HOST | {"tso": "tso" in parts, "gro": "gro" in parts, "arfs": "arfs" in parts}
    return ns.Iperf3(host, host, link="100gbase-sr4", mtu=9000 if "jumbo" in parts else 1500)


@cache
def result(configuration: str) -> Result:
    """The result of simulating a configuration."""
    return ns.simulate(build(configuration), **RUN)  # type: ignore[arg-type]


def cpu_percent(side: str, found: Result) -> float:
    """A side's processor time in per cent of one core; two cores can be busy."""
    return WHOLE * found.cpu[side] * sum(one.host == side for one in found.processors)


def share_percent(side: str, category: str, sorted_out: float, found: Result) -> float:
    """A category's share of a side's cycles (per cent). Profiles attribute only the part `sorted_out` of these to
    categories; netsim has no other cycles."""
    shares = found.cpu_by_name(side)
    return sorted_out * shares.get(category, 0.0) / sum(shares.values())


def gbit_s(found: Result) -> float:
    """Throughput."""
    return found.throughput / 1e9


def gbit_s_per_core(found: Result) -> float:
    """Throughput over the processor time of the busier side."""
    return WHOLE * gbit_s(found) / max(cpu_percent(side, found) for side in SIDES)


def _offloads() -> Iterator[StreamRow]:
    for line in lines("tcp-100g-offloads"):
        name = line["configuration"]
        if not line["throughput_gbps"]:
            measured = float(line["gbps_per_core"])
            yield StreamRow(f"tcp-100g/per-core-{name}", "throughput", measured, name, gbit_s_per_core)
            continue
        yield StreamRow(f"tcp-100g/throughput-{name}", "throughput", float(line["throughput_gbps"]), name, gbit_s)
        for side in SIDES:
            measured = float(line[f"{side}_cpu_percent"])
            yield StreamRow(f"tcp-100g/{side}-cpu-{name}", "cpu", measured, name, partial(cpu_percent, side))


def _cycles() -> Iterator[StreamRow]:
    for line in lines("tcp-100g-cycles"):
        side, name = line["side"], line["configuration"]
        sorted_out = sum(float(line[column]) for column in SHARES)
        for column, category in SHARES.items():
            take = partial(share_percent, side, category, sorted_out)
            yield StreamRow(f"tcp-100g/{side}-{column}-{name}", "share", float(line[column]), name, take)


@cache
def rows() -> Sequence[StreamRow]:
    """All rows."""
    return (*_offloads(), *_cycles())


@cache
def sources() -> Sources:
    """What models/ says about the rows."""
    return Sources.of(FILES)


def table(start: str) -> str:
    """The rows whose id begins with `start`, in Markdown: measured, simulated, error, label."""
    cells = ["| row | measured | simulated | error | label |", "|---|---|---|---|---|"]
    for row in rows():
        if row.id.startswith(start):
            unit, points = (" Gbit/s", "%") if row.quantity == "throughput" else (" %", "points")
            values = f"{row.measured:.4g}{unit} | {row.simulated:.4g} | {row.error:+.1f} {points}"
            cells.append(f"| {row.id.partition('/')[2]} | {values} | {row.basis} |")
    return "\n".join(cells)


def shares_table(side: str) -> str:
    """Shares of a side's cycles in Markdown: a line per category, measured and simulated by configuration."""
    own = [row for row in rows() if row.quantity == "share" and row.id.startswith(f"tcp-100g/{side}-")]
    names = list(dict.fromkeys(row.configuration for row in own))
    found = [f"| {side} | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for category in SHARES:
        cells = [f"{row.measured:.1f} / {row.simulated:.1f}" for row in own if row.id.split("-")[2] == category]
        found.append(f"| {category} | {' | '.join(cells)} |")
    return "\n".join(found)


def fit(evaluations: int = 4) -> Calibration:
    """Fits all parameters to all rows except those per core, and writes them into models/."""
    settings = FitSettings(
        precision=0.02, warm_up="40 ms", sample="5 ms", limit="90 ms", evaluations=evaluations, steps=(0.1,),
        outlier=3.0,
    )  # fmt: skip
    observed = [row.observation for row in rows() if "/per-core-" not in row.id]
    found = calibrate([Parameter.of(name) for name in FITTED], observed, settings=settings, watch=print)
    found.write()
    return found


if __name__ == "__main__":
    print(fit())
