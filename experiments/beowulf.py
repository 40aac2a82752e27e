"""Linux 2.2.16: one or several Fast Ethernet adapters in each of three hosts, over crossover cables.

Measured: measured/beowulf-*.csv. Netperf: TCP_STREAM with its defaults; UDP_STREAM with messages of 8192 bytes and
socket buffers of 32768 bytes on both sides (-m 8192 -s 32768 -S 32768), and for one row also the rate at which the
sender transmitted. NetPIPE: between the two fast hosts, over TCP and over two MPI libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from experiments.row import LeftOpen, Observed, Row, mbit_s, read_csv
from netsim.calibration import closed_form
from netsim.nic import NicSpec
from netsim.results.result import Result
from netsim.scenario import host
from netsim.stack import ComputerSpec
from netsim.units import MEBIBIT, MIB, US
from netsim.workload import Netperf, NetPipe
from netsim.workload.netpipe.bounds import least_half_round_trip, most_throughput
from netsim.workload.netpipe.tool import schedule

REPORT = "beowulf"
SYSTEM = "linux-2.2.16"
BOND = "linux-2.2.17"
FAST = "piii-600"
MESSAGE = 8192  # bytes
UDP = {"message": MESSAGE, "send_buffer": "32768 B", "receive_buffer": "32768 B"}
SIZES = schedule(2 * MIB)  # there the curve is flat to half a per cent, and larger ones would take most of the time
LIBRARIES = {"NPtcp": None, "NPmpi-mpich": "mpich-1.2.1", "NPmpi-mpipro": "mpipro-1.5"}
CHOSEN = {
    "NPmpi-mpich": (
        LeftOpen("a message's parts, read from MPICH's source because these rows were outside tolerance"),
    )
}


def rows() -> list[Row]:
    """Every number of the report."""
    return [
        *map(_netperf_row, read_csv("beowulf-netperf")),
        *map(_sender_row, read_csv("beowulf-udp-sender")),
        *(row for line in read_csv("beowulf-netpipe") for row in _netpipe_rows(line)),
    ]


def speaks(row: Row) -> bool:
    """Whether the calibration uses a row: netperf and TCP latency with one port; on one kind of card the latency with
    MPI/Pro, whose own cost no source states, and the bandwidth with MPICH, which copies each message once more and so
    tells what a copy costs. The effect of bonds and the other numbers of both libraries are predicted."""
    if row.table == "netpipe":
        plain = row.case["transport"] == "NPtcp" and row.case["ports"] == 1
        told = (row.case["transport"], row.case["nic"], row.quantity) in (
            ("NPmpi-mpipro", "3c905b", "latency"),
            ("NPmpi-mpich", "3c905b", "bandwidth"),
        )
        return (plain and row.quantity == "latency") or told
    return row.table == "netperf" and row.case["ports"] == 1


# ---- what was measured ----


def computer(model: str, nic: str, driver: str, ports: int) -> ComputerSpec:
    """A host with this many ports in use, all on one card if it has several, else on one card each; several ports are
    bonded."""
    several = NicSpec.from_catalog("nics", nic).max_ports > 1
    nics = [f"{nic}:{ports}/{driver}"] if several else [f"{nic}/{driver}"] * ports
    return host(model, system=SYSTEM, nics=nics, bond=BOND if ports > 1 else None)


def netperf(sender: str, receiver: str, test: str, nic: str, driver: str, ports: int = 1) -> Netperf:
    """One netperf test; the wire is named, so that its numbers come from the catalogue like all others."""
    return Netperf(
        test,
        computer(sender, nic, driver, ports),
        computer(receiver, nic, driver, ports),
        link="100base-tx",
        **(UDP if test == "UDP_STREAM" else {}),
    )


def netpipe(nic: str, driver: str, ports: int, transport: str, **more: Any) -> NetPipe:
    """NetPIPE between the fast hosts."""
    one = computer(FAST, nic, driver, ports)
    return NetPipe(one, one, link="100base-tx", mpi=LIBRARIES[transport], **more)


# ---- rows ----


def row_id(sender: str, receiver: str, test: str, nic: str, driver: str, ports: int = 1) -> str:
    """The id of a netperf row, as it appears in the provenance of numbers fitted to it."""
    return f"{REPORT}/{sender}/{receiver}/{test}/{nic}/{driver}/{ports}"


def netpipe_id(nic: str, driver: str, ports: int, transport: str, quantity: str) -> str:
    """The id of a NetPIPE row."""
    return f"{REPORT}/{transport}/{nic}/{driver}/{ports}/{quantity}"


def _netperf_row(line: dict[str, str]) -> Row:
    case: dict[str, Any] = {name: line[name] for name in ("sender", "receiver", "test", "nic", "driver")}
    case["ports"] = int(line["ports"])
    return Row(
        report=REPORT,
        table="netperf",
        case=case,
        id=row_id(**case),
        group=f"{line['test']}, {line['sender']} to {line['receiver']}",
        label=_label(**case),
        quantity="throughput",
        unit="Mbit/s",
        measured=float(line["throughput_mbit_s"]),
        build=partial(netperf, **case),
        observe=mbit_s,
    )


def _sender_row(line: dict[str, str]) -> Row:
    """The run of the corresponding netperf row, seen from the sender."""
    row = _netperf_row({**line, "throughput_mbit_s": line["sent_mbit_s"]})
    group = f"{line['test']}, as sent"
    return replace(row, table="udp-sender", id=f"{row.id}/sent", group=group, observe=_sent, beside=(row.id,))


def _sent(result: Result) -> Observed:
    return result.counts["datagrams sent"] * MESSAGE * 8 / result.elapsed / 1e6, 0.0


def _netpipe_rows(line: dict[str, str]) -> Iterator[Row]:
    case: dict[str, Any] = {name: line[name] for name in ("nic", "driver", "transport")}
    case["ports"] = int(line["ports"])
    ids = {quantity: netpipe_id(**case, quantity=quantity) for quantity in ("latency", "bandwidth")}
    for quantity, unit, column, observe, estimate, more in (
        ("latency", "us", "latency_us", _latency, _least_latency, {"sizes": (1,)}),
        ("bandwidth", "Mb/s (2^20 bit/s)", "bandwidth_mbit_s", _bandwidth, _most_bandwidth, {"sizes": SIZES}),
    ):
        yield Row(
            report=REPORT,
            table="netpipe",
            case=case,
            id=ids[quantity],
            group=f"{line['transport']}, {quantity}",
            label=_label(**case),
            quantity=quantity,
            unit=unit,
            measured=float(line[column]),
            build=partial(netpipe, **case, **more),
            observe=observe,
            estimate=estimate,
            beside=tuple(one for one in ids.values() if one != ids[quantity]),
            chosen=CHOSEN.get(line["transport"], ()),
        )


def _latency(result: Result) -> Observed:
    assert result.latency is not None
    point = result.curve[0]
    return result.latency * 1e12 / US, point.half_width * 1e12 / US


def _least_latency(test: NetPipe) -> float:
    return least_half_round_trip(test, test.sizes[0]) / US


def _most_bandwidth(test: NetPipe) -> float:
    return most_throughput(test, closed_form(test)) / MEBIBIT


def _bandwidth(result: Result) -> Observed:
    return result.throughput / MEBIBIT, result.half_width / MEBIBIT


def _label(nic: str, driver: str, ports: int, **_: str) -> str:
    return f"{nic}/{driver}" + (f" x {ports}" if ports > 1 else "")
