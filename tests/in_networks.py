"""Networks with flows, for tests of all kinds."""

from __future__ import annotations

from typing import Any

import netsim as ns

FAST = ns.host("piii-600", system="linux-2.2.16", nics="3c905b/3c59x")
SLOW = ns.host("p166", system="linux-2.2.16", nics="3c905b/3c59x")
GATEWAY = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2, forwards="ip").replace(
    "system.ipsec", "freeswan-1.97")  # fmt: skip
SMALLEST = 18  # bytes of payload of a datagram in a frame of 64
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


def routed(forwards: str = "ip", gateway: str = "p166", **changes: Any) -> ns.Flows:
    """Two hosts with a forwarding host between them, and a flow of each kind."""
    between = ns.host(gateway, system="linux-2.2.16", nics=["3c905b/3c59x"] * 2, forwards=forwards)
    paced, asked = PACED | {"sender": "b", "receiver": "a"}, ASKED | {"sender": "b"}
    given: dict[str, Any] = {
        "hosts": {"a": FAST, "b": FAST, "gateway": between},
        "links": {"near": {"ends": ["a", "gateway.0"]}, "far": {"ends": ["gateway.1", "b"]}},
        "flows": {"files": STREAM, "video": paced, "questions": asked},
    }
    return ns.Flows(**(given | changes))


def two_routers() -> ns.Flows:
    """Two hosts with two routers between them, and a flow of each kind."""
    ends = {"l1": ["a", "east.0"], "l2": ["east.1", "west.1"], "l3": ["west.0", "b"]}
    hosts = {"a": FAST, "b": FAST, "east": GATEWAY, "west": GATEWAY}
    return routed(hosts=hosts, links={name: {"ends": both} for name, both in ends.items()})


def between_testers(
    rate: float | None = None, polling: str | None = None, clock: str = "150 MHz", **changes: Any
) -> ns.Flows:
    """A router with a slow processor between two testers, offered that many minimum-size frames per second."""
    gateway = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"] * 2, forwards="ip").replace(
        {"processors.clock": clock, "system.kernel.polling": polling, "system.kernel.tick": "1 ms"})  # fmt: skip
    load = {"kind": "datagrams", "sender": "left", "receiver": "right", "size": SMALLEST}
    given: dict[str, Any] = {
        "hosts": {"gateway": gateway}, "testers": ["left", "right"],
        "links": {"in": {"ends": ["left", "gateway.0"]}, "out": {"ends": ["gateway.1", "right"]}},
        "flows": {"load": load | ({} if rate is None else {"offered": f"{round(rate * 8 * SMALLEST)} bit/s"})},
    }  # fmt: skip
    return ns.Flows(**(given | changes))


def through_a_tunnel(cipher: str = "3des-cbc/hmac-md5-96", **changes: Any) -> ns.Flows:
    """Two hosts, each behind its security gateway, and a flow of each kind."""
    paced, asked = PACED | {"sender": "b", "receiver": "a"}, ASKED | {"sender": "b"}
    given: dict[str, Any] = {
        "hosts": {"a": FAST, "b": FAST, "east": GATEWAY, "west": GATEWAY},
        "links": {"inside": {"ends": ["a", "east.0"]}, "line": {"ends": ["east.1", "west.1"]},
                  "home": {"ends": ["west.0", "b"]}},
        "tunnels": {"office": {"ends": ["east", "west"], "ipsec": cipher}},
        "flows": {"files": STREAM, "video": paced, "questions": asked},
    }  # fmt: skip
    return ns.Flows(**(given | changes))


def tunnel_between_testers(size: int = SMALLEST, **changes: Any) -> ns.Flows:
    """Datagrams of `size` bytes of payload from one tester to another."""
    load = {"kind": "datagrams", "sender": "left", "receiver": "right", "size": size, "offered": "4 Mbit/s"}
    links = {"inside": {"ends": ["left", "east.0"]}, "line": {"ends": ["east.1", "west.1"]},
             "home": {"ends": ["west.0", "right"]}}  # fmt: skip
    given: dict[str, Any] = {"hosts": dict.fromkeys(("east", "west"), GATEWAY), "testers": ["left", "right"],
                             "links": links, "flows": {"load": load}}  # fmt: skip
    return through_a_tunnel(**(given | changes))
