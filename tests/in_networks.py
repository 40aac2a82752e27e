"""Networks with flows, for tests of all kinds."""

from __future__ import annotations

from typing import Any

import netsim as ns

FAST = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
SLOW = ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x")
STREAM = {"kind": "stream", "sender": "a", "receiver": "b"}
PACED = {"kind": "datagrams", "sender": "b", "receiver": "c", "offered": "10 Mbit/s"}
ASKED = {"kind": "request-response", "sender": "c", "receiver": "a", "request": 100, "response": 1000}


def cabled(flow: dict[str, Any], near: ns.Spec = FAST, far: ns.Spec = SLOW, **keys: Any) -> ns.Flows:
    """One flow between two hosts on a cable."""
    return ns.Flows({"a": near, "b": far}, {"one": flow}, links={"cable": {"ends": ["a", "b"]}}, **keys)


def behind_a_switch(**changes: Any) -> ns.Flows:
    """Three hosts around a switch, with a flow of each kind."""
    given: dict[str, Any] = {
        "hosts": dict.fromkeys("abc", FAST),
        "switches": {"office": "summit48"},
        "links": {f"to-{name}": {"ends": [name, "office"]} for name in "abc"},
        "flows": {"files": STREAM, "video": PACED, "questions": ASKED},
    }
    return ns.Flows(**(given | changes))


def on_a_segment(**changes: Any) -> ns.Flows:
    """The same hosts and flows on one segment."""
    shared = {"coax": {"stations": ["a", "b", "c"], "segment": "100base-tx-hub"}}
    return behind_a_switch(**({"switches": {}, "links": {}, "segments": shared} | changes))
