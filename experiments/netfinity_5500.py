"""IBM Netfinity 5500: ServerBench 4.02 on Windows NT 4.0 with two processors, NetBench 5.01 on NetWare 4.11 with one,
on RAID-0 and RAID-5, each with processors of 500 and of 450 MHz.

Measured: measured/netfinity-5500.csv. The report prints quotients, bottlenecks and one threshold; its curves were not
transcribed, because the surviving text has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from experiments.row import Observed, Row, read_csv
from experiments.several import Several
from experiments.statement import Above, BottleneckAlong, FirstBottleneck, Statement
from experiments.study import Point
from netsim.results.result import Result
from netsim.scenario import host, netware_host
from netsim.workload import NetBench, ServerBench

REPORT = "netfinity-5500"
SERVERS = {500: "netfinity-5500", 450: "netfinity-5500-450"}  # MHz
LEVELS = (0, 5)  # of RAID
SERVER_BENCH, NET_BENCH = "ServerBench", "NetBench"
SERVER_BENCH_CLIENTS = (1, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60)
NET_BENCH_CLIENTS = (4, 12, 20, 28, 36, 44, 52, 60)
MOST = 60
ADAPTERS = 4
PEAK = (12, 16, 20, 24)  # clients: processors are busy, and memory is not full
CLIENTS_OF_ROWS = {SERVER_BENCH: PEAK, NET_BENCH: (MOST,)}
# For curves. Writes wait for 5 s before they go to the disks, so the throughput swings with a period of 8 to 10 s.
SHORT = {SERVER_BENCH: {"warm_up": "250 ms", "limit": "1 s"}, NET_BENCH: {"warm_up": "125 ms", "limit": "0.5 s"}}
# For rows, by RAID level, because RAID-5 swings most: as long as a budget of three minutes for everything allows.
WARM_UP = {SERVER_BENCH: "500 ms", NET_BENCH: "300 ms"}
LONG = {SERVER_BENCH: {0: "40 s", 5: "40 s"}, NET_BENCH: {0: "4 s", 5: "12 s"}}
PROCESSOR, DISK, ADAPTER = ("server processor",), ("server disk",), ("wire segment", "server nic")


def server_bench(clock: int, level: int, clients: int) -> ServerBench:
    """The test bed with two processors of `clock` (MHz), RAID of this level, and this many clients."""
    server = host(SERVERS[clock], system="windows-nt-4.0", nics=["etherjet-100/ibmfent"] * ADAPTERS)
    return ServerBench(
        server=server.replace({"processors.count": 2, "storage.level": level}),
        client=host("pc-750-166", system="windows-nt-4.0", nics=["etherjet-100/ibmfent"]),
        clients=clients,
        mix="sys-60",
    )


def net_bench(clock: int, level: int, clients: int) -> NetBench:
    """The test bed with one processor of `clock` (MHz), RAID of this level, and this many clients."""
    server = netware_host(SERVERS[clock], system="netware-4.11", nics=["etherjet-100/e100b-lan"] * ADAPTERS)
    return NetBench(
        server=server.replace({"processors.count": 1, "storage.level": level}),
        client=netware_host("pc-350-133", system="csnw-nt-4.0", nics=["etherjet-100/ibmfent"]),
        clients=clients,
        mix="disk-mix",
    )


def settings(benchmark: str, level: int, clients: int) -> dict[str, Any]:
    """The settings for this many clients: longer runs for those that rows use."""
    if clients in CLIENTS_OF_ROWS[benchmark]:
        return {"warm_up": WARM_UP[benchmark], "limit": LONG[benchmark][level]}
    return {**SHORT[benchmark]}


# ---- rows ----


def rows() -> list[Row]:
    """The report's four quotients."""
    return [_row(line) for line in read_csv(REPORT) if line["unit"] == "ratio"]


def row_id(benchmark: str, level: int) -> str:
    """A row's id, as in the provenance of numbers fitted to it."""
    return f"{REPORT}/{benchmark.lower()}/raid-{level}/ratio"


