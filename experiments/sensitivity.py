"""python -m experiments sensitivity: how much the Netfinity report's quotients depend on the mixes assumed for it.

Each number is moved to both ends of its plausible range, while the others stay. For ServerBench, the quotient itself is
simulated again, at the number of clients of its peak. NetBench's quotient swings too much for that; its table shows the
slower processor's utilisation over that of the disks, with 60 clients. Far below 1, a faster processor gains nothing;
at 1 it gains half as much as its clock, and above that most of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from experiments.netfinity_5500 import LEVELS, MOST, NET_BENCH, SERVER_BENCH, SERVERS, net_bench, server_bench, settings
from netsim import catalog
from netsim.accounts import Resource
from netsim.catalog import Overlay
from netsim.measure.simulation import unattended

PEAK = 16  # clients: before memory is full
SHORT: dict[str, Any] = {"limit": "3 s"}
KINDS = ("client_server", "processor", "server_client", "random_read", "random_write")
RANDOM = ("random_read", "random_write")
FILES = {SERVER_BENCH: ("server-mixes", "sys-60"), NET_BENCH: ("file-mixes", "disk-mix")}


@dataclass(frozen=True)
class Assumed:
    """Numbers of a benchmark's mix that are moved together to each of `values` (None: unchanged)."""

    benchmark: str
    name: str
    addresses: tuple[str, ...] = ()
    values: tuple[Any, ...] = (None,)

    def overlay(self, value: Any) -> Overlay:
        """The argument of `catalog.overlay` for this value."""
        return {FILES[self.benchmark]: dict.fromkeys(self.addresses, value)}


def _moved(benchmark: str, name: str, addresses: Sequence[str], low: Any, high: Any) -> Assumed:
    return Assumed(benchmark, name, tuple(addresses), (low, high))


ASSUMED = [
    Assumed(SERVER_BENCH, "as assumed"),
    *(_moved(SERVER_BENCH, f"{kind}.weight", [f"{kind}.weight"], 0.5, 2) for kind in KINDS),
    _moved(SERVER_BENCH, "processor.cycles", ["processor.cycles"], 3_000_000, 12_000_000),
    _moved(SERVER_BENCH, "other cycles", [f"{kind}.cycles" for kind in KINDS if kind != "processor"], 20_000, 80_000),
    _moved(SERVER_BENCH, "data each way", ["client_server.request", "server_client.reply"], "2 KiB", "16 KiB"),
    _moved(SERVER_BENCH, "records", [f"{kind}.records" for kind in RANDOM], 5, 20),
    _moved(SERVER_BENCH, "client_cycles", ["client_cycles"], 25_000, 100_000),
    Assumed(NET_BENCH, "as assumed"),
    _moved(NET_BENCH, "calls", ["calls"], 10, 42),
    _moved(NET_BENCH, "writes", ["writes"], 0.12, 0.5),
    _moved(NET_BENCH, "size_weights", ["size_weights"], [6, 4, 3, 1, 0], [2, 2, 3, 2, 2]),
    _moved(NET_BENCH, "file_size", ["file_size"], "24 KiB", "96 KiB"),
    _moved(NET_BENCH, "shared", ["shared"], 0.05, 0.2),
    _moved(NET_BENCH, "popularity", ["popularity"], 1.15, 1.45),
    _moved(NET_BENCH, "client_cycles", ["client_cycles"], 10_000, 40_000),
]


def main(_: Sequence[str] = ()) -> int:
    """Simulates all cases, and prints the table as Markdown."""
    cases = [(one, value) for one in ASSUMED for value in one.values]
    with ProcessPoolExecutor() as executor:
        found = list(executor.map(by_level, cases))
    print(*table(cases, found), sep="\n")
    return 0


def by_level(case: tuple[Assumed, Any]) -> list[float]:
    """The table's values for a benchmark on each array, with some numbers at another value."""
    one, value = case
    with catalog.overlay(one.overlay(value)):
        return [(_quotient if one.benchmark == SERVER_BENCH else _processor_by_disks)(level) for level in LEVELS]


def _quotient(level: int) -> float:
    tests = [server_bench(clock, level, PEAK) for clock in SERVERS]
    fast, slow = (unattended(test, **settings(SERVER_BENCH, level, PEAK)).throughput for test in tests)
    return fast / slow


def _processor_by_disks(level: int) -> float:
    test = net_bench(min(SERVERS), level, MOST)
    result = unattended(test, **settings(NET_BENCH, level, MOST) | SHORT)
    return result.cpu["server"] / result.utilisation[Resource("server", "disks")]


def table(cases: Sequence[tuple[Assumed, Any]], found: Sequence[Sequence[float]]) -> Iterator[str]:
    """Markdown: a line for each value of each number."""
    yield "| benchmark | number | value | RAID-0 | RAID-5 |"
    yield "|---|---|---|---|---|"
    for (one, value), levels in zip(cases, found, strict=True):
        shown = "" if value is None else str(value)
        yield f"| {one.benchmark} | {one.name} | {shown} | " + " | ".join(f"{level:.2f}" for level in levels) + " |"
