"""Linux's own reports: sysctl, CONFIG_HZ, its command line, softnet_stat and interrupts."""

from __future__ import annotations

import re
from collections.abc import Callable

from netsim.own_machine.converted import convert
from netsim.own_machine.texts import Noted, Text

# Options of the command line that concern DMA, PCI Express and sleeping processors (kernel-parameters.txt and
# admin-guide/pm).
_OPTIONS = {
    "intel_iommu", "amd_iommu", "iommu", "iommu.passthrough", "iommu.strict", "pci", "pcie_aspm", "idle",
    "intel_idle.max_cstate", "processor.max_cstate", "nosmt", "isolcpus", "irqaffinity",
}  # fmt: skip
_SETTINGS = {
    "net.core.netdev_budget": "netdev_budget",
    "net.core.netdev_budget_usecs": "netdev_budget_time",
    "net.core.netdev_max_backlog": "backlog",
    "net.core.rmem_max": "rmem_max",
    "net.core.wmem_max": "wmem_max",
    "net.ipv4.tcp_rmem": "tcp_rmem_max",
    "net.ipv4.tcp_wmem": "tcp_wmem_max",
    "net.ipv4.tcp_timestamps": "tcp_timestamps",
    "net.ipv4.tcp_congestion_control": "congestion_control",
    "net.core.rps_sock_flow_entries": "flow_entries",
}


def read_settings(text: Text | None) -> dict[str, Noted]:
    """The settings in the description, by its names."""
    found: dict[str, Noted] = {}
    settings = convert("sysctl", text) if text else None
    for key, name in _SETTINGS.items():
        if text is None or settings is None or key not in settings:
            continue
        line, value = text.line_of(f"{key} "), _setting(name, str(settings[key]))
        if value is None:
            text.refuse(line, f'"{str(settings[key])[:40]}" is not a value of {key}')
        else:
            found[name] = text.noted(value, line)
    return found


def _setting(name: str, value: str) -> object:
    if name == "congestion_control":
        return value if re.fullmatch(r"[\w-]{1,16}", value, re.ASCII) else None
    words = value.split()
    several = name in ("tcp_rmem_max", "tcp_wmem_max")
    if len(words) != (3 if several else 1) or not all(re.fullmatch(r"\d{1,15}", word, re.ASCII) for word in words):
        return None
    number = int(words[-1])
    special: dict[str, Callable[[], object]] = {
        "tcp_timestamps": lambda: number > 0,
        "netdev_budget_time": lambda: f"{number} us",
    }
    return special.get(name, lambda: number)()


def read_hz(text: Text | None) -> Noted | None:
    """CONFIG_HZ of a kernel's configuration."""
    for number, line in enumerate(text.lines if text else (), 1):
        assert text is not None
        if match := re.fullmatch(r"CONFIG_HZ=(\d{2,4})\s*", line, re.ASCII):
            return text.noted(int(match[1]), number)
        if line.strip() and not re.match(r"(# )?CONFIG_\w+|#", line):
            text.refuse(number, f'not a line of a kernel configuration: "{line.strip()[:60]}"')
    return None


def read_options(text: Text | None) -> Noted | None:
    """The options of the command line that netsim knows: "iommu=pt"."""
    found = convert("proc_cmdline", text) if text else None
    if text is None or found is None:
        return None
    given = [f"{key}={value}" for key, value in found.items() if key in _OPTIONS and isinstance(value, str)]
    return text.noted(given + [one for one in found.get("_options", []) if one in _OPTIONS], 1)


def read_softnet(text: Text | None) -> dict[str, Noted]:
    """Sums of the first three columns over all processors; each with the line of its largest value."""
    rows: list[tuple[int, list[int]]] = []
    for number, line in enumerate(text.lines if text else (), 1):
        assert text is not None
        words = line.split()
        if len(words) >= 9 and all(re.fullmatch(r"[0-9a-fA-F]{8}", word) for word in words):
            rows.append((number, [int(word, 16) for word in words]))
        elif words:
            text.refuse(number, "not columns of eight hexadecimal digits")
    if text is None or not rows:
        return {}
    found = {}
    for column, name in enumerate(("packets", "dropped", "squeezed")):
        most = max(rows, key=lambda row: row[1][column])[0]
        found[name] = text.noted(sum(row[column] for _, row in rows), most)
    return found


def read_interrupts(text: Text | None) -> list[tuple[int, str, dict[int, int]]]:
    """Each numbered interrupt: its line, its name, and how often each processor took it."""
    heads = [int(word[3:]) for word in text.lines[0].split() if re.fullmatch(r"CPU\d{1,5}", word)] if text else []
    if text is None or not heads:
        if text:
            text.refuse(1, "no heading with processors (CPU0 CPU1 ...)")
        return []
    numbered = [line if re.match(r"\s*\d+:", line) else "" for line in text.lines]
    rows = convert("proc_interrupts", Text(text.name, [text.lines[0], *numbered[1:]], text.refused)) or []
    found = []
    for row in rows:
        line = next((n for n, one in enumerate(numbered, 1) if one.split(":")[0].strip() == row["irq"]), 1)
        name = " ".join([str(row["type"]), *(row["device"] or [])])
        found.append((line, name, dict(zip(heads, row["interrupts"], strict=False))))
    return found
