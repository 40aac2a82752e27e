"""`lspci -vv`: links of PCI Express. No known parser reads it: jc reads `lspci -mmv`, insights-core `lspci -k`.

Lines are those of pciutils' ls-caps.c, as of versions 3.1 to 3.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from netsim.own_machine.texts import Noted, Text

_DEVICE = re.compile(r"((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ", re.IGNORECASE)
_REGISTER = re.compile(r"\t\t(\w+):")
_GENERATION = {"2.5": 1, "5": 2, "5.0": 2, "8": 3, "8.0": 3, "16": 4, "16.0": 4, "32": 5, "32.0": 5, "64": 6}
_LINK = re.compile(r"Speed ([\d.]+) ?GT/s(?: \(\w+\))?, Width x(\d+)")
_PAYLOAD, _READ = re.compile(r"MaxPayload (\d+) bytes"), re.compile(r"MaxReadReq (\d+) bytes")
_BOUNDARY = re.compile(r"RCB (\d+) bytes")
_SECONDARY = re.compile(r"\tBus: primary=[0-9a-f]{2}, secondary=([0-9a-f]{2})", re.IGNORECASE)
_NODE = re.compile(r"\tNUMA node: (\d+)")
_SIZES = (128, 256, 512, 1024, 2048, 4096)


@dataclass
class PciDevice:
    """The values read for a device, by their names in the description."""

    line: int
    found: dict[str, Noted] = field(default_factory=dict)
    secondary: str = ""  # the bus behind a bridge, with its domain
    refused: list[tuple[int, str]] = field(default_factory=list)  # lines; reported for adapters only


def devices(text: Text | None) -> dict[str, PciDevice]:
    """All devices by their full address, "0000:01:00.0"."""
    found: dict[str, PciDevice] = {}
    device, domain, register = PciDevice(0), "", ""
    for number, line in enumerate(text.lines if text else (), 1):
        assert text is not None
        if match := _DEVICE.match(line):
            address = whole_address(match[1])
            device, domain, register = PciDevice(number), address.partition(":")[0], ""
            found[address] = device
        elif match := _SECONDARY.match(line):
            device.secondary = f"{domain}:{match[1].lower()}"
        elif match := _NODE.match(line):
            device.found["node"] = text.noted(int(match[1][:9]), number)
        elif "<access denied>" in line:
            device.refused.append((number, "access denied: lspci -vv shows links only to root"))
        else:
            match = _REGISTER.match(line)
            register = match[1] if match else register if line.startswith("\t\t\t") else ""
            _read(device, register, line, number, text, begins=match is not None)
    if text and not found:
        text.refuse(1, f'it has no device: "{text.lines[0].strip()[:60]}"')
    return found


def _read(device: PciDevice, register: str, line: str, number: int, text: Text, begins: bool) -> None:
    """One of the several lines of a register."""
    for name, value in _values(register, line):
        if value is None:
            device.refused.append((number, f"{name} in {register} is not a value of PCI Express"))
        else:
            device.found[name] = text.noted(value, number)
    if begins and register in ("LnkCap", "LnkSta") and not _LINK.search(line):
        device.refused.append((number, f"no speed and width in {register}"))


def _values(register: str, line: str) -> Iterator[tuple[str, int | None]]:
    if register in ("LnkCap", "LnkSta") and (match := _LINK.search(line)):
        before = "capable_" if register == "LnkCap" else ""
        lanes = int(match[2]) if len(match[2]) < 3 else 0
        yield f"{before}generation", _GENERATION.get(match[1])
        yield f"{before}lanes", lanes if 1 <= lanes <= 32 else None
    if register in ("DevCap", "DevCtl") and (match := _PAYLOAD.search(line)):
        yield "capable_payload" if register == "DevCap" else "max_payload", _size(match[1], _SIZES)
    if register == "DevCtl" and (match := _READ.search(line)):
        yield "max_read", _size(match[1], _SIZES)
    if register == "LnkCtl" and (match := _BOUNDARY.search(line)):
        yield "read_boundary", _size(match[1], (64, 128))


def _size(digits: str, allowed: tuple[int, ...]) -> int | None:
    return next((one for one in allowed if str(one) == digits), None)


def whole_address(address: str) -> str:
    """With its domain, which lspci omits if all are 0000."""
    return (address if address.count(":") == 2 else f"0000:{address}").lower()


def port_above(address: str, every: dict[str, PciDevice]) -> PciDevice | None:
    """The port at the other end of a device's link."""
    bus = address.rpartition(":")[0]
    return next((one for one in every.values() if one.secondary == bus), None)
