"""Tunnels through a network: their places, and refusals."""

from __future__ import annotations

from typing import Any

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from tests.in_networks import FAST, GATEWAY, through_a_tunnel

ESP = "3des-cbc/hmac-md5-96"
PAIR = {"ends": ["east", "west"], "ipsec": ESP}
CLEAR = GATEWAY.replace("system.ipsec", None)


def refusal(**changes: Any) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        through_a_tunnel(**changes)
    return caught.value


def test_a_route_is_in_it_from_one_gateway_to_the_other() -> None:
    test = through_a_tunnel()
    there, back = test.routes()["files"]  # type: ignore[misc]
    (out,), (into,) = test.sections(there), test.sections(back)
    assert (out.first, out.last, out.address) == (1, 1, "office east.1 to west.1")
    assert into.address == "office west.1 to east.1"
    assert out.tunnel.ipsec.mode == "tunnel"


def test_it_is_written_and_read_as_it_is() -> None:
    test = through_a_tunnel()
    assert ns.Flows.from_toml(test.to_toml()) == test
    assert test.replace("tunnels.office.ipsec", "des-cbc/hmac-md5-96").enclosing["office"].ipsec.mode == "tunnel"


@pytest.mark.parametrize(
    ("changes", "address", "words"),
    [
        ({"tunnels": {"office": {"ends": ["east", "east"], "ipsec": ESP}}}, "tunnels.office.ends", "two different"),
        ({"tunnels": {"office": {"ends": ["east", "wst"], "ipsec": ESP}}}, "tunnels.office.ends.1", "west"),
        ({"tunnels": {"office": {"ends": ["a", "west"], "ipsec": ESP}}}, "hosts.a.forwards", 'allowed: "ip"'),
        ({"hosts": {"a": FAST, "b": FAST, "east": CLEAR, "west": GATEWAY}}, "hosts.east.system.ipsec", "freeswan-1.97"),
        ({"cipher": "null/hmac-md5-96"}, "tunnels.office.ipsec.cipher", "des-cbc, 3des-cbc"),
        ({"mtu": 100}, "mtu", "less than 68"),
        ({"flows": {"own": {"kind": "stream", "sender": "east", "receiver": "b"}}}, "tunnels.office.ends", "no flow"),
        ({"tunnels": dict.fromkeys("xy", PAIR)}, "tunnels.y.ends", "x already connects"),
        ({"ipsec": ESP, "hosts": dict.fromkeys(("a", "b", "east", "west"), GATEWAY)}, "hosts.a.forwards", "tunnels"),
    ],
)
def test_what_can_not_be_is_refused(changes: dict[str, Any], address: str, words: str) -> None:
    error = refusal(**changes)
    assert error.address == address
    assert words in error.problem


def test_one_within_another_is_refused() -> None:
    links = {"inside": {"ends": ["a", "east.0"]}, "one": {"ends": ["east.1", "middle.0"]},
             "two": {"ends": ["middle.1", "west.1"]}, "home": {"ends": ["west.0", "b"]}}  # fmt: skip
    tunnels = {name: {"ends": ends, "ipsec": ESP} for name, ends in (
        ("long", ["east", "west"]), ("short", ["east", "middle"]))}  # fmt: skip
    hosts = {"a": FAST, "b": FAST} | dict.fromkeys(("east", "west", "middle"), GATEWAY)
    error = refusal(hosts=hosts, links=links, tunnels=tunnels)
    assert (error.address, "consecutive tunnels" in error.problem) == ("tunnels.long.ends", True)
