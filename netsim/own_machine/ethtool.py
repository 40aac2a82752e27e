"""`ethtool -i -g -l -c -k -a -S`: lines of "key: value" below headings. jc parses none of these; insights-core parses
all but -l, but requires a Redis client and RPM.

Formats and keys are those of ethtool's own sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from netsim.own_machine.texts import Noted, Text

Keys = dict[tuple[str, str], Noted]  # (heading, key) -> value
_TOLD = re.compile(r"netlink error|cannot |no data|operation not|.*(not found|permitted|supported)$", re.IGNORECASE)
_ADAPTIVE = re.compile(r"Adaptive RX: *(on|off|n/a) +TX: *(on|off|n/a)", re.IGNORECASE)


def read_keys(text: Text | None) -> Keys:
    """Every value by its heading and key, both in lower case; the heading is "" except below "pre-set maximums" and
    "current hardware settings"."""
    found: Keys = {}
    heading = ""
    for number, line in enumerate(text.lines if text else (), 1):
        assert text is not None
        key, colon, value = (part.strip() for part in line.partition(":"))
        if _TOLD.match(line.strip()):
            text.refuse(number, f'the tool said "{line.strip()[:80]}"')
        elif match := _ADAPTIVE.match(line):
            found["", "adaptive rx"] = text.noted(match[1].lower(), number)
        elif colon and value:
            found[heading, key.lower()] = text.noted(value, number)
        elif colon:
            heading = key.lower() if key.lower() in ("pre-set maximums", "current hardware settings") else ""
        elif key:
            text.refuse(number, f'not "key: value": "{key[:60]}"')
    return found


def counters(text: Text | None) -> dict[str, Noted]:
    """The whole numbers of `ethtool -S`, by name."""
    found = {}
    for number, line in enumerate(text.lines if text else (), 1):
        assert text is not None
        if match := re.fullmatch(r"\s+(.+): (\d{1,19})\s*", line, re.ASCII):
            found[match[1]] = text.noted(int(match[2]), number)
        elif line.strip() and not line.strip().endswith(":"):
            text.refuse(number, f'not a counter: "{line.strip()[:60]}"')
    return found


def whole(noted: Noted | None, text: Text | None) -> Noted | None:
    """A value that must be a whole number."""
    return _as(noted, text, _number, "a whole number")


def switch(noted: Noted | None, text: Text | None) -> Noted | None:
    """A value that must be "on" or "off"."""
    return _as(noted, text, {"on": True, "off": False}.get, "on or off")


def offload(noted: Noted | None, text: Text | None) -> Noted | None:
    """A feature: "off [fixed]" can't be switched on, "off [requested on]" is off."""
    return _as(noted, text, _feature, "on or off")


def _number(value: str) -> int | None:
    return int(value) if re.fullmatch(r"\d{1,18}", value, re.ASCII) else None


def _feature(value: str) -> str | None:
    word, _, more = value.partition(" ")
    return "impossible" if (word, more) == ("off", "[fixed]") else word if word in ("on", "off") else None


def _as(noted: Noted | None, text: Text | None, read: Callable[[str], object], what: str) -> Noted | None:
    """A value as converted by `read`, which returns None to refuse it; "n/a" counts as no value."""
    if noted is None or text is None or (value := str(noted.value)).lower() in ("n/a", "-"):
        return None
    if (found := read(value)) is not None:
        return Noted(found, noted.where)
    text.refuse(int(noted.where.rpartition(":")[2]), f'"{value[:40]}" is not {what}')
    return None
