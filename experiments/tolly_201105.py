"""Four Fast Ethernet adapters with encryption engines in one server, sixteen clients, Chariot; separate or
aggregated, with IPsec by the host, by the adapters, or none; Windows 2000 and Windows NT 4.0.

Measured: measured/tolly-201105.csv. "Download": the server sends (FILESNDL); "bidirectional": it also receives
(FILERCVL). The adapters are spread over two PCI buses of the server, which run at 33 MHz, as the adapters do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from experiments.comparison import Comparison
from experiments.figure_columns import Column, Columns
from experiments.row import LeftOpen, Row, cpu_percent, mbit_s, performance_efficiency, read_csv
from netsim.scenario import host
from netsim.workload import Chariot

REPORT = "tolly-201105"
SERVER = "ml530"
CARDS, BUSES = 4, 2
CHOSEN = "the four cards are spread over two buses: the report only says what the slots are"
THREECOM, INTEL = "3com-3cr990svr97", "intel-pro100s"
BOTH = (THREECOM, INTEL)
WINDOWS, NT = "windows-2000", "windows-nt-4.0"
ADAPTERS = {
    (WINDOWS, THREECOM): "3cr990svr97/e199xnd5",
    (WINDOWS, INTEL): "pro100s/e100bnt5",
    (NT, THREECOM): "3cr990svr97/e199xnd4",
    (NT, INTEL): "pro100s/e100bnt",
}
BONDS = {
    (WINDOWS, THREECOM): "3com-nt5",
    (WINDOWS, INTEL): "intel-ans-nt5",
    (NT, THREECOM): "3com-nt4",
    (NT, INTEL): "intel-ans-nt4",
}
CLIENTS = ("proliant-6400r", "proliant-5500", *["piii-550"] * 14)
Case = tuple[str, bool, str, str]  # the arguments of row_id before the card
ESP = "3des-cbc/hmac-sha-1-96"


def rows() -> list[Row]:
    """Every number of the report: throughput, CPU, and the index computed from both."""
    return [row for line in read_csv(REPORT) for row in _rows(line)]


def speaks(row: Row) -> bool:
    """Whether the calibration uses a row: those with separate adapters, and with aggregated ones under Windows 2000
    without IPsec. The effect of IPsec on a team, and NT 4.0, are predicted."""
    return row.case["os"] == WINDOWS and (row.case["aggregated"] == "False" or row.case["ipsec"] == "none")


def chariot(os: str, aggregated: bool, ipsec: str, flow: str, nic: str, buses: int = BUSES) -> Chariot:
    """The test bed with four of the adapters in its server, spread over its `buses`; `ipsec` is "none", or done by the
    "host" or the adapters ("offload")."""
    server = host(SERVER, system=os, nics=[ADAPTERS[os, nic]] * CARDS, bond=BONDS[os, nic] if aggregated else None)
    slots: dict[str, Any] = {f"nics.{number}.slot": number % buses for number in range(CARDS)}
    if ipsec == "host":
        slots |= {f"nics.{number}.driver.ipsec": "host" for number in range(CARDS)}
    clients = {model: host(model, system=WINDOWS, nics=["3cr990tx97/el99xnd4"]) for model in set(CLIENTS)}
    return Chariot(
        server=server.replace({"bus": "pci-64-33"} | slots),
        clients=tuple(clients[model] for model in CLIENTS),
        switch="summit48",
        flow=flow,
        ipsec=None if ipsec == "none" else ESP,
    )


def row_id(os: str, aggregated: bool, ipsec: str, flow: str, nic: str, quantity: str) -> str:
    """A row's id, as in the provenance of numbers fitted to it."""
    return "/".join((REPORT, os, "aggregated" if aggregated else "separate", ipsec, flow, nic, quantity))


