"""The page's TOML and Python are the scenario, as short as possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import netsim as ns
from netsim.explorer.python import as_python
from netsim.explorer.short import short_toml

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.toml"))
P166 = next(file for file in EXAMPLES if file.stem == "p166")


def run(program: str) -> ns.Scenario:
    """The scenario that a program makes, without its output."""
    made: dict[str, Any] = {}
    exec("\n".join(line for line in program.splitlines() if not line.startswith("print")), made)
    found: ns.Scenario = made["scenario"]
    return found


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda one: one.stem)
def test_both_are_the_scenario(file: Path) -> None:
    scenario = ns.load(file)
    text = short_toml(scenario)
    assert type(scenario).from_toml(text) == scenario
    assert len(text.splitlines()) < 140
    assert run(as_python(scenario)) == scenario


@pytest.mark.parametrize(
    ("changes", "said", "unsaid"),
    [
        ({"receiver.nics.0.driver.rx_ring": 16}, ["rx_ring", "16"], ["tx_ring"]),
        ({"receiver.bus": "pci-64-33", "receiver.bus.clock": "66 MHz"}, ["pci-64-33", "66 MHz"], ["width"]),
        ({"receiver": "piii-600"}, ['"piii-600"'], ["p166", "clock"]),
        ({"segment": "100base-tx-hub", "mtu": 900}, ["100base-tx-hub", "900 B"], ["slot"]),
        ({"receiver.nics.0.driver.tx_interrupt.policy": "every-frame"}, ["every-frame"], ["rx_ring"]),
        ({"sender.nics.0": "dfe570tx:4/tulip", "sender.nics.0.driver.tx_ring": 8}, ["dfe570tx:4/tulip"], ["ports"]),
    ],
)  # fmt: skip
def test_only_what_differs_is_said(changes: dict[str, object], said: list[str], unsaid: list[str]) -> None:
    scenario = ns.load(P166).replace(changes)
    for text in (short_toml(scenario), as_python(scenario)):
        assert all(one in text for one in said), text
        assert not any(one in text for one in unsaid), text
    assert type(scenario).from_toml(short_toml(scenario)) == scenario
    assert run(as_python(scenario)) == scenario


def test_a_machine_without_names_is_said_as_a_whole() -> None:
    whole = ns.Netperf.from_toml(ns.load(P166).to_toml())
    assert type(whole).from_toml(short_toml(whole)) == whole
    assert run(as_python(whole)) == whole
