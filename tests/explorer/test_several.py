"""More and fewer of items that a scenario may have several of: adapters, clients, hosts of a network."""

from __future__ import annotations

import pytest

import netsim as ns
from netsim.errors import ScenarioError
from netsim.explorer import ready
from netsim.explorer.choices import Choice
from netsim.explorer.state import State


def state(name: str) -> State:
    return State(ns.load(ready.examples_path() / f"{name}.toml"))


def choices(state: State) -> dict[str, Choice]:
    return {one.address: one for group in state.groups for one in group.choices}


def countable(state: State) -> set[str]:
    return {address for group in state.groups for address in group.countable}


def test_an_adapter_is_added_to_all_machines_that_are_alike_and_any_of_them_removed() -> None:
    page = state("chariot")
    page.more("clients.0.nics.0")
    assert [len(one.nics) for one in page.scenario.clients] == [2, 2, 2, 1]  # type: ignore[attr-defined]
    page.choose("clients.0.nics.1", "eepro100/eepro100")
    page.fewer("clients.0.nics.0")
    names = [one.nics[0].catalogue_name for one in page.scenario.clients]  # type: ignore[attr-defined]
    assert names == ["nics/eepro100"] * 3 + ["nics/3c905b"]
    assert not choices(page)["clients.0.nics.0"].can_go  # the last one stays


def test_a_client_is_one_more_like_it() -> None:
    page = state("chariot")
    page.more("clients.2")
    assert [group.title for group in page.groups][2:] == ["clients.0 to 3", "clients.4"]
    page.undo()
    page.fewer("clients.3")
    assert [group.title for group in page.groups][2:] == ["clients.0 to 2"]
    for number in (2, 1):
        page.fewer(f"clients.{number}")
    assert "clients.0" in countable(page)  # one more is possible, but not one less
    assert [one.fewer for group in page.groups for one in group.several if one.what == "client"] == [""]


def test_clients_that_are_a_number_are_counted() -> None:
    page = state("netbench")
    page.more("clients")
    page.more("clients")
    page.fewer("clients")
    assert page.scenario.get("clients") == 9


def test_ports_are_chosen_up_to_what_the_card_has() -> None:
    page = state("bonded")
    assert [one.value for one in choices(page)["sender.nics.0.ports"].options] == ["1", "2", "3", "4"]
    page.choose("sender.nics.0.ports", "3")
    assert "3" in page.refused["sender.nics.0.ports"].text
    page.choose("receiver.nics.0.ports", "3")
    assert not page.refused
    assert "receiver.nics.0.ports" not in choices(state("p166"))


def test_an_adapter_on_each_side_where_one_alone_is_refused() -> None:
    page = state("bonded")
    page.more("sender.nics.0")
    assert "can't be connected" in page.refused["sender.nics"].problem
    page.more("receiver.nics.0")
    assert not page.refused
    assert [len(page.scenario.get(f"{host}.nics")) for host in ("sender", "receiver")] == [2, 2]


def test_a_host_of_a_network_comes_with_its_link_and_its_flow() -> None:
    page = state("flows")
    before = page.scenario
    page.more("hosts.client7")
    assert page.scenario.get("hosts.client9") == page.scenario.get("hosts.client7")
    assert page.scenario.get("links.desk9.ends") == ("client9", "office")
    assert (page.scenario.get("flows.file8.sender"), page.scenario.get("flows.file8.receiver")) == ("server", "client9")
    assert page.what_if.toml.count("client9") == 3
    page.fewer("hosts.client9")
    assert page.scenario == before
    page.fewer("hosts.server")
    assert "at least one flow" in page.refused["hosts"].problem


def test_a_host_on_a_segment_is_one_more_station() -> None:
    page = state("router-segments")
    page.more("hosts.right")
    assert page.scenario.get("segments.downstairs.stations") == ("gateway.1", "right", "right2")
    assert page.scenario.get("segments.upstairs.stations") == ("left", "gateway.0")
    page.fewer("hosts.right2")
    assert page.scenario == ns.load(ready.examples_path() / "router-segments.toml")


@pytest.mark.parametrize("address", ["mtu", "receiver", "receiver.nics", "receiver.nics.7", "clients.0", ""])
def test_nothing_else_is_counted(address: str) -> None:
    with pytest.raises(ScenarioError, match="added or removed"):
        state("p166").more(address)
