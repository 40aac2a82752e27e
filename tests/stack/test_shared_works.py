"""Alike ends of connections have the same works, made once."""

from __future__ import annotations

from typing import Any

import netsim as ns
from netsim.engine import Environment

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
OTHER = PC.replace("processors.clock", "300 MHz")


def ends(env: Environment, sender: Any, receiver: Any) -> tuple[Any, Any]:
    run: Any = ns.Netperf(test="TCP_STREAM", sender=sender, receiver=receiver).build(env)
    return run.out, run.into


def test_hosts_of_one_description_share_their_works() -> None:
    env = Environment(seed=1)
    out, into = ends(env, PC, PC)
    assert out.works is into.works is out.peer_works


def test_other_hosts_and_other_runs_have_their_own() -> None:
    out, into = ends(Environment(seed=1), PC, OTHER)
    assert out.works is not into.works
    assert (out.peer_works, into.peer_works) == (into.works, out.works)
    assert ends(Environment(seed=1), PC, PC)[0].works is not out.works