def _row(line: Mapping[str, str]) -> Row:
    benchmark, level = line["benchmark"].partition("-")[0], int(line["raid"])
    peak = benchmark == SERVER_BENCH
    return Row(
        report=REPORT,
        table=REPORT,
        case={"benchmark": line["benchmark"], "raid": line["raid"], "quantity": line["quantity"]},
        id=row_id(benchmark, level),
        group=f"{benchmark}, 500 MHz over 450 MHz, {'peak TPS' if peak else f'throughput at {MOST} clients'}",
        label=f"RAID-{level}",
        quantity="quotient",
        unit="ratio",
        measured=float(line["value"]),
        build=partial(_peaks if peak else _ends, level),
        observe=quotient_of_peaks if peak else quotient,
        about=peaks if peak else None,
        estimate=None,
        settings=settings(benchmark, level, PEAK[0] if peak else MOST),
    )


def _peaks(level: int) -> Several:
    """The region of the peak; the other points of the curves are lower."""
    return Several(tuple(server_bench(clock, level, clients) for clock in SERVERS for clients in PEAK))


def _ends(level: int) -> Several:
    return Several(tuple(net_bench(clock, level, MOST) for clock in SERVERS))


def quotient_of_peaks(results: Sequence[Result]) -> Observed:
    """For two successive curves: the first one's peak over the second one's. Both are flat there, so both are taken at
    the number of clients where they are highest together: with the same clients they do the same work."""
    return quotient([results[one] for one in peaks(results)])


def peaks(results: Sequence[Result]) -> tuple[int, int]:
    """The indices of that peak in two successive curves."""
    half = len(results) // 2
    number = max(range(half), key=lambda one: results[one].throughput * results[half + one].throughput)
    return number, half + number


def quotient(results: Sequence[Result]) -> Observed:
    """The first throughput over the second, with an interval from pairs of samples."""
    one, other = results
    return one.quotient(other)


# ---- curves ----


def points() -> list[Point]:
    """Throughput against clients, each benchmark at both clocks and on both arrays."""
    return [*_points(SERVER_BENCH, SERVER_BENCH_CLIENTS), *_points(NET_BENCH, NET_BENCH_CLIENTS)]


def series(benchmark: str, clock: int, level: int) -> str:
    """A curve's name."""
    return f"{benchmark}, RAID-{level}, {clock} MHz"


def _points(benchmark: str, clients: Sequence[int]) -> Iterator[Point]:
    build = server_bench if benchmark == SERVER_BENCH else net_bench
    for level, clock, number in product(LEVELS, SERVERS, clients):
        name, one = series(benchmark, clock, level), partial(build, clock, level, number)
        yield Point(name, number, one, settings(benchmark, level, number))


def statements() -> list[Statement]:
    """The report's statements about the bottlenecks along the curves, and its cache-hit ratio."""
    return [
        BottleneckAlong("ServerBench: processor", f"{SERVER_BENCH}, 4 to 8 clients: bottleneck", "processor",
                 SERVER_BENCH, 4, 8, PROCESSOR),
        BottleneckAlong("ServerBench: disk", f"{SERVER_BENCH}, more than 32 clients: bottleneck", "disk",
                 SERVER_BENCH, 33, MOST, DISK),
        FirstBottleneck("NetBench: adapter", f"{NET_BENCH}, as clients are added: first bottleneck", "network adapter",
                      NET_BENCH, ADAPTER),
        BottleneckAlong("NetBench: disk", f"{NET_BENCH}, many clients ({MOST}): bottleneck", "disk",
                 NET_BENCH, MOST, MOST, DISK),
        Above("NetBench: hits", f"{NET_BENCH}, {MOST} clients: cache-hit ratio", NET_BENCH, MOST, hit_ratio, 0.9),
    ]


def hit_ratio(result: Result) -> float:
    """The hit ratio of the server's file cache."""
    assert result.hit_ratio is not None
    return result.hit_ratio