def _rows(line: dict[str, str]) -> Iterator[Row]:
    case: dict[str, Any] = {name: line[name] for name in ("os", "ipsec", "flow", "nic")}
    case["aggregated"] = line["link_aggregation"] == "yes"
    ids = {quantity: row_id(**case, quantity=quantity) for quantity in ("throughput", "cpu", "index")}
    cards = f"four {'aggregated' if case['aggregated'] else 'separate'} adapters"
    protection = {"none": "", "host": ", IPsec by the host", "offload": ", IPsec offloaded"}[case["ipsec"]]
    common: dict[str, Any] = {
        "report": REPORT,
        "table": REPORT,
        "case": {name: str(value) for name, value in case.items()},
        "group": f"{case['os']}, {cards}{protection}, {case['flow']}",
        "label": case["nic"],
        "build": partial(chariot, **case),
        "chosen": (LeftOpen(CHOSEN, {"one": partial(chariot, **case, buses=1)}),),
    }
    throughput, cpu = float(line["throughput_mbit_s"]), float(line["cpu_percent"])
    yield Row(
        id=ids["throughput"],
        quantity="throughput",
        unit="Mbit/s",
        measured=throughput,
        observe=mbit_s,
        beside=(ids["cpu"],),
        **common,
    )
    server = {"estimate": None} | common
    yield Row(
        id=ids["cpu"],
        quantity="CPU",
        unit="%",
        measured=cpu,
        observe=cpu_percent("server"),
        beside=(ids["throughput"],),
        **server,
    )
    yield Row(
        id=ids["index"],
        quantity="P/E",
        unit="Mbit/s per %",
        measured=float(line["pe_index_printed"]),
        observe=performance_efficiency("server"),
        parts=(ids["throughput"], ids["cpu"]),
        **server,
    )


# ---- what the report says about them ----


def comparisons() -> list[Comparison]:
    """The five printed percentages, and whatever else it calls better. 14 % is 567/98 over 504/99 (13.6), 17 % is
    389/83 over 398/99 (16.6), 28 % is 497/90 over 433/100 (27.5), 18 % is 301/92 over 231/83 (17.6); 16 % is computed
    from the printed indices, 3.6 over 3.1 (353/99 over 306/99 is 15.4)."""
    w2k, nt = partial(row_id, WINDOWS), partial(row_id, NT)
    both, down = "bidirectional", "download"
    printed = [
        ("separate", 14, partial(w2k, False, "none", both)),
        ("aggregated", 17, partial(w2k, True, "none", both)),
        ("aggregated, NT 4.0", 28, partial(nt, True, "none", both)),
        ("separate, IPsec offloaded", 16, partial(w2k, False, "offload", down)),
        ("aggregated, IPsec offloaded", 18, partial(w2k, True, "offload", down)),
    ]
    found = [
        Comparison(
            f"P/E, {name}", f"P/E of 3Com over Intel, {name}", of(THREECOM, "index"), of(INTEL, "index"), percent
        )
        for name, percent, of in printed
    ]
    for nic in BOTH:
        pairs = {
            "separate over aggregated": ((w2k, False, "none", both), (w2k, True, "none", both)),
            "NT 4.0 over 2000, aggregated": ((nt, True, "none", both), (w2k, True, "none", both)),
            "IPsec offloaded over by the host": ((w2k, False, "offload", down), (w2k, False, "host", down)),
        }
        found += [
            Comparison(f"{name}, {nic}", f"throughput of {nic}, {name}", _of(better, nic), _of(worse, nic))
            for name, (better, worse) in pairs.items()
        ]
    for aggregated, name in ((False, "separate"), (True, "aggregated")):
        of = partial(w2k, aggregated, "offload", down)
        text = f"throughput of 3Com over Intel, {name}, IPsec offloaded"
        found.append(Comparison(text, text, of(THREECOM, "throughput"), of(INTEL, "throughput")))
    return found


def _of(case: tuple[Any, ...], nic: str) -> str:
    system, *rest = case
    return str(system(*rest, nic, "throughput"))


def figures() -> list[Columns]:
    """Its four figures."""
    both, down = "bidirectional", "download"
    return [
        _figure(1, "four separate adapters, both ways", [("", (WINDOWS, False, "none", both))]),
        _figure(
            2,
            "four aggregated adapters, both ways",
            [("NT 4.0", (NT, True, "none", both)), ("2000", (WINDOWS, True, "none", both))],
        ),
        _figure(
            3,
            "four separate adapters, IPsec, sending",
            [("by the host", (WINDOWS, False, "host", down)), ("offloaded", (WINDOWS, False, "offload", down))],
        ),
        _figure(4, "four aggregated adapters, IPsec offloaded, sending", [("", (WINDOWS, True, "offload", down))]),
    ]


def _figure(number: int, title: str, cases: list[tuple[str, Case]]) -> Columns:
    columns = [
        Column(f"{card}\n{label}".strip(), row_id(*case, nic, "throughput"), row_id(*case, nic, "cpu"))
        for label, case in cases
        for card, nic in (("3Com", THREECOM), ("Intel", INTEL))
    ]
    system = "Windows NT 4.0 and 2000" if len({case[0] for _, case in cases}) > 1 else "Windows 2000"
    caption = f"The report's figure {number}, under {system}. Below: what the server's processors do."
    return Columns(f"Figure {number}: {title}", caption, tuple(columns))
