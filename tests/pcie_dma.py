"""Measured transfers of a device over PCI Express, and netsim's figure for each."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import netsim as ns

FILE = Path(__file__).parents[1] / "experiments" / "measured" / "pcie-dma.csv"
OPERATIONS = {"read": "read", "write": "write", "write then read": "write-read"}
COMMAND = 8  # bytes: reads of this size bypass the DMA engine


@dataclass(frozen=True)
class Row:
    """A line of the file: a bandwidth (Gbit/s) or a latency (ns)."""

    quantity: str
    bytes: int
    cache: str
    measured: float

    @property
    def id(self) -> str:
        name = self.quantity.partition(" (")[0].replace("write then read", "write-read").replace(" ", "-")
        return f"pcie-dma/{name}-{self.bytes}-{self.cache}"

    @property
    def unit(self) -> str:
        return "Gbit/s" if "bandwidth" in self.quantity else "ns"

    @property
    def test(self) -> ns.Dma:
        name = self.quantity.partition(" (")[0].removesuffix(" latency").removesuffix(" bandwidth")
        return ns.Dma(
            OPERATIONS[name], self.bytes, cached=self.cache == "warm", outstanding=1 if self.unit == "ns" else 64,
            pcie="pcie-3-x8", root_complex="sandy-bridge-ep",
            engine="nfp-6000-command" if self.bytes == COMMAND else "nfp-6000",
        )  # fmt: skip

    @property
    def basis(self) -> str:
        """The row's label: "fitted", "chosen" with knowledge of it, or else "predicted"."""
        if self.id in FITTED:
            return "fitted"
        seen = self.cache == "cold" or self.quantity.startswith("write then read") or "read bandwidth" in self.quantity
        return "chosen" if seen else "predicted"

    @cached_property
    def simulated(self) -> float:
        result = ns.simulate(self.test, precision=0.01)
        return result.throughput / 1e9 if self.unit == "Gbit/s" else result.kinds[0].response * 1e9


def _rows() -> list[Row]:
    with FILE.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(line for line in file if not line.startswith("#"))
        return [Row(one["quantity"], int(one["bytes"]), one["cache"], float(one["value"])) for one in lines]


FITTED = {
    "pcie-dma/read-latency-8-warm",  # the root complex's read_time
    *(f"pcie-dma/read-latency-{size}-warm" for size in (32, 64, 128, 256, 512, 1024, 1520, 2048)),  # overhead and rate
    "pcie-dma/write-bandwidth-64-warm",  # write_interval
    "pcie-dma/read-bandwidth-64-warm",  # commands, by bandwidth times latency
}
ROWS = _rows()


def table() -> str:
    """All rows in Markdown: measured, simulated, error, label."""
    lines = ["| quantity | bytes | cache | measured | simulated | error | label |", "|---|---|---|---|---|---|---|"]
    for row in ROWS:
        name, found = row.quantity.partition(" (")[0], row.simulated
        error = 100 * (found / row.measured - 1)
        values = f"{row.measured:.4g} {row.unit} | {found:.1f} | {error:+.1f} %"
        lines.append(f"| {name} | {row.bytes} | {row.cache} | {values} | {row.basis} |")
    return "\n".join(lines)
