"""Parts for tests of servers with files: round numbers and real cards, so that no model's figures matter."""

from __future__ import annotations

from typing import Any

import netsim as ns
from netsim.stack import ComputerSpec, NcpHostSpec
from netsim.workload import NetBench, ServerBench
from netsim.workload.netbench.file_mix import FileMixSpec
from netsim.workload.serverbench.server_mix import ServerMixSpec
from tests.storage_parts import STORAGE

NIC, LAN = "etherjet-100/ibmfent", "etherjet-100/e100b-lan"
PAGE = 4096
DISKS = STORAGE.replace({
    "driver": {"submit_cycles": 5000, "submit_writes": 1, "completion_cycles": 3000, "interrupt_reads": 2,
               "interrupt_writes": 1},
    "disk.order": "elevator",
})  # fmt: skip
FILES: dict[str, Any] = {
    "cache": {"page": "4 KiB", "read_ahead": 0, "write_delay": None, "concurrent_writes": 8, "cluster": "16 KiB",
              "dirty_limit": 1.0, "clean_reserve": 16},
    "resident": "8 MiB", "thread": "64 KiB", "request_cycles": 2000, "call_cycles": 10_000, "lookup_cycles": 500,
    "copies": True,
}  # fmt: skip
# Added to the catalogue: a processor of 500 MHz takes 2 ns per cycle.
MACHINE: dict[str, Any] = {
    "storage": DISKS, "system.files": FILES, "memory.size": "72 MiB", "memory.bandwidth": None,
    "processors.count": 2, "processors.clock": "500 MHz", "processors.relative_cpi": 1,
}  # fmt: skip


def nt_server(ports: int = 4, **changes: Any) -> ComputerSpec:
    """A server under Windows NT with one card per port; "__" stands for "." in the addresses of changes."""
    spec = ns.host("netfinity-5500", system="windows-nt-4.0", nics=[NIC] * ports)
    return spec.replace(MACHINE | addresses(changes))


def netware_server(ports: int = 4, **changes: Any) -> NcpHostSpec:
    """The same server under NetWare, with one processor."""
    spec = ns.netware_host("netfinity-5500", system="netware-4.11", nics=[LAN] * ports)
    return spec.replace(MACHINE | {"processors.count": 1} | addresses(changes))


def addresses(changes: dict[str, Any]) -> dict[str, Any]:
    """The addresses with "." for "__"."""
    return {name.replace("__", "."): value for name, value in changes.items()}


PC = ns.host("pc-750-166", system="windows-nt-4.0", nics=[NIC])
NT = ns.netware_host("pc-350-133", system="csnw-nt-4.0", nics=[NIC])


def kind(weight: float = 1, request: int = 64, reply: int = 64, cycles: int = 40_000, **more: Any) -> dict[str, Any]:
    """A kind of transaction."""
    return {"weight": weight, "request": request, "reply": reply, "cycles": cycles, **more}


RECORDS = {"records": 4, "record": PAGE}
SERVER_MIX = ServerMixSpec(
    client_server=kind(request=4096), processor=kind(cycles=1_000_000), server_client=kind(reply=4096),
    random_read=kind(reply=1024, **RECORDS), random_write=kind(request=1024, **RECORDS), client_cycles=50_000,
)  # fmt: skip
FILE_MIX = FileMixSpec(
    calls=4, writes=0.25, sizes=(512, 4096, 8192), size_weights=(1, 2, 1), file_size=65536, shared=0.1,
    shared_bytes=2**20, popularity=1.0, call=40, call_reply=60, client_cycles=20_000,
)  # fmt: skip


def weights(mix: ServerMixSpec = SERVER_MIX, **changes: float) -> ServerMixSpec:
    """A mix that requests only these kinds, with these weights."""
    names = ("client_server", "processor", "server_client", "random_read", "random_write")
    return mix.replace({f"{name}.weight": changes.get(name, 0) for name in names})


def server_bench(clients: int = 4, **changes: Any) -> ServerBench:
    """ServerBench with segments of 4 MiB, about 15 of which fit in memory; changes as for `nt_server`."""
    test = ServerBench(server=nt_server(), client=PC, clients=clients, mix=SERVER_MIX, data_segment=4 * 2**20)
    return test.replace(addresses(changes)) if changes else test


def net_bench(clients: int = 4, **changes: Any) -> NetBench:
    """NetBench with workspaces of 16 MiB, about 4 of which fit in memory; changes as for `nt_server`."""
    test = NetBench(server=netware_server(), client=NT, clients=clients, mix=FILE_MIX, workspace=16 * 2**20)
    return test.replace(addresses(changes)) if changes else test
