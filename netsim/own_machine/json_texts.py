"""Outputs that are JSON already: `lscpu -J` and `iperf3 --json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from netsim.own_machine.texts import Noted, Text

_NODE = re.compile(r"NUMA node(\d{1,4}) CPU\(s\):")
_MOST = 1024  # processors in a list
_FASTEST = 1e15  # bit/s; no measurement has that


def _loaded(text: Text | None) -> Mapping[str, Any] | None:
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


# ---- lscpu ----


def read_processors(text: Text | None) -> tuple[dict[str, Noted], dict[str, Noted]]:
    """What lscpu says of processors, by our names, and the processors of each node ("node0")."""
    found: dict[str, Noted] = {}
    nodes: dict[str, Noted] = {}
    loaded = _loaded(text)
    if text is None or loaded is None:
        return found, nodes
    for label, data in _fields(loaded.get("lscpu")):
        line = text.line_of(f'"{label}"')
        if match := _NODE.fullmatch(label):
            if processor_set(data):
                nodes[f"node{int(match[1])}"] = text.noted(data, line)
            else:
                text.refuse(line, f'"{data[:40]}" is no list of processors')
        elif label == "Model name:":
            found["name"] = text.noted(data, line)
        elif label in _COUNTS:
            _count(found, _COUNTS[label], data, text, line)
        elif label == "CPU max MHz:":
            _clock(found, data, text, line)
    return found, nodes


_COUNTS = {"CPU(s):": "count", "Socket(s):": "sockets", "Thread(s) per core:": "threads_per_core"}


def _fields(entries: object) -> Iterator[tuple[str, str]]:
    """The fields of all levels; lscpu nests them from util-linux 2.37 on."""
    waiting = [*entries] if isinstance(entries, list) else []
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, Mapping):
            if isinstance(entry.get("field"), str) and isinstance(entry.get("data"), str):
                yield entry["field"], entry["data"].encode(errors="replace").decode()  # JSON may have half characters
            waiting += [*children] if isinstance(children := entry.get("children"), list) else []


def _count(found: dict[str, Noted], name: str, data: str, text: Text, line: int) -> None:
    if re.fullmatch(r"[1-9]\d{0,5}", data, re.ASCII):
        found[name] = text.noted(int(data), line)
    elif data != "-":  # what some ARM boards have for sockets
        text.refuse(line, f'"{data[:40]}" is no count')


def _clock(found: dict[str, Noted], data: str, text: Text, line: int) -> None:
    if re.fullmatch(r"\d{1,6}([.,]\d{1,6})?", data, re.ASCII) and float(data.replace(",", ".")) > 0:
        found["clock"] = text.noted(f"{data.replace(',', '.')} MHz", line)
    else:
        text.refuse(line, f'"{data[:40]}" is no clock in MHz')


def processor_set(text: str) -> frozenset[int]:
    """The numbers of "0-7,16-23"; none if it is no such list."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,5})(?:-(\d{1,5}))?\s*", part, re.ASCII)
        if not match or len(found) > _MOST:
            return frozenset()
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return frozenset(found)


# ---- iperf3 ----


def read_iperf3(text: Text | None) -> dict[str, Noted]:
    """A run's protocol, direction, streams, retransmits and what was received; nothing if it did not end."""
    loaded = _loaded(text)
    if text is None or loaded is None:
        return {}
    if isinstance(loaded.get("error"), str):
        text.refuse(text.line_of('"error"'), f'the tool said "{ascii(loaded["error"])[1:80]}"')
        return {}
    start, end = _table(loaded, "start"), _table(loaded, "end")
    test, received = _table(start, "test_start"), _table(end, "sum_received") or _table(end, "sum")
    rate = received.get("bits_per_second")
    if not isinstance(rate, int | float) or isinstance(rate, bool) or not 1 <= rate < _FASTEST:
        text.refuse(1, "no end.sum_received.bits_per_second: no output of iperf3 --json, or of a run that did not end")
        return {}
    found: dict[str, object] = {"protocol": test.get("protocol"), "streams": test.get("num_streams")}
    found["rate"] = f"{round(rate)} bit/s"
    found["sends"] = ("accepted_connection" not in start) != (test.get("reverse") == 1)  # a server's output has that
    found["retransmits"] = _table(end, "sum_sent").get("retransmits")
    allowed = {"protocol": (str,), "streams": (int,), "retransmits": (int,), "rate": (str,), "sends": (bool,)}
    keys = {"streams": "num_streams", "rate": "bits_per_second", "sends": "reverse"}
    return {
        name: text.noted(value, text.line_of(f'"{"sum_received" if name == "rate" else keys.get(name, name)}"'))
        for name, value in found.items()
        if isinstance(value, allowed[name])
    }


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, Mapping) else {}
