"""The contents of the catalogue as a table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from netsim.catalog.models import categories, describe, names, notes
from netsim.catalog.provenance import MODEL_KINDS
from netsim.errors import check_type

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = {  # addresses that distinguish the things of a category
    "adapters": ("rate", "throttle"),
    "buses": ("width", "clock"),
    "chipsets": ("miss", "memory_time"),
    "compressions": ("minis", "titled", "session"),
    "disks": ("capacity", "media_rate"),
    "dma-engines": ("rate", "commands"),
    "hosts": ("processors.count", "processors.clock"),
    "iommus": ("entries", "walkers"),
    "links": ("rate", "mtu"),
    "message-protocols": ("send_cycles", "receive_cycles"),
    "nics": ("rate",),
    "pauses": ("quanta", "high", "low"),
    "pcie": ("generation", "lanes", "max_payload"),
    "packet-actions": ("cycles", "polls"),
    "pcie-credits": ("posted_headers", "posted_data", "nonposted_headers"),
    "pcie-switches": ("uplink.generation", "uplink.lanes", "time"),
    "queue-drivers": ("rx_ring", "tx_ring", "moderation.policy"),
    "root-complexes": ("read_time",),
    "segments": ("rate", "mtu"),
    "servers": ("cores", "clock", "cache.size"),
    "socket-paths": ("call_cycles", "output_cycles", "input_cycles"),
}


def available(category: str | None = None) -> pd.DataFrame:
    """The entries in a category of the catalogue, `available("nics")`: a row for each name, with its title, the values
    that distinguish it from others, and how many of its values are `standard`, `documented`, `derived`, `fitted` and
    `assumed`. Without a category, the number of names in each. Raises ScenarioError with the nearest right category."""
    import pandas as pd

    if category is None:
        return pd.DataFrame({"category": categories(), "names": [len(names(one)) for one in categories()]})
    check_type("category", category, str, ", ".join(categories()))
    return pd.DataFrame([_row(category, name) for name in names(category)])


def _row(category: str, name: str) -> dict[str, Any]:
    values = describe(f"{category}/{name}")
    texts = {address: value for address, value, _ in values}
    counts = Counter(source.kind for *_, source in values)
    shown = {address: texts.get(address, "") for address in _SHOWN.get(category, ())}
    return {"name": name, "title": notes(category, name)["title"], **shown, **{one: counts[one] for one in MODEL_KINDS}}
