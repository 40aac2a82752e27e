"""Three gigabit adapters in one server, four clients behind a switch, Chariot; Windows 2000 and Linux 2.2.14.

Measured: measured/tolly-200233.csv. "Download": the server sends (FILESNDL); "upload": it receives (FILERCVL). The
clients are as the report describes them: Windows 2000 and SysKonnect's adapter without interrupt moderation, with 500
transmit and 1500 receive buffers and windows of 65 KB.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from experiments.row import LeftOpen, Row, mbit_s, read_csv
from netsim.ethernet.frame import FCS, HEADER, MAX_PAYLOAD
from netsim.scenario import host
from netsim.stack import ComputerSpec
from netsim.workload import Chariot

REPORT = "tolly-200233"
SERVER = "ml530"
ONE_PAIR = "one pair of endpoints for each client: the report names four endpoints, and no number of pairs"
NEWER = "acenic 0.44: the report says that the driver came from its author's page, and that it came with the kernel"
ACENIC, KERNEL_ACENIC = "acenic-0.44", "acenic"
CLIENTS = ("proliant-6400r", "proliant-5500", "piii-550", "piii-550")
SYSTEMS = {"windows-2000": "windows-2000", "linux-2.2.14": "linux-2.2.14-smp"}
ADAPTERS = {
    ("windows-2000", "syskonnect-sk9843"): "sk9843/sk98win",
    ("windows-2000", "intel-pro1000f"): "pro1000f/e1000nt5",
    ("windows-2000", "3com-3c985b"): "3c985b/e1985nd5",
    ("linux-2.2.14", "syskonnect-sk9843"): "sk9843/sk98lin",
    ("linux-2.2.14", "intel-pro1000f"): "pro1000f/e1000",
    ("linux-2.2.14", "3com-3c985b"): f"3c985b/{ACENIC}",
}
CLIENT = {
    "nics.0.driver.tx_ring": 500,
    "nics.0.driver.rx_ring": 1500,
    "nics.0.driver.tx_moderation": {"policy": "none"},
    "nics.0.driver.rx_moderation": {"policy": "none"},
    "system.tcp.receive_buffer": 65_535,
}


def rows() -> list[Row]:
    """Every number of the report."""
    return list(map(_row, read_csv(REPORT)))


def speaks(row: Row) -> bool:
    """Whether the calibration uses a row: those with standard frames. The effect of jumbo frames is predicted."""
    return row.case["frame_bytes"] == HEADER + MAX_PAYLOAD + FCS


def chariot(os: str, nic: str, flow: str, frame_bytes: int, pairs: int = 1) -> Chariot:
    """The test bed with one of the adapters in its server, and this many `pairs` for each client."""
    mtu = frame_bytes - HEADER - FCS
    return Chariot(
        server=host(SERVER, system=SYSTEMS[os], nics=[ADAPTERS[os, nic]]),
        clients=tuple(map(client, CLIENTS)),
        switch="aceswitch-180",
        link="1000base-sx" if mtu <= MAX_PAYLOAD else "1000base-sx-jumbo",
        flow=flow,
        pairs=pairs,
        mtu=mtu,
    )


def client(model: str) -> ComputerSpec:
    """One of the report's clients."""
    return host(model, system="windows-2000", nics=["sk9843/sk98win"]).replace(CLIENT)


def row_id(os: str, nic: str, flow: str, frame_bytes: int) -> str:
    """A row's id, as in the provenance of numbers fitted to it."""
    return f"{REPORT}/{os}/{frame_bytes}/{flow}/{nic}"


def _row(line: dict[str, str]) -> Row:
    case: dict[str, Any] = {name: line[name] for name in ("os", "nic", "flow")}
    case["frame_bytes"] = int(line["frame_bytes"])
    return Row(
        report=REPORT,
        table=REPORT,
        case=case,
        id=row_id(**case),
        group=f"{line['os']}, {line['frame_bytes']} bytes, {line['flow']}",
        label=line["nic"],
        quantity="throughput",
        unit="Mbit/s",
        measured=float(line["throughput_mbit_s"]),
        build=partial(chariot, **case),
        observe=mbit_s,
        chosen=tuple(_left_open(case)),
    )


def _left_open(case: dict[str, Any]) -> Iterator[LeftOpen]:
    yield LeftOpen(ONE_PAIR, {f"{pairs}": partial(chariot, **case, pairs=pairs) for pairs in (2, 4)})
    if ADAPTERS[case["os"], case["nic"]].endswith(ACENIC):
        older = {"0.33a": partial(_older, case), "0.33a, and two pairs": partial(_older, case, pairs=2)}
        yield LeftOpen(NEWER, older)


def _older(case: dict[str, Any], pairs: int = 1) -> Chariot:
    """The test bed with the version of 3Com's driver that came with the kernel."""
    return chariot(**case, pairs=pairs).replace("server.nics.0.driver", KERNEL_ACENIC)
