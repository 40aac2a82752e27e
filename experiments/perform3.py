"""Seven client and eleven server adapters, PERFORM3 between NetWare workstations and a server on 10 Mbit/s Ethernet.

Measured: measured/perform3-*.csv. One workstation (the AST) or all five, each with the client card, against a server
with a PLX-SONIC; and eleven cards in the server against five workstations, each with an NE2000. A KB is 1000 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from experiments.comparison import Claim, Comparison, Spread
from experiments.computed import Computed
from experiments.figure_bars import Bars, Pairs, Shares
from experiments.row import Observed, Row, cpu_percent, per_cpu, read_csv
from netsim.calibration import closed_form
from netsim.results.result import Result
from netsim.scenario import netware_host
from netsim.units import KBYTE_PER_S, KIB, US
from netsim.workload import Perform3
from netsim.workload.perform3.framing import captured, on_the_wire, padded

REPORT = "perform3"
SERVER = "compaq-cp3301"
WORKSTATIONS = ("ast-premium-5", "pc-brand-a84310", "pc-brand-a84210", "wd-piranha-4200", "dell-433de")
# What the report calls the cards.
NAMES = {
    "3com-etherlink-iii": "3Com EtherLink III",
    "allied-telesis-at1500": "Allied Telesis AT1500",
    "smc-elite": "SMC Elite",
    "at-lantic-shared": "AT/LANTIC (shared)",
    "at-lantic-io": "AT/LANTIC (I/O)",
    "ne2000": "NE2000",
    "intel-etherexpress": "Intel EtherExpress",
    "plx-sonic": "PLX-SONIC",
    "ne3200": "NE3200",
    "mylex-eisa": "Mylex (EISA)",
    "sonic-at": "SONIC-AT",
    "hp-ethertwist": "HP EtherTwist",
}
CLIENT_NICS = {
    "3com-etherlink-iii": "3c509/3c509-odi",
    "allied-telesis-at1500": "at1500/at1500-odi",
    "smc-elite": "smc-elite16/8390-shared-odi",
    "at-lantic-shared": "at-lantic-shared/8390-shared-odi",
    "ne2000": "ne2000/ne2000-odi",
    "intel-etherexpress": "etherexpress16/exp16-odi",
    "at-lantic-io": "at-lantic-io/ne2000-odi",
}
SERVER_NICS = {
    "plx-sonic": "plx-sonic/plx-sonic-lan",
    "ne3200": "ne3200/ne3200-lan",
    "mylex-eisa": "lne390/lne390-lan",
    "sonic-at": "sonic-at/sonic-at-lan",
    "smc-elite": "smc-elite16/8390-shared-lan",
    "3com-etherlink-iii": "3c509/3c509-lan",
    "at-lantic-shared": "at-lantic-shared/8390-shared-lan",
    "hp-ethertwist": "hp-ethertwist/hp-lan",
    "intel-etherexpress": "etherexpress16/exp16-lan",
    "ne2000": "ne2000/ne2000-lan",
    "at-lantic-io": "at-lantic-io/ne2000-lan",
}
SINGLE, FIVE = "single-workstation", "five-workstations"
INDEX = f"{KBYTE_PER_S.name} per %"
# Tolerance of a row: per cent of throughput, points of CPU. The index follows from both.
ALLOWED = {SINGLE: 2.0, FIVE: 3.0, "server": 3.0}


def rows() -> list[Row]:
    """Every number of the report, including the quotients that it prints."""
    return [*_client_rows(SINGLE, 1), *_client_rows(FIVE, 5), *_server_rows()]


def speaks(row: Row) -> bool:
    """Whether the calibration uses a row: one workstation alone, and the server's CPU with three kinds of card (a bus
    master, a data port, a FIFO). Five workstations, and the cost of other cards, are predicted."""
    if row.table == f"{REPORT}-server":
        return row.quantity == "CPU" and row.case["server_nic"] in ("plx-sonic", "hp-ethertwist", "3com-etherlink-iii")
    return row.table == f"{REPORT}-{SINGLE}"


def perform3(server_nic: str, client_nic: str, workstations: int) -> Perform3:
    """The test bed with these cards, by the report's names, in the server and in this many workstations."""
    return Perform3(
        server=netware_host(SERVER, system="netware-3.11", nics=[SERVER_NICS[server_nic]]),
        workstations=tuple(
            netware_host(model, system="netx-3", nics=[CLIENT_NICS[client_nic]])
            for model in WORKSTATIONS[:workstations]
        ),
        segment="10base2",
    )


def row_id(table: str, nic: str, quantity: str) -> str:
    """A row's id, as in the provenance of numbers fitted to it."""
    return f"{REPORT}/{table}/{nic}/{quantity}"


def kbyte_s(result: Result) -> Observed:
    """Throughput in KB/s."""
    return KBYTE_PER_S.of(result.throughput), KBYTE_PER_S.of(result.half_width)


def kbyte_s_per_cpu(result: Result) -> Observed:
    """Throughput in KB/s over the server's CPU in per cent."""
    return per_cpu(result, "server", KBYTE_PER_S.of(result.throughput) / (100 * result.cpu["server"]))


def bound_kbyte_s(scenario: Perform3) -> float:
    """The resources' limit, in KB/s."""
    return KBYTE_PER_S.of(closed_form(scenario))


