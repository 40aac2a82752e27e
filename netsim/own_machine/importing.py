"""A folder of outputs as one description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from netsim.errors import ScenarioError
from netsim.own_machine.adapter_texts import AdapterTexts
from netsim.own_machine.draft import Draft
from netsim.own_machine.json_texts import processor_set, read_processors
from netsim.own_machine.kernel_texts import read_hz, read_interrupts, read_options, read_settings, read_softnet
from netsim.own_machine.lspci import devices
from netsim.own_machine.machine_spec import ImportedMachine
from netsim.own_machine.texts import Folder, Noted, Unread
from netsim.spec.named_table import NamedTable

_PROCESSORS = {"name": "unknown", "count": 1, "sockets": 1, "threads_per_core": 1, "clock": None, "cache": None}
# Defaults of Linux 5.17: net/core/dev.c, net/core/sock.c, net/ipv4/tcp.c, kernel/Kconfig.hz.
_KERNEL = {
    "hz": (250, "kernel/Kconfig.hz"),
    "netdev_budget": (300, "net/core/dev.c"),
    "netdev_budget_time": ("8 ms", "net/core/dev.c: two jiffies, at 250 a second"),
    "backlog": (1000, "net/core/dev.c"),
    "rmem_max": (212_992, "net/core/sock.c"),
    "wmem_max": (212_992, "net/core/sock.c"),
    "tcp_rmem_max": ("6 MiB", "net/ipv4/tcp.c"),
    "tcp_wmem_max": ("4 MiB", "net/ipv4/tcp.c"),
    "tcp_timestamps": (True, "net/ipv4/tcp_ipv4.c"),
    "congestion_control": ("cubic", "net/ipv4/Kconfig"),
    "flow_entries": (0, "net/core/sysctl_net_core.c"),
}


@dataclass(frozen=True)
class Imported:
    """A machine, and the lines that could not be read."""

    machine: ImportedMachine
    unread: tuple[Unread, ...]


def import_machine(folder: str | Path) -> Imported:
    """The machine that the tools' outputs in a folder describe (as collected by `netsim import --script`), and an
    Unread for each line that could not be read. Missing values are assumed, and their provenance says so. Raises
    ScenarioError if it is not a folder or contains nothing about a machine, or if the package jc is not installed."""
    files = Folder(folder)
    draft, refused = Draft(), list[Unread]()
    names = _adapters(files, refused)
    missing = [Unread(name, 0, "missing") for name in _FILES if name not in files.names]
    if len(missing) == len(_FILES) and not names:
        text = f"has none of the script's files; allowed: a folder that it wrote ({', '.join(_FILES[:4])}, ...)"
        raise ScenarioError(text, file=str(folder))
    nodes = _processors(files, draft)
    _kernel(files, draft)
    draft.table("adapters")
    pci, interrupts = devices(files.text("lspci")), read_interrupts(files.text("interrupts"))
    for name in names:
        adapter = AdapterTexts(files, name, draft)
        adapter.put_settings()
        refused += adapter.put_pcie(pci)
        adapter.put_interrupts(interrupts, nodes)
        adapter.put_measured(alone=len(names) == 1)
    machine = draft.build()
    return Imported(machine, (*files.unread(), *refused, *draft.unread, *missing))


_FILES = ("lspci", "lscpu.json", "interrupts", "softnet_stat", "sysctl", "config", "cmdline")


def _adapters(files: Folder, refused: list[Unread]) -> list[str]:
    """The names of adapters that can be part of an address."""
    every = {name: file for file, name in files.matching(r"ethtool-(?:[iglckaS]-)?(.+)")}
    for name in sorted(every.keys()):
        if not _named(name):
            reason = "the adapter's name can't be part of an address; rename its files"
            refused.append(Unread(every[name], 0, reason))
    return sorted(filter(_named, every))


def _named(name: str) -> bool:
    """Whether it can be a name in a table."""
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) is not None
    return plain and not hasattr(NamedTable, name) and name not in ("model", "value")


def _reason(files: Folder, file: str) -> str:
    return f"not in {file}" if file in files.names else f"{file} is missing"


def _processors(files: Folder, draft: Draft) -> dict[str, frozenset[int]]:
    """Put processors and nodes into the draft; returns the processors of each node read."""
    found, nodes = read_processors(files.text("lscpu.json"))
    reason = _reason(files, "lscpu.json")
    for name, fallback in _PROCESSORS.items():
        draft.put(f"processors.{name}", found.get(name), fallback, reason)
    if not nodes:
        draft.put("nodes.node0.processors", None, "all", f"{reason}; one node assumed")
    for name, noted in nodes.items():
        draft.put(f"nodes.{name}.processors", noted, "all", reason)
    return {name: processor_set(str(noted.value)) for name, noted in nodes.items()}


def _kernel(files: Folder, draft: Draft) -> None:
    settings = read_settings(files.text("sysctl"))
    hz = read_hz(files.text("config"))
    found: dict[str, Noted | None] = {**settings, "hz": hz}
    for name, (fallback, source) in _KERNEL.items():
        file = "config" if name == "hz" else "sysctl"
        draft.put(f"kernel.{name}", found.get(name), fallback, f"{_reason(files, file)}; Linux's default ({source})")
    draft.put("kernel.options", read_options(files.text("cmdline")), [], _reason(files, "cmdline"))
    softnet = read_softnet(files.text("softnet_stat"))
    for name in ("packets", "dropped", "squeezed"):
        draft.put(f"kernel.{name}", softnet.get(name), 0, _reason(files, "softnet_stat"))
