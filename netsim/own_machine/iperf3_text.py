"""`iperf3 --json`: the measurement of a run, and its options.

Keys are those of iperf3's iperf_api.c and iperf_tcp.c, versions 3.1 to 3.17.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from netsim.errors import show
from netsim.own_machine.json_texts import loaded
from netsim.own_machine.texts import Noted, Text
from netsim.spec import NONE

_PROTOCOLS = ("TCP", "UDP")
_FASTEST = 1e15  # bit/s; no measurement reaches it
_LARGEST = 1 << 40  # all other numbers are smaller
_THREADS = (3, 16)  # the first version with one thread per stream


def read_iperf3(text: Text | None) -> dict[str, Noted]:
    """A run's values, by the names of MeasuredFound; empty if the run did not end."""
    found = loaded(text)
    if text is None or found is None:
        return {}
    if isinstance(found.get("error"), str):
        text.refuse(text.line_of('"error"'), f'the tool said "{ascii(found["error"])[1:80]}"')
        return {}
    end = _table(found, "end")
    received = _table(end, "sum_received") or _table(end, "sum")
    rate = received.get("bits_per_second")
    if not isinstance(rate, int | float) or isinstance(rate, bool) or not 1 <= rate < _FASTEST:
        text.refuse(1, "no end.sum_received.bits_per_second: not iperf3 --json's output, or the run did not end")
        return {}
    if (protocol := _protocol(found)) not in _PROTOCOLS:
        reason = f"{show(protocol)} is not a protocol of a run that netsim knows; allowed: {', '.join(_PROTOCOLS)}"
        text.refuse(text.line_of('"protocol"'), reason)
        return {}
    values = {"rate": (f"{round(rate)} bit/s", "sum_received"), **_begin(_table(found, "start")), **_ended(end)}
    return {name: text.noted(value, text.line_of(f'"{key}"')) for name, (value, key) in values.items()}


def _begin(start: Mapping[str, Any]) -> dict[str, tuple[object, str]]:
    """Each option's value, with the key that holds it."""
    test = _table(start, "test_start")
    found: dict[str, tuple[object, str]] = {}
    if "protocol" in test:
        found["protocol"] = test["protocol"], "protocol"
    client = "accepted_connection" not in start
    found["sends"] = client != (test.get("reverse") == 1), "reverse"
    paced = any(_count(each, key) for each in (start, test) for key in ("target_bitrate", "fqrate", "fq_rate"))
    found["paced"] = paced, "test_start"
    found["both_ways"] = test.get("bidir") == 1, "test_start"
    for name, table, key in (("streams", test, "num_streams"), ("block", test, "blksize"), ("mss", start, "tcp_mss"),
                             ("mss", start, "tcp_mss_default")):  # fmt: skip
        if name not in found and (number := _count(table, key)):
            found[name] = number, key
    if seconds := _count(test, "duration"):
        found["duration"] = f"{seconds} s", "duration"
    found |= _threads(start.get("version"), _count(test, "num_streams"))
    return found | dict(_buffers(start))


def _protocol(found: Mapping[str, Any]) -> object:
    return _table(_table(found, "start"), "test_start").get("protocol", "TCP")


def _threads(version: object, streams: int | None) -> dict[str, tuple[object, str]]:
    match = re.match(r"iperf (\d{1,3})\.(\d{1,3})", version, re.ASCII) if isinstance(version, str) else None
    if match is None or not streams:
        return {}
    return {"threads": (streams if (int(match[1]), int(match[2])) >= _THREADS else 1, "version")}


def _buffers(start: Mapping[str, Any]) -> Iterator[tuple[str, tuple[object, str]]]:
    """The buffers set by -w, as the kernel has doubled and limited them; without -w Linux tunes them."""
    fixed = _count(start, "sock_bufsize")
    for name, key in (("send_buffer", "sndbuf_actual"), ("receive_buffer", "rcvbuf_actual")):
        if fixed and (size := _count(start, key)):
            yield name, (size, key)
        elif fixed == 0:
            yield name, (NONE, "sock_bufsize")


def _ended(end: Mapping[str, Any]) -> dict[str, tuple[object, str]]:
    found: dict[str, tuple[object, str]] = {}
    if (count := _count(_table(end, "sum_sent"), "retransmits")) is not None:
        found["retransmits"] = count, "retransmits"
    for key in ("sender_tcp_congestion", "receiver_tcp_congestion"):
        if isinstance(name := end.get(key), str) and re.fullmatch(r"[\w-]{1,16}", name, re.ASCII):
            found.setdefault("congestion", (name, key))
    return found


def _count(data: Mapping[str, Any], key: str) -> int | None:
    """A whole number from 0 up, which JSON may write as a float."""
    found = data.get(key)
    known = isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < _LARGEST
    return int(found) if known else None  # type: ignore[arg-type]


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, Mapping) else {}