def _client_rows(table: str, workstations: int) -> Iterator[Row]:
    for line in read_csv(f"{REPORT}-{table}"):
        nic = line["client_nic"]
        yield Row(
            report=REPORT,
            table=f"{REPORT}-{table}",
            case={"client_nic": nic},
            id=row_id(table, nic, "throughput"),
            group=f"{table.replace('-', ' ')}, by client card",
            label=NAMES[nic],
            quantity="throughput",
            unit=KBYTE_PER_S.name,
            measured=float(line["throughput_kbyte_s"]),
            build=partial(perform3, "plx-sonic", nic, workstations),
            observe=kbyte_s,
            estimate=bound_kbyte_s,
            allowed=ALLOWED[table],
        )


def _server_rows() -> Iterator[Row]:
    for line in read_csv(f"{REPORT}-server"):
        yield from _server_row(line, line["server_nic"])


def _server_row(line: dict[str, str], nic: str) -> Iterator[Row]:
    ids = {quantity: row_id("server", nic, quantity) for quantity in ("throughput", "cpu", "index")}
    common: dict[str, Any] = {
        "report": REPORT,
        "table": f"{REPORT}-server",
        "case": {"server_nic": nic},
        "group": "five workstations with an NE2000, by server card",
        "label": NAMES[nic],
        "build": partial(perform3, nic, "ne2000", 5),
    }
    throughput, cpu = float(line["throughput_kbyte_s"]), float(line["cpu_percent"])
    yield Row(
        id=ids["throughput"],
        quantity="throughput",
        unit=KBYTE_PER_S.name,
        measured=throughput,
        observe=kbyte_s,
        estimate=bound_kbyte_s,
        allowed=ALLOWED["server"],
        beside=(ids["cpu"],),
        **common,
    )
    yield Row(
        id=ids["cpu"],
        quantity="CPU",
        unit="%",
        measured=cpu,
        observe=cpu_percent("server"),
        estimate=None,
        allowed=ALLOWED["server"],
        beside=(ids["throughput"],),
        **common,
    )
    yield Row(
        id=ids["index"],
        quantity="throughput / CPU",
        unit=INDEX,
        measured=float(line["throughput_per_cpu_printed"]),
        observe=kbyte_s_per_cpu,
        estimate=None,
        parts=(ids["throughput"], ids["cpu"]),
        **common,
    )


# ---- what the report says about them ----


def comparisons() -> list[Claim]:
    """Its ranking of server cards by throughput over CPU (figure 6), each better than the next, and how close together
    all client cards are with five workstations."""
    servers, clients = ([line[column] for line in read_csv(f"{REPORT}-{table}")] for table, column in (
        ("server", "server_nic"), (FIVE, "client_nic"),
    ))  # fmt: skip
    ranking = [
        Comparison(
            f"{better} over {worse}",
            f"{INDEX} of {NAMES[better]} over {NAMES[worse]}",
            row_id("server", better, "index"),
            row_id("server", worse, "index"),
        )
        for better, worse in pairwise(servers)
    ]
    together = tuple(row_id(FIVE, nic, "throughput") for nic in clients)
    text = "throughput with five workstations, the best client card over the worst: at most"
    return [*ranking, Spread("client cards within 2.5 %", text, together, 2.5)]


def computed() -> list[Computed]:
    """Its arithmetic for a read of 1,024 bytes ("How does PERFORM3 work?"), as it counts bytes, and as it would be if
    it counted padding and FCS, and the whole request."""
    test = perform3("plx-sonic", "ne2000", 1)
    ncp = test.server.system.ncp
    short = ncp.replace("request", 13)  # its request of 57 bytes: without the header
    ways = (
        ("a read of 1,024 bytes without software, as the report counts bytes", captured, short, (940, 1090)),
        ("the same with the request padded to 64 bytes", padded, short, (None, None)),
        ("the same with the request's header and the FCS, as it is on the wire", on_the_wire, ncp, (None, None)),
    )
    found = []
    for text, count, sizes, (time, throughput) in ways:
        read = count(test.segment, sizes, 1 * KIB)
        found += [Computed(text, read.time / US, "us", time)]
        found += [Computed(text, KBYTE_PER_S.of(read.throughput), KBYTE_PER_S.name, throughput)]
    return found


# ---- its figures ----


def figures() -> list[Bars]:
    """Figures 3 to 6."""
    return [
        _figure(3, "one workstation, by client card", SINGLE, "client_nic", "throughput"),
        _figure(4, "five workstations, by client card", FIVE, "client_nic", "throughput"),
        _figure(5, "server throughput and CPU, by server card", "server", "server_nic", "throughput", "cpu"),
        _figure(6, "throughput over CPU, by server card", "server", "server_nic", "index"),
    ]


def _figure(number: int, title: str, table: str, column: str, *quantities: str) -> Bars:
    nics = [line[column] for line in read_csv(f"{REPORT}-{table}")]
    rows = {quantity: tuple(row_id(table, nic, quantity) for nic in nics) for quantity in quantities}
    panels = tuple(Shares(ids) if quantity == "cpu" else Pairs(ids) for quantity, ids in rows.items())
    below = " Below: what the server's processor does." if "cpu" in rows else ""
    caption = f"The report's figure {number}, with its cards in the order of its table.{below}"
    return Bars(f"Figure {number}: {title}", caption, tuple(NAMES[nic] for nic in nics), panels)
