"""The outputs about one adapter."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from netsim.own_machine.draft import Draft
from netsim.own_machine.ethtool import Keys, counters, offload, read_keys, switch, whole
from netsim.own_machine.iperf3_text import read_iperf3
from netsim.own_machine.link_texts import read_link
from netsim.own_machine.lspci import PciDevice, port_above, whole_address
from netsim.own_machine.texts import Folder, Noted, Text, Unread

Reader = Callable[[Noted | None, Text | None], Noted | None]
_MAXIMUM, _NOW = "pre-set maximums", "current hardware settings"
# Driver counters by meaning, from the drivers' sources and documents: e1000e, igb, ixgbe (MPC, RNBC, QPRDC), i40e and
# ice (port.rx_discards), mlx5 (counters.rst), tg3, bnxt, r8169. Per-queue counters are parts of these.
_RING = ("rx_no_buffer_count", "rx_no_dma_resources", "rx_out_of_buffer")
_FIFO = (
    "rx_missed_errors", "rx_missed", "rx_discards_phy", "rx_fifo_errors", "port.rx_dropped", "rx_dropped.nic",
    "port.rx_discards", "rx_discards", "rx_total_discard_pkts",
)  # fmt: skip
_OFFLOADS = {
    "rx_checksum": "rx-checksumming",
    "tx_checksum": "tx-checksumming",
    "scatter_gather": "scatter-gather",
    "segmentation": "tcp-segmentation-offload",
    "generic_segmentation": "generic-segmentation-offload",
    "generic_receive": "generic-receive-offload",
    "large_receive": "large-receive-offload",
    "flow_steering": "ntuple-filters",
}
_OFF = ("large_receive", "flow_steering")  # if not mentioned
_ETHERNET = ("rate", "duplex", "supported_rate", "advertised_rate", "port")
_LINK = ("generation", "lanes", "capable_generation", "capable_lanes")
_RUN = {
    "protocol": "TCP", "sends": True, "rate": "1 bit/s", "streams": 1, "retransmits": None, "threads": None,
    "duration": None, "block": None, "mss": None, "send_buffer": None, "receive_buffer": None, "congestion": None,
    "paced": False, "both_ways": False,
}  # fmt: skip
_RESET = "the standard's value after a reset"


class AdapterTexts:
    """Puts an adapter's values into the draft."""

    def __init__(self, files: Folder, name: str, draft: Draft) -> None:
        self._files, self._name, self._draft = files, name, draft
        self._read: dict[str, Keys] = {}
        self._info = self._keys("i")

    def _file(self, option: str) -> str:
        return f"ethtool-{option}-{self._name}" if option else f"ethtool-{self._name}"

    def _keys(self, option: str) -> Keys:
        if option not in self._read:
            self._read[option] = read_keys(self._files.text(self._file(option)))
        return self._read[option]

    def _put(self, name: str, noted: Noted | None, file: str, fallback: object = None) -> None:
        reason = f"not in {file}" if file in self._files.names else f"{file} is missing"
        self._draft.put(f"adapters.{self._name}.{name}", noted, fallback, reason)

    def _none(self, name: str, noted: Noted | None, reason: str) -> None:
        self._draft.put(f"adapters.{self._name}.{name}", noted, None, reason)

    def put_settings(self) -> None:
        """All the output of `ethtool`."""
        for key, name in {"driver": "driver", "version": "version", "firmware-version": "firmware"}.items():
            self._put(name, self._info.get(("", key)), self._file("i"), "unknown")
        link = read_link(self._files.text(self._file("")))
        for name in _ETHERNET:
            self._put(name, link.get(name), self._file(""))
        self._put("mtu", self._mtu(), f"mtu-{self._name}", 1500)
        for side in ("rx", "tx"):
            self._put_one("g", f"{side}_ring", (_NOW, side), whole)
            self._put_one("g", f"{side}_ring_max", (_MAXIMUM, side), whole)
            self._put_one("c", f"{side}_usecs", ("", f"{side}-usecs"), _usecs)
            self._put_one("c", f"{side}_frames", ("", f"{side}-frames"), whole)
            self._put_one("a", f"{side}_pause", ("", side), switch)
        self._put_one("c", "adaptive_rx", ("", "adaptive rx"), switch)
        self._put_queues()
        for name, key in _OFFLOADS.items():
            self._put_one("k", f"offloads.{name}", ("", key), offload, "off" if name in _OFF else "on")
        self._put_drops()

    def _put_one(self, option: str, name: str, key: tuple[str, str], read: Reader, fallback: object = None) -> None:
        file = self._file(option)
        self._put(name, read(self._keys(option).get(key), self._files.text(file)), file, fallback)

    def _mtu(self) -> Noted | None:
        text = self._files.text(f"mtu-{self._name}")
        return whole(text.noted(text.lines[0].strip(), 1), text) if text else None

    def _put_queues(self) -> None:
        """The receive queues: combined ones, or else receive-only ones."""
        file, keys = self._file("l"), self._keys("l")
        for name, heading in (("queues", _NOW), ("queues_max", _MAXIMUM)):
            ways = [whole(keys.get((heading, key)), self._files.text(file)) for key in ("combined", "rx")]
            known = [one for one in ways if one is not None]
            self._put(name, next((one for one in known if one.value), known[0] if known else None), file)

    def _put_drops(self) -> None:
        file = self._file("S")
        found = counters(self._files.text(file))
        for name, keys in (("ring_drops", _RING), ("fifo_drops", _FIFO)):
            counted = [found[key] for key in keys if key in found]
            largest = max(counted, key=lambda one: int(str(one.value)), default=None)  # drivers count some events twice
            self._put(name, largest, file, 0)

    def put_pcie(self, pci: Mapping[str, PciDevice]) -> list[Unread]:
        """The link, if the adapter has one; returns the lines that can't be read."""
        noted = self._info.get(("", "bus-info"))
        device = pci.get(whole_address(str(noted.value))) if noted else None
        self._put("node", device.found.get("node") if device else None, "lspci")
        if noted is None or device is None:
            self._none("pcie", None, "lspci shows no PCI Express link")
            return []
        port = port_above(whole_address(str(noted.value)), dict(pci))
        unread = [Unread("lspci", line, reason) for line, reason in device.refused]
        if all(name in device.found for name in _LINK):
            self._put("pcie.address", noted, self._file("i"))
            self._put_link(device.found, port.found if port else {})
        else:
            self._none("pcie", None, "lspci shows no PCI Express link")
        return unread

    def _put_link(self, found: Mapping[str, Noted], port: Mapping[str, Noted]) -> None:
        for name in _LINK:
            self._put(f"pcie.{name}", found[name], "lspci")
        fallbacks = {"max_payload": 128, "capable_payload": 128, "max_read": 512, "read_boundary": 64}
        for name, fallback in fallbacks.items():
            reason = f"not in lspci; {_RESET}"
            self._draft.put(f"adapters.{self._name}.pcie.{name}", found.get(name), fallback, reason)
        for name in ("generation", "lanes", "payload"):
            self._put(f"pcie.slot_{name}", port.get(f"capable_{name}"), "lspci")

    def put_interrupts(self, every: list[tuple[int, str, dict[int, int]]], nodes: Mapping[str, frozenset[int]]) -> None:
        """The number of interrupts, and how many of them were taken on nodes other than the adapter's."""
        address = self._info.get(("", "bus-info"))
        names = [self._name, *([str(address.value)] if address else [])]
        pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(name)}(?![\w.])" for name in names))
        own = [(line, counts) for line, called, counts in every if pattern.search(called)]
        total = remote = None
        if own:
            line = max(own, key=lambda one: sum(one[1].values()))[0]
            total = Noted(sum(sum(counts.values()) for _, counts in own), f"interrupts:{line}")
            home = self._home(nodes)
            if home is not None:
                away = [(line, sum(n for cpu, n in counts.items() if cpu not in home)) for line, counts in own]
                remote = Noted(sum(n for _, n in away), f"interrupts:{max(away, key=lambda one: one[1])[0]}")
        self._put("interrupts", total, "interrupts")
        self._none("remote_interrupts", remote, "there is one node, or the adapter's vectors or node are not known")

    def _home(self, nodes: Mapping[str, frozenset[int]]) -> frozenset[int] | None:
        """The processors of the adapter's node, if it is not the only one."""
        node = self._draft.read(f"adapters.{self._name}.node")
        return nodes.get(f"node{node}") if node is not None and len(nodes) > 1 else None

    def put_measured(self, alone: bool) -> None:
        """The iperf3 run; "iperf3.json" belongs to the only adapter."""
        files = (f"iperf3-{self._name}.json", *(("iperf3.json",) if alone else ()))
        for file in files:
            found = read_iperf3(self._files.text(file))
            if "rate" in found:
                for name, fallback in _RUN.items():
                    self._put(f"measured.{name}", found.get(name), file, fallback)
                return
        self._put("measured", None, files[-1])


def _usecs(noted: Noted | None, text: Text | None) -> Noted | None:
    number = whole(noted, text)
    return None if number is None else Noted(f"{number.value} us", number.where)
