"""Every card under every system, on every wire, under every tool: combinations that models/ allows run, with audits and
within their bound; all others are refused with one line."""

from itertools import groupby

import pytest

import netsim as ns
from netsim import catalog
from tests.combined import Combination, combinations, run

STRIDE = 7  # of refused combinations: prime to the numbers of systems, wires and tools
EVERY = {adapter: [*some] for adapter, some in groupby(combinations(), key=lambda one: f"{one.card}/{one.driver}")}


@pytest.mark.parametrize("adapter", EVERY)
def test_what_the_table_allows_runs_and_everything_else_is_refused(adapter: str) -> None:
    """Every seventh of the thousands that are refused, which covers all systems, wires and tools."""
    ran = 0
    for number, one in enumerate(EVERY[adapter]):
        if one.reason:
            if number % STRIDE == 0:
                refused(one)
        else:
            run(one.scenario())
            ran += 1
    assert ran > 0  # each driver's card has at least one use


def refused(one: Combination) -> None:
    with pytest.raises(ns.ScenarioError) as error:
        one.scenario()
    text = str(error.value)
    assert "\n" not in text, one
    assert any(word in text for word in ("allowed", "did you mean", "more than")), (one, text)


def test_there_are_hundreds() -> None:
    allowed = [one for some in EVERY.values() for one in some if not one.reason]
    assert len(allowed) > 300
    assert {one.driver for one in allowed} == set(catalog.names("drivers"))
