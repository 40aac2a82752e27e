"""Now and what if: choices, moves, refusals and undo."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.explorer import ready
from netsim.explorer.state import State
from netsim.workload import TOOLS


@pytest.fixture
def state() -> State:
    return State(ready.first())


def options(state: State, address: str) -> list[str]:
    (found,) = [one for group in state.groups for one in group.choices if address in one.addresses]
    return [option.value for option in found.options]


def test_a_change_moves_what_if_and_leaves_now(state: State) -> None:
    state.set("receiver.processors.clock", "100 MHz")
    assert [tuple(one) for one in state.changes] == [("receiver.processors.clock", "166 MHz", "100 MHz")]
    assert state.what_if.limit < state.now.limit
    assert state.now.bounds == ready.first().bounds()
    state.keep()
    assert state.now == state.what_if
    assert not state.changes
    state.undo()
    assert state.changes
    state.as_now("receiver.processors.clock")
    assert not state.changes


@pytest.mark.parametrize(
    ("address", "text", "problem"),
    [
        ("mtu", "abc", '"abc" is not an MTU; allowed: '),
        ("mtu", "9 s", '"9 s" is not an MTU'),
        ("link", "token-ring", 'nothing in links is called "token-ring"'),
        ("receiver.processors.clocks", "1 MHz", 'no such address (did you mean "receiver.processors.clock"?)'),
        ("receiver.processors.clock", "", "is not a frequency"),
        ("receiver.nics.0.driver.rx_ring", "0", "out of range"),
    ],
)
def test_what_can_not_be_is_said_in_one_line_and_changes_nothing(
    state: State, address: str, text: str, problem: str
) -> None:
    before = state.what_if
    state.set(address, text)
    assert problem in state.refused[address].problem
    assert state.refused[address].text == text
    assert "\n" not in state.refused[address].problem
    assert state.what_if is before
    state.undo()
    assert not state.refused


def test_changes_that_need_each_other_are_made_one_after_the_other(state: State) -> None:
    """A system without a driver for the card, and then a card that has one."""
    state.choose("receiver.system", "windows-2000")
    assert "3c59x" in state.refused["receiver.system"].problem
    assert "3cr990tx97/el99xnd4" in options(state, "receiver.nics.0")
    assert "3cr990tx97/el99xnd4" not in options(state, "sender.nics.0")
    state.choose("receiver.nics.0", "3cr990tx97/el99xnd4")
    assert not state.refused
    assert state.scenario.get("receiver.system").catalogue_name == "systems/windows-2000"


def test_another_change_leaves_what_is_refused(state: State) -> None:
    state.set("mtu", "abc")
    state.set("spacing", "7")
    assert [*state.refused] == ["mtu"]
    assert state.scenario.get("spacing") == 7
    state.as_now("mtu")
    assert not state.refused


def test_a_host_keeps_its_system_and_its_card(state: State) -> None:
    state.choose("receiver", "piii-600")
    assert state.scenario.get("receiver") == state.scenario.get("sender")


def test_machines_that_are_alike_are_chosen_together() -> None:
    state = State(ns.load(ready.examples_path() / "chariot.toml"))
    assert [group.title for group in state.groups] == ["Test and wire", "server", "clients.0 to 2", "clients.3"]
    state.choose("clients.0", "p166")
    assert [group.title for group in state.groups] == ["Test and wire", "server", "clients.0 to 3"]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_can_be_chosen(state: State, tool: str) -> None:
    state.choose("tool", tool)
    assert state.scenario.tool() == tool
    assert not state.refused
    assert state.groups[0].choices[0].value == tool


def test_another_tool_measures_the_same_machines(state: State) -> None:
    state.choose("receiver", "p90")
    state.choose("tool", "chariot")
    names = state.scenario.catalogue_names()
    assert (names["server"], names["clients.2"]) == ("hosts/piii-600", "hosts/p90")
    state.choose("tool", "netperf")
    assert state.scenario.catalogue_names()["receiver"] == "hosts/p90"


def test_a_tool_without_a_ready_scenario(state: State) -> None:
    with pytest.raises(ScenarioError, match="no example of"):
        state.choose("tool", "ttcp")


def test_cards_are_put_on_one_interrupt_line() -> None:
    state = State(ns.load(ready.examples_path() / "bonded.toml"))
    address = "receiver.nics.0.irqs"
    assert options(state, address)[:2] == ["none", "5"]
    state.choose(address, "11")
    assert state.what_if.scenario.get("receiver").shared_lines() == {11: [0, 1, 2, 3]}
    state.choose(address, "none")
    assert not state.changes


def test_a_port_that_is_alone_has_no_line_to_choose(state: State) -> None:
    addresses = [address for group in state.groups for one in group.choices for address in one.addresses]
    assert "receiver.nics.0" in addresses
    assert "receiver.nics.0.irqs" not in addresses
