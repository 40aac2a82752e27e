"""Outputs in JSON: processors according to `lscpu -J`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from netsim.own_machine.texts import Noted, Text

_NODE = re.compile(r"NUMA node(\d{1,4}) CPU\(s\):")
_MOST = 1024  # processors in a list


def loaded(text: Text | None) -> Mapping[str, Any] | None:
    if text is None:
        return None
    try:
        found = json.loads("\n".join(text.lines))
    except json.JSONDecodeError as error:
        text.refuse(error.lineno, f"not JSON: {error.msg}")
        return None
    except (ValueError, RecursionError) as error:
        text.refuse(0, f"not JSON: {str(error)[:80]}")
        return None
    if isinstance(found, Mapping):
        return found
    text.refuse(1, "not a JSON object")
    return None


def read_processors(text: Text | None) -> tuple[dict[str, Noted], dict[str, Noted]]:
    """Processors according to lscpu, by our names, and the processors of each node ("node0")."""
    found: dict[str, Noted] = {}
    nodes: dict[str, Noted] = {}
    fields = loaded(text)
    if text is None or fields is None:
        return found, nodes
    for label, data in _fields(fields.get("lscpu")):
        line = text.line_of(f'"{label}"')
        if match := _NODE.fullmatch(label):
            if processor_set(data):
                nodes[f"node{int(match[1])}"] = text.noted(data, line)
            else:
                text.refuse(line, f'"{data[:40]}" is not a list of processors')
        elif label == "Model name:":
            found["name"] = text.noted(data, line)
        elif label in _COUNTS:
            _count(found, _COUNTS[label], data, text, line)
        elif label == "CPU max MHz:":
            _clock(found, data, text, line)
        elif label in ("L3:", "L3 cache:"):
            _cache(found, data, text, line)
    _named_clock(found)
    return found, nodes


_COUNTS = {"CPU(s):": "count", "Socket(s):": "sockets", "Thread(s) per core:": "threads_per_core"}


def _fields(entries: object) -> Iterator[tuple[str, str]]:
    """The fields of all levels; lscpu nests them from util-linux 2.37 on."""
    waiting = [*entries] if isinstance(entries, list) else []
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, Mapping):
            if isinstance(entry.get("field"), str) and isinstance(entry.get("data"), str):
                yield entry["field"], entry["data"].encode(errors="replace").decode()  # JSON may have lone surrogates
            waiting += [*children] if isinstance(children := entry.get("children"), list) else []


def _count(found: dict[str, Noted], name: str, data: str, text: Text, line: int) -> None:
    if re.fullmatch(r"[1-9]\d{0,5}", data, re.ASCII):
        found[name] = text.noted(int(data), line)
    elif data != "-":  # the value of some ARM boards for sockets
        text.refuse(line, f'"{data[:40]}" is not a count')


def _clock(found: dict[str, Noted], data: str, text: Text, line: int) -> None:
    if re.fullmatch(r"\d{1,6}([.,]\d{1,6})?", data, re.ASCII) and float(data.replace(",", ".")) > 0:
        found["clock"] = text.noted(f"{data.replace(',', '.')} MHz", line)
    else:
        text.refuse(line, f'"{data[:40]}" is not a clock in MHz')


def _cache(found: dict[str, Noted], data: str, text: Text, line: int) -> None:
    """ "20480K", "20 MiB", or the sum of several: "128 MiB (8 instances)"."""
    match = re.fullmatch(r"(\d{1,7}(?:\.\d{1,3})?) ?([KM])(?:iB)?(?: \((\d{1,4}) instances?\))?", data, re.ASCII)
    size = float(match[1]) * _SIZES[match[2]] / max(1, int(match[3] or 1)) if match else 0
    if size >= 1:
        found["cache"] = text.noted(f"{int(size)} B", line)
    else:
        text.refuse(line, f'"{data[:40]}" is not a cache size')


_SIZES = {"K": 1 << 10, "M": 1 << 20}


def _named_clock(found: dict[str, Noted]) -> None:
    """Without "CPU max MHz", which virtual machines lack, the clock that is part of the name."""
    name = found.get("name")
    match = re.search(r"@ (\d{1,2}(?:\.\d{1,3})?)GHz", str(name.value), re.ASCII) if name else None
    if name and match and "clock" not in found and float(match[1]) > 0:
        found["clock"] = Noted(f"{match[1]} GHz", name.where)


def processor_set(text: str) -> frozenset[int]:
    """The numbers of "0-7,16-23"; none if the text is not such a list."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,5})(?:-(\d{1,5}))?\s*", part, re.ASCII)
        if not match or len(found) > _MOST:
            return frozenset()
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return frozenset(found)
