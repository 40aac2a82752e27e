"""An adapter's link and port according to `ethtool`: rate, duplex, connector, and the fastest of the port's modes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from netsim.own_machine.converted import convert
from netsim.own_machine.texts import Noted, Text

_DUPLEX = {"Full": "full", "Half": "half"}
_MODES = {"supported_rate": "Supported link modes:", "advertised_rate": "Advertised link modes:"}


def read_link(text: Text | None) -> dict[str, Noted]:
    """The values that `ethtool` shows, by the names of AdapterFound."""
    found = convert("ethtool", text) if text else None
    if text is None or not isinstance(found, Mapping):
        return {}
    each = {"rate": _rate(found, text), "duplex": _duplex(found, text), "port": _port(text)}
    each |= {name: _fastest(found, text, title) for name, title in _MODES.items()}
    return {name: noted for name, noted in each.items() if noted is not None}


def _rate(found: Mapping[str, Any], text: Text) -> Noted | None:
    if not isinstance(speed := found.get("speed"), str):
        return None
    line = text.line_of("Speed:")
    if match := re.fullmatch(r"([1-9]\d{0,6})Mb/s", speed, re.ASCII):
        return text.noted(f"{match[1]} Mbit/s", line)
    text.refuse(line, f'"{speed[:40]}" is not a speed; the link may be down')
    return None


def _duplex(found: Mapping[str, Any], text: Text) -> Noted | None:
    """An unknown one has an unknown speed beside it, which is reported."""
    if not isinstance(duplex := found.get("duplex"), str) or duplex.startswith("Unknown"):
        return None
    line = text.line_of("Duplex:")
    if duplex in _DUPLEX:
        return text.noted(_DUPLEX[duplex], line)
    text.refuse(line, f'"{duplex[:40]}" is not Full or Half')
    return None


def _port(text: Text) -> Noted | None:
    for number, line in enumerate(text.lines, 1):
        if match := re.fullmatch(r"\s*Port: ([\w /]{1,40}?)\s*", line, re.ASCII):
            return text.noted(match[1], number)
    return None


def _fastest(found: Mapping[str, Any], text: Text, title: str) -> Noted | None:
    """The rate of the fastest mode in a list such as "100baseT/Half 1000baseT/Full"; it may be "Not reported"."""
    modes = found.get(title.rstrip(":").lower().replace(" ", "_"))
    each = [re.match(r"([1-9]\d{0,6})base", str(one), re.ASCII) for one in (modes if isinstance(modes, list) else ())]
    rates = [int(one[1]) for one in each if one]
    return text.noted(f"{max(rates)} Mbit/s", text.line_of(title)) if rates else None
