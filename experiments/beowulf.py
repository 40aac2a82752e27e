"""Linux 2.2.16, Fast Ethernet adapters in three hosts, netperf over a crossover cable.

Measured: measured/beowulf-netperf.csv. TCP_STREAM with netperf's defaults; UDP_STREAM with messages of 8192 bytes and
socket buffers of 32768 bytes on both sides (-m 8192 -s 32768 -S 32768). Rows of bonded adapters are not modelled yet.
"""

from __future__ import annotations

from functools import partial

from experiments.row import Row, read_csv
from netsim.nic import NicSpec
from netsim.scenario import host
from netsim.workload.netperf import Netperf

REPORT = "beowulf"
SYSTEM = "linux-2.2.16"
UDP = {"message": "8192 B", "send_buffer": "32768 B", "receive_buffer": "32768 B"}


def rows() -> list[Row]:
    """The rows of netperf."""
    return [_row(line) for line in read_csv("beowulf-netperf")]


def row_id(sender: str, receiver: str, test: str, nic: str, driver: str, ports: int = 1) -> str:
    """A row as text, as in the provenance of what was fitted to it."""
    return f"{REPORT}/{sender}/{receiver}/{test}/{nic}/{driver}/{ports}"


def scenario(sender: str, receiver: str, test: str, nic: str, driver: str, ports: int = 1) -> Netperf:
    """What was measured. The wire is named here, so that its numbers come from the catalogue like all others."""
    nics = _nics(nic, driver, ports)
    return Netperf(
        test=test,
        sender=host(sender, system=SYSTEM, nics=nics, bonded=ports > 1),
        receiver=host(receiver, system=SYSTEM, nics=nics, bonded=ports > 1),
        link="100base-tx",
        **(UDP if test == "UDP_STREAM" else {}),
    )


def _nics(nic: str, driver: str, ports: int) -> list[str]:
    """One card with so many ports in use, if it has more than one; else as many cards."""
    one = NicSpec.from_catalog("nics", nic)
    return [f"{nic}:{ports}/{driver}"] if one.max_ports > 1 else [f"{nic}/{driver}"] * ports


def _row(line: dict[str, str]) -> Row:
    measured = float(line.pop("throughput_mbit_s"))
    case: dict[str, str | int] = {**line, "ports": int(line["ports"])}
    return Row(
        report=REPORT,
        table="netperf",
        case=case,
        id=row_id(**case),  # type: ignore[arg-type]
        group=f"{line['test']}, {line['sender']} to {line['receiver']}",
        label=f"{line['nic']}/{line['driver']}",
        quantity="throughput",
        unit="Mbit/s",
        measured=measured,
        build=partial(scenario, **case),  # type: ignore[arg-type]
    )
